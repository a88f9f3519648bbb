"""Random walks of 50 calls along the tool graph, shared by all tasks of a role, then the right answer: must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial

NAME = "random walks"
POSITION = 15


def episodes(bench: Bench) -> Iterator[Trial]:
    for k, walk in enumerate(bench.activity.walks):
        verdict = bench.judge.verdict(walk.session, bench.key.answer, True)
        if walk.session.changes() or bench.plan:
            yield Trial(f"random walk {k}", (), False, bench.key.answer, verdict)
