"""Values as an author writes them, in storage form."""

from __future__ import annotations

from typing import Any

from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.types import Type
from worldwright.core.days import parse_day, parse_moment
from worldwright.core.fixed import parse_fixed
from worldwright.core.names import suggest


def to_stored(value: Any, kind: Type) -> Any:
    """Convert a value to storage form; None for none."""
    if value is None or value == "none":
        return None
    match kind.kind:
        case "int" | "decimal" | "money" | "foreign":
            number = parse_fixed(value, kind.places)
            if number is None:
                raise ExprError(f"{value!r} is not {kind}")
            return number
        case "bool":
            if not isinstance(value, bool):
                raise ExprError(f"{value!r} is not true or false")
            return value
        case "date":
            if parse_day(value) is None:
                raise ExprError(f"{value!r} is not a day", "2025-01-31")
            return value
        case "time":
            if parse_moment(value) is None:
                raise ExprError(f"{value!r} is not a moment", "2025-01-31T09:00:00Z")
            return value
        case "enum" if value not in kind.values:
            raise ExprError(f"{value!r} is not one of {', '.join(kind.values)}", suggest(str(value), kind.values))
    return str(value)
