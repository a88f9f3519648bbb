"""Reading a form: from what a browser sent to the arguments of a tool.

What cannot be read as the value that a field takes is sent as it was written: the tool refuses it, in its own words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import inf, isinf
from typing import Any

from worldwright.app.forms.names import BLANK, write_name
from worldwright.app.screens.records import Field, Path

Sent = Mapping[str, Sequence[str]]
"""What a browser sent, by name; a name may come several times."""
MISSING = object()
"""What stands where nothing is to be sent."""
_INTEGER = re.compile(r"[+-]?\d{1,18}\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z", re.ASCII)
_LOCAL_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?\Z", re.ASCII)
MAX_NUMBER_CHARS = 40
MAX_ROWS = 500
"""Rows of one list that are read from a form."""


def read_form(fields: Sequence[Field], sent: Sent) -> dict[str, Any]:
    """Read the arguments of a call from a form."""
    return _read_parts(fields, sent, ())


def _read_parts(fields: Sequence[Field], sent: Sent, at: Path) -> dict[str, Any]:
    found = {field.name: _read_field(field, sent, (*at, field.name)) for field in fields}
    return {name: value for name, value in found.items() if value is not MISSING}


def _read_field(field: Field, sent: Sent, path: Path) -> Any:
    if field.kind == "list":
        return _read_list(field, sent, path)
    if field.kind == "group":
        read = _read_parts(field.parts, sent, path)
        return read if field.required or not is_empty(field, sent, path) else MISSING
    name = write_name(path)
    values = sent.get(name, ())
    text = values[-1].replace("\r\n", "\n") if values else ""
    if field.kind == "fixed":
        return json.loads(field.default) if field.required else MISSING
    if field.kind in ("text", "area"):
        return _read_text(field, text, bool(values), bool(sent.get(BLANK + name)))
    if not text.strip():
        return None if field.required and field.nullable else MISSING
    return _read_value(field, text)


def _read_text(field: Field, text: str, given: bool, blank: bool) -> Any:
    """A text. An empty one is none, unless nothing but a text is possible, or a default was deleted, or it is said to be meant."""
    if text or blank:
        return text
    if field.nullable and field.required:
        return None
    meant = given and not field.low and (field.required or bool(field.default))
    return "" if meant else MISSING


def _read_value(field: Field, text: str) -> Any:
    match field.kind:
        case "number" | "integer":
            return read_number(text)
        case "flag":
            return {"true": True, "false": False}.get(text, text)
        case "choice":
            return next((json.loads(choice.json) for choice in field.choices if choice.value == text), text)
        case "moment":
            return read_moment(text)
        case "reference":
            return read_number(text) if field.numeric else text.strip()
        case "json":
            return _read_json(text)
    return text.strip()


def read_number(text: str) -> Any:
    """A number as people write it, with commas between thousands or without; else the text."""
    plain = text.strip()
    if len(plain) > MAX_NUMBER_CHARS:
        return text
    if _GROUPED.match(plain):
        plain = plain.replace(",", "")
    if _INTEGER.match(plain):
        return int(plain)
    found = float(plain) if _NUMBER.match(plain) else inf
    return text if isinf(found) else found


def read_moment(text: str) -> str:
    """A moment as the world writes it, from what a browser's field gives."""
    found = _LOCAL_MOMENT.match(text.strip())
    return f"{found[1]}T{found[2]}{found[3] or ':00'}Z" if found else text.strip()


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# lists


def _read_list(field: Field, sent: Sent, path: Path) -> Any:
    element = field.parts[0]
    read = []
    for row in list_rows(sent, path):
        at = (*path, row)
        if not is_empty(element, sent, at):
            value = _read_field(element, sent, at)
            read.append({} if value is MISSING else value)
    return read if read or field.required or sent.get(BLANK + write_name(path)) else MISSING


def list_rows(sent: Sent, path: Path) -> list[str]:
    """The numbers of the rows that were sent of a list, in order."""
    start = write_name(path) + "."
    numbers = {name[len(start) :].partition(".")[0] for name in sent if name.startswith(start)}
    return sorted((n for n in numbers if n.isascii() and n.isdigit() and len(n) < 6), key=int)[:MAX_ROWS]


def is_empty(field: Field, sent: Sent, path: Path) -> bool:
    """Whether nothing was written into a field: into none of its parts more than stood there from the start."""
    if field.kind == "group":
        return all(is_empty(part, sent, (*path, part.name)) for part in field.parts)
    if field.kind == "list":
        blank = bool(sent.get(BLANK + write_name(path)))
        return not blank and all(is_empty(field.parts[0], sent, (*path, row)) for row in list_rows(sent, path))
    name = write_name(path)
    text = (sent.get(name) or ("",))[-1]
    return not sent.get(BLANK + name) and (not text.strip() or field.kind in ("flag", "fixed") or text == field.default)
