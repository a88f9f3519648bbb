"""Small end states to match: a schema of four tables, strategies for net rows and patterns, and a matcher that tries everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from hypothesis import strategies as st

from worldwright.blueprint.schema import Column, Entity, Schema
from worldwright.blueprint.types import BOOL, DATE, INT, MONEY, TEXT, TIME, Type, ref
from worldwright.core.ids import KeyFormat
from worldwright.kinds.database.compile.tasks.accept import exact
from worldwright.kinds.database.compile.tasks.ends import EndState
from worldwright.kinds.database.compile.tasks.plans import PlanResult
from worldwright.kinds.database.verify.narrowing import optional
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, Cell, During, Is, Of, Pattern

SPAN = ("2025-06-16T09:00:00Z", "2025-06-16T09:30:00Z")
OUTSIDE = "2025-06-16T08:59:59Z"


def _entity(name: str, prefix: str, *columns: Column) -> Entity:
    key = KeyFormat(prefix, 2)
    return Entity(name, "", key, 0, {c.name: c for c in columns}, {}, {})


SCHEMA = Schema(
    {
        "order": _entity(
            "order",
            "ORD-",
            Column("buyer", ref("person"), optional=True),
            Column("amount", MONEY),
            Column("status", Type("enum", values=("open", "closed"))),
            Column("sent_at", TIME, sort="time"),
        ),
        "line": _entity(
            "line",
            "LIN-",
            Column("order", ref("order"), optional=True),
            Column("beside", ref("line"), optional=True),
            Column("number", INT),
        ),
        "person": _entity("person", "PER-", Column("boss", ref("person"), optional=True), Column("level", INT)),
        "paper": _entity(
            "paper",
            "PAP-",
            Column("body", TEXT, sort="text"),
            Column("signed", BOOL),
            Column("due_on", DATE),
            Column("total", INT, source="computed", sort="derived"),
            Column("seen", INT, source="kept", sort="log"),
        ),
    }
)
OLD = {"person": ("PER-01", "PER-02"), "order": ("ORD-01", "ORD-02"), "line": ("LIN-01",)}
REFERENCES = {
    (e.name, c.name): c.type.entity
    for e in SCHEMA.entities.values()
    for c in e.columns.values()
    if c.type.kind == "ref"
}


# net rows


@st.composite
def nets(draw: st.DrawFn, most: int = 5, olds: bool = True) -> tuple[NetRow, ...]:
    """Rows that came, some of which refer to each other, and old rows that changed or went."""
    tables = draw(st.lists(st.sampled_from(("order", "line", "person")), min_size=1, max_size=most))
    ids = _ids(tables)
    rows = [_added(draw, table, key, tables, ids) for table, key in zip(tables, ids, strict=True)]
    if olds:
        for table, keys in OLD.items():
            chosen = draw(st.lists(st.sampled_from(keys), unique=True, max_size=1))
            rows += [_touched(draw, table, key, tables, ids) for key in chosen]
    return tuple(draw(st.permutations(rows)))


def _ids(tables: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    out = []
    for table in tables:
        seen[table] = seen.get(table, 10) + 1
        out.append(SCHEMA.entities[table].key.make(seen[table]))
    return out


def _value(draw: st.DrawFn, table: str, column: str, tables: Sequence[str], ids: Sequence[str]) -> Any:
    entity = REFERENCES.get((table, column))
    if entity is not None:
        new = [key for t, key in zip(tables, ids, strict=True) if t == entity]
        return draw(st.sampled_from([*new, *new, *OLD[entity][:1], None]))
    match SCHEMA.entities[table].columns[column].type.kind:
        case "enum":
            return draw(st.sampled_from(("open", "closed")))
        case "time":
            return draw(st.sampled_from((*SPAN, OUTSIDE)))
    return draw(st.integers(0, 1))


def _added(draw: st.DrawFn, table: str, key: str, tables: Sequence[str], ids: Sequence[str]) -> NetRow:
    columns = SCHEMA.entities[table].columns
    return NetRow("added", table, key, {c: _value(draw, table, c, tables, ids) for c in columns})


def _touched(draw: st.DrawFn, table: str, key: str, tables: Sequence[str], ids: Sequence[str]) -> NetRow:
    if draw(st.booleans()):
        return NetRow("removed", table, key, {})
    columns = sorted(SCHEMA.entities[table].columns)
    names = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique=True))
    return NetRow("changed", table, key, {c: _value(draw, table, c, tables, ids) for c in names})


def end(net: Sequence[NetRow]) -> EndState:
    return EndState(PlanResult((), (), (), ()), tuple(net), SPAN, True)


def patterns_of(net: Sequence[NetRow]) -> Accepted:
    """The end state as the compiler writes it."""
    return exact(end(net), SCHEMA.entities)


def renamed(net: Sequence[NetRow], to: Mapping[str, str]) -> tuple[NetRow, ...]:
    """The same end state with other ids for its new rows."""
    return tuple(replace(r, id=to.get(r.id, r.id), cells={k: to.get(v, v) for k, v in r.cells.items()}) for r in net)


@st.composite
def renamings(draw: st.DrawFn, net: Sequence[NetRow]) -> dict[str, str]:
    """Other ids for the new rows of each table, the same ones in another order among them."""
    out: dict[str, str] = {}
    for entity in SCHEMA.entities.values():
        new = [r.id for r in net if r.op == "added" and r.table == entity.name]
        shift = draw(st.sampled_from((0, 0, 40)))
        others = [entity.key.make((entity.key.number(key) or 0) + shift) for key in new]
        out |= dict(zip(new, draw(st.permutations(others)), strict=True))
    return out


# patterns


@st.composite
def loosened(draw: st.DrawFn, patterns: Accepted) -> Accepted:
    """Patterns with some cells left open, some rows free, some taken in any number, some left out."""
    out = []
    labels = [p.label for p in patterns if p.label]
    for number, pattern in enumerate(patterns):
        cells = {k: _other_cell(draw, k, c, pattern.table, labels) for k, c in pattern.cells.items()}
        changed = replace(pattern, cells=cells)
        if changed.id and draw(st.integers(0, 3)) == 0:
            changed = replace(changed, id="", label=f"x{number}")
        if draw(st.integers(0, 4)) == 0:
            changed = replace(changed, many=True, label="")
        if draw(st.integers(0, 9)):
            out.append(changed)
    return tuple(draw(st.permutations(out)))


def _other_cell(draw: st.DrawFn, name: str, cell: Cell, table: str, labels: Sequence[str]) -> Cell:
    what = draw(st.integers(0, 7))
    if what <= 1:
        return AnyValue()
    if what == 2 and labels and (table, name) in REFERENCES:
        return Of(draw(st.sampled_from(labels)))
    if what == 3 and SCHEMA.entities[table].columns[name].type.kind == "time":
        return During()
    return cell


# a matcher that tries everything


def oracle(patterns: Accepted, net: Sequence[NetRow], span: tuple[str, str] = SPAN) -> bool:
    """Whether the patterns explain the rows: every way of taking rows is tried, and none is preferred."""
    singles = [p for p in patterns if not p.many]
    several = [p for p in patterns if p.many]
    return any(
        _given_away([row for i, row in enumerate(net) if i not in taken], several, names, span)
        for taken, names in _ways(singles, net, span, frozenset(), {})
    )


def _ways(
    singles: Sequence[Pattern],
    net: Sequence[NetRow],
    span: tuple[str, str],
    used: frozenset[int],
    names: dict[str, str],
) -> Iterator[tuple[frozenset[int], dict[str, str]]]:
    """Every way to take a row of its own for each pattern, with what labels stand for then."""
    if not singles:
        yield used, names
        return
    if optional(singles[0]):
        yield from _ways(singles[1:], net, span, used, names)
    for r, row in enumerate(net):
        demands = None if r in used else _demands(singles[0], row, span, own=True)
        agreed = dict(names)
        if demands is not None and _agree(agreed, demands):
            yield from _ways(singles[1:], net, span, used | {r}, agreed)


def _demands(pattern: Pattern, row: NetRow, span: tuple[str, str], own: bool) -> list[tuple[str, str]] | None:
    """What labels must stand for if the row is taken for the pattern; None where it cannot be."""
    if (pattern.op, pattern.table) != (row.op, row.table) or pattern.id not in ("", row.id):
        return None
    if not set(row.cells) <= set(pattern.cells):
        return None
    out = [(pattern.label, row.id)] if own and pattern.label else []
    for name, cell in pattern.cells.items():
        if name not in row.cells:
            if isinstance(cell, (Is, Of)):
                return None
            continue
        value = row.cells[name]
        if isinstance(cell, Is) and cell.value != value:
            return None
        if isinstance(cell, During) and (value is None or not span[0] <= value <= span[1]):
            return None
        if isinstance(cell, Of):
            if value is None:
                return None
            out.append((cell.label, value))
    return out


def _agree(names: dict[str, str], demands: Sequence[tuple[str, str]]) -> bool:
    return all(names.setdefault(label, value) == value for label, value in demands)


def _given_away(
    left: Sequence[NetRow], several: Sequence[Pattern], names: Mapping[str, str], span: tuple[str, str]
) -> bool:
    """Whether every row that is left goes to a pattern that takes many, and each such pattern gets one."""
    for way in product(range(len(several)), repeat=len(left)):
        fitting = all(
            (demands := _demands(several[p], row, span, own=False)) is not None and _agree(dict(names), demands)
            for p, row in zip(way, left, strict=True)
        )
        if fitting and all(p in way or optional(pattern) for p, pattern in enumerate(several)):
            return True
    return False
