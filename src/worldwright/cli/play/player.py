"""A person in a world: calls tools, sees results and what changed, forks and comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.play.call_line import CallLine, parse_call
from worldwright.cli.play.changes import show_changes, show_others
from worldwright.cli.terminal.console import escape, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid, show_data
from worldwright.cli.views.part import show_arguments
from worldwright.core.errors import UsageError, WorldwrightError
from worldwright.core.names import suggest
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits
from worldwright.engine.world import World
from worldwright.facts.changes import changes_data, leave_out, summarise_changes
from worldwright.facts.tool import format_signature
from worldwright.world.records import Result
from worldwright.world.tasks import Task

MAX_CALLS = 1_000_000
"""A person is not held to the calls of an episode."""


class Player:
    """A running session of `play`."""

    def __init__(
        self,
        world: World,
        role: str | None,
        screen: Console,
        rules: dict[str, str],
        task: Task | None = None,
        face: str = "plain",
        hidden: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self.world = world
        self._ref = None if task is None else task.id
        self.screen = screen
        self.rules = rules
        """What each policy says."""
        self.hidden = hidden
        """Columns that are not to be seen, by table."""
        self.tools = {t.name: t for t in world.tools}
        self.role = role if role is not None else (world.roles[0] if world.roles else "")
        first = world.env(Limits(calls=MAX_CALLS), face=face)
        first.reset(self._ref, role=self.role)
        self._envs: list[Env] = [first]
        self._roles: list[str] = [self.role]
        self._last: Result | None = None
        self.commands: dict[str, tuple[Callable[[str], None], str]] = {
            "tools": (self._tools, "the tools of your role; `tools all` for everybody's"),
            "help": (self._help, "this list; `help TOOL` for one tool"),
            "call": (self._call, 'call TOOL {"json": ...}; TOOL key=value key=value does the same'),
            "last": (self._show_last, "the last result in full, as JSON"),
            "diff": (self._diff, "what changed since the reset"),
            "reset": (self._reset, "back to the opening state"),
            "role": (self._role, "role NAME: start over as somebody else"),
            "handbook": (self._handbook, "the rules, as an agent may read them"),
            "clock": (self._clock, "the time in the world; writes move it"),
            "fork": (self._fork, "go on in a copy of this moment"),
            "back": (self._back, "drop the copy, return to where it was made"),
            "quit": (self._reject_quit_with_words, "leave (end of file does too)"),
        }

    @property
    def env(self) -> Env:
        return self._envs[-1]

    @property
    def prompt(self) -> str:
        depth = len(self._envs) - 1
        return f"{self.role or self.world.name}{' fork' + (f' {depth}' if depth > 1 else '') if depth else ''}> "

    def run(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.strip() in ("quit", "exit"):
                return
            self.do(line)

    def do(self, line: str) -> None:
        """Do one line. Whatever is in it, the session goes on."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return
        try:
            if word in self.commands:
                self.commands[word][0](rest.strip())
            elif word in self.tools:
                self._call(line.strip())
            else:
                hint = suggest(word[:60], [*self.commands, *self.tools])
                raise UsageError(f"no command or tool is called `{word[:60]}`; {hint}")
        except WorldwrightError as e:
            print_hanging(self.screen, Text(escape(str(e)), "red"), 2)

    # calling

    def _call(self, line: str) -> None:
        self.call(parse_call(line, self.tools))

    def call(self, call: CallLine) -> dict[str, Any]:
        """Make a call, show it, and give it as data."""
        broken, others_before = len(self.env.violations()), len(self.env.list_others())
        result = self.env.call_tool(call.tool, call.arguments)
        changes = leave_out(self.env.diff_since_last(), self.hidden)
        others = self.env.list_others(others_before)
        broke = [policy for policy, _, _ in self.env.violations()[broken:]]
        self._last = result
        if result.ok:
            show_data(self.screen, result.data)
            if changes or others:
                self.screen.print(Text(f"  {summarise_changes(changes)}; it is {self.env.agent.clock()}", "dim"))
            if others:
                show_others(self.screen, others)
            else:
                show_changes(self.screen, changes)
        else:
            self._show_refusal(result)
        for policy in broke:
            note = f"handbook: this breaks {policy}. The system let it happen, a verifier would not."
            print_hanging(self.screen, Text(escape(f"{note} {self.rules.get(policy, '')}"), "magenta"), 2)
        return {
            "tool": call.tool,
            "arguments": call.arguments,
            "result": result.payload(),
            "clock": self.env.agent.clock(),
            "changes": changes_data(changes),
            "broke": broke,
        }

    def _show_refusal(self, result: Result) -> None:
        error = result.error
        assert error is not None
        said = Text.assemble(("refused ", "red"), (error.code, "bold red"), f"  {escape(error.message)}")
        print_hanging(self.screen, said, 2)
        details = [f"{key}: {_format_value(value)}" for key, value in (error.details or {}).items()]
        print_folded(self.screen, details, 2, "dim", ";")
        if result.done:
            self.screen.print(Text("  `reset` starts again", "dim"))

    # looking

    def _tools(self, rest: str) -> None:
        offered = self.tools.values() if rest == "all" else self.env.agent.list()
        kinds = {True: Text("write", "yellow"), False: Text("read", "green")}
        rows = [(t.name, kinds[t.mutates], ", ".join(format_signature(t))) for t in offered]
        grid(self.screen, ("tool", "", "takes"), rows)

    def _help(self, rest: str) -> None:
        if not rest:
            grid(self.screen, ("", ""), [(name, says) for name, (_, says) in self.commands.items()])
            return
        tool = self.tools.get(rest)
        if tool is None:
            raise UsageError(f"no tool is called `{rest[:60]}`; {suggest(rest[:60], self.tools)}")
        print_hanging(self.screen, Text(escape(tool.description)), 2)
        show_arguments(self.screen, tool)

    def _show_last(self, rest: str) -> None:
        if self._last is None:
            raise UsageError("nothing was called yet")
        text = json.dumps(self._last.payload(), indent=2, ensure_ascii=False)
        self.screen.print(Text(escape(text, lines=True)), soft_wrap=True)

    def _diff(self, rest: str) -> None:
        changes = leave_out(self.env.diff(), self.hidden)
        self.screen.print(Text(f"  {summarise_changes(changes)} since the reset", "dim"))
        show_changes(self.screen, changes)

    def _handbook(self, rest: str) -> None:
        for line in escape(self.world.handbook, lines=True).splitlines():
            print_hanging(self.screen, Text(line, "bold" if line.startswith("#") else ""), 2)

    def _clock(self, rest: str) -> None:
        self.screen.print(Text(f"  {self.env.agent.clock()}"))

    # moving

    def _reset(self, rest: str) -> None:
        self.env.reset(self._ref, role=self.role)
        self._last = None
        self.screen.print(Text(f"  the opening state, {self.env.agent.clock()}", "dim"))

    def _role(self, rest: str) -> None:
        if not rest:
            grid(self.screen, ("", ""), [(r, "you" if r == self.role else "") for r in self.world.roles])
            return
        lost = summarise_changes(self.env.diff()) if self.env.diff() else ""
        self.env.reset(role=rest)
        self.role = self._roles[-1] = rest
        self._last = None
        note = f"; what was done is gone ({lost})" if lost else ""
        self.screen.print(Text(f"  you are {rest}, in the opening state{note}", "dim"))

    def _fork(self, rest: str) -> None:
        self._envs.append(self.env.fork())
        self._roles.append(self.role)
        self.screen.print(Text("  a copy of this moment; `back` returns", "dim"))

    def _back(self, rest: str) -> None:
        if len(self._envs) == 1:
            raise UsageError("this is no fork; `fork` makes one")
        self._envs.pop().close()
        self._roles.pop()
        self.role = self._roles[-1]
        self.screen.print(Text("  back; the copy is gone, with what was done in it", "dim"))

    def _reject_quit_with_words(self, rest: str) -> None:
        """Refuse `quit` with words behind it: `run` has dealt with the plain one."""
        raise UsageError("`quit` stands alone")

    def close(self) -> None:
        for env in self._envs:
            env.close()


def _format_value(value: Any) -> str:
    return escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
