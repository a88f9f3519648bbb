"""`worldwright assay`: test the verifiers of a pack again."""

from __future__ import annotations

import click

from worldwright.cli import exits
from worldwright.cli.inputs.options import json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError
from worldwright.kinds.database.battery.settings import BATTERIES


@click.command(name="assay")
@click.argument("pack")
@click.option("--task", "refs", multiple=True, metavar="TASK", help="Only this task; may be repeated.")
@click.option("--walks", type=click.IntRange(0, 1000), help="Random walks per role (as many as the datasheet says).")
@click.option("--battery", "named", type=click.Choice(tuple(BATTERIES)), help="Not the one that the datasheet names.")
@json_option("Counts, failures and differences as one JSON document.")
def command(pack: str, refs: tuple[str, ...], walks: int | None, named: str | None, as_json: bool) -> int:
    """Put every task of a pack through the battery again, and compare with its datasheet.

    The world, the tasks and the keys come from the pack alone. Each episode must be judged rightly: those that reach the
    goal by the rules pass, all others fail. Exit code 0 where that is so and the counts are those of datasheet.json, else 1.
    With another battery than the sealed one, counts are not compared.

    \b
    Examples:
      worldwright assay enterprise_procurement
      worldwright assay enterprise_procurement --task task_007 --task task_012
      worldwright assay town_library --walks 20 --json
      worldwright assay hotel_booking:big/default-0 --battery full
    """
    from worldwright.cli.jobs.assay import assay
    from worldwright.cli.views.assay import assay_document, show_assay
    from worldwright.facts.opened import open_named
    from worldwright.facts.task import task_of

    opened = open_named(pack)
    if not opened.world.book.ids:
        raise UsageError("this pack has no tasks: its Blueprint has no goals, or it was built with --no-tasks")
    chosen = {t.id: t for t in ([task_of(opened.world, r) for r in refs] or opened.world.tasks)}
    episodes = 0
    with Progress(Screen(err=True), "tasks", len(chosen)) as progress:

        def count_episodes(more: int) -> None:
            nonlocal episodes
            episodes += more
            progress.step(f"{episodes:,} episodes")

        found = assay(opened, tuple(chosen.values()), walks, count_episodes, named or "")
    if as_json:
        print_json(assay_document(opened, found))
    else:
        show_assay(Screen(), found)
    return exits.OK if found.holds else exits.FAILED
