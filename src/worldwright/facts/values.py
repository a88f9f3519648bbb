"""Values as people read them."""

from __future__ import annotations

from typing import Any


def format_value(value: Any) -> str:
    """Format a value of a row: `-` where there is none, yes and no, anything else as it is."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
