"""Controls: the fields of a form with what stands in them, ready to be drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.app.forms.names import BLANK, write_name
from worldwright.app.forms.reading import Sent, list_rows
from worldwright.app.screens.records import Field, Path

MAX_ROWS_DRAWN = 200
_INDEX = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Hint:
    """A record that was seen before, offered where one has to be named."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Control:
    """A field at its place in a form."""

    field: Field
    name: str
    value: str = ""
    blank: bool = False
    error: str = ""
    parts: tuple[Control, ...] = ()
    """Of a group its fields, of a list its rows."""
    hints: tuple[Hint, ...] = ()

    @property
    def id(self) -> str:
        return "f-" + re.sub(r"[^\w-]", "_", self.name)


Errors = Mapping[str, str]
"""What is wrong, by the name of the field."""
Hints = Mapping[tuple[str, str], tuple[Hint, ...]]
"""Records that were seen, by entity and the way in which its ids are written."""


def fill_controls(
    fields: Sequence[Field], sent: Sent, errors: Errors, hints: Hints, fresh: bool = True
) -> tuple[Control, ...]:
    """Fill the fields of a form. In a fresh one, defaults stand where nothing was sent."""
    return tuple(_fill(field, sent, errors, hints, fresh, (field.name,)) for field in fields)


def _fill(field: Field, sent: Sent, errors: Errors, hints: Hints, fresh: bool, path: Path) -> Control:
    name = write_name(path)
    error = errors.get(name, "")
    if field.kind == "group":
        parts = tuple(_fill(part, sent, errors, hints, fresh, (*path, part.name)) for part in field.parts)
        return Control(field, name, error=error, parts=parts)
    if field.kind == "list":
        numbers = list_rows(sent, path)[:MAX_ROWS_DRAWN]
        least = max(field.min_items, 1) if fresh else 0
        numbers += [str(n) for n in range(len(numbers), least) if str(n) not in numbers]
        rows = tuple(_fill(field.parts[0], sent, errors, hints, True, (*path, n)) for n in numbers)
        return Control(field, name, blank=bool(sent.get(BLANK + name)), error=error, parts=rows)
    value = sent[name][-1] if sent.get(name) else field.default if fresh and name not in sent else ""
    known = hints.get((field.entity, field.codec), ()) if field.kind == "reference" else ()
    return Control(field, name, value, bool(sent.get(BLANK + name)), error, hints=known)


def write_form(fields: Sequence[Field], arguments: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a browser would send for these arguments: how a call stands in its form."""
    out: dict[str, list[str]] = {}
    for field in fields:
        if field.name in arguments:
            _write(field, arguments[field.name], (field.name,), out)
    return out


def _write(field: Field, value: Any, path: Path, out: dict[str, list[str]]) -> None:
    if field.kind == "group" and isinstance(value, Mapping):
        for part in field.parts:
            if part.name in value:
                _write(part, value[part.name], (*path, part.name), out)
    elif field.kind == "list" and isinstance(value, (list, tuple)):
        for number, element in enumerate(value):
            _write(field.parts[0], element, (*path, str(number)), out)
        if not value and field.blank:
            out[BLANK + write_name(path)] = ["1"]
    elif value is not None:
        name = write_name(path)
        out[name] = [_write_value(field, value)]
        if value == "" and field.blank:
            out[BLANK + name] = ["1"]


def _write_value(field: Field, value: Any) -> str:
    if field.kind == "choice":
        return next((c.value for c in field.choices if json.loads(c.json) == value), str(value))
    if field.kind == "moment" and isinstance(value, str):
        return value.removesuffix("Z")
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def find_control_name(controls: Sequence[Control], argument: str, message: str) -> str:
    """Find the field that an error is about: `lines[0].quantity`, or the last key alone where its value is in the message."""
    name = ".".join(part for part in _INDEX.sub(r".\1", argument).split(".") if part)
    every = list(walk_controls(controls))
    if any(control.name == name for control in every):
        return name
    leaves = [control for control in every if control.field.name == argument and not control.parts]
    meant = [control for control in leaves if control.value and repr(control.value) in message] or leaves
    return meant[0].name if meant else ""


def walk_controls(controls: Sequence[Control]) -> Sequence[Control]:
    out: list[Control] = []
    for control in controls:
        out.append(control)
        out += walk_controls(control.parts)
    return out
