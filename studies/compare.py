"""Compare two evaluations of the same tasks, task by task.

    python -m studies.compare BEFORE.json AFTER.json [--eval-sets held_out more_held_out]

Prints for each evaluation set, and for all together, how many tasks were solved before and after (also in per cent with exact 95 %
intervals), how many got better and worse, the difference in points with its 95 % interval (tasks resampled), and the two-sided
exact sign test; and for each family how many were solved. As one JSON document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldwright.arena.compare import sign_test
from worldwright.core.intervals import binomial_interval
from worldwright.rollout.stats import bootstrap_intervals

Solved = Mapping[str, int]
"""By name of the task, whether it was solved."""


def compare(before: Solved, after: Solved) -> dict[str, Any]:
    """Compare two evaluations on the tasks that both have."""
    gaps = [after[name] - before[name] for name in sorted(before) if name in after]
    [(low, high)] = bootstrap_intervals([(float(gap),) for gap in gaps], "difference")
    better, worse = gaps.count(1), gaps.count(-1)
    solved = [sum(one[name] for name in before if name in after) for one in (before, after)]
    return {
        "tasks": len(gaps), "before": solved[0], "after": solved[1], "per cent": [compute_share(n, len(gaps)) for n in solved],
        "better": better, "worse": worse, "points": to_per_cent(sum(gaps) / len(gaps)),
        "interval": [to_per_cent(low), to_per_cent(high)],
        "p": float(f"{sign_test(better, worse):.2g}"),
    }  # fmt: skip


def to_per_cent(part: float) -> float:
    return round(100 * part, 1)


def compute_share(solved: int, tasks: int) -> list[float]:
    """Compute a share with its interval, in per cent."""
    return [to_per_cent(value) for value in (solved / tasks, *binomial_interval(solved, tasks, 0.95))]


def count_by_world(evaluations: Sequence[Mapping[str, Any]], eval_sets: Sequence[str]) -> dict[str, list[int]]:
    """Count the solved tasks of each family of worlds in each of the evaluations."""
    worlds = sorted({world for name in eval_sets for world in evaluations[0][name]["by_world"]})
    return {
        world: [sum(one[name]["by_world"].get(world, {}).get("passed", 0) for name in eval_sets) for one in evaluations]
        for world in worlds
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--eval-sets", nargs="+", default=[])
    given = parser.parse_args()
    before, after = (json.loads(path.read_text()) for path in (given.before, given.after))
    names = given.eval_sets or [name for name, one in before.items() if "solved_by_task" in one and name in after]
    pairs = {name: [one[name]["solved_by_task"] for one in (before, after)] for name in names}
    compared: dict[str, Any] = {name: compare(*pair) for name, pair in pairs.items()}
    compared["all"] = compare(*({k: v for pair in pairs.values() for k, v in pair[at].items()} for at in (0, 1)))
    compared["families"] = count_by_world((before, after), names)
    print(json.dumps(compared, indent=1))


if __name__ == "__main__":
    main()
