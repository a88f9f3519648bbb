"""List only some of a role's tools in the prompt, as the first step of a curriculum.

The tools that the task's key calls are always listed, and so are those that a forbidden request would have called: a missing tool
must not give away the answer. The others are sampled by the name of the task, so an episode lists the same on every machine. The
world itself keeps all its tools: only the prompt is shorter.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.agents.chat import Tool, get_tool_name
from worldwright.core.rng import Stream
from worldwright.world.tasks import Key


def select_tools(tools: Sequence[Tool], key: Key, max_tools: int, name: str) -> list[Tool]:
    """Select at most `max_tools` of the tools (0: all), in their order, beside the last, which submits the answer.

    There are more where the key needs more."""
    if not max_tools:
        return list(tools)
    *offered, submit = tools
    names = [get_tool_name(tool) for tool in offered]
    needed = {call.tool for call in key.calls}
    needed |= {str(call["tool"]) for call in key.expects.get("forbidden", ())}.intersection(names)
    others = Stream("few tools", name).shuffled([one for one in names if one not in needed])
    kept = needed.union(others[: max(0, max_tools - len(needed))])
    return [*(tool for tool in offered if get_tool_name(tool) in kept), submit]
