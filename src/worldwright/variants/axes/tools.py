"""Tools: the same world behind another set of tools. Renamed, searches split in two, or lists beside them that help nobody.

None of this makes another world, and no report counts it as one. How tools are shown (obscured, among everybody's) is chosen when
an episode starts, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, EntitySpec, FieldSpec, OperationSpec
from worldwright.variants.axis import Axis, Setting, check_setting
from worldwright.variants.tool_names import map_operation_names, rename_tools

RUNNING, FINISHED = "running", "finished"
BROWSE = "browse"
MAX_LISTS = 4
"""Lists that are put beside the searches."""
PAGE_ROWS = 10


def split_searches(bp: Blueprint) -> Blueprint:
    """Split each search of things that move from state to state in two: what is still moving, and what has come to its end."""
    operations: dict[str, OperationSpec] = {}
    for name, op in bp.operations.items():
        if name in find_splittable(bp):
            operations |= _split_search(bp, name, op)
        else:
            operations[name] = op
    return bp.model_copy(update={"operations": operations})


def find_splittable(bp: Blueprint) -> tuple[str, ...]:
    """Searches that nothing else calls, over all rows of an entity that has states on both sides."""
    called = {s.do for flow in bp.history.flows.values() for s in flow.steps}
    called |= {step.do for goal in bp.goals.values() for step in goal.how}
    called |= {goal.files.do for goal in bp.goals.values() if goal.files is not None}
    called |= {op for one in bp.service.values() for op in one.on}
    return tuple(
        name
        for name, op in bp.operations.items()
        if op.search in bp.entities and op.where is None and name not in called and all(_sides(bp.entities[op.search]))
        and not any(_name_half(name, half) in bp.operations for half in (RUNNING, FINISHED))
    )  # fmt: skip


def _sides(entity: EntitySpec) -> tuple[list[str], list[str]]:
    """The states from which things move on, and those in which they stay."""
    moving = [state for state, to in entity.lifecycle.items() if to]
    return moving, [state for state in entity.lifecycle if state not in moving]


def _name_half(name: str, half: str) -> str:
    verb, _, rest = name.partition("_")
    return f"{verb}_{half}_{rest}" if rest else f"{name}_{half}"


def _split_search(bp: Blueprint, name: str, op: OperationSpec) -> dict[str, OperationSpec]:
    assert op.search is not None
    entity = bp.entities[op.search]
    field = next(name for name, spec in entity.fields.items() if _type(spec) == "state")
    out = {}
    for half, states in zip((RUNNING, FINISHED), _sides(entity), strict=True):
        listed = ", ".join(f"'{state}'" for state in states)
        test = f"{field} == {listed}" if len(states) == 1 else f"{field} in ({listed})"
        says = f"{op.says.rstrip('.')}. Only those that are {' or '.join(s.replace('_', ' ') for s in states)}."
        out[_name_half(name, half)] = op.model_copy(update={"where": test, "says": says})
    return out


def add_browse_lists(bp: Blueprint) -> Blueprint:
    """Lists beside the searches: a few rows at a time, by nothing but their name. They help nobody, and look as if they did."""
    added = {}
    for name in find_browsable(bp):
        op = bp.operations[name]
        assert op.search is not None
        added[_browse_name(name)] = OperationSpec(
            in_=op.in_,
            says=f"Browse {op.search.replace('_', ' ')} records, a few at a time, in the order in which they were made.",
            by=op.by,
            search=op.search,
            where=op.where,
            page=PAGE_ROWS,
            shows=_pick_shown_column(bp.entities[op.search]),
        )
    return bp.model_copy(update={"operations": {**bp.operations, **added}})


def find_browsable(bp: Blueprint) -> tuple[str, ...]:
    found = [
        name
        for name, op in bp.operations.items()
        if op.search in bp.entities
        and not op.needs
        and _browse_name(name) not in bp.operations
        and _pick_shown_column(bp.entities[op.search])
    ]
    first = {bp.operations[name].search: name for name in reversed(found)}
    return tuple(reversed(first.values()))[:MAX_LISTS]


def _browse_name(name: str) -> str:
    return f"{BROWSE}_{name.partition('_')[2] or name}"


def _pick_shown_column(entity: EntitySpec) -> tuple[str, ...]:
    """Pick one column: the first that is text."""
    plain = [name for name, spec in entity.fields.items() if _type(spec) in ("text", "person", "company", "product")]
    return tuple(plain[:1])


def _type(spec: str | FieldSpec) -> str:
    text = spec if isinstance(spec, str) else spec.type
    return text.split("~")[0].split("=")[0].split(" computed ")[0].strip().rstrip("?").strip()


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
