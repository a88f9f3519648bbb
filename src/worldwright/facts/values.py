"""Values as people read them."""

from __future__ import annotations

import json
from typing import Any


def format_value(value: Any) -> str:
    """Format a value of a row: `-` where there is none, yes and no, anything else as it is."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def format_json(value: Any) -> str:
    """Format a value as it is written in a call: compact, and readable as it stands."""
    return json.dumps(value, ensure_ascii=False, default=str)
