"""A report on runs: the screen, a page, or one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worldwright.cli.jobs.outputs import check_new, check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json, warn
from worldwright.cli.terminal.tables import show_next
from worldwright.cli.views.report import show_run, show_runs
from worldwright.core.whole_file import write_whole
from worldwright.rollout.read import open_run
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import Summary, compare_runs, name_runs, render_groups, summarise


def run_report(
    runs: tuple[Path, ...],
    html: Path | None,
    force: bool,
    by: tuple[str, ...],
    families: tuple[str, ...],
    as_json: bool,
) -> None:
    """Summarise runs on the screen or as a document, and write a page where one is asked for."""
    check_writable(html and html.parent)
    check_new(html, force)
    opened = [open_run(run) for run in runs]
    left_out = [run for run in opened if not run.ended]
    if len(left_out) < len(opened):
        for run in left_out:
            warn(f"{run.folder} is left out: the run has not ended; start it again to go on with it")
        opened = [run for run in opened if run.ended]
    found = [summarise(run, families) for run in opened]
    groupings = [[one.group_by(name) for name in by] for one in found]
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
        show_next(screen, f"report {' '.join(str(run.folder) for run in opened)} --html report.html")
    else:
        note(f"wrote {html}")


def _data(found: Sequence[Summary], by: Sequence[str]) -> dict[str, Any]:
    called = name_runs(found)
    return {
        "runs": [
            {
                **one.data(),
                "by": {k.name: {"trend": k.trend, "groups": render_groups(k.groups)} for k in map(one.group_by, by)},
            }
            for one in found
        ],
        "differences": [
            {"run": name, "against": called[0], "clear": gap.clear, **asdict(gap)}
            for name, gap in zip(called[1:], compare_runs(found), strict=True)
        ],
    }
