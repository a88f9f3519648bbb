"""`worldwright generate`: build a world, or thousands, and keep them in the store."""

from __future__ import annotations

from typing import Any

import click

from worldwright.assay.grade import WORDS
from worldwright.cli.inputs.many_worlds import many_options
from worldwright.cli.inputs.options import (
    FILE,
    FOLDER,
    PATH,
    check_tag,
    json_option,
    parse_pairs,
    seed_option,
    text_option,
)
from worldwright.cli.jobs.images import image_options
from worldwright.kinds.database.battery.settings import BATTERIES
from worldwright.kinds.database.compile.tasks.knobs import PROFILES


@click.command(name="generate")
@click.option("--domain", "domains", multiple=True, metavar="NAME", help="A domain of the catalogue, or an anchor.")
@click.option("--blueprint", "files", multiple=True, metavar="FILE", type=PATH, help="A Blueprint of your own.")
@seed_option("Same seed, same world.")
@click.option(
    "--variant", multiple=True, metavar="POLICY=NAME", callback=parse_pairs, help="Named parameters of a policy."
)
@click.option("--out", metavar="DIR", type=FOLDER, help="Also write it as a folder in DIR.")
@click.option("--tasks/--no-tasks", "with_tasks", default=True, help="Make tasks from the goals and prove them.")
@click.option(
    "--complexity",
    type=click.Choice(tuple(PROFILES)),
    show_default="medium, and of many worlds all three",
    help="How hard the tasks may be, and how things are referred to in them.",
)
@click.option(
    "--knob",
    "settings",
    multiple=True,
    metavar="NAME=RANGE",
    callback=parse_pairs,
    help="One measure of difficulty: writes=2..6, joins=1.., reference=id.",
)
@click.option(
    "--tasks-per-world", "most", type=click.IntRange(1), metavar="N", help="Tasks at most; 12 of many worlds."
)
@click.option(
    "--battery",
    type=click.Choice(tuple(BATTERIES)),
    show_default="full, and bulk of many worlds",
    help="How long verifiers are tried before they are sealed.",
)
@click.option(
    "--at-least",
    type=click.Choice(WORDS),
    help="Refuse a world from evidence whose grade is below; see `author check`.",
)
@text_option("--inject", metavar="LAYERS", help="Lay these over it: 'partial refunds, legacy dates'.")
@click.option("--tag", default="latest", callback=check_tag, help="The tag in the store.")
@many_options
@image_options
@click.option("--events", type=FILE, metavar="FILE", help="Write what happens to FILE as it happens, as JSON lines.")
@json_option("What was built and where, as one JSON document.")
def command(**given: Any) -> int:
    """Build a world, or many, and keep them in the store.

    A world depends on the Blueprint, the variant, the seed and what is asked of its tasks, and on nothing else: built
    anywhere, at any time, it has the same digest. Without tasks it is ready sooner. Stages go to standard error.

    With --variants, many worlds of each family are built at once. A run that was stopped in any way, by Ctrl-C or by force, goes
    on when the same command is given again.

    \b
    Examples:
      worldwright generate --domain enterprise_procurement --seed 7
      worldwright generate --domain enterprise_procurement --variant two_quotes=strict
      worldwright generate --blueprint my_world.yaml --out worlds --json
      worldwright generate --domain enterprise_procurement --complexity high --knob writes=2..6
      worldwright generate --domain retail_returns --no-tasks --tag bare
      worldwright generate --domain retail_returns --inject "partial refunds, legacy dates"
      worldwright generate --domain retail_returns --image images --base python.tar
      worldwright generate --domain my_anchor --at-least solid
      worldwright generate --domain my_anchor               (after `worldwright upload --name my_anchor ...`)
      worldwright generate --domain hotel_booking --variants 50 --axes policy,mess,seed
      worldwright generate --all --variants 800 --workers 2 --tag big
      worldwright generate --all --variants 800 --dry-run
      worldwright generate --domain hotel_booking --events build.jsonl
    """
    from worldwright.cli.jobs.generate import run_generate
    from worldwright.cli.jobs.many_worlds import GenerateOptions

    return run_generate(GenerateOptions(**given))
