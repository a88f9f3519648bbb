"""Gold with each write left out, one at a time: must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial

NAME = "a write left out"
POSITION = 9


def episodes(bench: Bench) -> Iterator[Trial]:
    for i, call in enumerate(bench.key.calls):
        if call.tool in bench.tools and bench.tools[call.tool].mutates:
            calls = (*bench.key.calls[:i], *bench.key.calls[i + 1 :])
            yield bench.against_gold(f"without {call.tool}", calls)
