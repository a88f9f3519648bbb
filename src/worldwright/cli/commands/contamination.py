"""`worldwright contamination`: find tasks of a gym in benchmark files."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import PATH, gym_option, json_option
from worldwright.gate.contamination.records import Thresholds

DEFAULT = Thresholds()


@click.command(name="contamination")
@gym_option
@click.option(
    "--against",
    "named",
    multiple=True,
    required=True,
    type=PATH,
    metavar="PATH",
    help="A benchmark file or a folder of them; may be repeated.",
)
@click.argument("more", nargs=-1, type=PATH, metavar="[PATH]...")
@click.option("--drop", is_flag=True, help="Take flagged tasks out of what gates keep.")
@click.option("--restore", is_flag=True, help="Forget what earlier checks dropped.")
@click.option("--run", type=click.IntRange(8), default=DEFAULT.run, help="Words in a row that flag.")
@click.option("--share", type=click.FloatRange(0.05, 1), default=DEFAULT.share,
              help="Share of a text in runs of 8 words that flags.")  # fmt: skip
@click.option("--similar", type=click.FloatRange(0.3, 1), default=DEFAULT.similar,
              help="Overlap of three-word shingles (MinHash, then exact) that flags.")  # fmt: skip
@click.option("--embed", type=PATH, metavar="DIR", help="A local sentence-transformers model.")
@click.option("--close", type=click.FloatRange(0, 1), default=DEFAULT.close,
              help="With --embed: the cosine that flags.")  # fmt: skip
@click.option("--names", type=click.FloatRange(0.05, 1), default=DEFAULT.names,
              help="Share of a column's names in benchmarks that is worth a look.")  # fmt: skip
@json_option("Flagged tasks and every match as one JSON document.")
def command(**given: Any) -> int:
    """Look for instructions and world data of a gym in benchmark files, and flag the tasks that they have in common.

    JSON Lines, JSON, CSV and TSV (also .gz, .bz2, .xz), Parquet and plain text are read, every string value of them. Exit
    code 1 where tasks are flagged and not dropped. The result lies beside the pack, not in it.

    \b
    Examples:
      worldwright contamination --gym enterprise_procurement --against benchmarks/
      worldwright contamination --gym retail_returns --against tau.jsonl bfcl.json.gz --drop
      worldwright contamination --gym hotel_booking --against evals/ --embed models/minilm --close 0.85
      worldwright contamination --gym packs/ --against questions.parquet --json
    """
    from worldwright.cli.jobs.contamination import run_contamination

    return run_contamination(**given)
