"""Records that came with the evidence, as the first rows of a world: all of them, values as they are, references kept, dates moved
to now. How they are spread is learned too: rows that are made beside them are drawn alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from worldwright.anchor.evidence import Evidence, Note, Rows, Source
from worldwright.anchor.model.agreement import follows_from_others
from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.blueprint import NOW
from worldwright.anchor.model.dates import FOLLOWS, MADE, Dated, dated_of
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import parts
from worldwright.blueprint.given import MAX_GIVEN_ROWS

RECENT = 90
"""Days before the world's now up to which dates stay as they are."""
MAX_TEXT_CHARS = 2_000
WHOLE = frozenset({"table", "data"})
"""Origins of things whose records are all there is."""
_TODAY = date.fromisoformat(NOW[:10])

MIN_LEARNED = 20
"""Values from which on a spread is learned."""
STEPS = 20
"""Values that stand for all, at even steps of their order: each as often as it comes, and numbers at their quantiles."""

Row = dict[str, Any]
Draws = Mapping[tuple[str, str], str]
"""By thing and field, an expression with a draw in it."""
Numbers = Mapping[str, Mapping[Any, int]]
"""By thing, the number of the row that a key stands for."""


@dataclass(frozen=True, slots=True)
class Seeded:
    """What is known of the rows of a world."""

    rows: Mapping[str, list[Row]]
    whole: frozenset[str]
    """Things of which these are all records."""
    reasons: tuple[Reason, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _Table:
    """The records of one resource, and where in them the attributes of the thing stand."""

    rows: Rows
    places: Mapping[str, Callable[[Sequence[Any]], Any]]
    """By attribute, what gives its value; those that the records do not have are left out."""
    key: int


_Found = tuple[_Table, tuple[Any, ...]]


def seed_rows(entities: Sequence[Entity], evidence: Evidence, most: int = MAX_GIVEN_ROWS) -> Seeded:
    """The records of every thing that has some.

    Beyond `most` of them in all, small tables stay whole, and of the others those records whose references are kept too."""
    names = match_resources(entities, evidence)
    resources = {t.name: t for t in evidence.resources}
    tables = {
        e.name: [_table(e, r, resources[r.resource].key) for r in evidence.rows if names.get(r.resource) == e.name]
        for e in entities
    }
    moved = _count_days_to_move(entities, tables)
    kept = _kept(entities, tables, most)
    numbers = {n: {_key(t, row): k for k, (t, row) in enumerate(rows, start=1)} for n, rows in kept.items()}
    out: dict[str, list[Row]] = {}
    whole: set[str] = set()
    reasons: list[Reason] = []
    notes: list[Note] = []
    for entity in entities:
        dates = dated_of(entity.attributes)
        own, rows = tables[entity.name], [_seed(entity, t, row, numbers, moved) for t, row in kept[entity.name]]
        if not any(rows):
            continue
        out[entity.name] = [{**row, **_dates_between(dates, row)} for row in rows]
        total, source = sum(t.rows.total for t in own), own[0].rows.source
        every = len(rows) == total
        if every and total > 1 and all(resources[t.rows.resource].origin in WHOLE for t in own):
            whole.add(entity.name)
        why = "all records that came with it" if every else f"of the {total:,} records that came with it"
        why += f"; dates moved by {moved:,} days, to end now" if moved else ""
        reasons.append(Reason(f"{len(rows)} rows of {entity.name}", why, str(source)))
        if not every:
            says = f"{len(rows):,} of the {total:,} records of {entity.name} are kept: a world holds {most:,} in all"
            notes.append(Note("warning", says, source or Source("")))
    return Seeded(out, frozenset(whole), tuple(reasons), tuple(notes))


def _table(entity: Entity, rows: Rows, key: Sequence[str]) -> _Table:
    columns = {parts(column): k for k, column in reversed(list(enumerate(rows.columns)))}
    places = {a.name: place for a in entity.attributes if (place := _place(columns, a.path)) is not None}
    at = rows.columns.index(key[0]) if len(key) == 1 and key[0] in rows.columns else columns.get(("id",), 0)
    return _Table(rows, places, at)


def _place(columns: Mapping[tuple[str, ...], int], path: Sequence[str]) -> Callable[[Sequence[Any]], Any] | None:
    """Where a value stands: under one flat name, or nested as it is written."""
    at = columns.get(tuple(w for step in path for w in parts(step)))
    steps = path[1:] if at is None else ()
    at = columns.get(parts(path[0])) if steps else at
    if at is None:
        return None

    def read(row: Sequence[Any], at: int = at) -> Any:
        found = row[at]
        for step in steps:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    return read


def _kept(entities: Sequence[Entity], tables: Mapping[str, Sequence[_Table]], most: int) -> dict[str, list[_Found]]:
    """By thing, the records that there is room for, small tables first; none that has to refer to one that is not kept."""
    every = {name: [(t, row) for t in own for row in t.rows.rows] for name, own in tables.items()}
    room: dict[str, int] = {}
    for done, (name, rows) in enumerate(sorted(every.items(), key=lambda pair: len(pair[1]))):
        room[name] = min(len(rows), (most - sum(room.values())) // (len(every) - done))
    cut: dict[str, set[Any]] = {}
    """The keys that are left of things that were not kept whole."""
    for entity in entities:
        refs = [a for a in entity.attributes if a.kind == "ref" and not a.optional and a.refers_to in cut]
        rows = every[entity.name]
        fits = [(t, row) for t, row in rows if all(_leads(t, row, a, cut) for a in refs)][: room[entity.name]]
        if len(fits) < len(rows) or any(t.rows.total > len(t.rows.rows) for t in tables[entity.name]):
            cut[entity.name] = {_key(t, row) for t, row in fits}
        every[entity.name] = fits
    return every


def _leads(table: _Table, row: Sequence[Any], a: Attribute, cut: Mapping[str, set[Any]]) -> bool:
    found = table.places[a.name](row) if a.name in table.places else None
    return found in (None, "") or _normalise_key(found) in cut[a.refers_to]


def _key(table: _Table, row: Sequence[Any]) -> Any:
    return _normalise_key(row[table.key])


def _normalise_key(value: Any) -> Any:
    """A key however it is written: 7 and "7" are the same one."""
    return str(value) if isinstance(value, (int, str)) else None


def _seed(entity: Entity, table: _Table, row: Sequence[Any], numbers: Numbers, moved: int) -> Row:
    out: Row = {}
    for a in (a for a in entity.attributes if a.name in table.places):
        found = table.places[a.name](row)
        empty = found is None or found == ""
        value = None if empty else _cell(a, found, numbers, moved)
        if value is not None or (a.optional and (a.kind == "ref" or (empty and a.kind != "state"))):
            out[a.name] = value
    return out


def _dates_between(dates: Sequence[Dated], given: Row) -> Row:
    """Dates of a record that says some of them: one that it does not say, or that would lie before what comes earlier in its life,
    is none where it may be, else that of the one before."""
    said = {d.name: given[d.name] for d in dates if given.get(d.name)}
    said = {name: f"{value}T12:00:00Z" if len(value) == 10 else value for name, value in said.items()}
    out: Row = {}
    for one in dates if said else ():
        near = [d.name for d in dates if d.role in FOLLOWS[one.role] and d.inside == one.inside]
        least = max((said[name] for name in near if name in said), default=min(said.values()))
        if (said.get(one.name, "") < least and one.role != MADE) or one.name not in said:
            out[one.name] = None if one.optional else least if one.kind == "time" else least[:10]
    return out


def _cell(a: Attribute, value: Any, numbers: Numbers, moved: int) -> Any:
    """A value as a Blueprint writes it; None for what does not fit."""
    match a.kind:
        case "ref":
            return numbers.get(a.refers_to, {}).get(_normalise_key(value))
        case "words" | "state":
            return a.words.get(value if isinstance(value, str) else str(value))
        case "bool":
            return bool(value) if value in (0, 1, True, False) else None
        case "int":
            return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15 else None
        case "money" | "decimal":
            return _number(value)
        case "date" | "time":
            return _moment(value, a.kind, 0 if born(a) else moved)
        case "text":
            most = min(MAX_TEXT_CHARS, a.shape.longest or MAX_TEXT_CHARS)
            return value if isinstance(value, str) and value.isprintable() and len(value) <= most else None
    return None


def _number(value: Any) -> float | None:
    try:
        found = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None
    return round(found, 2) if found is not None and abs(found) < 10**12 else None


def _read_moment(value: Any) -> datetime | None:
    """A date as it is written, with its time where that can be read."""
    for text in (value, value[:10]) if isinstance(value, str) and len(value) >= 10 else ():
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            continue
        return found if 1900 <= found.year <= 2100 else None
    return None


def _moment(value: Any, kind: str, moved: int) -> str | None:
    found = _read_moment(value)
    if found is None:
        return None
    shifted = found + timedelta(days=moved)
    return shifted.strftime("%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%SZ")


def _count_days_to_move(entities: Sequence[Entity], tables: Mapping[str, Sequence[_Table]]) -> int:
    """Days by which dates are moved so that the newest of them is just past."""
    days = (
        found.date()
        for entity in entities
        for table in tables[entity.name]
        for a in entity.attributes
        if a.kind in ("date", "time") and not born(a) and a.name in table.places
        for row in table.rows.rows
        if (found := _read_moment(table.places[a.name](row))) is not None
    )
    newest = max(days, default=None)
    if newest is None or (_TODAY - timedelta(days=RECENT)) <= newest < _TODAY:
        return 0
    return (_TODAY - timedelta(days=2) - newest).days


def learn_draws(entities: Sequence[Entity], rows: Mapping[str, Sequence[Row]]) -> Draws:
    """The draws of every field whose values in the given rows tell one, and follow from nothing else."""
    by_name = {entity.name: entity for entity in entities}
    found = {
        (entity.name, a.name): _learn_draw(a, [row[a.name] for row in rows[entity.name] if a.name in row])
        for entity in entities
        if entity.name in rows
        for a in entity.attributes
        if not follows_from_others(a, entity, by_name)
    }
    return {at: drawn for at, drawn in found.items() if drawn}


def _learn_draw(a: Attribute, values: Sequence[Any]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < MIN_LEARNED:
        return ""
    share = len(known) / len(values)
    drawn = f"chance({sum(known) / len(known):.3f})" if a.kind == "bool" else _learn_pick(a, known)
    return f"{drawn} if chance({share:.3f}) else none" if drawn and share < 1 else drawn


def _learn_pick(a: Attribute, known: Sequence[Any]) -> str:
    different = len(set(known))
    if a.kind in ("int", "decimal", "money"):
        low, high = a.shape.minimum, a.shape.maximum
        known = [v for v in known if (low is None or v >= low) and (high is None or v <= high)]
        fits = len(known) >= MIN_LEARNED and (a.kind != "int" or different < len(known))
    else:
        fits = a.kind == "words" or (a.kind == "text" and 2 * different <= len(known))
    if not fits or any(isinstance(v, str) and set("'\\{}") & set(v) for v in known):
        return ""
    ordered = sorted(known)
    steps = [ordered[(2 * k + 1) * len(ordered) // (2 * STEPS)] for k in range(STEPS)]
    return f"pick({', '.join(map(repr, steps))})" if len(set(steps)) > 1 else repr(steps[0])
