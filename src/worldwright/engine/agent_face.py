"""The agent's face: list, call, submit, and the time. No reset, no snapshot, no verifier, no key can be reached from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from worldwright.core.readonly import copy_writable
from worldwright.world.records import Result, ToolSpec


class AgentFace:
    """What a program that runs an agent may hand to it. What it gives is the agent's own: writing on it changes no record."""

    __slots__ = ("call", "clock", "list", "submit")

    def __init__(
        self,
        call: Callable[[str, Mapping[str, Any] | None], Result],
        submit: Callable[[Any], Result],
        offered: Callable[[], tuple[ToolSpec, ...]],
        clock: Callable[[], str],
    ) -> None:
        def call_tool(name: str, arguments: Mapping[str, Any] | None = None) -> Result:
            return _copy_result(call(name, arguments))

        def end(answer: Any = None) -> Result:
            return submit(answer)

        self.call = call_tool
        self.submit = end
        self.list: Callable[[], tuple[ToolSpec, ...]] = lambda: offered()
        self.clock: Callable[[], str] = lambda: clock()


def _copy_result(result: Result) -> Result:
    """Copy a result, so that it holds nothing that the trajectory holds too."""
    error = result.error
    if error is not None and error.details is not None:
        error = error._replace(details=copy_writable(error.details))
    return result._replace(data=copy_writable(result.data), error=error)
