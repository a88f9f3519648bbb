"""Gold with a call made twice: passes where that changes no content, fails where it does."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness

NAME = "a call repeated"
POSITION = 5


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    for i in harness.list_writes():
        call = harness.key.calls[i]
        calls = (*harness.key.calls[: i + 1], call, *harness.key.calls[i + 1 :])
        yield harness.try_around_gold(f"{call.tool} twice", calls)
