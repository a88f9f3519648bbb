"""Gold with two calls the other way round: passes where goal and rules hold at the end, and fails where they do not."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.variations import vary_order

NAME = "another order"
POSITION = 3


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    swapped = list(vary_order(harness.plan))
    for k in harness.choose(len(swapped)):
        step, plan = swapped[k]
        yield harness.try_swapped("another order", step, plan)
