"""`worldwright play`: call the tools of a world yourself."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator

import click
from rich.text import Text

from worldwright.cli.call_line import parse_call
from worldwright.cli.changes import changes_data
from worldwright.cli.console import Screen, plain
from worldwright.cli.opening import Opened, open_named
from worldwright.cli.player import Player
from worldwright.cli.screen import print_json


@click.command(name="play")
@click.argument("pack")
@click.option("--role", metavar="ROLE", help="Who you are (the first role of the world).")
@click.option(
    "--call", "calls", multiple=True, metavar="'TOOL {json}'", help="Make this call and leave; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="With --call: results and changes as one JSON document.")
def command(pack: str, role: str | None, calls: tuple[str, ...], as_json: bool) -> None:
    """Play in a world: call its tools, see what they give and what they change.

    At the prompt `help` lists the commands. A script can be piped in, one command per line. The pack is never changed.

    \b
    Examples:
      worldwright play enterprise_procurement --role buyer
      worldwright play town_library --call 'find_members tier=gold limit=3'
      worldwright play town_library --call 'lend {"member": "MEM-0001", "copy": "CPY-0004"}' --json
      printf 'find_loans overdue=true\\nclock\\n' | worldwright play town_library
    """
    if as_json and not calls:
        raise click.UsageError("--json needs at least one --call")
    opened = open_named(pack)
    tools = {t.name: t for t in opened.world.tools}
    parsed = [parse_call(c.strip().removeprefix("call "), tools) for c in calls]
    if as_json:
        player = _player(opened, role, quiet=True)
        made = [player.call(c) for c in parsed]
        print_json(
            {
                "world": {"name": opened.world.name, "digest": opened.world.digest},
                "role": player.role,
                "calls": made,
                "clock": player.env.agent.clock(),
                "diff": changes_data(player.env.diff()),
                "state": player.env.state_digest(),
            }
        )
    else:
        player = _player(opened, role)
        if parsed:
            for text, call in zip(calls, parsed, strict=True):
                player.screen.print(Text(f"{player.prompt}{plain(text)}", "bold"))
                player.call(call)
        else:
            _welcome(player, opened)
            player.run(_typed(player) if sys.stdin.isatty() else _piped(player))
    player.close()


def _player(opened: Opened, role: str | None, quiet: bool = False) -> Player:
    screen = Screen()
    if quiet:
        screen.quiet = True
    return Player(opened.world, role, screen, {p.name: p.says for p in opened.checked.policies.values()})


def _welcome(player: Player, opened: Opened) -> None:
    title, world = opened.checked.blueprint.title, opened.world
    player.screen.print(Text.assemble((plain(title), "bold"), (f"  {world.name}, digest {world.digest[:12]}", "dim")))
    who = f"You are {player.role}. " if player.role else ""
    player.screen.print(Text(f"{who}It is {player.env.agent.clock()}. `help` lists what you can type."))


def _piped(player: Player) -> Iterator[str]:
    """Lines of a script, shown as if they had been typed."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if line.strip():
            player.screen.print(Text(f"{player.prompt}{plain(line.strip())}", "bold"))
        yield line


def _typed(player: Player) -> Iterator[str]:
    """Lines from a terminal, with history and completion where the system has them."""
    with contextlib.suppress(ImportError):
        import readline

        names = sorted([*player.commands, *player.tools, *player.world.roles])

        def complete(text: str, state: int) -> str | None:
            found = [f"{name} " for name in names if name.startswith(text)]
            return found[state] if state < len(found) else None

        readline.set_completer_delims(" \t\n")
        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")
    while True:
        try:
            yield input(player.prompt)
        except KeyboardInterrupt:
            player.screen.print()
        except EOFError:
            player.screen.print()
            return
