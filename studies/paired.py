"""Two counts of the same tasks, compared task by task.

    python -m studies.paired BEFORE.json AFTER.json [--fields held_out more_held_out]

Prints for each field, and for all together, how many tasks were solved before and after, how many got better and worse, the
difference in points with its 95 % interval (tasks drawn anew), and the two-sided exact sign test. As one JSON document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldwright.arena.compare import sign_test
from worldwright.rollout.stats import resampled

Won = Mapping[str, int]


def paired(before: Won, after: Won) -> dict[str, Any]:
    """Over the tasks that both have."""
    gaps = [after[name] - before[name] for name in sorted(before) if name in after]
    [(low, high)] = resampled([(float(gap),) for gap in gaps], "difference")
    better, worse = gaps.count(1), gaps.count(-1)
    solved = [sum(one[name] for name in before if name in after) for one in (before, after)]
    points = [round(100 * value, 1) for value in (sum(gaps) / len(gaps), low, high)]
    return {
        "tasks": len(gaps), "before": solved[0], "after": solved[1], "better": better, "worse": worse, "points": points[0],
        "interval": points[1:], "p": round(sign_test(better, worse), 4),
    }  # fmt: skip


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
    print(json.dumps({**told, "all": paired(*whole)}, indent=1))


if __name__ == "__main__":
    main()
