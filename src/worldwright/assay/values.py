"""Whether the rows of a built world are what their columns say they are, and agree with each other.

It looks at the rows and at the names and descriptions in the Blueprint only, and knows nothing of how values were drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from worldwright.assay.value_forms import allows_codes, as_text, find_form, is_code_like
from worldwright.blueprint.schema import Column, Entity, Schema
from worldwright.kinds.database.compiled_world import CompiledWorld

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""By entity, its records as tools show them."""

MIN_ROWS = 8
"""Values below which nothing is said about a column."""
TOLERATED = 0.1
"""Share of values that may be out of line: evidence has blemishes of its own."""
FLAG_CHARS = 1
"""A column whose values are no longer than this has room for a flag only."""
FEW = 3
"""Capitals of which a column has no more different ones than this may be words of a list."""


@dataclass(frozen=True, slots=True)
class ValueFinding:
    """One thing that is wrong with the values of a column."""

    code: str
    """code_like, contradicts, constant, wrong_order, dangling or name_disagrees"""
    place: str
    """`entity.field`"""
    says: str
    share: float
    """Of the values that were looked at, those that are wrong."""


@dataclass(frozen=True, slots=True)
class ValueReport:
    """What was looked at, and what was found."""

    columns: int
    texts: int
    """Columns of text with enough values."""
    telling: int
    """Those of them whose name and description ask for something else than a code."""
    references: int
    date_pairs: int
    findings: tuple[ValueFinding, ...]

    def count(self, code: str) -> int:
        return sum(f.code == code for f in self.findings)


def read_rows(compiled: CompiledWorld, state: bytes) -> dict[str, list[dict[str, Any]]]:
    """Every record of a state, computed fields included."""
    with closing(compiled.connect(state)) as conn:
        uow = compiled.unit_of_work(conn)
        uow.now, uow.today = compiled.blueprint.schema.now, compiled.blueprint.schema.now[:10]
        return {
            name: [compiled.recorder.record(uow, row) for row in uow.rows(name)]
            for name in compiled.blueprint.schema.entities
        }


def check_values(schema: Schema, rows: Rows) -> ValueReport:
    """Look at every column of every entity that has rows, and at the pairs of columns that have to agree."""
    looked = [
        (entity, column, [r[column.name] for r in rows[name] if r.get(column.name) not in (None, "")])
        for name, entity in schema.entities.items()
        for column in entity.columns.values()
    ]
    looked = [(entity, column, values) for entity, column, values in looked if len(values) >= MIN_ROWS]
    texts = [(e, c, [as_text(v) for v in vs]) for e, c, vs in looked if c.type.kind == "text"]
    known = {name: {str(r[k]) for r in rows[name] for k in _CALLED if r.get(k)} for name in schema.entities}
    references = [(e, c, vs, _target(c, e, schema)) for e, c, vs in looked]
    references = [(e, c, vs, target) for e, c, vs, target in references if target]
    pairs = [(entity, a, b) for entity in schema.entities.values() for a, b in _date_pairs(entity)]
    findings = [
        *(f for e, c, vs in texts if (f := _code_like(e, c, vs)) is not None),
        *(f for e, c, vs in looked if (f := _contradicts(e, c, vs)) is not None),
        *(f for e, c, vs in looked if (f := _constant(e, c, vs)) is not None),
        *(f for e, a, b in pairs if (f := _wrong_order(e, a, b, rows[e.name])) is not None),
        *(f for e, c, vs, target in references if (f := _dangling(e, c, vs, target, known[target])) is not None),
        *(f for e in schema.entities.values() for f in _names(e, schema, rows)),
    ]
    telling = sum(not allows_codes(c.name, c.says) for _, c, _ in texts)
    return ValueReport(len(looked), len(texts), telling, len(references), len(pairs), tuple(findings))


def _place(entity: Entity, column: Column) -> str:
    return f"{entity.name}.{column.name}"


def _share(bad: Sequence[Any], values: Sequence[Any]) -> float:
    return len(bad) / len(values)


# one column


def _code_like(entity: Entity, column: Column, values: Sequence[str]) -> ValueFinding | None:
    bad = [v for v in values if is_code_like(v)]
    if len(set(bad)) <= FEW or _share(bad, values) <= 0.5 or allows_codes(column.name, column.says):
        return None
    form = find_form(column.name, column.says, "text")
    if form is not None and all(form.fits(v) for v in bad):
        return None
    says = f"values such as {bad[0]!r}, though the name says {form.label if form else column.name.replace('_', ' ')!r}"
    return ValueFinding("code_like", _place(entity, column), says, _share(bad, values))


def _contradicts(entity: Entity, column: Column, values: Sequence[Any]) -> ValueFinding | None:
    kind = column.type.kind
    form = find_form(column.name, column.says, kind)
    if (
        form is None
        or column.sort == "identity"
        or (kind == "text" and max(len(as_text(v)) for v in values) <= FLAG_CHARS)
    ):
        return None
    bad = [t for v in values if not form.fits(t := as_text(v))]
    if _share(bad, values) <= TOLERATED:
        return None
    return ValueFinding("contradicts", _place(entity, column), f"{bad[0]!r} is not {form.label}", _share(bad, values))


