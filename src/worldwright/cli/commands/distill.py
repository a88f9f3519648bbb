"""`worldwright distill`: make SFT, DPO and RL data from verified episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.agents.protocol import Options
from worldwright.cli.commands.rollout import default_folder, watched_roll
from worldwright.cli.extras import needing
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen, folded, heading
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.distill.make import Dataset, WriteMore, distill
from worldwright.distill.records import SPLITS, Recipe
from worldwright.engine.surface import SURFACES
from worldwright.rollout.plan import AgentSpec, Plan, plan

FOLDER = click.Path(file_okay=False, path_type=Path)


def _names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))


@click.command(name="distill")
@click.option(
    "--gym", "gyms", multiple=True, metavar="NAME[:TAG]", help="Worlds that teachers play in; may be repeated."
)
@click.option(
    "--teacher",
    "teachers",
    multiple=True,
    metavar="AGENT",
    help="Who plays: oracle, planner, openai:MODEL; may be repeated.",
)
@click.option(
    "--episodes", type=click.IntRange(1), metavar="N", help="Of each teacher in each gym (one of every task)."
)
@click.option(
    "--run", "runs", multiple=True, type=FOLDER, metavar="DIR", help="A run that there is already; may be repeated."
)
@click.option(
    "--format", "formats", default="sft,dpo", show_default=True, callback=_names, metavar="NAMES", help="sft, dpo, rl."
)
@click.option(
    "--out", type=FOLDER, metavar="DIR", help="Where the dataset is written; an earlier one there is replaced."
)
@click.option(
    "--per-task", type=click.IntRange(1), default=4, show_default=True, help="Rows of one task at most, in each format."
)
@click.option(
    "--likeness",
    type=click.FloatRange(0.5, 1),
    default=0.9,
    show_default=True,
    help="Shared word triples from which two successes count as one; 1 for none.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="The share of domains that only `test` has.",
)
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    default="domain",
    show_default=True,
    help="Hold out whole domains, or words that tasks are asked in.",
)
@click.option("--reasoning", is_flag=True, help="Keep what agents said of their reasons (`reasoning_content`).")
@click.option("--decisive", is_flag=True, help="Only pairs whose rejected side answers, writes or is refused.")
@click.option("--parquet", is_flag=True, help="Also write Parquet.")
@click.option("--license", "licence", default="", metavar="NAME", help="As the card names it.")
@click.option(
    "--runs",
    "place",
    type=FOLDER,
    default=Path("runs"),
    show_default=True,
    metavar="DIR",
    help="Where teachers' runs are kept.",
)
@click.option("--workers", type=click.IntRange(0), help="Processes that play (one for each core); 0 plays right here.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the teachers.")
@click.option("--face", type=click.Choice(SURFACES), default="plain", show_default=True, help="How tasks are shown.")
@agent_options("teacher")
@click.option("--json", "as_json", is_flag=True, help="What is in the dataset, as one JSON document.")  # fmt: skip
def command(runs: tuple[Path, ...], out: Path | None, parquet: bool, as_json: bool, **given: Any) -> None:
    """Make training data from episodes that verifiers judged: by teachers that play now, from runs that there are, or both.

    SFT rows are successes. DPO rows are a failure and the success that did the same for longest, at the message in which they
    part. RL rows are tasks, with nothing of their answers. Each as JSON lines that TRL and Hugging Face `datasets` take as they
    are, with a card. The same runs give the same bytes. A teacher's run that was stopped goes on where it was.

    \b
    Examples:
      worldwright distill --gym hotel_booking --teacher oracle --teacher planner --format sft,dpo
      worldwright distill --gym packs/ --teacher openai:qwen3-32b --base-url http://127.0.0.1:8000/v1 --episodes 2000
      worldwright distill --run runs/a --run runs/b --format sft,dpo,rl --parquet --out data
    """
    recipe = Recipe(
        given["formats"], given["per_task"], given["likeness"], given["held_out"], given["split"], given["reasoning"],
        given["decisive"], given["licence"],
    )  # fmt: skip
    check_writable(out, given["place"])
    more: WriteMore | None = None
    if parquet:
        from worldwright.distill.parquet import write_beside
        from worldwright.formats.parquet import load_pyarrow

        load_pyarrow()
        more = write_beside
    played = [*_played(given, as_json), *runs]
    if not played:
        raise UsageError("nothing to distill: name a gym and a teacher (--gym, --teacher), or runs (--run)")
    target = out or Path("distilled") / played[0].resolve().name
    made = distill(played, recipe, target, more, _stage)
    print_json(dict(made.facts)) if as_json else _say(Screen(), made)


def _played(given: dict[str, Any], quiet: bool) -> Iterator[Path]:
    """The teachers' runs, played as far as they are not."""
    gyms, teachers = given["gyms"], given["teachers"]
    if bool(gyms) != bool(teachers):
        raise UsageError("teachers play in gyms: name both, --gym and --teacher")
    options = Options(temperature=given["temperature"], base_url=given["base_url"], more=given["more"])
    for gym in gyms:
        for spec in teachers:
            with needing("models"):
                made = _plan(gym, AgentSpec(spec, options), given["episodes"], given["face"], given["seed"])
            folder = given["place"] / default_folder(made).name
            yield watched_roll(made, folder, given["workers"], quiet=quiet).folder


def _plan(gym: str, player: AgentSpec, episodes: int | None, face: str, seed: int) -> Plan:
    """Every task as often as all others; of the last round only so many as are left, drawn by the seed."""
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
        folded(screen, _counted(found), 2)


def _counted(found: dict[str, int]) -> Sequence[str]:
    return [f"{reason} {n:,}" for reason, n in sorted(found.items(), key=lambda kv: (-kv[1], kv[0]))]
