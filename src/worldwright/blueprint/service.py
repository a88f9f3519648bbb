"""The services of a Blueprint, by tool: which operations each is about, found from its system or from their names."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.checked import Checked, Operation, Search
from worldwright.blueprint.model import ServiceSpec
from worldwright.core.names import to_words
from worldwright.world.service import Service


def find_services(checked: Checked) -> dict[str, tuple[Service, ...]]:
    """Map each operation to what its callers may meet; empty where the Blueprint has no services."""
    out: dict[str, tuple[Service, ...]] = {}
    for name, spec in checked.blueprint.service.items():
        tools = find_covered_tools(spec, checked.operations)
        made = Service(name, frozenset(tools), spec.at_most, spec.in_any, spec.fails)
        for tool in tools:
            out[tool] = (*out.get(tool, ()), made)
    return out


def find_covered_tools(spec: ServiceSpec, operations: Mapping[str, Operation]) -> tuple[str, ...]:
    """The operations that a service is about, in their order."""
    named = frozenset(spec.on)
    return tuple(
        name
        for name, op in operations.items()
        if (name in named if named else op.system == spec.in_) and (not spec.only or spec.only in _sorts(op))
    )


def _sorts(op: Operation) -> tuple[str, ...]:
    if op.read is None:
        return ("writes",)
    return ("reads", "searches") if isinstance(op.read, Search) else ("reads",)


def describe_service(name: str, spec: ServiceSpec) -> str:
    """Describe a service for the handbook, from its own figures."""
    which = {"": "all calls", "reads": "all lookups", "searches": "all searches", "writes": "all changes"}[spec.only]
    where = f"{which} in {spec.in_}" if spec.in_ else ", ".join(f"`{one}`" for one in spec.on)
    if spec.at_most:
        times = f"{spec.at_most} calls are" if spec.at_most > 1 else "1 call is"
        rule = (
            f"of {where} together, {times} answered in any {spec.in_any} calls that you make, of whatever kind. One more is turned "
            "away with RATE_LIMITED, which says after how many other calls it will be answered. Do something else first, or "
            "call again until it is answered. What was turned away has changed nothing"
        )
    else:
        rule = (
            f"{where} may fail with UNAVAILABLE. Nothing has been done then. Make the very same call again, "
            "and it is answered"
        )
    return f"- **{to_words(name)}**: {rule}."
