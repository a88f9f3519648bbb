"""How an episode is ended by its agent: one more tool, which takes the answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from worldwright.world.records import ToolSpec

SUBMIT = "submit_answer"
"""The tool that ends an episode, where the world has no tool of that name itself."""
SAYS = "End the episode with your answer. Nothing can be done afterwards."


def name_submit(taken: Collection[str]) -> str:
    """Name the tool beside tools of these names."""
    name = SUBMIT
    while name in taken:
        name = f"{name}_"
    return name


def submit_spec(taken: Collection[str], answer_schema: Mapping[str, Any]) -> ToolSpec:
    """The tool that ends an episode with an answer. It is the last of the tools, always."""
    schema = answer_schema or {"type": "object", "properties": {}}
    return ToolSpec(name_submit(taken), SAYS, schema, {"type": "null"}, mutates=True, system="")
