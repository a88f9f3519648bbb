"""Gold with a call made twice: passes where that changes no content, fails where it does."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial

NAME = "a call repeated"
POSITION = 5


def episodes(bench: Bench) -> Iterator[Trial]:
    for i, call in enumerate(bench.key.calls):
        if call.tool in bench.tools and bench.tools[call.tool].mutates:
            calls = (*bench.key.calls[: i + 1], call, *bench.key.calls[i + 1 :])
            yield bench.against_gold(f"{call.tool} twice", calls)
