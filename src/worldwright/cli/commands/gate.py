"""`worldwright gate`: keep the tasks that an agent solves sometimes."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.inputs.options import face_option, gym_option, json_option, parse_names, seed_option


@click.command(name="gate")
@gym_option
@click.option("--gate-agent", "spec", default="planner", metavar="AGENT", help="Who tries the tasks.")
@click.option("--gate-band", "band", default="2-4", metavar="LOW-HIGH", help="Successes that keep a task.")
@click.option("--gate-runs", "runs", type=click.IntRange(1, 10_000), default=5, help="Attempts at a task.")
@click.option("--adaptive", is_flag=True, help="More attempts where the label is in doubt, fewer where it is clear.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="With --adaptive: attempts in all (runs x tasks).")
@click.option("--tasks", multiple=True, callback=parse_names, metavar="IDS", help="Only these: task_001,7,task_02*.")
@seed_option("Same seed, same draws.")
@face_option
@click.option(
    "--workers", type=click.IntRange(0), metavar="N", help="Processes (one for each core; none with --adaptive)."
)
@agent_options()
@click.option(
    "--fresh", is_flag=True, help="Begin again: earlier attempts of this agent at these worlds are forgotten."
)
@json_option("Labels, counts, figures and attempts as one JSON document.")
def command(**given: Any) -> int:
    """Let an agent try every task of a gym a few times, and keep the tasks that it sometimes does and sometimes does not.

    A task with fewer successes than the band is labelled too_hard, one with more too_easy, and the attempts that passed are
    named. The result belongs to this agent (name and fingerprint) and lies beside the pack, not in it. A gate that was
    stopped goes on where it was; an agent that has changed starts anew.

    \b
    Examples:
      worldwright gate --gym enterprise_procurement --gate-agent planner --gate-band 2-4 --gate-runs 5
      worldwright gate --gym retail_returns --gate-agent openai:qwen3-8b --base-url http://127.0.0.1:8000/v1
      worldwright gate --gym hotel_booking:latest --adaptive --budget 600 --workers 2
      worldwright gate --gym packs/ --tasks task_001,7 --json
    """
    from worldwright.cli.jobs.gate import run_gate

    return run_gate(**given)
