"""A rollout as a command runs it: the plan from its options, episodes with their progress, and what they came to."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.text import Text

from worldwright.agents.models import make_speaker
from worldwright.agents.protocol import AgentUnavailable, Options, wait_for_connection
from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_new, check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.report import show_run
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.english.nouns import count_noun
from worldwright.formats.parquet import load_pyarrow
from worldwright.rollout.parquet import write_run
from worldwright.rollout.plan import AgentSpec, Plan, TaskFilter, plan, read_wordings
from worldwright.rollout.read import RUN, Run
from worldwright.rollout.records import Limits
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import summarise
from worldwright.rollout.run import EpisodeSummary, check_folder, count_judged, roll


def run_rollout(
    spec: str,
    out: Path | None,
    workers: int | None,
    at_once: int,
    html: Path | None,
    parquet: bool,
    force: bool,
    as_json: bool,
    worded_by: str | None,
    worded_by_url: str,
    **given: Any,
) -> None:
    """Play the plan that the options mean, and show what it came to."""
    if parquet:
        load_pyarrow()
    check_writable(html and html.parent, out)
    limits = Limits(given["max_turns"], given["max_calls"], given["max_output"], given["max_seconds"])
    with require_extra("models"):
        made = plan(
            given["gym"],
            AgentSpec(spec, given["options"]),
            TaskFilter(given["tasks"], given["family"], given["held_out"], given["sample"]),
            given["attempts"],
            limits,
            given["face"],
            given["seed"],
            read_wordings(given["wordings"]),
        )
        made = replace(made, speaker=_find_speaker(worded_by, worded_by_url, made.face))
    folder = out or name_folder(made)
    check_new(html, force or (folder / RUN).exists())  # the page of a run that goes on is its own
    run = roll_with_progress(made, folder, workers, at_once, quiet=as_json)
    if parquet:
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


def _find_speaker(spec: str | None, url: str, face: str) -> AgentSpec | None:
    """Who words what requesters say, tried before anything is played."""
    if spec is None:
        if url:
            raise UsageError("--worded-by-url is the endpoint of --worded-by openai:MODEL, which is not given")
        return None
    if not face.endswith("asking"):
        raise UsageError(
            f"--worded-by words what requesters say, and under --face {face} nobody is asked; take --face asking"
        )
    speaker = AgentSpec(spec, Options(base_url=url))
    make_speaker(speaker.spec, speaker.options)
    return speaker


def _fail_on_errors(run: Run) -> None:
    """Raise where episodes have no verdict, with the reason of the first one."""
    problems = [e.problem for e in run.episodes() if e.status == "error"]
    if problems:
        raise EpisodeError(
            f"{count_noun(len(problems), 'episode')} ended without a verdict ({problems[0]}); "
            "the same command plays only those again"
        )


def name_folder(made: Plan) -> Path:
    """Name the folder of a run, the same for the same plan: `runs/hotel_booking-planner-1f2e3d4c`."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", f"{Path(made.gym).name}-{made.agent}")
    return Path("runs") / f"{name}-{made.digest[:8]}"


def roll_with_progress(made: Plan, folder: Path, workers: int | None, at_once: int = 16, quiet: bool = False) -> Run:
    """Play a run, with its pass rate shown while it goes."""
    many = workers if workers is not None else min(os.cpu_count() or 1, max(1, len(made.episodes) // 8))
    check_folder(made, folder)
    before = count_judged(folder)
    if before and not quiet:
        note(f"{folder} has verdicts on {before} of {len(made.episodes)} episodes already")
    if before < len(made.episodes):
        connect(made.player)
    passed = judged = calls = 0
    with Progress(Screen(err=True), "episodes", len(made.episodes), before) as progress:

        def watch(one: EpisodeSummary) -> None:
            nonlocal passed, judged, calls
            judged += one.status != "error"
            passed += one.status == "pass"
            calls += one.calls
            rate = f"{passed / judged:.0%} pass" if judged else "none judged"
            progress.step(f"{rate}, {calls:,} calls")

        try:
            return roll(made, folder, many, watch, at_once)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped: {count_judged(folder)} of {len(made.episodes)} episodes have a verdict and are kept in {folder}. "
                "The same command goes on from there"
            ) from None


def connect(player: AgentSpec) -> None:
    """Make sure, before anything is played, that the endpoint of an agent can be reached at all."""
    try:
        wait_for_connection(player.agent(), note)
    except AgentUnavailable as e:
        raise EpisodeError(
            f"{e}; nothing was played and what is there is kept: start the endpoint, then give the same command again"
        ) from None
