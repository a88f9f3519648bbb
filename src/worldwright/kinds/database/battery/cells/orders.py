"""Gold with two calls the other way round: passes where goal and rules hold at the end, and fails where they do not."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.kinds.database.compile.tasks.variations import orders

NAME = "another order"
POSITION = 3


def episodes(bench: Bench) -> Iterator[Trial]:
    for plan in orders(bench.plan):
        yield bench.judged("another order", plan)
