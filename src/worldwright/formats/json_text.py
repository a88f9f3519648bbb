"""JSON as people send it: one document, several after one another, or one on each line.

Nothing raises. What is left out of JSON on purpose stays out here too: infinite numbers are null, and half of a pair of surrogates,
which no text can hold, is the replacement character.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_COMPLAINTS = 5
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_SPACE = re.compile(r"[\s,;\x00\x1e\ufeff]*")
"""Between two documents."""


@dataclass(frozen=True, slots=True)
class Part:
    """One document, and the lines it stands on; empty where it is all there is."""

    value: Any
    at: str = ""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is no JSON, and where."""

    says: str
    at: str


def documents(text: str) -> tuple[tuple[Part, ...], tuple[Complaint, ...]]:
    """Every document in a text, and the first things that are none."""
    text = _ESCAPE.sub(_drop_lone_surrogate, text) if "\\u" in text else text
    value = _loaded(text)
    if not isinstance(value, _Wrong):
        return (Part(value),), ()
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip()[:1] in ("{", "[") and not isinstance(_loaded(first), _Wrong) and len(lines) > 1:
        found = list(_by_line(lines))
    else:
        found = list(_in_a_row(text))
    parts = tuple(f for f in found if isinstance(f, Part))
    wrong = [f for f in found if isinstance(f, Complaint)]
    if not parts:
        return (), (Complaint(value.says, value.at),)
    if len(wrong) > MAX_COMPLAINTS:
        more = Complaint(f"{len(wrong) - MAX_COMPLAINTS} more are no JSON", wrong[MAX_COMPLAINTS].at)
        wrong = [*wrong[:MAX_COMPLAINTS], more]
    return parts, tuple(wrong)


def pointer(*steps: str | int) -> str:
    """A JSON pointer: `/paths/~1orders/post`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def deeper(value: Any, levels: int) -> bool:
    """Tell whether a value is nested deeper than so many levels."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Wrong:
    says: str
    at: str


def _loaded(text: str) -> Any:
    try:
        return _DECODER.decode(text.lstrip("\ufeff"))
    except json.JSONDecodeError as e:
        return _Wrong(f"{e.msg} (line {e.lineno}, column {e.colno})", f"{e.lineno}-{e.lineno}")
    except RecursionError:
        return _Wrong("it is nested too deeply", "")
    except ValueError:
        return _Wrong("it holds a number of thousands of digits", "")


def _by_line(lines: list[str]) -> Iterator[Part | Complaint]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        value = _loaded(line)
        at = f"{number}-{number}"
        yield Complaint(f"line {number}: {value.says}", at) if isinstance(value, _Wrong) else Part(value, at)


def _in_a_row(text: str) -> Iterator[Part | Complaint]:
    position, line = 0, 1
    while True:
        start = _end(text, position)
        line += text.count("\n", position, start)
        if start >= len(text):
            return
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            yield Complaint(f"what stands at line {line} is no JSON", f"{line}-{line}")
            return
        last = line + text.count("\n", start, position)
        yield Part(value, f"{line}-{last}")
        line = last


def _end(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _drop_lone_surrogate(found: re.Match[str]) -> str:
    escape = found.group()
    return "\\ufffd" if len(escape) == 6 and escape[1] == "u" and escape[2] in "dD" else escape


def _no_number(text: str) -> None:
    return None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)
