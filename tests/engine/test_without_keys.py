"""A world that was sent out without its keys: it plays as the whole one does, and is judged where the whole one is."""

from __future__ import annotations

import pytest
from tests.shared_builds import build
from tests.worlds import drop_grader_files

from worldwright.blueprint.checked import Checked
from worldwright.core.errors import GraderElsewhere, TamperedPack
from worldwright.engine.world import World
from worldwright.pack.open import Pack, check_pack
from worldwright.store.open import world_of
from worldwright.world.records import Trajectory


@pytest.fixture(scope="module")
def whole(library: Checked) -> Pack:
    return build(library, 7).pack


@pytest.fixture(scope="module")
def sent(whole: Pack) -> Pack:
    return check_pack(drop_grader_files(whole.files))


def gold(grader: World, world: World, task: str) -> Trajectory:
    """The task done as its key has it, in a world that may not have the key."""
    key = grader.key(task)
    with world.open(task) as episode:
        for call in key.calls:
            episode.call(call.tool, call.arguments)
        episode.call(episode.submit, key.answer)
        return episode.log()


def test_it_has_no_file_that_judges(whole: Pack, sent: Pack) -> None:
    assert {path.split("/")[0] for path in sent.files} == {
        "manifest.json", "blueprint.yaml", "policy.md", "state.db", "tools.json", "tools", "tasks",
    }  # fmt: skip
    assert any(path.startswith("keys/") for path in whole.files)
    assert whole.whole
    assert not sent.whole
    assert sent.manifest == whole.manifest


def test_it_plays_the_same_and_the_whole_pack_judges_its_log(whole: Pack, sent: Pack) -> None:
    grader, world = world_of(whole), world_of(sent)
    assert world.digest == grader.digest
    for task in world.tasks:
        log = gold(grader, world, task.id)
        assert log == gold(grader, grader, task.id)
        assert grader.judge(log).status == "pass"
    first = world.tasks[0].id
    with world.open(first) as idle:
        assert grader.judge(idle.log()).status == "fail"


def test_a_verdict_is_an_error_that_says_where_the_grader_is(sent: Pack) -> None:
    world = world_of(sent)
    with world.open("task_001") as episode:
        verdict = episode.verify()
        log = episode.log()
    assert (verdict.status, verdict.reward) == ("error", None)
    assert "without its keys" in verdict.reason
    assert world.judge(log).status == "error"
    with pytest.raises(GraderElsewhere, match="judged elsewhere"):
        world.key("task_001")


def test_all_that_judges_is_there_or_nothing_of_it(whole: Pack, sent: Pack) -> None:
    held_back = sorted(set(whole.files) - set(sent.files))
    for path in held_back:
        with pytest.raises(TamperedPack, match="missing from the pack"):
            check_pack({p: d for p, d in whole.files.items() if p != path})
        with pytest.raises(TamperedPack, match="missing from the pack"):
            check_pack({**sent.files, path: whole.files[path]})


def test_what_the_world_runs_on_cannot_be_held_back(sent: Pack) -> None:
    for path in sorted(set(sent.files) - {"manifest.json"}):
        with pytest.raises(TamperedPack, match="missing from the pack"):
            check_pack({p: d for p, d in sent.files.items() if p != path})
        with pytest.raises(TamperedPack, match="was changed"):
            check_pack({**sent.files, path: sent.files[path] + b" "})
