"""A whole dataset: its bytes, its card, and what happens to what was there before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from tests.distill.played import Scripted, changed, gold, record, write_run

from worldwright.core.errors import UsageError
from worldwright.distill.card import licence
from worldwright.distill.make import distill
from worldwright.distill.records import FORMATS, Recipe
from worldwright.distill.rows import COLUMNS
from worldwright.distill.summarise import survives_datasets
from worldwright.engine.world import World
from worldwright.rollout.read import OPENINGS, TRAJECTORIES, Run


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_runs_give_the_same_bytes_in_any_order(many: list[Path], chance: Run, tmp_path: Path) -> None:
    runs, recipe = [*many, chance.folder], Recipe(FORMATS, likeness=1)
    distill(runs, recipe, tmp_path / "one", parquet=True)
    distill(list(reversed(runs)), recipe, tmp_path / "two", parquet=True)
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert set(one) == set(two)
    assert len(one) == 2 + 6 * 2
    assert [name for name in one if one[name] != two[name]] == []


def test_what_the_oracle_teaches_are_the_calls_of_the_keys(good: Run, library_world: World, tmp_path: Path) -> None:
    """Keys use only what was shown, so that nobody learns to know what they cannot know."""
    distill([good.folder], Recipe(("sft",), likeness=1, held_out=0), tmp_path / "out")
    taught = set()
    for line in (tmp_path / "out" / "sft" / "train.jsonl").read_text().splitlines():
        calls = [
            call["function"] for message in json.loads(line)["messages"] for call in message.get("tool_calls") or ()
        ]
        taught.add(json.dumps([[one["name"], _object(one["arguments"])] for one in calls], sort_keys=True))
    keys = [library_world.key(task.id) for task in library_world.tasks]
    assert taught == {
        json.dumps([*([c.tool, c.arguments] for c in key.calls), ["submit_answer", key.answer]], sort_keys=True)
        for key in keys
    }


def test_parquet_holds_the_same_rows(many: list[Path], tmp_path: Path) -> None:
    distill(many, Recipe(FORMATS), tmp_path / "out", parquet=True)
    for path in sorted((tmp_path / "out").rglob("*.jsonl")):
        lists, texts = COLUMNS[path.parent.name]
        table = pq.read_table(path.with_suffix(".parquet")).to_pylist()
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(table) == len(lines) > 0
        for got, row in zip(table, lines, strict=True):
            assert {name: [_object(one) for one in got[name]] for name in lists} == {name: row[name] for name in lists}
            assert {name: got[name] for name in texts} == {name: row[name] for name in texts}


def _object(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def test_the_card_says_what_is_in_the_files(many: list[Path], library_world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    facts = distill(many, Recipe(("sft", "dpo"), likeness=1), out).facts
    assert json.loads((out / "distill.json").read_text()) == facts
    text = (out / "README.md").read_text()
    head = yaml.safe_load(text.split("---\n")[1])
    for one in facts["files"]:
        data = (out / one["path"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert one["rows"] == data.count(b"\n") == sum(one["by_domain"].values()) == sum(one["by_family"].values())
        assert f"| {one['path']} | {one['rows']} |" in text
    assert [c["config_name"] for c in head["configs"]] == ["sft", "dpo"]
    assert {d["path"] for c in head["configs"] for d in c["data_files"]} == {f["path"] for f in facts["files"]}
    for digest, domain in facts["worlds"].items():
        assert f"| {domain} | `{digest}` |" in text
    for run in facts["runs"]:
        assert run["digest"] in text
        assert run["agent_id"] in text
    failed = len(library_world.tasks) * len(many) // 2
    assert f"| sft | failed | {failed} |" in text
    assert "--format sft,dpo --per-task 4 --likeness 1 --held-out 0.2 --split domain --out FOLDER" in text


def test_only_worlds_of_the_catalogue_are_ours_to_license() -> None:
    facts = {"recipe": {"license": ""}, "worlds": {"a": "hotel_booking"}}
    assert licence(facts) == "apache-2.0"
    assert licence({**facts, "worlds": {"a": "hotel_booking", "b": "acme_orders"}}) == "other"
    assert licence({**facts, "recipe": {"license": "cc-by-4.0"}}) == "cc-by-4.0"


def test_an_earlier_dataset_gives_way_and_nothing_else_does(
    library_world: World, good: Run, bad: Run, tmp_path: Path
) -> None:
    tasks = len(library_world.tasks)
    out = tmp_path / "out"
    distill([good.folder], Recipe(("sft",)), out)
    distill([good.folder], Recipe(("rl",)), out)
    assert not (out / "sft").exists()
    before = contents(out)
    with pytest.raises(UsageError, match=f"no row came of {tasks} episodes: {tasks} x failed"):
        distill([bad.folder], Recipe(("sft",)), out)
    assert contents(out) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="is no dataset of this kind"):
        distill([good.folder], Recipe(("sft",)), mine)
    assert (mine / "thesis.txt").read_text() == "years of work"


def test_stopping_in_the_middle_leaves_what_was_there(good: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    distill([good.folder], Recipe(("rl",)), out)
    before = contents(out)

    @contextmanager
    def stopped(what: str, number: int) -> Iterator[Callable[[], None]]:
        def step() -> None:
            if what == "sft rows written":
                raise KeyboardInterrupt

        yield step

    with pytest.raises(KeyboardInterrupt):
        distill([good.folder], Recipe(("rl", "sft")), out, stage=stopped)
    assert contents(out) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_episode_that_was_changed_is_refused(bad: Run, tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", bad.episodes(), bad.openings.values(), "hasty")
    path = copy.folder / TRAJECTORIES
    path.write_text(path.read_text().replace('"status":"fail"', '"status":"pass"', 1))
    with pytest.raises(UsageError, match=r"trajectories.jsonl:1 is not what was recorded"):
        distill([copy.folder], Recipe(("sft",)), tmp_path / "out")


def test_an_opening_that_was_changed_is_refused(good: Run, tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", good.episodes(), good.openings.values(), "oracle")
    path = copy.folder / OPENINGS
    path.write_text(path.read_text().replace("You act as", "You never act as", 1))
    with pytest.raises(UsageError, match=r"the opening \w+ is not what was recorded"):
        distill([copy.folder], Recipe(("sft",)), tmp_path / "out")


def test_a_run_that_has_not_ended_is_refused(good: Run, tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", good.episodes(), good.openings.values(), "oracle")
    (copy.folder / TRAJECTORIES).unlink()
    with pytest.raises(UsageError, match="the run has not ended"):
        distill([copy.folder], Recipe(("sft",)), tmp_path / "out")


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"formats": ("sfd",)}, "no format is called 'sfd'; did you mean `sft`"),
        ({"formats": ()}, "name a format"),
        ({"split": "world"}, "no way to split is called 'world'"),
    ],
)
def test_a_wrong_recipe_says_so(recipe: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Recipe(**recipe)


def test_without_the_key_comes_before_with_it(library_world: World, twice: Run, tmp_path: Path) -> None:
    """Of two successes with the same calls, the one that was not told is taught."""
    honest = [changed(e, sees_key=False, agent="honest") for e in twice.episodes()]
    run = write_run(tmp_path / "honest", honest, twice.openings.values(), "honest")
    facts = distill([twice.folder, run.folder], Recipe(("sft",), likeness=1), tmp_path / "out").facts
    assert facts["files"][0]["by_agent"] == {"honest": len(library_world.tasks)}


def test_what_a_model_writes_does_not_stop_anything(library_world: World, good: Run, tmp_path: Path) -> None:
    def wild(arguments: str) -> Scripted:
        call = {"id": "c", "type": "function", "function": {"name": "get_member", "arguments": arguments}}
        return Scripted(
            f"wild {len(arguments)}",
            lambda k, s: [{"role": "assistant", "content": "\u2028", "tool_calls": [call]}, *gold(k, s)],
        )

    texts = [
        '{"member": "\\ud800"}',
        '{"member": NaN}',
        '{"member": 1e999}',
        '{"member": ' + "9" * 30 + "}",
        "[]",
        "null",
        '{"a": 0.3}',
    ]
    runs = [record(library_world, wild(t), tmp_path / str(n), ["task_004"]).folder for n, t in enumerate(texts)]
    out = tmp_path / "out"
    distill([good.folder, *runs], Recipe(FORMATS), out)
    for path in out.rglob("*.jsonl"):
        for line in path.read_text().split("\n")[:-1]:
            row = json.loads(line)
            assert survives_datasets(
                [
                    m.get("tool_calls")
                    for name in ("messages", "prompt", "chosen", "rejected")
                    for m in row.get(name, ())
                ]
            )


def test_numbers_that_datasets_keeps() -> None:
    assert all(
        map(
            survives_datasets, (0.0, 0.01, 19.99, 1686.5, -4.25, 1234567.89, 5, -(2**63), True, None, "ä", [{"a": 0.5}])
        )
    )
    assert not any(
        map(
            survives_datasets,
            (0.57, 0.3, 0.12345678901, 1e300, float("nan"), 2**63, "\ud800", {"a": [0.57]}, {"\ud800": 1}),
        )
    )
