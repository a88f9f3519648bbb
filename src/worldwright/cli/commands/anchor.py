"""`worldwright anchor`: list, show and remove anchors, and try out new evidence."""

from __future__ import annotations

from pathlib import Path

import click

from worldwright.cli.extras import require_extra
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import json_option, seed_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError


@click.group(name="anchor", cls=NamedCommands)
def command() -> None:
    """List, show and remove anchors, and measure how files of your own become worlds."""


@command.command(name="list")
@json_option()
def list_(as_json: bool) -> None:
    """List the anchors in the store.

    \b
    Examples:
      worldwright anchor list
      worldwright anchor list --json
    """
    from worldwright.cli.views.anchor import show_list
    from worldwright.facts.anchor import summarise_lock
    from worldwright.store.anchors import Anchors

    held = Anchors()
    found = [summarise_lock(held.read_lock(name)) for name in held.names()]
    if as_json:
        print_json({"anchors": found})
    else:
        show_list(Screen(), found)


@command.command(short_help="Show an anchor: inputs, worlds, reasons, what was not used.")
@click.argument("name")
@click.option("--world", metavar="NAME", help="Only this world of it.")
@click.option("--blueprint", "as_blueprint", is_flag=True, help="Print the Blueprint of the world instead.")
@click.option("--all", "every", is_flag=True, help="Every decision, note and unused part, not only the first ones.")
@json_option("The whole lock.")
def show(name: str, world: str | None, as_blueprint: bool, every: bool, as_json: bool) -> None:
    """Show an anchor: inputs, worlds, why each trait is there, decisions, and what was not used.

    \b
    Examples:
      worldwright anchor show purchasing
      worldwright anchor show purchasing --all
      worldwright anchor show purchasing --world purchasing_orders --blueprint
      worldwright anchor show purchasing --json
    """
    from worldwright.cli.views.anchor import show_anchor
    from worldwright.store.anchors import Anchors

    held = Anchors()
    lock = held.read_lock(name)
    if world is not None and all(w["name"] != world for w in lock["worlds"]):
        raise UsageError(f"{name} has no world `{world}`; it has {', '.join(w['name'] for w in lock['worlds'])}")
    if as_blueprint:
        found = held.world(world or name)
        assert found is not None
        click.echo(found.blueprint, nl=False)
        return
    if as_json:
        print_json(lock)
        return
    show_anchor(Screen(), lock, world, every)


@command.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove an anchor from the store. Worlds that were generated from it stay.

    \b
    Examples:
      worldwright anchor remove purchasing
    """
    from worldwright.store.anchors import Anchors

    Anchors().remove(name)
    Screen().print(f"removed {name}")


@command.command(short_help="Take every file of a folder all the way to a proven world.")
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@seed_option("Of the worlds.", default=7)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Files at a time.")
@click.option("--only", multiple=True, metavar="TEXT", help="Only files with this in their path.")
@json_option()
def bench(folder: Path, seed: int, jobs: int, only: tuple[str, ...], as_json: bool) -> None:
    """Take every file of a folder all the way: read, locked, built, its tasks proven, its tests run, its answers checked.

    Each file is an anchor of its own; nothing is kept in the store. A file counts as a world where at least one of its parts
    has five tools and ten calibrated tasks.

    \b
    Examples:
      worldwright anchor bench ./evidence
      worldwright anchor bench ./evidence --jobs 2 --only openapi/ --json
    """
    from worldwright.cli.views.anchor import show_bench

    with require_extra("anchor"):
        from worldwright.factory.anchor_bench import bench_files, files_in, sum_results

    files = [f for f in files_in(folder) if not only or any(text in str(f) for text in only)]
    if not files:
        raise UsageError(f"there are no files to take in {folder}")
    screen = Screen(err=True)
    rows = []
    with Progress(screen, "files", len(files)) as progress:
        for row in bench_files(files, folder, seed, jobs):
            rows.append(row)
            progress.step(row.name)
    rows.sort(key=lambda r: r.name)
    if as_json:
        print_json({"files": [r.data() for r in rows], "totals": sum_results(rows)})
    else:
        show_bench(Screen(), rows, sum_results(rows))
