"""How a list is paged: by a size and a number, or by a cursor that each page gives for the next."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.anchor.evidence import Operation, Parameter, Shape
from worldwright.anchor.model.records import Path
from worldwright.anchor.names import parts

WHOLE = 1000
"""Records of a list whose pages cannot be turned."""
LIMITS = frozenset(
    {
        ("limit",),
        ("per", "page"),
        ("page", "size"),
        ("pagesize",),
        ("size",),
        ("count",),
        ("top",),
        ("max", "results"),
        ("first",),
    }
)
OFFSETS = frozenset({("offset",), ("skip",), ("start",), ("from",)})
PAGES = frozenset({("page",), ("page", "number"), ("current", "page")})
CURSORS = frozenset(
    {
        ("cursor",), ("page", "token"), ("starting", "after"), ("next", "token"), ("marker",), ("after",), ("pagetoken",),
        ("continuation", "token"), ("next", "page", "token"), ("page", "cursor"), ("next", "cursor"), ("start", "cursor"),
        ("bookmark",), ("offset",),
    }
)  # fmt: skip
NEXTS = frozenset(
    {
        ("next", "cursor"), ("cursor",), ("next", "page", "token"), ("next", "token"), ("next", "page"), ("continuation", "token"),
        ("next", "marker"), ("end", "cursor"), ("next", "offset"), ("next", "bookmark"), ("nextpagetoken",),
    }
)  # fmt: skip
MORE = frozenset({("has", "more"), ("has", "next", "page"), ("has", "next"), ("more",)})
"""What parameters of lists, and values beside a list, are called that are about its pages."""


@dataclass(frozen=True, slots=True)
class Paging:
    """The parameters for the size of a page and for which one, and where a page says what comes next."""

    limit: Parameter | None = None
    turns: Parameter | None = None
    how: str = ""
    """offset, page or cursor; empty where pages cannot be turned"""
    next: Path = ()
    more: Path = ()

    @property
    def size(self) -> int:
        """How many records a page has at most: what it says, all of them where pages cannot be turned."""
        if not self.how:
            return WHOLE
        most = self.limit.shape.maximum if self.limit is not None else None
        return int(most) if most is not None and 1 <= most <= WHOLE else 100 if self.limit is not None else 50


def paging(operation: Operation) -> Paging:
    """How the list that an action gives is paged."""
    whole = [p for p in operation.parameters if p.shape.kind in ("integer", "number")]
    limit = next((p for p in whole if parts(p.name) in LIMITS), None)
    more = _beside(operation.answer, MORE, "boolean")
    for how, names in (("offset", OFFSETS), ("page", PAGES)):
        turns = next((p for p in whole if parts(p.name) in names), None)
        if turns is not None:
            return Paging(limit, turns, how, more=more)
    cursor = next((p for p in operation.parameters if p.shape.kind == "string" and parts(p.name) in CURSORS), None)
    place = ("next_cursor",) if operation.output_schema is None else _beside(operation.answer, NEXTS, "string")
    if cursor is not None and place:
        return Paging(limit, cursor, "cursor", place, more)
    return Paging(limit)


def _beside(answer: Shape | None, names: frozenset[tuple[str, ...]], kind: str) -> Path:
    """Where a value stands beside the list, at the top or one level down."""
    fields = answer.fields if answer is not None and answer.kind == "object" else {}
    for name, field in fields.items():
        if parts(name) in names and field.shape.kind == kind and not field.shape.format and not field.shape.enum:
            return (name,)
    for name, field in fields.items():
        for inner, part in field.shape.fields.items() if field.shape.kind == "object" else ():
            if parts(inner) in names and part.shape.kind == kind and not part.shape.format and not part.shape.enum:
                return name, inner
    return ()
