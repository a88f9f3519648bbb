"""`worldwright arena`: compare agents on held-out worlds and diagnose failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from worldwright.cli.inputs.agent import agent_options, max_turns_option
from worldwright.cli.inputs.options import (
    FOLDER,
    face_option,
    force_option,
    json_option,
    parse_names,
    seed_option,
    workers_option,
)


@click.command(name="arena")
@click.option(
    "--gym", "gyms", multiple=True, metavar="NAME[:TAG]", help="Worlds: a reference, a folder of packs, or one pack."
)
@click.option(
    "--agent", "specs", multiple=True, required=True, metavar="AGENT", help="Who plays; as often as you like."
)
@click.option("--baseline", metavar="AGENT", help="Who all others are compared with, task by task.")
@click.option(
    "--trained", "trained", multiple=True, metavar="NAME[:TAG]", help="What was trained on: its families are left out."
)
@click.option(
    "--held-out", "held_out", multiple=True, callback=parse_names, metavar="DOMAINS", help="Only these domains."
)
@click.option(
    "--fresh", type=click.IntRange(1), metavar="N", help="Also build so many fresh worlds of each held-out domain."
)
@click.option("--fresh-seed", type=click.IntRange(0), default=900_001, help="The seed of fresh worlds.")
@click.option("--tasks-per-world", type=click.IntRange(1), default=12, help="Tasks of a fresh world at most.")
@click.option(
    "--family", multiple=True, callback=parse_names, metavar="NAMES", help="Only walk, program, policy or repair."
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only so many tasks of each world.")
@click.option("--attempts", type=click.IntRange(1), default=1, help="Episodes of each task.")
@workers_option
@click.option("--out", type=FOLDER, default=Path("arena"), metavar="DIR", help="Where everything is written.")
@seed_option("Same seed, same draws.")
@face_option
@agent_options()
@max_turns_option
@force_option("Replace an arena on other tasks that is there.")
@json_option("What came of it, as one JSON document.")
def command(**given: Any) -> None:
    """Evaluate agents on worlds that they were not trained on, and say why they fail where they do.

    Every failed episode gets a diagnosis from its calls, its changes and the key; no model takes part. What comes of it is a page
    with charts, a JSON document, and guidelines of what to build next. A run that was stopped goes on when the same command is
    given again.

    \b
    Examples:
      worldwright arena --gym hotel_booking --agent planner --agent random --baseline random
      worldwright arena --fresh 2 --held-out motor_claims,loan_servicing --agent planner --attempts 3
      worldwright arena --gym all:big --trained retail_returns:big --agent openai:qwen3-8b --base-url http://127.0.0.1:8000/v1
      worldwright arena --gym packs/ --agent planner --out arena/today --json
    """
    from worldwright.cli.jobs.arena import run_arena

    run_arena(**given)
