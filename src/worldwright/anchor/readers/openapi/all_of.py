"""Schemas that `allOf` puts together, as one.

By the letter, a value has to satisfy each of them alone, so that an object closed by `additionalProperties: false` can never be
extended. People mean one object with all of the properties; that is what comes out here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.anchor.readers.openapi.dialect import REMARKS

_LAID = frozenset({"properties", "required", "additionalProperties", "type", "enum", "allOf"})
_NARROWER = {frozenset({"integer", "number"}): "integer"}


def merge_all_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The parts as one schema, later ones over earlier ones. A part that contradicts the others stays under `allOf`."""
    out: dict[str, Any] = {}
    apart: list[Any] = []
    for part in parts:
        laid = _over(out, part)
        if laid is None:
            apart.append({k: v for k, v in part.items() if k not in REMARKS})
            out |= {k: v for k, v in part.items() if k in REMARKS}
        else:
            out = laid
    if "additionalProperties" in out and not _closed(parts):
        del out["additionalProperties"]
    if apart:
        known = out.get("allOf", [])
        out["allOf"] = [*known, *(p for i, p in enumerate(apart) if p not in known and p not in apart[:i])]
    return out


def only_remarks(part: Mapping[str, Any]) -> bool:
    """Whether a schema, as it is written, allows and forbids nothing but null."""
    return all(k in REMARKS or k in ("nullable", "example", "externalDocs", "xml") or k.startswith("x-") for k in part)


def _over(out: dict[str, Any], part: Mapping[str, Any]) -> dict[str, Any] | None:
    """One part laid over others; None where both cannot be said in one schema."""
    both = [k for k in part if k in out and k not in REMARKS and k not in _LAID and out[k] != part[k]]
    if both:
        return None
    laid = {**out, **part}
    for key in ("type", "enum"):
        if key in out and key in part:
            common = _common(out[key], part[key])
            if not common:
                return None
            laid[key] = common
    for key in ("properties", "required", "allOf"):
        if key in out and key in part:
            laid[key] = _together(out[key], part[key])
    return laid


def _common(one: Any, other: Any) -> Any:
    """What two types, or the words of two enums, have in common."""
    if one == other:
        return one
    ones, others = (v if isinstance(v, list) else [v] for v in (one, other))
    kept = [v for v in ones if v in others]
    if not kept and all(isinstance(v, str) for v in (*ones, *others)):
        kept = [n for pair, n in _NARROWER.items() if pair <= {*ones, *others}]
    is_type = isinstance(one, str) or isinstance(other, str)
    return kept[0] if is_type and len(kept) == 1 else kept


def _together(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping):
        return {**one, **other}
    return [*one, *(v for v in other if v not in one)]


def _closed(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what else an object may hold can be said of all parts together."""
    held = [p for p in parts if "properties" in p or "additionalProperties" in p]
    said = [p["additionalProperties"] for p in held if "additionalProperties" in p]
    return "additionalProperties" in parts[-1] or (len(said) == len(held) and all(s == said[0] for s in said))
