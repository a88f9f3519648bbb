"""The shape of values that no schema describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.schema.shapes import shape_of

MAX_VALUES = 20
MAX_DEPTH = 8


def shape_of_values(values: Sequence[Any]) -> Shape:
    """One shape that all of these values have. Nothing in it is required: a few examples do not tell."""
    return replace(shape_of(_schema(list(values), 0)), examples=tuple(values[:5]))


def _schema(values: list[Any], depth: int) -> dict[str, Any]:
    some = [v for v in values[:MAX_VALUES] if v is not None]
    kinds = {_kind(v) for v in some}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) != 1 or depth > MAX_DEPTH:
        return {}
    [kind] = kinds
    out: dict[str, Any] = {"type": kind if len(some) == len(values[:MAX_VALUES]) else [kind, "null"]}
    if kind == "object":
        names = dict.fromkeys(name for v in some for name in v)
        out["properties"] = {n: _schema([v[n] for v in some if n in v], depth + 1) for n in names}
    elif kind == "array":
        out["items"] = _schema([item for v in some for item in v[:MAX_VALUES]], depth + 1)
    elif kind == "string" or kind in ("integer", "number"):
        out["examples"] = some[:3]
    return out


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Mapping):
        return "object"
    kinds = {int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "string")
