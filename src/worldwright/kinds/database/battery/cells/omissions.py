"""Gold with each write left out, one at a time: must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness

NAME = "a write left out"
POSITION = 9


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    for i in harness.list_writes():
        calls = (*harness.key.calls[:i], *harness.key.calls[i + 1 :])
        yield harness.try_around_gold(f"without {harness.key.calls[i].tool}", calls)
