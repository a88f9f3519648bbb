"""Rows that came with the evidence, as a Blueprint keeps them: JSON Lines, by entity, in its last section.

A list of maps costs the reader of YAML a node for every name and every value; a text costs one. The section stands last and by
itself, so that who edits the rest can keep it in a file of its own: the two texts one after the other are the Blueprint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from worldwright.formats.strict_yaml import UNSEEN

MAX_GIVEN_ROWS = 50_000
"""Of one world: opening it reads them all, and a build looks at many of them for every task."""
MAX_DIGITS = 32
_SECTION = re.compile(r"^given:\n(?:[ ][^\n]*\n|\n)*\Z", re.MULTILINE)


def write_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON Lines."""
    return "".join(json.dumps(dict(row), ensure_ascii=False, separators=(", ", ": ")) + "\n" for row in rows)


def read_rows(text: str) -> list[dict[str, Any]]:
    """Read rows that are written as JSON Lines. Raises `ValueError`, which names the line."""
    out: list[dict[str, Any]] = []
    if not text.strip():
        return out
    for number, line in enumerate(text.rstrip("\n").split("\n"), start=1):
        try:
            row = json.loads(line, parse_constant=_number, parse_float=_number, parse_int=_number)
        except (ValueError, RecursionError) as e:
            raise ValueError(f"row {number} is not JSON: {e}") from None
        if not isinstance(row, dict):
            raise ValueError(f"row {number} is no map of fields")
        if any(isinstance(value, str) and UNSEEN.search(value) for value in row.values()):
            raise ValueError(f"row {number} holds control characters")
        out.append(row)
    return out


def _number(text: str) -> int | float:
    """A number, as YAML has them: no infinities, and no more digits than are kept."""
    if len(text) > MAX_DIGITS or text.strip("-+.0123456789eE"):
        raise ValueError(f"{text[:40]} is no value")
    value = float(text) if set(text) & set(".eE") else int(text)
    if abs(value) == float("inf"):
        raise ValueError(f"{text} is no value")
    return value


def split_given(text: str) -> tuple[str, str]:
    """A Blueprint without its rows, and the section that holds them; empty where it has none."""
    found = _SECTION.search(text)
    return (text[: found.start()], found.group()) if found else (text, "")
