"""The states that things go through, and the moves between them that tables in the code allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Resource, States
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.limits import words_of
from worldwright.anchor.readers.repo.names import Repo, kind_of
from worldwright.english.words import wordset

_STATE_WORDS = wordset("status state stage phase")
_HINTS = wordset("transition transitions allowed next moves flow workflow lifecycle")
MAX_STATES = 200
Moves = tuple[tuple[str, str], ...]


def states(repo: Repo, resources: Sequence[Resource]) -> list[States]:
    """The states of every thing that has a field for them or an enumeration named after it, with the moves that a table lists."""
    found = [
        States(t.name, f.name, tuple(map(str, f.shape.enum)), source=f.source)
        for t in resources
        for f in t.fields
        if _is_state(f.name) and f.shape.kind in ("string", "integer", "any")
    ]
    for cls in repo.classes:
        words = words_of(repo, cls) if _is_state(cls.name) and kind_of(repo, cls) == "enum" else {}
        texts = tuple(v for v in words if isinstance(v, str))
        texts = texts or tuple(name for name in cls.values if words and not name.startswith("_"))  # of numbers
        known = any(set(map(str, words)) == set(s.states) for s in found)
        if texts and not known and noun(cls.name)[:-1]:
            owner = next((t.name for t in resources if noun(t.name) == noun(cls.name)[:-1]), _without_state(cls.name))
            at = next((i for i, s in enumerate(found) if owner == s.resource and not s.states), len(found))
            held = found[at] if at < len(found) else States(owner, "", (), source=cls.source)
            found[at : at + 1] = [replace(held, states=texts)]
    found = [s for s in found if s.states]
    for names, moves in _tables(repo):
        among = {state for move in moves for state in move}
        fits = [i for i, s in enumerate(found) if among <= set(s.states)]
        named = [i for i in fits if any(noun(n) and noun(found[i].resource)[-len(noun(n)) :] == noun(n) for n in names)]
        for i in named[:1] or fits[:1]:
            found[i] = replace(found[i], moves=tuple(dict.fromkeys((*found[i].moves, *moves))))
    return found


def _is_state(name: str) -> bool:
    return bool(set(parts(name)[-1:]) & _STATE_WORDS)


def _without_state(name: str) -> str:
    """`Order` of `OrderStatus`."""
    return name[: -len(parts(name)[-1])] if _is_state(name) else name


def _tables(repo: Repo) -> Iterator[tuple[list[str], Moves]]:
    """`TRANSITIONS = {"draft": ["sent"]}` or a list of pairs, and names that may tell of which thing it is."""
    for place in repo.places:
        for name, node in place.values.items():
            pairs = list(_pairs(repo.value(place, node))) if _HINTS & set(parts(name)) else []
            if 0 < len(pairs) <= MAX_STATES and all(isinstance(state, str) for pair in pairs for state in pair):
                owner = _without_state(place.cls.name) if place.cls is not None else ""
                yield [owner, "_".join(w for w in parts(name) if w not in _HINTS | _STATE_WORDS)], tuple(pairs)


def _pairs(found: Any) -> Iterator[tuple[Any, Any]]:
    for before, after in found.items() if isinstance(found, dict) else ():
        yield from ((before, one) for one in (after if isinstance(after, tuple | dict) else ()))
    yield from (
        (part for part in found if isinstance(part, tuple) and len(part) == 2) if isinstance(found, tuple) else ()
    )
