"""Tools: the same world behind another set of tools. Renamed, searches split in two, or lists beside them that help nobody.

None of this makes another world, and no report counts it as one. How tools are shown (obscured, among everybody's) is chosen when
an episode starts, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.variants.axis import Axis, Setting, check_setting
from worldwright.variants.search_tools import add_browse_lists, find_browsable, find_splittable, split_searches
from worldwright.variants.tool_names import map_operation_names, rename_tools

WAYS: Mapping[str, tuple[str, Callable[[Blueprint], object], Callable[[Blueprint], Blueprint]]] = {
    "renamed": ("tools under other names", map_operation_names, rename_tools),
    "split": ("searches split in two", find_splittable, split_searches),
    "lists": ("lists beside the searches", find_browsable, add_browse_lists),
}
"""By setting: what it says, what it finds to do, and how it does it."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(value, says) for value, (says, finds, _) in WAYS.items() if finds(checked.blueprint))


def _vary(bp: Blueprint, value: str) -> Blueprint:
    check_setting("tools", value, WAYS)
    return WAYS[value][2](bp)


AXIS = Axis(
    "tools", "surface", 110, "the same world behind other tools: renamed, split, among others", _list_settings, _vary
)
