"""What narrows a rule to some records: `orders over 10,000 EUR need two quotes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.amounts import beyond, compared, impractical, limit
from worldwright.anchor.model.ruled.figures import Parameter
from worldwright.anchor.model.ruled.records import Reading


@dataclass(frozen=True, slots=True)
class Condition:
    """Which records of a thing are not meant."""

    expression: str
    parameter: Parameter
    inside: Mapping[str, Any]
    """Values of a record that is meant."""
    covered: frozenset[int]


def condition(r: Reading, entity: Entity) -> Condition | None:
    """The amount beyond which a rule applies to a thing; None where it always does."""
    c = compared(r)
    if c is None or isinstance(c, str) or not c.condition or c.entity.name != entity.name or impractical(c):
        return None
    value = f"x.{c.attribute.name}"
    return Condition(f"{value} is none or {value} {c.within} limit", limit(r, c), {value: beyond(c)[1]}, c.covered)
