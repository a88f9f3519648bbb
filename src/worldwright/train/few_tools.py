"""A handful of tools: a curriculum begins where not everything that a role may use lies on the table.

What the task's key calls is always there, and so is what a forbidden request would have called: a tool that is missing must not
give away what the answer is. The others are drawn by the name of the task, so an episode offers the same on every machine. The
world knows all its tools as ever: this is what the model is told, and no other world.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.agents.chat import Tool, get_tool_name
from worldwright.core.rng import Stream
from worldwright.world.tasks import Key


def few(tools: Sequence[Tool], key: Key, number: int, name: str) -> list[Tool]:
    """At most so many of the tools, in their order, beside the last, which ends the episode. More where the key needs more."""
    if not number:
        return list(tools)
    *offered, submit = tools
    names = [get_tool_name(tool) for tool in offered]
    needed = {call.tool for call in key.calls}
    needed |= {str(call["tool"]) for call in key.expects.get("forbidden", ())}.intersection(names)
    others = Stream("few tools", name).shuffled([one for one in names if one not in needed])
    kept = needed.union(others[: max(0, number - len(needed))])
    return [*(tool for tool in offered if get_tool_name(tool) in kept), submit]
