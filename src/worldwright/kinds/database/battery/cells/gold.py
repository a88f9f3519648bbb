"""The gold trajectory, replayed call by call: must pass."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial

NAME = "gold"
POSITION = 1


def episodes(bench: Bench) -> Iterator[Trial]:
    yield bench.trial("gold replayed", bench.key.calls, True, bench.key.answer)
