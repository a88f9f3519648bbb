from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from worldwright.blueprint.load import load_file
from worldwright.cli import exits
from worldwright.cli.terminal.stages import Stages, stage_title
from worldwright.factory.build_log import read_build
from worldwright.factory.journal import list_runs, look_at_run
from worldwright.kinds.build_events import StageBegun
from worldwright.pack.open import Pack, open_pack
from worldwright.store.open import open_world
from worldwright.store.store import Store

from .conftest import LIBRARY, Run


def test_build_is_shown_kept_and_reported(run: Run, pack: Pack, tmp_path: Path) -> None:
    found = run("generate", "--blueprint", str(LIBRARY), "--seed", "7", "--out", str(tmp_path / "out"), "--json")
    assert found.code == 0
    digest = pack.manifest.digest
    assert found.data["digest"] == digest
    assert found.data["reference"] == "town_library:latest/default-7"
    assert found.data["parent"] == ""
    assert open_world(found.data["path"]).digest == digest
    assert Path(found.data["folder"]) == tmp_path / "out" / f"town_library-{digest[:6]}"
    assert open_pack(Path(found.data["folder"])).manifest.digest == digest
    assert open_world("town_library:latest").digest == digest
    for line in ("DATABASE    6 tables", "TOOLS       8 tools", "SEALED      "):
        assert line in found.err
    titles = [s["title"] for s in found.data["stages"]]
    assert [t for t in titles if t in ("DATABASE", "REQUESTS", "GRAPH", "TASKS", "ASSAY", "SEALED")] == [
        "DATABASE", "REQUESTS", "GRAPH", "TASKS", "ASSAY", "SEALED",
    ]  # fmt: skip
    assert found.data["tasks"] == pack.manifest.counts["tasks"] > 0
    assert found.data["options"] == {}


def test_without_tasks(run: Run, bare_pack: Pack) -> None:
    found = run("generate", "--blueprint", str(LIBRARY), "--seed", "7", "--no-tasks", "--json")
    assert found.code == 0
    assert found.data["digest"] == bare_pack.manifest.digest
    assert found.data["tasks"] == 0
    assert found.data["options"] == {"tasks": "none"}
    assert "ASSAY" not in found.err
    assert not any(path.startswith(("tasks/", "keys/", "datasheet")) for path in bare_pack.files)


