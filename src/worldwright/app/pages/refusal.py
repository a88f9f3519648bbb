"""Refusals as a person would read them: what was wrong, what would be right, and at which field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.app.forms.controls import Control, find_control_name, walk_controls
from worldwright.app.screens.labels import to_choice, to_label
from worldwright.world.records import ToolError

_NAME = re.compile(r"`([^`]{1,80})`")
SAID = frozenset({"argument", "expected", "hint", "policy"})
"""Details that the message says already, or the field beside it."""
TITLES: Mapping[str, str] = {
    "INVALID_ARGUMENT": "Something is not filled in as it has to be",
    "NOT_FOUND": "There is no such record",
    "FORBIDDEN": "You may not do this",
    "INVALID_STATE": "This cannot be done as things stand",
    "NOT_ALLOWED": "This is not allowed",
    "MISSING_VALUE": "Something is missing",
    "DUPLICATE": "This exists already",
    "IN_USE": "This is still in use",
    "INVARIANT": "The books would no longer be in order",
    "TOO_MANY": "This is too much at once",
    "OUT_OF_RANGE": "A value is out of range",
    "UNKNOWN_TOOL": "This is not there",
    "EPISODE_OVER": "This is over",
    "RATE_LIMITED": "The system is busy",
    "UNAVAILABLE": "The system is not available",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    title: str
    message: str
    details: tuple[tuple[str, str], ...]
    code: str
    field: str = ""
    """The name of the field that it is about."""
    label: str = ""
    again: bool = False
    """Whether the same may be answered later."""


def read_refusal(error: ToolError, controls: Sequence[Control] = ()) -> Refusal:
    """Read an error of a tool. Which policy decided is not told."""
    details = dict(error.details or {})
    argument = details.get("argument")
    name = find_control_name(controls, argument, error.message) if isinstance(argument, str) else ""
    if not name and isinstance(details.get("field"), str):
        name = next((c.name for c in controls if c.field.name == details["field"]), "")
    labels = {control.field.name: control.field.label for control in walk_controls(controls) if control.field.label}
    label = next((c.field.label for c in walk_controls(controls) if c.name == name), "")
    shown = [
        (to_label(key), _write(value))
        for key, value in details.items()
        if key not in SAID and value not in (None, "", [])
    ]
    hint = details.get("hint")
    if isinstance(hint, str) and hint:
        shown.append(("Hint", _name_fields(hint, labels)))
    return Refusal(
        TITLES.get(error.code, "This was refused"), _name_fields(error.message, labels), tuple(shown), error.code, name, label,
        error.code in ("RATE_LIMITED", "UNAVAILABLE", "SERVICE_FAULT"),
    )  # fmt: skip


def _name_fields(text: str, labels: Mapping[str, str]) -> str:
    """A message with fields called as they are called on the page."""

    def name(found: re.Match[str]) -> str:
        last = re.split(r"[.\[\]]+", found[1].rstrip("]"))
        key = next((part for part in reversed(last) if part and not part.isdigit()), found[1])
        return f"“{labels.get(key, to_label(key) if key.isidentifier() else key)}”"

    return _NAME.sub(name, text)


def _write(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(to_choice(str(item)) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return to_choice(str(value)) if isinstance(value, str) else str(value)
