"""`worldwright train`: train a model in live worlds: SFT, then GRPO."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import FILE, FOLDER, json_option, parse_pairs
from worldwright.train import CHAT_STYLES


@click.command(name="train")
@click.option("--gym", "gyms", multiple=True, metavar="NAME[:TAG]", help="Worlds to learn in; may be repeated.")
@click.option("--model", metavar="PATH_OR_ID", help="A folder with a model, or a name that transformers can fetch.")
@click.option("--algo", type=click.Choice(("sft", "grpo")), help="Demonstrations only, or verdicts after them (grpo).")
@click.option("--chat-format", type=click.Choice(CHAT_STYLES), help="How conversations are written (auto).")
@click.option(
    "--lora", type=click.IntRange(0), metavar="RANK", help="Train adapters of this rank; 0 trains all weights (0)."
)
@click.option(
    "--rollout-workers",
    "workers",
    type=click.IntRange(1),
    metavar="N",
    help="Threads that call tools and verifiers (1).",
)
@click.option(
    "--sft-data", "data", multiple=True, metavar="FILE", help="Distilled rows; without any, the gold walks of the gyms."
)
@click.option("--seed", type=click.IntRange(0), help="Same seed, same run (0).")
@click.option(
    "--set", "more", multiple=True, callback=parse_pairs, metavar="NAME=VALUE", help="Any other setting: grpo.steps=50."
)
@click.option("--config", type=FILE, help="Settings; options come before them.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where the run is kept.")
@click.option("--resume", is_flag=True, help="Go on with the run that is there.")
@json_option("What it came to, as one JSON document.")
def command(**given: Any) -> None:
    """Teach a model in live worlds: demonstrations until it is ready, then its own episodes, with verdicts as rewards.

    Everything that decides the run stands in OUT/run.yaml; with that file it can be done again. A run that was stopped
    goes on exactly where it was. Figures go to OUT/metrics.jsonl, and to TensorBoard where it is installed.

    \b
    Examples:
      worldwright train --gym town_library --model Qwen/Qwen3-0.6B --out runs/first
      worldwright train --gym hotel_booking --gym motor_claims --algo sft --model ./smollm2 --chat-format compact
      worldwright train --config runs/first/run.yaml --out runs/again
      worldwright train --out runs/first --resume
    """
    from worldwright.cli.jobs.train import run_training

    run_training(**given)
