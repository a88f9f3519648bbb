"""What is played: the calls of a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldwright.engine.world import World

Calls = Sequence[tuple[str, Any]]


def gold(world: World, task: str) -> list[tuple[str, Any]]:
    """The calls of the key, and the answer that ends the episode."""
    key = world.key(task)
    with world.open(task) as episode:
        return [*((call.tool, dict(call.arguments)) for call in key.calls), (episode.submit, key.answer)]


def action(name: Any, arguments: Any) -> dict[str, Any]:
    return {"tool_name": name, "arguments": arguments}


def writes(world: World, task: str) -> bool:
    """Whether solving a task changes anything."""
    changing = {tool.name for tool in world.tools if tool.mutates}
    return any(call.tool in changing for call in world.key(task).calls)
