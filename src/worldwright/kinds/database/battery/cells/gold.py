"""The gold trajectory, replayed call by call: must pass."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness

NAME = "gold"
POSITION = 1


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    yield harness.trial("gold replayed", harness.key.calls, True, harness.key.answer)
    yield from harness.try_through("gold replayed", harness.key.calls, True, harness.key.answer)
