"""`worldwright referee`: hear a second judge on the verifiers of a pack."""

from __future__ import annotations

import click

from worldwright.cli import exits
from worldwright.cli.inputs.options import json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError


@click.command(name="referee")
@click.argument("pack")
@click.option("--task", "refs", multiple=True, metavar="TASK", help="Only this task; may be repeated.")
@click.option("--sample", is_flag=True, help="Only as much as a build plays, not everything.")
@json_option("Counts and every disagreement as one JSON document.")
def command(pack: str, refs: tuple[str, ...], sample: bool, as_json: bool) -> int:
    """Play legally around every task of a pack, and hold the referee's word against the verifier's.

    The referee is a second judge that was written apart from keys and verifiers. It decides from the Blueprint's goals and
    rules, the facts of the request and the two states. Legal writes after, before and instead of the witness, every other value
    of every argument, every write left out or swapped, and answers that contradict are played. Exit code 0 where both always say
    the same, else 1.

    \b
    Examples:
      worldwright referee enterprise_procurement
      worldwright referee enterprise_procurement --task task_007 --task task_012
      worldwright referee town_library --sample --json
    """
    from worldwright.cli.jobs.referee import compare
    from worldwright.cli.views.referee import referee_document, show_comparisons
    from worldwright.facts.opened import open_named
    from worldwright.facts.task import task_of

    opened = open_named(pack)
    if not opened.world.book.ids:
        raise UsageError("this pack has no tasks: its Blueprint has no goals, or it was built with --no-tasks")
    chosen = {t.id: t for t in ([task_of(opened.world, r) for r in refs] or opened.world.tasks)}
    found = []
    episodes = 0
    with Progress(Screen(err=True), "tasks", len(chosen)) as progress:
        for one in compare(opened, tuple(chosen.values()), sample):
            found.append(one)
            episodes += one.episodes
            progress.step(f"{episodes:,} episodes")
    if as_json:
        print_json(referee_document(opened, found, sample))
    else:
        show_comparisons(Screen(), found)
    return exits.OK if all(one.holds for one in found) else exits.FAILED
