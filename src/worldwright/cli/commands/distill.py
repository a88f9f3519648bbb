"""`worldwright distill`: make SFT, DPO and RL data from verified episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.inputs.options import face_option, force_option, json_option, parse_names, seed_option, text_option
from worldwright.distill.records import SPLITS

FOLDER = click.Path(file_okay=False, path_type=Path)


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
    "--episodes", type=click.IntRange(1), metavar="N", help="Episodes of each teacher in each gym (one of every task)."
)
@click.option(
    "--run", "runs", multiple=True, type=FOLDER, metavar="DIR", help="A run that there is already; may be repeated."
)
@click.option("--format", "formats", default="sft,dpo", callback=parse_names, metavar="NAMES", help="sft, dpo, rl.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where the dataset is written.")
@click.option("--per-task", type=click.IntRange(1), default=4, help="Rows of one task at most, in each format.")
@click.option(
    "--likeness",
    type=click.FloatRange(0.5, 1),
    default=0.9,
    help="Shared word triples from which two successes count as one; 1 for none.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    help="The share of domains that only `test` has.",
)
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    default="domain",
    help="Hold out whole domains, or words that tasks are asked in.",
)
@force_option("Replace the dataset that is there.")
@click.option("--reasoning", is_flag=True, help="Keep what agents said of their reasons (`reasoning_content`).")
@click.option("--decisive", is_flag=True, help="Only pairs whose rejected side answers, writes or is refused.")
@click.option("--parquet", is_flag=True, help="Also write Parquet.")
@text_option("--license", "licence", metavar="NAME", help="As the card names it.")
@click.option(
    "--runs", "place", type=FOLDER, default=Path("runs"), metavar="DIR", help="Where teachers' runs are kept."
)
@click.option("--workers", type=click.IntRange(0), help="Processes that play (one for each core); 0 plays right here.")
@seed_option("Of the teachers.")
@face_option
@agent_options("teacher")
@json_option("What is in the dataset, as one JSON document.")
def command(**given: Any) -> None:
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
    from worldwright.cli.jobs.distill import run_distill

    run_distill(**given)
