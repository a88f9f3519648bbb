"""Summarise a run of GRPO as means over its steps.

    python -m studies.steps DIR [--first 0] [--last 85]

From DIR/steps.jsonl, as one JSON document: the share of episodes that were solved, of groups with equal rewards, the episodes that
were trained on, the seconds of a step, the share of worlds, tools and verifiers in them, and the seconds by part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path


def summarise(steps: Sequence[Mapping[str, float]]) -> dict[str, float | dict[str, float]]:
    def mean(*names: str) -> float:
        return sum(one[name] for one in steps for name in names) / len(steps)

    seconds = mean("seconds_rollout", "seconds_learn")
    parts = [name for name in steps[0] if name.startswith("seconds_")]
    return {
        "steps": len(steps), "solved": round(mean("solved"), 3), "equal groups": round(mean("all_0", "all_1"), 3),
        "trained episodes": round(mean("trained_episodes")), "seconds": round(seconds, 1),
        "worlds": round(mean("seconds_worlds") / seconds, 3),
        "parts": {name.removeprefix("seconds_"): round(mean(name), 2) for name in parts},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=None)
    given = parser.parse_args()
    steps = [json.loads(line) for line in (given.folder / "steps.jsonl").read_text().splitlines()]
    chosen = [one for one in steps if one["run"] == "grpo"][given.first : given.last]
    if not chosen:
        raise SystemExit(f"{given.folder}: no step of GRPO from {given.first} on")
    print(json.dumps(summarise(chosen), indent=1))


if __name__ == "__main__":
    main()
