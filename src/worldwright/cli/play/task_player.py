"""A person with a task: the same session, with the request, an answer to submit and a verdict to read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rich.console import Console

from worldwright.cli.play.call_line import CallLine, parse_answer
from worldwright.cli.play.player import Player
from worldwright.cli.terminal.tables import grid
from worldwright.cli.views.task import list_answer_parts, show_letter
from worldwright.cli.views.verdict import show_verdict
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine import requester
from worldwright.engine.world import World
from worldwright.world.tasks import Task, Verdict


class TaskPlayer(Player):
    """A running session of `play --task`."""

    def __init__(
        self,
        world: World,
        task: Task,
        screen: Console,
        rules: dict[str, str],
        asking: bool = False,
        hidden: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        super().__init__(world, task.role, screen, rules, task, "asking" if asking else "plain", hidden)
        self.task = task
        self.request = task.turns[0] if asking and task.turns else task.instruction
        self._answers: list[dict[str, Any] | None] = [None]
        """What was submitted, in the episode and in each fork of it."""
        more = {
            "task": (self._show_task, "the request again, and what an answer looks like"),
            "submit": (self._submit, 'submit {"outcome": "done", ...} or key=value: end the episode with an answer'),
            "verdict": (self._verdict, "how it stands so far, assertion by assertion"),
        }
        if asking:
            self.tools[requester.NAME] = requester.TOOL
            more["ask"] = (self._ask, "ask WORDS: write to whoever made the request")
        self.commands = {**more, **self.commands}

    @property
    def answer(self) -> dict[str, Any] | None:
        """What was submitted; None as long as nothing was."""
        return self._answers[-1]

    @property
    def failed(self) -> bool:
        """Whether an answer was submitted and the verdict is not pass."""
        return self.answer is not None and self.verdict().status != "pass"

    def verdict(self) -> Verdict:
        return self.env.verify()

    def submit(self, answer: dict[str, Any]) -> Verdict:
        """End the episode, show the verdict, and give it."""
        result = self.env.submit(answer)
        if not result.ok:
            assert result.error is not None
            raise EpisodeError(f"{result.error.message} `reset` starts again")
        self._answers[-1] = answer
        verdict = self.verdict()
        show_verdict(self.screen, verdict)
        return verdict

    def _show_task(self, rest: str) -> None:
        show_letter(self.screen, self.request)
        self.screen.print()
        grid(self.screen, ("submit", ""), list_answer_parts(self.task.answer_schema))

    def _ask(self, rest: str) -> None:
        if not rest:
            raise UsageError("say what you want to know: ask WORDS")
        self.call(CallLine(requester.NAME, {"message": rest}))

    def _submit(self, rest: str) -> None:
        self.submit(parse_answer(rest, self.task.answer_schema))

    def _verdict(self, rest: str) -> None:
        show_verdict(self.screen, self.verdict(), self.answer is not None)

    # moving, with what belongs to the task

    def _reset(self, rest: str) -> None:
        super()._reset(rest)
        self._answers[-1] = None

    def _role(self, rest: str) -> None:
        if rest and rest != self.role:
            raise UsageError(f"{self.task.id} is for a {self.role}; without --task you can be anybody")
        super()._role("")

    def _fork(self, rest: str) -> None:
        super()._fork(rest)
        self._answers.append(self._answers[-1])

    def _back(self, rest: str) -> None:
        super()._back(rest)
        self._answers.pop()
