"""Hold the referee's word against the verifier's over many worlds: the figure to reach is 0 disagreements.

    python -m studies.referee --domains hotel_booking,it_service_desk --seeds 7 --tasks 10
    python -m studies.referee --domains all --seeds 7,90210,51515 --keep referee.jsonl
    python -m studies.referee --domains all --play everything --tasks 3

Worlds of the catalogue are built up to their tasks, without the battery: `--tasks` of them in each, of all kinds in turn, or all
that there are (0). `--play` says how far they are played around. With `--keep FILE`, every world that is done is a line of that
file, and the same command goes on after the last one. What the referee does not decide is printed first.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worldwright import catalogue
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.referee.compare import compare_tasks, count_comparisons
from worldwright.kinds.database.referee.settings import BULK_SAMPLE, EVERYTHING, SAMPLE

SKIPPED = ("graph", "tests")
"""Stages that no key needs."""
PLAYS = {"bulk": BULK_SAMPLE, "sample": SAMPLE, "everything": EVERYTHING}
MAX_SHOWN = 3
"""Disagreements of one task that are printed; a kept file has all."""


def compare_world(name: str, seed: int, play: str, tasks: int) -> dict[str, Any]:
    """Build a world up to so many tasks, and play around them."""
    started = time.process_time()
    knobs = Knobs(most=tasks) if tasks else Knobs()
    draft = Draft(compile_blueprint(catalogue.text(name)), seed, Memo(), knobs=knobs)
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    assert draft.made is not None
    built = time.process_time()
    found = tuple(compare_tasks(draft.open_runtime(), draft.made.tasks, PLAYS[play]))
    undecided: Counter[str] = Counter()
    for one in found:
        undecided.update(one.undecided)
    return {
        "world": name,
        "seed": seed,
        "play": play,
        "tasks": len(found),
        **count_comparisons(found),
        "why": dict(sorted(undecided.items())),
        "differ": {one.task: [asdict(each) for each in one.disagreements] for one in found if not one.holds},
        "seconds": [round(built - started, 1), round(time.process_time() - built, 1)],
    }


def read_kept(path: Path | None) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Read the worlds that an earlier run has done."""
    if path is None or not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {(one["world"], one["seed"], one["play"]): one for one in lines}


def compare_asked_for(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield one world after the other; those that are kept are not built again."""
    names = catalogue.names() if arguments.domains == "all" else [n for n in arguments.domains.split(",") if n]
    kept = read_kept(arguments.keep)
    for seed in map(int, arguments.seeds.split(",")):
        for name in names:
            found = kept.get((name, seed, arguments.play))
            if found is None:
                found = compare_world(name, seed, arguments.play, arguments.tasks)
                if arguments.keep is not None:
                    with arguments.keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(found) + "\n")
            yield found


def print_world(found: Mapping[str, Any]) -> None:
    built, played = found["seconds"]
    print(
        f"{found['world']} (seed {found['seed']}): {found['undecided']:,} undecided, {found['disagreements']:,} disagreements"
        f" over {found['episodes']:,} episodes around {found['tasks']} tasks; {built} s to build, {played} s to play",
        flush=True,
    )
    for why, number in found["why"].items():
        print(f"  {number:,} undecided: {why}")
    for task, every in found["differ"].items():
        for one in every[:MAX_SHOWN]:
            print(f"  {task}  {one['play']}: {one['what'][:200]}\n    referee   {one['referee'][:200]}", flush=True)
            print(f"    verifier  {one['verifier'][:300]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the referee's word against the verifier's over many worlds.")
    parser.add_argument("--domains", default="hotel_booking", help="of the catalogue, with commas between; all")
    parser.add_argument("--seeds", default="7")
    parser.add_argument("--tasks", type=int, default=12, help="of each world; 0 for all")
    parser.add_argument("--play", choices=tuple(PLAYS), default="sample")
    parser.add_argument("--keep", type=Path, help="a file with a line for every world that is done")
    total: Counter[str] = Counter()
    for found in compare_asked_for(parser.parse_args()):
        print_world(found)
        counts = ("undecided", "disagreements", "episodes", "tasks")
        total.update({"worlds": 1, **{name: found[name] for name in counts}})
    print(
        f"{total['undecided']:,} undecided, {total['disagreements']:,} disagreements over {total['episodes']:,} episodes"
        f" around {total['tasks']:,} tasks of {total['worlds']} worlds"
    )
    return 1 if total["disagreements"] else 0


if __name__ == "__main__":
    sys.exit(main())
