"""Records that came with the evidence, as the first rows of a world: values as they are, references kept, dates moved to now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from worldwright.anchor.evidence import Evidence, Rows
from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.blueprint import NOW
from worldwright.anchor.model.dates import FOLLOWS, MADE, dated_of
from worldwright.anchor.model.enrich import match_resources
from worldwright.anchor.model.reasons import Reason
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.names import parts

MAX_SEED_ROWS = 2_000
"""Records of one thing: as many as a Blueprint holds, and as readers keep."""
RECENT = 90
"""Days before the world's now up to which dates stay as they are."""
MAX_TEXT_CHARS = 2_000
WHOLE = frozenset({"table", "data"})
"""Origins of things whose records are all there is."""
_TODAY = date.fromisoformat(NOW[:10])

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seeded:
    """What is known of the rows of a world."""

    rows: Mapping[str, list[dict[str, Any]]]
    whole: frozenset[str]
    """Things of which these are all records."""
    reasons: tuple[Reason, ...] = ()


def sample_seed_rows(entities: Sequence[Entity], evidence: Evidence) -> Seeded:
    """The first rows of every thing that has some, in the order of the resources: what is referred to comes first."""
    names = match_resources(entities, evidence)
    resources = {t.name: t for t in evidence.resources}
    numbers: dict[str, dict[Any, int]] = {}
    """By thing, the number of the row that a key stands for."""
    out: dict[str, list[dict[str, Any]]] = {}
    whole: set[str] = set()
    reasons: list[Reason] = []
    given = [r for r in evidence.rows if r.resource in names]
    moved = _count_days_to_move(entities, given, names)
    for entity in entities:
        own = [r for r in given if names[r.resource] == entity.name]
        if not own:
            continue
        keys = {r.resource: _key(r, resources[r.resource].key) for r in own}
        found = [(row, keys[r.resource]) for r in own for row in _records(r)][:MAX_SEED_ROWS]
        numbers[entity.name] = {_normalise_key(row.get(key)): k for k, (row, key) in enumerate(found, start=1)}
        rows = [_seed(entity, row, numbers, moved) for row, _ in found]
        if not any(rows):
            continue
        out[entity.name] = rows
        complete = (
            all(resources[r.resource].origin in WHOLE and r.total <= MAX_SEED_ROWS for r in own) and len(rows) > 1
        )
        whole |= {entity.name} if complete else set()
        reasons.append(Reason(f"{len(rows)} rows of {entity.name}", _why(own, complete, moved), str(own[0].source)))
    return Seeded(out, frozenset(whole), tuple(reasons))


def _why(own: Sequence[Rows], complete: bool, moved: int) -> str:
    total = sum(r.total for r in own)
    part = "all records that came with it" if complete else f"the first of {total:,} records that came with it"
    return part + (f"; dates moved by {moved:,} days, to end now" if moved else "")


def _key(rows: Rows, key: Sequence[str]) -> str:
    """The column that others refer to."""
    if len(key) == 1 and key[0] in rows.columns:
        return key[0]
    return next((c for c in rows.columns if parts(c) == ("id",)), rows.columns[0] if rows.columns else "")


def _records(rows: Rows) -> Iterator[Row]:
    for values in rows.rows:
        yield dict(zip(rows.columns, values, strict=True))


def _seed(entity: Entity, row: Row, numbers: Mapping[str, Mapping[Any, int]], moved: int) -> dict[str, Any]:
    plain = {parts(k): v for k, v in row.items()}
    out: dict[str, Any] = {}
    for a in entity.attributes:
        found = _at(plain, a.path)
        if found is _NOTHING:
            continue
        if found is None or found == "":
            if a.optional and a.kind != "state":
                out[a.name] = None
            continue
        value = _cell(a, found, numbers, moved)
        if value is not None:
            out[a.name] = value
    return {**out, **_dates_between(entity, out)}


def _dates_between(entity: Entity, given: Mapping[str, Any]) -> dict[str, Any]:
    """Dates of a record that says some of them: one that it does not say, or that would lie before what comes earlier in its life,
    is none where it may be, else that of the one before."""
    dates = dated_of(entity.attributes)
    said = {d.name: _as_moment(given[d.name]) for d in dates if given.get(d.name)}
    out: dict[str, Any] = {}
    for one in dates if said else ():
        before = [
            said[d.name] for d in dates if d.name in said and d.role in FOLLOWS[one.role] and d.inside == one.inside
        ]
        least = max(before, default=min(said.values()))
        if (said.get(one.name, "") < least and one.role != MADE) or one.name not in said:
            out[one.name] = None if one.optional else least if one.kind == "time" else least[:10]
    return out


def _as_moment(value: str) -> str:
    return f"{value}T12:00:00Z" if len(value) == 10 else value


_NOTHING = object()


def _at(plain: Mapping[tuple[str, ...], Any], path: Sequence[str]) -> Any:
    """A value by its path: nested as it is written, or under one flat name."""
    whole = tuple(w for step in path for w in parts(step))
    if whole in plain:
        return plain[whole]
    found: Any = plain.get(parts(path[0]), _NOTHING)
    for step in path[1:]:
        found = found.get(step, _NOTHING) if isinstance(found, Mapping) else _NOTHING
    return found


def _cell(a: Attribute, value: Any, numbers: Mapping[str, Mapping[Any, int]], moved: int) -> Any:
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
            fits = (
                isinstance(value, str)
                and value.isprintable()
                and len(value) <= min(MAX_TEXT_CHARS, a.shape.longest or MAX_TEXT_CHARS)
            )
            return value if fits else None
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 10**12:
        return None
    return round(float(value), 2)


def _normalise_key(value: Any) -> Any:
    """A key however it is written: 7 and "7" are the same one."""
    return str(value) if isinstance(value, (int, str)) else None


def _day(value: Any) -> date | None:
    if not isinstance(value, str) or len(value) < 10:
        return None
    try:
        found = date.fromisoformat(value[:10])
    except ValueError:
        return None
    return found if 1900 <= found.year <= 2100 else None


def _moment(value: Any, kind: str, moved: int) -> str | None:
    day = _day(value)
    if day is None:
        return None
    shifted = day + timedelta(days=moved)
    if kind == "date":
        return shifted.isoformat()
    try:
        clock = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        clock = datetime(day.year, day.month, day.day)
    return f"{shifted.isoformat()}T{clock.hour:02d}:{clock.minute:02d}:{clock.second:02d}Z"


def _count_days_to_move(entities: Sequence[Entity], given: Sequence[Rows], names: Mapping[str, str]) -> int:
    """Days by which dates are moved so that the newest of them is just past."""
    by_name = {r.name: r for r in entities}
    newest: date | None = None
    for rows in given:
        entity = by_name[names[rows.resource]]
        dated = {parts(a.path[-1]) for a in entity.attributes if a.kind in ("date", "time") and not born(a)}
        columns = [k for k, c in enumerate(rows.columns) if parts(c) in dated]
        for row in rows.rows[:MAX_SEED_ROWS]:
            for k in columns:
                day = _day(row[k])
                newest = day if day is not None and (newest is None or day > newest) else newest
    if newest is None or (_TODAY - timedelta(days=RECENT)) <= newest < _TODAY:
        return 0
    return (_TODAY - timedelta(days=2) - newest).days
