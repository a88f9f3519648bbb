"""Columns that hold the state of a thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from worldwright.anchor.evidence import Field, Resource, Rows, States

MAX_STATES = 12
"""Different values in the rows that may still be states."""
MAX_WORDS = 40
"""Words of a declared list."""
ENGLISH = frozenset(("status", "state", "stage", "phase"))
OTHERS = frozenset(
    ("statut", "etat", "état", "estado", "estatus", "stato", "fase", "zustand", "situação", "stav", "状態", "状态")
)
WORDS = ENGLISH | OTHERS
PLACES = frozenset(("city", "town", "zip", "zipcode", "postcode", "postal", "country", "province", "street", "address"))
"""Beside these, a state is a place."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_STATE = re.compile(r"[^\W\d][\w .&/-]{0,59}$")
_ENDINGS = frozenset({"code", "cd", "name", "type", "flag", "enum", "value", "text"})


def words_of(name: str) -> list[str]:
    """`OrderStatus`, `order_status`: order, status."""
    return [word.casefold() for word in _WORD.findall(name)]


def states_of(resource: Resource, rows: Rows | None) -> Iterator[States]:
    """The states of a thing, from what its columns declare or from what its rows hold."""
    for field in resource.fields:
        if not names_state(field.name) or field.refers_to:
            continue
        declared = tuple(word for word in field.shape.enum if isinstance(word, str))
        if 1 < len(declared) <= MAX_WORDS:
            yield States(resource.name, field.name, declared, source=field.source)
        elif rows is not None and not field.shape.enum and _may_hold_states(field, resource):
            seen = _seen(field.name, rows)
            if seen:
                yield States(resource.name, field.name, seen, source=rows.source)


def names_state(name: str) -> bool:
    words = words_of(name)
    while len(words) > 1 and words[-1] in _ENDINGS:
        words = words[:-1]
    return bool(words) and words[-1] in WORDS


def _may_hold_states(field: Field, resource: Resource) -> bool:
    beside = {word for other in resource.fields for word in words_of(other.name)}
    return field.shape.kind == "string" and not (words_of(field.name)[-1] == "state" and beside & PLACES)


def _seen(name: str, rows: Rows) -> tuple[str, ...]:
    """The few values that a column takes again and again, in the order in which they first come."""
    at = rows.columns.index(name) if name in rows.columns else -1
    values = [row[at] for row in rows.rows if row[at] is not None] if at >= 0 else []
    counts = Counter(value for value in values if isinstance(value, str))
    words = all(_STATE.match(value) for value in counts) and len(counts) > 1
    return tuple(counts) if words and len(counts) <= MAX_STATES and len(counts) < len(values) else ()
