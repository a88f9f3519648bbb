"""Random walks of 50 calls along the tool graph, shared by all tasks of a role, then the right answer: must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness

NAME = "random walks"
POSITION = 15


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    for k, walk in enumerate(harness.activity.walks):
        verdict = harness.judge.verdict(walk.session, harness.key.answer, True)
        if walk.session.changes() or harness.plan:
            yield Trial(f"random walk {k}", (), False, harness.key.answer, verdict)
