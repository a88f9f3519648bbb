"""What the referee found, on the screen and as `--json` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, heading, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.facts.opened import OpenedPack
from worldwright.kinds.database.referee.compare import Comparison, count_comparisons

MAX_SHOWN = 20
"""Disagreements shown on the screen; `--json` has all."""
MAX_WIDTH = 300
"""Characters of one side's reason on the screen."""


def referee_document(opened: OpenedPack, found: Sequence[Comparison], sample: bool) -> dict[str, Any]:
    return {
        "world": {"name": opened.world.name, "digest": opened.world.digest},
        "holds": all(one.holds for one in found),
        "play": "sample" if sample else "everything",
        **count_comparisons(found),
        "tasks": {
            one.task: {
                "episodes": one.episodes,
                "agreements": one.agreements,
                "undecided": dict(one.undecided),
                "disagreements": [asdict(each) for each in one.disagreements],
            }
            for one in found
        },
    }


def show_comparisons(screen: Console, found: Sequence[Comparison]) -> None:
    counts = count_comparisons(found)
    undecided: Counter[str] = Counter()
    for one in found:
        undecided.update(one.undecided)
    if undecided:
        heading(screen, "not decided by the referee", f"{counts['undecided']:,} episodes")
        grid(screen, ("", ""), [(f"{number:,}", escape(why)) for why, number in sorted(undecided.items())])
    every = [each for one in found for each in one.disagreements]
    if every:
        heading(screen, "they disagree", f"{len(every):,} episodes")
        for each in every[:MAX_SHOWN]:
            print_hanging(screen, Text(f"{each.task}  {each.play}: {each.what}"[:MAX_WIDTH], "bold"), 2)
            print_hanging(screen, Text(f"  referee   {each.referee}"[:MAX_WIDTH]), 12)
            print_hanging(screen, Text(f"  verifier  {each.verifier}"[:MAX_WIDTH]), 12)
        if len(every) > MAX_SHOWN:
            screen.print(Text(f"  and {len(every) - MAX_SHOWN} more; --json has them all", "dim"))
    screen.print()
    held = sum(one.holds for one in found)
    said = f"referee and verifier agree on {held} of {len(found)} tasks over {counts['episodes']:,} episodes"
    print_hanging(screen, Text(said, "green" if held == len(found) else "bold red"), 0)
