"""Whether diagnosis can be trusted, and how long it takes: every class of failure is planted in worlds of the catalogue.

A plant is a real episode: the witness of a task corrupted in one known way, played, and failed. Then episodes are diagnosed on one
core, from the lines in which rollouts keep them, with everything that is known of a task worked out anew. Fails where a class is
found in less than 95 % of its plants, or where the time is over its target.

Run: python -m benchmarks.diagnosis [--domain NAME ...] [--seed N] [--tasks N] [--each N] [--episodes N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from time import process_time

from tests.arena.planted.failures import Score, plants, scored
from tests.arena.planted.stage import House

from worldwright import catalogue
from worldwright.arena.diagnose import diagnose
from worldwright.arena.diagnose.records import CLASSES
from worldwright.arena.diagnose.scene import MESS, Scenes
from worldwright.compiler.build import build
from worldwright.core.intervals import wilson_interval
from worldwright.engine.world import World
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.rollout.read import read_episode
from worldwright.rollout.records import episode_line
from worldwright.store.open import world_of

LEAST = 0.95
SECONDS = 60.0
"""For 10,000 episodes on one core."""
PART = 2_000
"""Episodes of one world whose lines are kept to be timed."""


def looked_at(
    name: str, seed: int, tasks: int, each: int
) -> tuple[World, bytes | None, tuple[Score, ...], list[bytes]]:
    """A world, how its plants were diagnosed, and some of their lines."""
    asked = knobs("medium", {"most": str(tasks), "contrast": str(tasks // 3)})
    pack = build(catalogue.load(name), seed, knobs=asked, battery=BULK).pack
    world, mess = world_of(pack), pack.files.get(MESS)
    house = House(world, mess)
    planted = list(plants(house, each or None))
    return world, mess, scored(house, planted), [episode_line(one.episode) for one in planted[:PART]]


def added(found: list[Score]) -> list[Score]:
    """The scores of a class over all worlds as one."""
    out = []
    for kind in CLASSES:
        mine = [score for score in found if score.kind == kind]
        taken: Counter[str] = Counter()
        for score in mine:
            taken.update(dict(score.taken_for))
        out.append(Score(kind, sum(s.planted for s in mine), sum(s.right for s in mine), tuple(taken.most_common())))
    return out


def table(found: list[Score]) -> str:
    width = max(map(len, CLASSES))
    lines = [
        f"| {'class':{width}} | planted | found | share | interval | taken for |",
        f"| {'-' * width} | --- | --- | --- | --- | --- |",
    ]
    for score in found:
        low, high = wilson_interval(score.right, score.planted) if score.planted else (0.0, 1.0)
        others = ", ".join(f"{kind} {n}" for kind, n in score.taken_for) or "-"
        counts = f"{score.planted:,} | {score.right:,} | {score.share:.1%}"
        lines.append(f"| {score.kind:{width}} | {counts} | {low:.1%} to {high:.1%} | {others} |")
    return "\n".join(lines)


def timed(worlds: list[tuple[World, bytes | None, list[bytes]]], episodes: int) -> tuple[float, float]:
    """Seconds of one core to read and diagnose so many episodes, and of those in diagnosis alone."""
    each = -(-episodes // len(worlds))
    whole = inside = 0.0
    for world, mess, lines in worlds:
        begin = process_time()
        scenes = Scenes(world, mess)
        for line in islice(cycle(lines), each):
            episode = read_episode(line.decode(), world.name)
            before = process_time()
            diagnose(episode, scenes(episode.task))
            inside += process_time() - before
        whole += process_time() - begin
    return whole * episodes / (each * len(worlds)), inside * episodes / (each * len(worlds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", action="append", choices=catalogue.names(), help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tasks", type=int, default=24, help="tasks of each world (default 24)")
    parser.add_argument("--each", type=int, default=6, help="plants of a class in one task (default 6; 0 for all)")
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes that are timed (default 10,000)")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    worlds, found = [], list[Score]()
    for name in options.domain or catalogue.names():
        print(f"{name} ...", file=sys.stderr, flush=True)
        world, mess, scores, lines = looked_at(name, options.seed, options.tasks, options.each)
        worlds.append((world, mess, lines))
        found += scores
    whole = added(found)
    print(table(whole))
    print(f"{sum(s.planted for s in whole):,} plants in {len(worlds)} worlds")
    seconds, inside = timed(worlds, options.episodes)
    print(
        f"{options.episodes:,} episodes read and diagnosed in {seconds:.1f} s of one core, {inside:.1f} s of them in diagnosis"
    )
    if options.json is not None:
        figures = {s.kind: {"planted": s.planted, "right": s.right, "taken_for": dict(s.taken_for)} for s in whole}
        text = json.dumps(
            {"classes": figures, "episodes": options.episodes, "seconds": seconds, "diagnosis": inside}, indent=2
        )
        options.json.write_text(f"{text}\n", encoding="utf-8")
    low = [s.kind for s in whole if s.planted and s.share < LEAST]
    slow = seconds > SECONDS * options.episodes / 10_000
    for kind in low:
        print(f"{kind} is found in less than {LEAST:.0%} of its plants")
    return 1 if low or slow else 0


if __name__ == "__main__":
    sys.exit(main())
