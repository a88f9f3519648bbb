"""Two counts of the same tasks, compared task by task.

    python -m studies.paired BEFORE.json AFTER.json [--fields held_out more_held_out]

Prints for each field, and for all together, how many tasks were solved before and after (also in per cent with exact 95 %
intervals), how many got better and worse, the difference in points with its 95 % interval (tasks drawn anew), and the two-sided
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

Won = Mapping[str, int]


def paired(before: Won, after: Won) -> dict[str, Any]:
    """Over the tasks that both have."""
    gaps = [after[name] - before[name] for name in sorted(before) if name in after]
    [(low, high)] = bootstrap_intervals([(float(gap),) for gap in gaps], "difference")
    better, worse = gaps.count(1), gaps.count(-1)
    solved = [sum(one[name] for name in before if name in after) for one in (before, after)]
    return {
        "tasks": len(gaps), "before": solved[0], "after": solved[1], "per cent": [share(n, len(gaps)) for n in solved],
        "better": better, "worse": worse, "points": per_cent(sum(gaps) / len(gaps)), "interval": [per_cent(low), per_cent(high)],
        "p": float(f"{sign_test(better, worse):.2g}"),
    }  # fmt: skip


def per_cent(part: float) -> float:
    return round(100 * part, 1)


def share(solved: int, tasks: int) -> list[float]:
    """With its interval."""
    return [per_cent(value) for value in (solved / tasks, *binomial_interval(solved, tasks, 0.95))]


def by_family(counts: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> dict[str, list[int]]:
    """Of each family of worlds, how many tasks were solved in each of the counts."""
    worlds = sorted({world for field in fields for world in counts[0][field]["by_world"]})
    return {
        world: [sum(one[field]["by_world"].get(world, {}).get("passed", 0) for field in fields) for one in counts]
        for world in worlds
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--fields", nargs="+", default=[])
    given = parser.parse_args()
    before, after = (json.loads(path.read_text()) for path in (given.before, given.after))
    fields = given.fields or [name for name, one in before.items() if "won" in one and name in after]
    told = {field: paired(before[field]["won"], after[field]["won"]) for field in fields}
    whole = [{name: won for field in fields for name, won in one[field]["won"].items()} for one in (before, after)]
    families = by_family((before, after), fields)
    print(json.dumps({**told, "all": paired(*whole), "families": families}, indent=1))


if __name__ == "__main__":
    main()
