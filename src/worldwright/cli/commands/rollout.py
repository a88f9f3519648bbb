"""`worldwright rollout`: run an agent through the tasks of a gym."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.agent import LIMITS, agent_options, max_turns_option
from worldwright.cli.inputs.options import (
    FILE,
    FOLDER,
    face_option,
    force_option,
    gym_option,
    json_option,
    parse_names,
    seed_option,
    text_option,
    workers_option,
)


@click.command(name="rollout")
@gym_option
@click.option("--agent", "spec", required=True, metavar="AGENT", help="planner, random, oracle, ..., or openai:MODEL.")
@click.option("--tasks", multiple=True, callback=parse_names, metavar="IDS", help="Only these: task_001,task_0*.")
@click.option(
    "--family", multiple=True, callback=parse_names, metavar="NAMES", help="Only walk, program, policy or repair."
)
@click.option("--held-out/--not-held-out", default=None, help="Only ways to ask that are held out, or none of them.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only so many tasks of each world.")
@click.option("--attempts", type=click.IntRange(1), default=1, help="Episodes of each task.")
@workers_option
@click.option("--at-once", type=click.IntRange(1), default=16, help="Episodes of a remote model per worker.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where the run is written.")
@seed_option("Same seed, same draws.")
@face_option
@click.option(
    "--wordings", multiple=True, type=FILE, help="Other words for instructions; only tasks that have some are played."
)
@click.option(
    "--worded-by",
    metavar="openai:MODEL",
    help="With --face asking: who words what requesters say, and decides nothing.",
)
@text_option("--worded-by-url", metavar="URL", help="The endpoint of --worded-by.")
@agent_options()
@max_turns_option
@click.option("--max-calls", type=click.IntRange(1), default=LIMITS.calls, help="Tool calls of an episode.")
@click.option(
    "--max-output", type=click.IntRange(1), default=LIMITS.output, help="Characters the agent writes in an episode."
)
@click.option("--max-seconds", type=click.FloatRange(0.001), default=LIMITS.seconds, help="Seconds of an episode.")
@click.option("--html", type=FILE, help="Write a page with charts.")
@force_option("Replace the page that is there.")
@click.option("--parquet", is_flag=True, help="Also write trajectories.parquet.")
@json_option("What came of it, as one JSON document.")
def command(**given: Any) -> None:
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
      worldwright rollout --gym hotel_booking --agent planner --face asking --worded-by openai:qwen3-8b \
        --worded-by-url http://127.0.0.1:8000/v1
    """
    from worldwright.cli.jobs.rollout import run_rollout

    run_rollout(**given)
