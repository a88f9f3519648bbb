"""Where a full build spends its time: each stage, and each cell of the battery. CPU seconds of one core.

The target is a whole enterprise_procurement world, tasks and full battery, in at most 15 s.
Run: python -m benchmarks.profile [--domain NAME] [--seed N]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from time import process_time

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.kinds.build_events import BuildEvent, StageEnded
from worldwright.kinds.database.battery import run as battery
from worldwright.kinds.database.battery.harness import Cell, Trial, VerifierHarness

TARGET = 15.0


def timed(name: str, cell: Cell, spent: dict[str, float], episodes: dict[str, int]) -> Cell:
    def run(bench: VerifierHarness) -> Iterator[Trial]:
        began = process_time()
        found = list(cell(bench))
        spent[name] += process_time() - began
        episodes[name] += len(found)
        return iter(found)

    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="enterprise_procurement", choices=catalogue.names())
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    spent: dict[str, float] = defaultdict(float)
    episodes: dict[str, int] = defaultdict(int)
    battery.CELLS = tuple((name, timed(name, cell, spent, episodes)) for name, cell in battery.CELLS)
    began = last = process_time()
    blueprint = catalogue.load(options.domain)
    stages = [("load and check", process_time() - last, "")]
    last = process_time()

    def hear(event: BuildEvent) -> None:
        nonlocal last
        if isinstance(event, StageEnded):
            stages.append((event.stage, process_time() - last, event.figures))
            last = process_time()

    build(blueprint, options.seed, watch=hear)
    total = process_time() - began
    print("| stage | seconds | what it made |\n| --- | --- | --- |")
    for stage, seconds, figures in stages:
        print(f"| {stage} | {seconds:.2f} | {figures} |")
    print(f"| all | {total:.2f} | |\n\n| cell of the battery | episodes | seconds |\n| --- | --- | --- |")
    for name, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"| {name} | {episodes[name]:,} | {seconds:.2f} |")
    return 0 if total <= TARGET or options.domain != "enterprise_procurement" else 1


if __name__ == "__main__":
    sys.exit(main())
