"""A session of `play` from its options: calls of the command line, a script that is piped in, or a prompt."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.play.call_line import CallLine, parse_answer, parse_call
from worldwright.cli.play.player import Player
from worldwright.cli.play.task_player import TaskPlayer
from worldwright.cli.terminal.console import Screen, escape, print_hanging
from worldwright.cli.terminal.messages import complain, print_json
from worldwright.core.errors import UsageError
from worldwright.facts.changes import changes_data, leave_out
from worldwright.facts.key import check_task
from worldwright.facts.opened import OpenedPack, open_named
from worldwright.facts.task import person_of, task_of


def run_play(
    pack: str,
    role: str | None,
    ref: str | None,
    asking: bool,
    calls: tuple[str, ...],
    answer: str | None,
    as_json: bool,
) -> int:
    """Play what the command line says, a script, or what a person types. Exit code 1 for a task that was failed or left."""
    if answer is not None and ref is None:
        raise click.UsageError("--answer needs a --task to answer")
    if asking and ref is None:
        raise click.UsageError("--asking needs a --task: whoever made the request is asked")
    if as_json and not calls and answer is None:
        raise click.UsageError("--json needs at least one --call" + (" or an --answer" if ref is not None else ""))
    opened = open_named(pack)
    player = _player(opened, role, ref, asking, quiet=as_json)
    script = _read_script(player, calls, answer)
    if as_json:
        print_json(_document(opened, player, _play_script(player, script)))
    elif script.calls or script.answer is not None:
        _play_script(player, script)
    else:
        _show_welcome(player, opened)
        player.run(_read_terminal(player) if sys.stdin.isatty() else _piped(player))
        if isinstance(player, TaskPlayer) and player.answer is None:
            complain("nothing was submitted, so the task was not done")
            return exits.FAILED
    failed = isinstance(player, TaskPlayer) and player.failed
    player.close()
    return exits.FAILED if failed else exits.OK


@dataclass(frozen=True, slots=True)
class _Script:
    """What the command line says to do, each with its words."""

    calls: tuple[tuple[str, CallLine], ...]
    answer: tuple[str, dict[str, Any]] | None


def _read_script(player: Player, calls: Sequence[str], answer: str | None) -> _Script:
    """Read all of it before anything is done."""
    parsed = tuple((c, parse_call(c.strip().removeprefix("call "), player.tools)) for c in calls)
    if answer is None or not isinstance(player, TaskPlayer):
        return _Script(parsed, None)
    return _Script(parsed, (answer, parse_answer(answer.strip(), player.task.answer_schema)))


def _play_script(player: Player, script: _Script) -> list[dict[str, Any]]:
    made = []
    for text, call in script.calls:
        player.screen.print(Text(f"{player.prompt}{escape(text)}", "bold"))
        made.append(player.call(call))
    if script.answer is not None and isinstance(player, TaskPlayer):
        player.screen.print(Text(f"{player.prompt}submit {escape(script.answer[0])}", "bold"))
        player.submit(script.answer[1])
    return made


def _document(opened: OpenedPack, player: Player, made: list[dict[str, Any]]) -> dict[str, Any]:
    out = {
        "world": {"name": opened.world.name, "digest": opened.world.digest},
        "role": player.role,
        "calls": made,
        "clock": player.env.agent.clock(),
        "diff": changes_data(leave_out(player.env.diff(), player.hidden)),
        "state": player.env.state_digest(),
    }
    if isinstance(player, TaskPlayer):
        verdict = {"submitted": player.answer is not None, "answer": player.answer, **player.verdict().data()}
        out |= {"task": player.task.id, "actor": player.task.actor, "verdict": verdict}
    return out


def _player(opened: OpenedPack, role: str | None, ref: str | None, asking: bool, quiet: bool) -> Player:
    screen = Screen()
    screen.quiet = quiet
    rules = {p.name: p.says for p in opened.checked.policies.values()}
    if ref is None:
        return Player(opened.world, role, screen, rules)
    task = task_of(opened.world, ref)
    if role is not None and role != task.role:
        raise UsageError(f"{task.id} is for a {task.role}, not a {role[:60]}; leave --role out")
    check_task(opened.world, task.id)
    entities = opened.checked.schema.entities.items()
    hidden = {name: frozenset(c.name for c in entity.columns.values() if c.hidden) for name, entity in entities}
    return TaskPlayer(opened.world, task, screen, rules, asking, hidden)


def _show_welcome(player: Player, opened: OpenedPack) -> None:
    title, world = opened.checked.blueprint.title, opened.world
    player.screen.print(Text.assemble((escape(title), "bold"), (f"  {world.name}, digest {world.digest[:12]}", "dim")))
    who = f"You are {player.role}. " if player.role else ""
    if isinstance(player, TaskPlayer):
        name = person_of(opened, player.task)
        who = f"You are {escape(name)}, {player.role} ({player.task.actor}). " if name else who
    print_hanging(player.screen, Text(f"{who}It is {player.env.agent.clock()}. `help` lists what you can type."), 0)
    if isinstance(player, TaskPlayer):
        player.screen.print()
        player.do("task")
        player.screen.print()


def _piped(player: Player) -> Iterator[str]:
    """Lines of a script, shown as if they had been typed."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if line.strip():
            player.screen.print(Text(f"{player.prompt}{escape(line.strip())}", "bold"))
        yield line


def _read_terminal(player: Player) -> Iterator[str]:
    """Yield lines from a terminal, with history and completion where the system has them."""
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
