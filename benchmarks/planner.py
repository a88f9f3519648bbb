"""What the planner scores on the catalogue, and whether it scores less as tasks get harder.

    python -m benchmarks.planner [--domains NAME,...] [--attempts 2] [--packs DIR] [--out DIR] [--workers 2]

Builds every domain of the catalogue (or takes the packs in DIR), plays all tasks, and prints pass rates by family and domain and by
each measure of difficulty, and beside them what it scores where the same tasks are asked in words that were written by hand
(`wordings/`). `report.html` in DIR has the plots, `walk.html` and so on those of one family.

Families are different kinds of work, so what a measure of difficulty does is looked at in each of them; of walks, only those that
ask for something to be done. Exits 1 where the rate clearly rises with a measure: where the interval of a later bucket lies wholly
above that of an earlier one.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from worldwright import catalogue
from worldwright.cli.terminal.console import Screen
from worldwright.cli.views.report import show_run
from worldwright.compiler.build import build
from worldwright.core.pool import map_in_processes
from worldwright.core.whole_file import write_whole
from worldwright.engine.tasks import FAMILIES
from worldwright.pack.seal import write_pack
from worldwright.rollout.knobs import measure_knobs
from worldwright.rollout.plan import AgentSpec, plan, read_wordings
from worldwright.rollout.read import open_run
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import Summary, summarise
from worldwright.rollout.run import roll
from worldwright.rollout.stats import Rate, compute_rate

SEED = 7
WORDINGS = tuple(sorted((Path(__file__).parent / "wordings").glob("*.json")))


def made(job: tuple[str, str]) -> str:
    """One domain as a pack in a folder, built where it is not there yet."""
    name, folder = job
    target = Path(folder) / name
    if not target.exists():
        write_pack(build(catalogue.load(name), SEED).pack.files, target)
    return name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", help="only these")
    parser.add_argument("--attempts", type=int, default=2)
    parser.add_argument("--packs", type=Path, default=Path("runs/catalogue-packs"))
    parser.add_argument("--out", type=Path, default=Path("runs/catalogue-planner"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    names = given.domains.split(",") if given.domains else catalogue.names()
    for outcome in map_in_processes(made, [(name, str(given.packs)) for name in names], given.workers):
        if outcome.error is not None:
            raise outcome.error
        print(f"  {outcome.result} is there", flush=True)
    found = summarise(
        roll(plan(str(given.packs), AgentSpec("planner"), attempts=given.attempts), given.out / "run", given.workers)
    )
    show_run(Screen(), found, [])
    write_whole(given.out / "report.html", render_page([found]))
    for family in FAMILIES:
        write_whole(given.out / f"{family}.html", render_page([summarise(open_run(given.out / "run"), [family])]))
    print(f"\n  plots: {given.out / 'report.html'}")
    by_hand(given.packs, given.out, given.attempts, given.workers, found)
    return verdict(found)


def by_hand(packs: Path, out: Path, attempts: int, workers: int, found: Summary) -> None:
    """The same tasks in other words, beside what they score in their own."""
    words = read_wordings(WORDINGS)
    run = roll(plan(str(packs), AgentSpec("planner"), attempts=attempts, wordings=words), out / "by_hand", workers)
    theirs = summarise(run)
    keys = {row.key for row in theirs.rows}
    own = compute_rate([row for row in found.rows if row.key in keys])
    print(f"\n  {len(keys)} tasks in their own words:        {_said(own)}")
    print(f"  the same tasks, worded by hand:      {_said(theirs.rate)}")


def _said(found: Rate) -> str:
    value = found.value or 0.0
    return f"{value:.0%} ({found.low:.0%} to {found.high:.0%}), {found.passed} of {found.judged} episodes"


def verdict(found: Summary) -> int:
    """What each measure of difficulty does to the rate, in each family."""
    trends = {}
    for family in FAMILIES:
        rows = [r for r in found.rows if r.family == family and (family != "walk" or r.features["writes"])]
        trends[family] = {k.name: k.trend for k in measure_knobs(rows) if k.ordered}
    rising = [
        f"{name} ({family})" for family, all_ in trends.items() for name, trend in all_.items() if trend == "rises"
    ]
    print(json.dumps({"trends": trends, "rising": rising}, indent=2))
    return 1 if rising else 0


if __name__ == "__main__":
    raise SystemExit(main())
