"""Training data from episodes: teachers play as far as they have not, and runs become a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

from rich.text import Text

from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_new, check_writable
from worldwright.cli.jobs.rollout import name_folder, roll_with_progress
from worldwright.cli.terminal.console import Screen, heading, print_folded
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.distill.make import Dataset, distill
from worldwright.distill.records import Recipe
from worldwright.formats.parquet import load_pyarrow
from worldwright.rollout.plan import AgentSpec, Plan, plan


def run_distill(
    runs: tuple[Path, ...], out: Path | None, parquet: bool, force: bool, as_json: bool, **given: Any
) -> None:
    """Let teachers play, and write the dataset of their runs and of others that were named."""
    recipe = Recipe(
        given["formats"], given["per_task"], given["likeness"], given["held_out"], given["split"], given["reasoning"],
        given["decisive"], given["licence"],
    )  # fmt: skip
    check_writable(out, given["place"])
    check_new(out, force)
    if parquet:
        load_pyarrow()
    played = [*_play_teachers(given, as_json), *runs]
    if not played:
        raise UsageError("nothing to distill: name a gym and a teacher (--gym, --teacher), or runs (--run)")
    target = out or Path("distilled") / played[0].resolve().name
    check_new(target, force)
    made = distill(played, recipe, target, parquet, _stage)
    print_json(dict(made.facts)) if as_json else _say(Screen(), made)


def _play_teachers(given: dict[str, Any], quiet: bool) -> Iterator[Path]:
    """Play the teachers' runs as far as they are not played."""
    gyms, teachers = given["gyms"], given["teachers"]
    if bool(gyms) != bool(teachers):
        raise UsageError("teachers play in gyms: name both, --gym and --teacher")
    for gym in gyms:
        for spec in teachers:
            with require_extra("models"):
                made = _plan_teacher(
                    gym, AgentSpec(spec, given["options"]), given["episodes"], given["face"], given["seed"]
                )
            folder = given["place"] / name_folder(made).name
            yield roll_with_progress(made, folder, given["workers"], quiet=quiet).folder


def _plan_teacher(gym: str, player: AgentSpec, episodes: int | None, face: str, seed: int) -> Plan:
    """Plan every task as often as all others; of the last round only so many as are left, drawn by the seed."""
    once = plan(gym, player, face=face, seed=seed)
    if episodes is None or episodes == len(once.episodes):
        return once
    rounds = ceil(episodes / len(once.episodes))
    whole = plan(gym, player, attempts=rounds, face=face, seed=seed)
    last = [s for s in whole.episodes if s.attempt == rounds]
    left = episodes - (len(whole.episodes) - len(last))
    drawn = set(Stream("distill episodes", seed).shuffled(last)[:left])
    return replace(whole, episodes=tuple(s for s in whole.episodes if s.attempt < rounds or s in drawn))


@contextmanager
def _stage(what: str, number: int) -> Iterator[Callable[[], None]]:
    with Progress(Screen(err=True), what, number) as progress:
        yield progress.step


def _say(screen: Screen, made: Dataset) -> None:
    facts = made.facts
    screen.print(Text(str(made.folder), "bold"), soft_wrap=True)
    rows = [
        (f["path"], f"{f['rows']:,}", f"{f['tasks']:,}", ", ".join(f"{d} {n:,}" for d, n in f["by_domain"].items()))
        for f in facts["files"]
    ]
    grid(screen, ("file", "rows", "tasks", "by domain"), rows, right=("rows", "tasks"))
    screen.print(Text(f"  {facts['split']['note']}", "dim"))
    for fmt, found in facts["dropped"].items():
        heading(screen, f"left out of {fmt}")
        print_folded(screen, _format_counts(found), 2)


def _format_counts(found: dict[str, int]) -> Sequence[str]:
    return [f"{reason} {n:,}" for reason, n in sorted(found.items(), key=lambda kv: (-kv[1], kv[0]))]
