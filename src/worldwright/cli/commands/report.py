"""`worldwright report`: summarise runs: pass rates, pass@k, where they fail."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import FILE, PATH, force_option, json_option
from worldwright.engine.tasks import FAMILIES


@click.command(name="report")
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN...")
@click.option("--html", type=FILE, help="Write a page with charts.")
@force_option("Replace the page that is there.")
@click.option(
    "--by", multiple=True, metavar="NAME", help="Only by family, domain, role, outcome or a measure; may be repeated."
)
@click.option(
    "--family", "families", multiple=True, type=click.Choice(FAMILIES), help="Only these tasks; may be repeated."
)
@json_option("All of it, as one JSON document.")
def command(**given: Any) -> None:
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
    from worldwright.cli.jobs.report import run_report

    run_report(**given)