def _constant(entity: Entity, column: Column, values: Sequence[Any]) -> ValueFinding | None:
    if column.type.kind in ("bool", "enum", "ref") or len(set(map(str, values))) > 1:
        return None
    return ValueFinding("constant", _place(entity, column), f"{as_text(values[0])[:60]!r} in every row", 1.0)


# references


_CALLED = ("id", "name", "full_name", "title", "label")
"""Fields by which other records name one."""
_SAYS_WHICH = re.compile(r"\b(id|name|identifier|code)\b", re.IGNORECASE)
_ID = re.compile(r"(?:(?P<a>\w+)_(?:id|uuid|guid|gid)|id_(?P<b>\w+))\Z")


def _target(column: Column, entity: Entity, schema: Schema) -> str:
    """The entity of this world whose rows a column means; empty where it means none, or its own row."""
    if column.type.kind == "ref":
        return column.type.entity
    found = _ID.match(column.name)
    called = column.name in schema.entities and _SAYS_WHICH.search(column.says) and not allows_codes(column.name, "")
    if column.type.kind not in ("text", "int") or not (found or (called and column.type.kind == "text")):
        return ""
    words = (found["a"] or found["b"] if found else column.name).split("_")
    tails = ["_".join(words[k:]) for k in range(len(words))]
    return next((t for t in tails if t in schema.entities and t != entity.name), "")


def _dangling(
    entity: Entity, column: Column, values: Sequence[Any], target: str, known: set[str]
) -> ValueFinding | None:
    bad = [v for v in values if str(v) not in known]
    if not bad or (column.name == target and _share(bad, values) <= TOLERATED):
        return None
    return ValueFinding("dangling", _place(entity, column), f"{bad[0]!r} is no {target}", _share(bad, values))


def _names(entity: Entity, schema: Schema, rows: Rows) -> Iterator[ValueFinding]:
    """Yield names that stand beside a reference and are not those of what it refers to."""
    for column in entity.refs:
        owner = schema.entities[column.type.entity]
        own = next((n for n in ("name", "full_name", "title") if n in owner.columns), "")
        stem = re.sub(r"_(id|uuid|guid|gid)\Z", "", column.name)
        beside = next((n for n in (f"{stem}_name", f"{stem}_{own}") if n in entity.columns), "")
        if not own or not beside:
            continue
        known = {r["id"]: r[own] for r in rows[owner.name]}
        both = [(known.get(r[column.name]), r[beside]) for r in rows[entity.name] if r[column.name] and r[beside]]
        bad = [pair for pair in both if pair[0] is not None and pair[0] != pair[1]]
        if bad:
            says = f"{bad[0][1]!r} where {column.name} is {bad[0][0]!r}"
            yield ValueFinding("name_disagrees", f"{entity.name}.{beside}", says, _share(bad, both))


# dates


EARLIER_LATER = (
    (r"creat\w*|insert\w*|added|registered|opened|date_add", r"updat\w*|modifi\w*|chang\w*|edited|date_upd|last_updated"),
    (r"creat\w*|insert\w*|added|registered|opened", r"delet\w*|clos\w*|complet\w*|resolv\w*|finish\w*|archiv\w*|cancel\w*"),
    (r"starts?|started|begins?|beginning|from|valid_from|arrival|check_?in|opened|since|effective",
     r"ends?|ended|finish|to|until|valid_(to|until)|departure|check_?out|closed|thru|through"),
    (r"issued?|invoice|ordered|order|posting|document", r"due|payment_due|expires?|expiry|expiration"),
    (r"creat\w*|issued?|start\w*", r"expires?|expired|expiry|expiration"),
    (r"birth\w*|born|dob|date_of_birth", r"creat\w*|hired?|joined|registered|death|died"),
)  # fmt: skip
"""Words of two dates of one row, the earlier one first."""
_CLOCK = re.compile(r"(\A|_)(at|on|date|datetime|time|timestamp|day|ts|utc)(?=_|\Z)")


def _date_pairs(entity: Entity) -> Iterator[tuple[Column, Column]]:
    dates = [c for c in entity.columns.values() if c.type.kind in ("date", "time")]
    stems = {c.name: _CLOCK.sub("_", c.name).strip("_") for c in dates}
    for a, b in combinations(dates, 2):
        for one, other in ((a, b), (b, a)):
            if any(_is_pair(stems[one.name], stems[other.name], early, late) for early, late in EARLIER_LATER):
                yield one, other
                break


def _is_pair(first: str, second: str, early: str, late: str) -> bool:
    """Tell whether two names say when one and the same thing began and ended: what else they say is the same."""
    a, b = re.search(rf"(?:\A|_)(?:{early})(?=_|\Z)", first), re.search(rf"(?:\A|_)(?:{late})(?=_|\Z)", second)
    if a is None or b is None:
        return False
    return (first[: a.start()], first[a.end() :]) == (second[: b.start()], second[b.end() :])


def _wrong_order(entity: Entity, first: Column, second: Column, rows: Sequence[Row]) -> ValueFinding | None:
    length = 10 if "date" in (first.type.kind, second.type.kind) else None
    both = [
        (str(r[first.name])[:length], str(r[second.name])[:length]) for r in rows if r[first.name] and r[second.name]
    ]
    bad = [pair for pair in both if pair[0] > pair[1]]
    if not bad:
        return None
    says = f"{second.name} {bad[0][1]} lies before {first.name} {bad[0][0]}"
    return ValueFinding("wrong_order", f"{entity.name}.{second.name}", says, _share(bad, both))
