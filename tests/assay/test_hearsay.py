"""Who hears half of a conversation fails: the battery plays them, and would see a verifier that let them pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.assay.worlds import Proved, proved
from tests.shared_builds import build

from worldwright.blueprint.load import load_file
from worldwright.kinds.database.battery.cells.hearsay import NAME, episodes
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import sheet
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.world.tasks import Verdict

LINES = Path(__file__).parents[1] / "engine" / "lines.yaml"


class TakesAnything(SessionJudge):
    def verdict(self, session: Session, answer: object, submitted: bool) -> Verdict:
        return Verdict("pass")


@pytest.fixture(scope="module")
def lines() -> Proved:
    return proved(build(load_file(LINES), 7).pack)


def talking(world: Proved) -> Iterator[VerifierHarness]:
    for task, key in world.tasks:
        if task.requester is not None and task.requester.facts:
            yield VerifierHarness(world.sandbox, task, key)


def test_they_fail(lines: Proved) -> None:
    trials = [trial for harness in talking(lines) for trial in episodes(harness)]
    assert all(trial.right for trial in trials)
    names = {trial.what.partition(" 5")[0].partition(" 7")[0].partition(" 1")[0] for trial in trials}
    assert names == {"believes", "never asks", "acts before the requester has done their part"}


def test_a_verifier_that_lets_them_pass_is_seen(lines: Proved) -> None:
    seen = 0
    for harness in talking(lines):
        harness.judge = TakesAnything(lines.sandbox.compiled, harness.key.expects)
        found = sheet(harness, only=[NAME])
        assert found.wrong
        assert found.cells[NAME].rejected == 0
        seen += found.cells[NAME].false_accepts
    assert seen > 0


def test_what_is_said_first_stays_with_the_controller(lines: Proved) -> None:
    """The wrong value is in the key, and in the opening it is all that an agent sees."""
    misled = [(task, key) for task, key in lines.tasks if "misled" in key.expects]
    assert misled
    for task, key in misled:
        [[right, wrong]] = key.expects["misled"]
        assert right != wrong
        assert str(wrong) in task.turns[0]
        assert str(right) not in task.turns[0]
