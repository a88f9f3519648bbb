"""`worldwright evolve`: build worlds that target an agent's failures, in rounds."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldwright.agents.protocol import Options
from worldwright.arena.evolve.actions import Actions
from worldwright.arena.evolve.loop import evolve
from worldwright.arena.evolve.records import Settings
from worldwright.arena.evolve.report import PAGE, evolution_data, write_evolution
from worldwright.cli.commands.rollout import watched_roll
from worldwright.cli.extras import needing
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.views.arena import show_evolution
from worldwright.cli.views.many_worlds import Watching
from worldwright.core.pool import mapped
from worldwright.factory.many import build_many
from worldwright.factory.order import Order
from worldwright.gate.band import read_band
from worldwright.rollout.plan import AgentSpec
from worldwright.rollout.records import Limits
from worldwright.store.store import Store

DEFAULT = Limits()


@click.command(name="evolve")
@click.option(
    "--agent", "spec", required=True, metavar="AGENT", help="Who is evaluated, and trained where --train is given."
)
@click.option(
    "--dev", "dev", multiple=True, required=True, metavar="NAME[:TAG]", help="Worlds whose failures are looked at."
)
@click.option(
    "--held-out",
    "held_out",
    multiple=True,
    required=True,
    metavar="NAME[:TAG]",
    help="Worlds that are only evaluated on.",
)
@click.option("--rounds", type=click.IntRange(1, 99), default=3, show_default=True, help="Rounds at most.")
@click.option("--worlds", type=click.IntRange(1), default=6, show_default=True, help="Worlds built in a round.")
@click.option("--tasks-per-world", type=click.IntRange(1), default=8, show_default=True, help="Tasks of each of them.")
@click.option(
    "--train", "train", metavar="COMMAND", help="Trains; names {gym} {tasks} {guidelines} {agent} {round} {out}."
)
@click.option("--untargeted", is_flag=True, help="Build as much, and let no guideline say what: the control.")
@click.option(
    "--gate-band", "band", default="1-4", show_default=True, metavar="LOW-HIGH", help="Successes that keep a task."
)
@click.option(
    "--gate-runs", "runs", type=click.IntRange(1, 1000), default=5, show_default=True, help="Attempts at a task."
)
@click.option(
    "--attempts", type=click.IntRange(1), default=1, show_default=True, help="Episodes of each task evaluated on."
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Evaluate on so many tasks of each world.")
@click.option("--workers", type=click.IntRange(0), help="Processes (one for each core); 0 plays right here.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("evolve"), show_default=True, metavar="DIR",
              help="Where everything is written.")  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0, 2**31), default=0, show_default=True, help="Same seed, same worlds and draws."
)
@agent_options()
@click.option(
    "--max-turns", type=click.IntRange(1), default=DEFAULT.turns, show_default=True, help="Messages of the agent."
)
@click.option("--json", "as_json", is_flag=True, help="What came of it, as one JSON document.")
def command(spec: str, out: Path, workers: int | None, train: str | None, as_json: bool, **given: Any) -> None:
    """Evaluate, diagnose, build worlds that target the weakness, keep what can be learned from, train, and evaluate again.

    Rounds end when one brings nothing. The held-out worlds are never built from; families of the development worlds are left out
    of them. An evolution that was stopped in any way goes on when the same command is given again.

    \b
    Examples:
      worldwright evolve --agent planner --dev motor_claims --held-out hotel_booking --rounds 1
      worldwright evolve --agent openai:mine --base-url http://127.0.0.1:8000/v1 --dev retail_returns:big --held-out loans:eval
          --train "python train.py --tasks {tasks} --out {out}" --rounds 4 --worlds 24
    """
    check_writable(out)
    options = Options(temperature=given["temperature"], base_url=given["base_url"], more=given["more"])
    settings = Settings(
        given["dev"], given["held_out"], AgentSpec(spec, options), given["rounds"], given["worlds"], given["tasks_per_world"],
        given["attempts"], given["sample"], read_band(given["band"], given["runs"]), given["seed"],
        Limits(turns=given["max_turns"]), tuple(shlex.split(train or "")), not given["untargeted"],
    )  # fmt: skip
    with needing("models"):
        found = evolve(settings, out, _hands(workers, as_json), lambda done: write_evolution(out, done))
    write_evolution(out, found)
    if as_json:
        print_json({"folder": str(out), "page": str(out / PAGE), **evolution_data(found)})
    else:
        show_evolution(Screen(), found, out / PAGE)


def _hands(workers: int | None, quiet: bool) -> Actions:
    many = len(os.sched_getaffinity(0)) if workers is None else workers

    def build(order: Order, tag: str) -> dict[str, Any]:
        with Watching(Screen(err=True)) as watching:
            return build_many(order, Store(), tag, partial(mapped, workers=max(1, many)), watching)

    return Actions(lambda plan, folder: watched_roll(plan, folder, workers, quiet=True), build, note, many)
