"""What many worlds take: from a few to thousands of the whole catalogue, each run in a store and in processes of its own.

    python -m benchmarks.scale [--worlds 10,100,1000] [--workers 2] [--tasks-per-world 12] [--siblings 16] [--json]
    python -m benchmarks.scale --compare [--worlds 100]                 one worker against two, on the same order
    python -m benchmarks.scale --compare --ray local [--worlds 100]     the process pool against Ray, on the same cores

Runs go through `worldwright generate`, as a person would start them. Seconds of one core are those of all processes, their start
included; bytes are those on the disk, what worlds share counted once. With --compare the sides take turns, round by round.
Worlds of one place (people, history, mess) share their state; `--siblings` is how many sets of rules each place has.
`--keep DIR` leaves the stores there. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from worldwright import catalogue

HOUR = 20_000
"""Worlds that are to be built in an hour on two cores."""
CORE = 0.36
"""Seconds of one core for each of them."""
MEMORY = 4 * 2**30
TWO_WORKERS = 1.8
RAY = 1.15
HEADS = (
    "worlds",
    "families",
    "wall s",
    "worlds/min",
    "core s/world",
    "kB/world",
    "tasks/world",
    "worker MiB",
    "driver MiB",
)


@dataclass(frozen=True, slots=True)
class Point:
    """One run."""

    worlds: int
    families: int
    wall: float
    per_minute: float
    core_each: float
    bytes_each: int
    tasks_each: float
    worker_peak: int
    driver_peak: int
    workers: int
    failed: int
    near: int
    pairs: int

    def line(self) -> tuple[str, ...]:
        return (
            f"{self.worlds:,}", str(self.families), f"{self.wall:,.1f}", f"{self.per_minute:,.1f}", f"{self.core_each:.3f}",
            f"{self.bytes_each / 1e3:,.1f}", f"{self.tasks_each:.1f}", f"{self.worker_peak / 2**20:,.0f}",
            f"{self.driver_peak / 2**20:,.0f}",
        )  # fmt: skip

    def data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


Flags = tuple[str, ...]


def run(worlds: int, home: Path, how: Flags) -> Point:
    """So many worlds (or a few less: the same number of each domain) in a new store."""
    names = catalogue.names()[: min(worlds, len(catalogue.names()))]
    domains = [part for name in names for part in ("--domain", f"catalogue/{name}")]
    variants = ("--variants", str(max(1, worlds // len(names))))
    done = subprocess.run(
        [sys.executable, "-m", "worldwright", "generate", *domains, *variants, *how, "--json"],
        env={**os.environ, "WORLDWRIGHT_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"the run of {worlds:,} worlds ended with {done.returncode}")
    found = json.loads(done.stdout)
    figures, built = found["figures"], max(1, found["built"])
    return Point(
        found["built"], found["counts"]["families"], figures["wall_seconds"], figures["worlds_per_minute"],
        figures["core_seconds_per_world"] or 0.0, figures["stored_bytes_per_world"], figures["tasks"] / built,
        figures["worker_peak_bytes"], figures["driver_peak_bytes"], figures["workers"], len(found["failed"]),
        found["near_duplicates"]["near"], found["near_duplicates"]["pairs"],
    )  # fmt: skip


def curve(sizes: list[int], work: Path, workers: int, asked: Flags) -> tuple[list[Point], bool]:
    """A run for each size, and whether what was promised holds for the largest."""
    points = []
    for size in sizes:
        print(f"{size:,} worlds, {workers} workers", file=sys.stderr, flush=True)
        points.append(run(size, work / f"curve-{size}", ("--workers", str(workers), *asked)))
    last = points[-1]
    return points, last.core_each <= CORE and last.driver_peak + last.workers * last.worker_peak <= MEMORY


def compare(worlds: int, work: Path, sides: dict[str, Flags], asked: Flags, rounds: int) -> dict[str, Any]:
    """The same order by two, in turns; the wall seconds of each round."""
    found: dict[str, list[Point]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, how in list(sides.items())[:: 1 if number % 2 else -1]:
            print(f"{worlds:,} worlds, {name}, round {number + 1}", file=sys.stderr, flush=True)
            home = work / f"{name.replace(' ', '-')}-{number}"
            found[name].append(run(worlds, home, (*how, *asked)))
    walls = {name: [point.wall for point in points] for name, points in found.items()}
    first, second = (median(seconds) for seconds in walls.values())
    return {"worlds": next(iter(found.values()))[0].worlds, "wall_seconds": walls, "ratio": first / second}


def show_curve(points: list[Point], holds: bool) -> None:
    lines = [HEADS, *(point.line() for point in points)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    lines.insert(1, tuple("-" * width for width in widths))
    print(
        "\n".join(
            "| " + " | ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
        )
    )
    last = points[-1]
    print(
        f"\nat the rate of the last run, {HOUR:,} worlds take {HOUR / last.per_minute / 60:.1f} h and "
        f"{HOUR * last.bytes_each / 1e9:.2f} GB; {CORE} seconds of one core a world and {MEMORY // 2**30} GiB of memory at most: "
        f"{'holds' if holds else 'MISSED'}"
    )
    print(f"{last.failed} failed; {last.near} near-duplicates in {last.pairs:,} pairs of its last sample")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default="10,50", help="one size, or several with commas between")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--tasks-per-world", type=int, default=12)
    parser.add_argument("--siblings", type=int, default=16, help="sets of rules of each place")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action="store_true", help="one worker against two, or the pool against Ray")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="with --compare: against this Ray")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the stores stay; elsewhere they are removed")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sizes = [int(size) for size in given.worlds.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        work = given.keep or Path(scratch)
        return _compared(given, sizes[-1], work) if given.compare else _curved(given, sizes, work)


def _asked(given: argparse.Namespace) -> Flags:
    """What decides what is built, besides how many."""
    said = {"--tasks-per-world": given.tasks_per_world, "--seed": given.seed, "--siblings": given.siblings}
    return tuple(part for name, value in said.items() for part in (name, str(value)))


def _compared(given: argparse.Namespace, worlds: int, work: Path) -> int:
    many = ("--workers", str(given.workers))
    sides: dict[str, Flags] = {"one worker": ("--workers", "1"), "two workers": ("--workers", "2")}
    if given.ray:
        sides = {"Ray": ("--ray", given.ray, *many), "the pool": many}
    found = compare(worlds, work, sides, _asked(given), given.rounds)
    ratio = found["ratio"]
    holds = ratio <= RAY if given.ray else ratio >= TWO_WORKERS
    if given.json:
        print(json.dumps({**found, "holds": holds}, indent=2))
    else:
        asked = f"at most {RAY}" if given.ray else f"at least {TWO_WORKERS}"
        one, other = sides
        print(f"{one} takes {ratio:.2f} times as long as {other} ({asked}: {'holds' if holds else 'MISSED'})")
    return 0 if holds else 1


def _curved(given: argparse.Namespace, sizes: list[int], work: Path) -> int:
    points, holds = curve(sizes, work, given.workers, _asked(given))
    if given.json:
        print(json.dumps({"points": [point.data() for point in points], "holds": holds}, indent=2))
    else:
        show_curve(points, holds)
    return 0 if holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