def test_events_are_written_as_they_happen(run: Run, bare_pack: Pack, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    args = ("--blueprint", str(LIBRARY), "--seed", "7", "--no-tasks", "--events", str(events))
    assert run("generate", *args, "--json").code == 0
    found = read_build(events)
    assert (found.status, found.asked["name"], found.facts["digest"]) == (
        "done",
        "town_library",
        bare_pack.manifest.digest,
    )
    assert found.facts["reference"] == "town_library:latest/default-7.tasks-none"
    begun = [event.stage for _, event in found.events if isinstance(event, StageBegun)]
    assert set(begun) <= set(found.asked["stages"]) | {"contract", "grade"}
    again = run("generate", *args)
    assert (again.code, "there already" in again.err) == (exits.USAGE, True)


def test_events_of_many_worlds_name_the_journal(run: Run, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    args = ("--blueprint", str(LIBRARY), "--variants", "2", "--no-tasks", "--workers", "1", "--events", str(events))
    assert run("generate", *args).code == 0
    found = read_build(events)
    assert (found.status, found.facts["there"], found.facts["failed"]) == ("done", 2, 0)
    assert found.planned == {"total": 2, "there": 0}
    [worker] = found.workers.values()
    assert worker["core"] > 0
    run_ = look_at_run(Path(found.asked["run"]))
    assert (len(run_.rows), run_.running, run_.report["there"]) == (2, False, 2)
    assert list_runs(Path(found.asked["run"]).parents[1]) == [run_.folder]


def test_what_is_asked_of_tasks_is_kept(run: Run, pack: Pack) -> None:
    args = ("--complexity", "low", "--knob", "writes=1", "--knob", "reference=any", "--json")
    found = run("generate", "--blueprint", str(LIBRARY), "--seed", "7", *args)
    assert found.code == 0
    assert found.data["options"]["writes"] == "1..1"
    assert 0 < found.data["tasks"] < pack.manifest.counts["tasks"]
    tasks = run("task", "list", found.data["reference"], "--json").data["tasks"]
    assert {t["features"]["writes"] for t in tasks} == {1}
    assert run("rebuild", found.data["reference"]).code == 0


def test_words_say_where_it_is_and_what_next(run: Run, tmp_path: Path) -> None:
    args = ("generate", "--blueprint", str(LIBRARY), "--out", str(tmp_path / "out"), "--tag", "v1", "--no-tasks")
    first, second = run(*args), run(*args)
    assert first.code == second.code == 0
    assert "worldwright inspect town_library:v1/default-0" in first.out
    assert "worldwright play town_library:v1/default-0" in first.out
    assert "worldwright task list" not in first.out
    assert "already there" not in first.out
    assert "already there" in second.out


def test_variant_names_its_parent(run: Run) -> None:
    found = run("generate", "--blueprint", str(LIBRARY), "--variant", "no_debts=strict", "--no-tasks", "--json")
    assert found.code == 0
    assert found.data["variant"] == {"no_debts": "strict"}
    assert found.data["parent"] == load_file(LIBRARY).digest
    assert found.data["reference"] == "town_library:latest/no_debts-strict-0.tasks-none"


def test_default_variant_is_the_blueprint_itself(run: Run, bare_pack: Pack) -> None:
    args = ("--seed", "7", "--variant", "no_debts=default", "--no-tasks", "--json")
    found = run("generate", "--blueprint", str(LIBRARY), *args)
    assert found.data["digest"] == bare_pack.manifest.digest


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--domain", "enterprise_procurment"), 3, "did you mean `enterprise_procurement`?"),
        (("--blueprint", "no_such_file.yaml"), 3, "there is no file no_such_file.yaml"),
        ((), 2, "--domain NAME or --blueprint FILE"),
        (("--domain", "x", "--blueprint", "y"), 2, "--domain NAME or --blueprint FILE"),
        (("--blueprint", str(LIBRARY), "--variant", "no_debt=strict"), 1, "did you mean `no_debts`?"),
        (("--blueprint", str(LIBRARY), "--variant", "no_debt=default"), 1, "did you mean `no_debts`?"),
        (("--blueprint", str(LIBRARY), "--variant", "no_debts=stirct"), 1, "did you mean `strict`?"),
        (("--blueprint", str(LIBRARY), "--variant", "no_debts"), 2, "is not POLICY=NAME"),
        (("--blueprint", str(LIBRARY), "--tag", "no tag"), 2, "a tag is"),
        (("--blueprint", str(LIBRARY), "--seed", "-1"), 2, "-1"),
        (("--blueprint", str(LIBRARY), "--complexity", "huge"), 2, "'huge' is not one of"),
        (("--blueprint", str(LIBRARY), "--knob", "writes"), 2, "is not NAME=RANGE"),
        (("--blueprint", str(LIBRARY), "--knob", "writes=2-6"), 2, "writes=2..6"),
        (("--blueprint", str(LIBRARY), "--knob", "wirtes=2"), 2, "did you mean `writes`?"),
        (("--blueprint", str(LIBRARY), "--no-tasks", "--complexity", "low"), 2, "--no-tasks leaves nothing"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(
    run: Run, home: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    found = run("generate", *args)
    assert found.code == code
    assert message in found.err
    assert found.out == ""
    assert not home.exists()


def test_a_folder_with_something_else_is_refused(run: Run, bare_pack: Pack, tmp_path: Path) -> None:
    target = tmp_path / f"town_library-{bare_pack.manifest.digest[:6]}"
    target.mkdir()
    (target / "notes.txt").write_text("mine")
    found = run("generate", "--blueprint", str(LIBRARY), "--seed", "7", "--no-tasks", "--out", str(tmp_path))
    assert found.code == 4
    assert "is not this pack" in found.err
    assert (target / "notes.txt").read_text() == "mine"


def test_ctrl_c_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("worldwright.cli.jobs.generate.build", interrupted)
    found = run("generate", "--blueprint", str(LIBRARY), "--out", str(tmp_path / "out"))
    assert found.code == 130
    assert not (tmp_path / "out").exists()
    assert Store().digests() == []


def test_ctrl_c_while_writing_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0

    def interrupted(handle: int) -> None:
        nonlocal written
        written += 1
        if written == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    found = run("generate", "--blueprint", str(LIBRARY), "--no-tasks", "--out", str(tmp_path / "out"))
    assert found.code == 130
    assert not (tmp_path / "out").exists()
    assert Store().digests() == []
    assert list(Store().root.rglob(".*")) == []
    assert Store().list_references() == []


def test_stages_that_are_not_known_yet_have_a_title() -> None:
    assert stage_title("state") == "DATABASE"
    assert stage_title("night_watch") == "NIGHT WATCH"


@pytest.mark.parametrize(("grade", "title"), [("thin", "PACKED"), ("plain", "SEALED"), ("deep", "SEALED")])
def test_a_world_in_which_hardly_anything_was_understood_is_not_called_sealed(grade: str, title: str) -> None:
    shown = StringIO()
    stages = Stages(Console(file=shown, width=100), ("grade", "seal"))
    stages("grade", f"{grade}; 2 of 28 statements about the business bound to what could hold them")
    stages("seal", "43 files")
    assert [h["title"] for h in stages.heard] == ["GRADE", title]
    assert title in shown.getvalue()
