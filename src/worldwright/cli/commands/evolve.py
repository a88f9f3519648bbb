"""`worldwright evolve`: build worlds that target an agent's failures, in rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from worldwright.cli.inputs.agent import agent_options, max_turns_option
from worldwright.cli.inputs.options import FOLDER, json_option, workers_option


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
@click.option("--rounds", type=click.IntRange(1, 99), default=3, help="Rounds at most.")
@click.option("--worlds", type=click.IntRange(1), default=6, help="Worlds built in a round.")
@click.option("--tasks-per-world", type=click.IntRange(1), default=8, help="Tasks of each of them.")
@click.option(
    "--train", "train", metavar="COMMAND", help="Trains; names {gym} {tasks} {guidelines} {agent} {round} {out}."
)
@click.option("--untargeted", is_flag=True, help="Build as much, and let no guideline say what: the control.")
@click.option("--gate-band", "band", default="1-4", metavar="LOW-HIGH", help="Successes that keep a task.")
@click.option("--gate-runs", "runs", type=click.IntRange(1, 1000), default=5, help="Attempts at a task.")
@click.option("--attempts", type=click.IntRange(1), default=1, help="Episodes of each task evaluated on.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Evaluate on so many tasks of each world.")
@workers_option
@click.option("--out", type=FOLDER, default=Path("evolve"), metavar="DIR", help="Where everything is written.")
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, help="Same seed, same worlds and draws.")
@agent_options()
@max_turns_option
@json_option("What came of it, as one JSON document.")
def command(**given: Any) -> None:
    """Evaluate, diagnose, build worlds that target the weakness, keep what can be learned from, train, and evaluate again.

    Rounds end when one brings nothing. The held-out worlds are never built from; families of the development worlds are left out
    of them. An evolution that was stopped in any way goes on when the same command is given again.

    \b
    Examples:
      worldwright evolve --agent planner --dev motor_claims --held-out hotel_booking --rounds 1
      worldwright evolve --agent openai:mine --base-url http://127.0.0.1:8000/v1 --dev retail_returns:big --held-out loans:eval
          --train "python train.py --tasks {tasks} --out {out}" --rounds 4 --worlds 24
    """
    from worldwright.cli.jobs.arena import run_evolution

    run_evolution(**given)
