"""`worldwright rollout`: run an agent through the tasks of a gym."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.agents.protocol import Options
from worldwright.cli.extras import needing
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.report import show_run
from worldwright.core.errors import EpisodeError
from worldwright.core.whole_file import check_writable, write_whole
from worldwright.engine.surface import SURFACES
from worldwright.rollout.plan import AgentSpec, Plan, TaskFilter, plan, read_wordings
from worldwright.rollout.read import RUN, Run
from worldwright.rollout.records import Limits
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import summarise
from worldwright.rollout.run import EpisodeSummary, count_judged, roll

DEFAULT = Limits()


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command(name="rollout")
@click.option("--gym", required=True, metavar="NAME[:TAG]", help="Worlds: a reference, a folder of packs, or one pack.")
@click.option("--agent", "spec", required=True, metavar="AGENT", help="planner, random, oracle, ..., or openai:MODEL.")
@click.option("--tasks", multiple=True, callback=_names, metavar="IDS", help="Only these: task_001,task_0*.")
@click.option("--family", multiple=True, callback=_names, metavar="NAMES", help="Only walk, program, policy or repair.")
@click.option("--held-out/--not-held-out", default=None, help="Only ways to ask that are held out, or none of them.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only so many tasks of each world.")
@click.option("--attempts", type=click.IntRange(1), default=1, show_default=True, help="Episodes of each task.")
@click.option("--workers", type=click.IntRange(0), help="Processes (one for each core); 0 plays right here.")
@click.option(
    "--at-once", type=click.IntRange(1), default=16, show_default=True, help="Episodes of a remote model per worker."
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Where the run is written."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Same seed, same draws.")
@click.option("--face", type=click.Choice(SURFACES), default="plain", show_default=True, help="How tasks are shown.")
@click.option("--wordings", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Other words for instructions; only tasks that have some are played.")  # fmt: skip
@agent_options()
@click.option(
    "--max-turns", type=click.IntRange(1), default=DEFAULT.turns, show_default=True, help="Messages of the agent."
)
@click.option("--max-calls", type=click.IntRange(1), default=DEFAULT.calls, show_default=True, help="Tool calls.")
@click.option(
    "--max-output", type=click.IntRange(1), default=DEFAULT.output, show_default=True, help="Characters it writes."
)
@click.option(
    "--max-seconds", type=click.FloatRange(0.001), default=DEFAULT.seconds, show_default=True, help="Of an episode."
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with charts."
)
@click.option("--parquet", is_flag=True, help="Also write trajectories.parquet.")
@click.option("--json", "as_json", is_flag=True, help="What came of it, as one JSON document.")
def command(
    spec: str,
    out: Path | None,
    workers: int | None,
    at_once: int,
    html: Path | None,
    parquet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Run an agent through the tasks of a gym, and keep what it did and what it came to.

    A run that was stopped, by Ctrl-C or by a crash, goes on where it was when the same command is given again. Episodes without
    a verdict, because an endpoint was down, are played again too; as long as there are some, the exit code is 1. Keys of endpoints
    are read from the environment and written nowhere.

    \b
    Examples:
      worldwright rollout --gym enterprise_procurement --agent planner --attempts 5
      worldwright rollout --gym hotel_booking:latest --agent oracle --family policy,repair
      worldwright rollout --gym packs/ --agent random --agent-option calls=40 --workers 2 --out runs/chance
      worldwright rollout --gym retail_returns --agent openai:qwen3-8b --base-url http://127.0.0.1:8000/v1 --attempts 5
    """
    if parquet:
        with needing("data"):
            importlib.import_module("worldwright.rollout.parquet")
    if html is not None:
        check_writable(html)
    if out is not None:
        check_writable(out / RUN)
    options = Options(temperature=given["temperature"], base_url=given["base_url"], more=given["more"])
    limits = Limits(given["max_turns"], given["max_calls"], given["max_output"], given["max_seconds"])
    if parquet:
        from worldwright.formats.parquet import load_pyarrow

        load_pyarrow()
    with needing("models"):
        made = plan(
            given["gym"],
            AgentSpec(spec, options),
            TaskFilter(given["tasks"], given["family"], given["held_out"], given["sample"]),
            given["attempts"],
            limits,
            given["face"],
            given["seed"],
            read_wordings(given["wordings"]),
        )
    folder = out or default_folder(made)
    run = watched_roll(made, folder, workers, at_once, quiet=as_json)
    if parquet:
        from worldwright.rollout.parquet import write_run

        write_run(run)
    found = summarise(run)
    if html is not None:
        write_whole(html, render_page([found]))
    if as_json:
        print_json({"folder": str(run.folder), **found.data()})
    else:
        screen = Screen()
        show_run(screen, found, [])
        screen.print(Text.assemble(("\n  ", ""), (str(run.folder), "bold")), soft_wrap=True)
    _fail_on_errors(run)


def _fail_on_errors(run: Run) -> None:
    """Raise where episodes have no verdict, with the reason of the first one."""
    problems = [e.problem for e in run.episodes() if e.status == "error"]
    if problems:
        many = f"{len(problems)} episodes" if len(problems) > 1 else "1 episode"
        raise EpisodeError(f"{many} ended without a verdict ({problems[0]}); the same command plays only those again")


def default_folder(made: Plan) -> Path:
    """`runs/hotel_booking-planner-1f2e3d4c`: the same for the same plan."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", f"{Path(made.gym).name}-{made.agent}")
    return Path("runs") / f"{name}-{made.digest[:8]}"


def watched_roll(made: Plan, folder: Path, workers: int | None, at_once: int = 16, quiet: bool = False) -> Run:
    """The run, with its pass rate shown while it goes."""
    many = workers if workers is not None else min(os.cpu_count() or 1, max(1, len(made.episodes) // 8))
    before = count_judged(folder)
    if before and not quiet:
        note(f"{folder} has verdicts on {before} of {len(made.episodes)} episodes already")
    passed = judged = calls = 0
    with Progress(Screen(err=True), "episodes", len(made.episodes), before) as progress:

        def watch(one: EpisodeSummary) -> None:
            nonlocal passed, judged, calls
            judged += one.status != "error"
            passed += one.status == "pass"
            calls += one.calls
            rate = f"{passed / judged:.0%} pass" if judged else "none judged"
            progress.step(f"{rate}, {calls:,} calls")

        return roll(made, folder, many, watch, at_once)
