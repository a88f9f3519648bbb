from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from worldwright.compiler.build import BuiltWorld
from worldwright.engine.world import World
from worldwright.gate import results
from worldwright.gate.contamination.check import compare, save_report
from worldwright.gate.contamination.embedding import Embed
from worldwright.gate.contamination.gym_texts import map_tasks_by_row, texts_of
from worldwright.gate.contamination.records import CLOSE, HANDBOOK, INSTRUCTION, NAMES, ROW, Report, Thresholds
from worldwright.store.open import world_of


def _compared(world: World, folder: Path, records: Sequence[object], embed: Embed | None = None) -> Report:
    path = folder / "bench.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    [report] = compare({"default-7": world}, [path], Thresholds(), embed)
    return report


def test_a_world_has_nothing_in_common_with_strangers(library_world: World, tmp_path: Path) -> None:
    strangers = [
        "Which river runs through the capital of the country whose flag has a maple leaf on it?",
        "Thank you very much.",
    ]
    report = _compared(library_world, tmp_path, [{"q": text, "meta": {"more": [text]}} for text in strangers])
    assert (report.flagged, report.findings, report.remarks) == ((), (), ())
    assert report.read[0].texts == 4


def test_a_copied_instruction_is_flagged_with_its_place(library_world: World, tmp_path: Path) -> None:
    task = library_world.tasks[0]
    report = _compared(library_world, tmp_path, [{"q": "nothing"}, {"chat": [{"content": task.instruction}]}])
    assert task.id in report.flagged
    found = next(f for f in report.findings if f.tasks == (task.id,))
    assert (found.kind, found.line, found.at) == (INSTRUCTION, 2, "chat[0].content")
    assert found.file.endswith("bench.jsonl")
    assert found.own.split()[:5] == found.theirs.split()[:5]


def test_world_data_is_compared_too(library_world: World, tmp_path: Path) -> None:
    line = max(library_world.handbook.splitlines(), key=len)
    report = _compared(library_world, tmp_path, [line])
    assert {f.kind for f in report.findings} == {HANDBOOK}
    assert report.flagged == ()  # a rule is no task: it is shown, and drops nothing


@pytest.mark.slow
def test_a_copied_row_flags_the_tasks_that_are_about_it(built: Callable[[str], BuiltWorld], tmp_path: Path) -> None:
    world = world_of(built("enterprise_procurement").pack)
    about = map_tasks_by_row(world)
    rows = [own for own in texts_of(world).texts if own.kind == ROW]
    row = next(own for own in rows if any(about.get(key) for key in own.rows))
    report = _compared(world, tmp_path, [row.text])
    assert set(report.flagged) >= {task for key in row.rows for task in about.get(key, ())}
    assert any(f.kind == ROW and f.place == row.place for f in report.findings)


def test_a_column_of_copied_names_is_worth_a_look_and_drops_nothing(library_world: World, tmp_path: Path) -> None:
    column, names = max(texts_of(library_world).names.items(), key=lambda pair: len(pair[1]))
    few = _compared(library_world, tmp_path, sorted(names)[: len(names) // 4])
    assert few.findings == ()
    report = _compared(library_world, tmp_path, [name.title() for name in sorted(names)])
    assert [(f.kind, f.place) for f in report.findings if f.place == column] == [(NAMES, column)]
    assert report.flagged == ()


def test_dropped_tasks_leave_what_gates_keep(library_world: World, tmp_path: Path) -> None:
    first, second = library_world.tasks[:2]
    report = _compared(library_world, tmp_path, [first.instruction])
    save_report(report, drop=False)
    assert results.load_dropped_tasks(library_world.digest) == frozenset()
    path, _ = save_report(report, drop=True)
    assert first.id in results.load_dropped_tasks(library_world.digest)
    assert json.loads(path.read_text())["dropped_for"][first.id]["line"] == 1
    save_report(_compared(library_world, tmp_path, [second.instruction]), drop=True)
    assert {first.id, second.id} <= results.load_dropped_tasks(library_world.digest)  # an earlier drop stays
    save_report(_compared(library_world, tmp_path, ["nothing"]), drop=True, restore=True)
    assert results.load_dropped_tasks(library_world.digest) == frozenset()


def test_embeddings_find_what_shares_no_words(library_world: World, tmp_path: Path) -> None:
    task, asked = (
        library_world.tasks[0],
        "completely different words that somebody may use for the very same request here",
    )

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [
            [1.0, 0.1] if text in (task.instruction, asked) else [0.1, -3.0 if text == strange else 3.0]
            for text in texts
        ]

    strange = "another text of more than eight words that means something else entirely"
    report = _compared(library_world, tmp_path, [asked, "short"], embed)
    assert {f.measure for f in report.findings} == {CLOSE}
    assert report.flagged == (task.id,)
    assert report.embedded
    assert _compared(library_world, tmp_path, [strange], embed).flagged == ()


def test_many_matches_of_one_text_are_kept_to_the_best(library_world: World, tmp_path: Path) -> None:
    task = library_world.tasks[0]
    half = " ".join(task.instruction.split()[:25])
    report = _compared(library_world, tmp_path, [half] * 50 + [task.instruction] + [half] * 50)
    runs = [f for f in report.findings if f.place == task.id and f.measure == "run of words"]
    assert len(runs) <= 3 * len({f.own for f in report.findings})
    assert max(runs, key=lambda f: f.score).line == 51


@pytest.mark.slow
def test_our_own_worlds_do_not_flag_each_other(
    built: Callable[[str], BuiltWorld], library_world: World, tmp_path: Path
) -> None:
    """What they share is the phrase bank, and that is known."""
    procurement = world_of(built("enterprise_procurement").pack)
    asked = [task.instruction for task in procurement.tasks]
    assert _compared(library_world, tmp_path, asked).flagged == ()
    own = [task.instruction for task in library_world.tasks]
    assert _compared(procurement, tmp_path, own).flagged == ()
