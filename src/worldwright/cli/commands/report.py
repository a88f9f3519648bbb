"""`worldwright report`: summarise runs: pass rates, pass@k, where they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.views.report import show_run, show_runs
from worldwright.core.whole_file import write_whole
from worldwright.engine.tasks import FAMILIES
from worldwright.rollout.read import open_run
from worldwright.rollout.report.compare import compare_runs, name_runs
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import Summary, render_groups, summarise


@click.command(name="report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with charts."
)
@click.option(
    "--by", multiple=True, metavar="NAME", help="Only by family, domain, role, outcome or a measure; may be repeated."
)
@click.option(
    "--family", "families", multiple=True, type=click.Choice(FAMILIES), help="Only these tasks; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="All of it, as one JSON document.")
def command(
    runs: tuple[Path, ...], html: Path | None, by: tuple[str, ...], families: tuple[str, ...], as_json: bool
) -> None:
    """Say what runs of `rollout` came to: pass rates with intervals, pass@k and pass^k, where and why episodes fail.

    Episodes without a verdict are shown apart and are in no rate. Several runs are shown side by side, each compared with the
    first over the tasks that both have. The page is one file that needs no network and no script.

    \b
    Examples:
      worldwright report runs/hotel_booking-planner-1f2e3d4c
      worldwright report runs/planner --by calls --by role
      worldwright report runs/planner --html report.html
      worldwright report runs/planner --family walk --html walks.html
      worldwright report runs/planner runs/random --json
    """
    check_writable(None if html is None else html.parent)
    found = [summarise(open_run(run), families) for run in runs]
    groupings = [[one.by(name) for name in by] for one in found]
    if html is not None:
        write_whole(html, render_page(found))
    if as_json:
        print_json(_data(found, by))
        return
    screen = Screen()
    if len(found) == 1:
        show_run(screen, found[0], groupings[0])
    else:
        show_runs(screen, found, by)
    if html is None:
        screen.print()
        screen.print(Text("next", "dim"))
        screen.print(f"  worldwright report {' '.join(map(str, runs))} --html report.html", soft_wrap=True)
    else:
        note(f"wrote {html}")


def _data(found: Sequence[Summary], by: Sequence[str]) -> dict[str, Any]:
    called = name_runs(found)
    return {
        "runs": [
            {
                **one.data(),
                "by": {k.name: {"trend": k.trend, "groups": render_groups(k.groups)} for k in map(one.by, by)},
            }
            for one in found
        ],
        "differences": [
            {"run": name, "against": called[0], "clear": gap.clear, **asdict(gap)}
            for name, gap in zip(called[1:], compare_runs(found), strict=True)
        ],
    }
