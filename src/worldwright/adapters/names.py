"""Names of tools where a framework keeps some for itself, or takes only identifiers: renamed there, and turned back at the door.

A contract's names are kept everywhere else. What was renamed says so in its description.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from worldwright.world.records import ToolSpec

RESERVED = frozenset({"reset", "step", "state", "close", "get_reward", "verify", "seed_session", "mcp"})
"""Names that one framework or another calls itself."""


def assign_names(names: Sequence[str], reserved: Collection[str] = RESERVED, kind: str = "tool") -> Mapping[str, str]:
    """Map each name that is shown to the real one: the same where it may stay, and no two alike.

    `kind` says what they are names of; another name ends in it.
    """
    free = {name for name in names if _is_allowed(name, reserved)}
    shown: dict[str, str] = {}
    for name in names:
        other = name
        if name not in free:
            other = "".join(c if c.isalnum() and f"a{c}".isidentifier() else "_" for c in name).strip("_")
            other = f"{other}_{kind}" if other.isidentifier() else f"{kind}_{other}".strip("_")
            while other in free or other in shown or not _is_allowed(other, reserved):
                other = f"{other}_"
        shown[other] = name
    return shown


def _is_allowed(name: str, reserved: Collection[str]) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_") and name not in reserved


def rename_tools(
    tools: Sequence[ToolSpec], reserved: Collection[str] = RESERVED
) -> tuple[tuple[ToolSpec, ...], Mapping[str, str]]:
    """The tools under the names that may be shown, and by these the real ones."""
    real = assign_names([t.name for t in tools], reserved)
    by_name = {t.name: t for t in tools}
    return tuple(_rename_tool(by_name[own], name) for name, own in real.items()), real


def _rename_tool(tool: ToolSpec, name: str) -> ToolSpec:
    if tool.name == name:
        return tool
    return replace(tool, name=name, description=f"{tool.description} (The tool `{tool.name}` of this system.)".strip())
