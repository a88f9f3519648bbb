"""The states that things go through, and the moves between them that the code allows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from worldwright.anchor.evidence import Resource, States
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.limits import words_of
from worldwright.anchor.readers.repo.names import Repo, kind_of
from worldwright.anchor.readers.repo.source import Function
from worldwright.anchor.readers.repo.tree import head_of, own_nodes, path_of
from worldwright.english.words import wordset

_STATE_WORDS = wordset("status state stage phase")
_HINTS = wordset("transition transitions allowed next moves flow workflow lifecycle")
MAX_STATES = 200


class _Seen(NamedTuple):
    """States and moves at a place in the code, and the names that may tell of which thing they are."""

    names: Sequence[str]
    field: str
    states: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]


def states(repo: Repo, resources: Sequence[Resource]) -> list[States]:
    """The states of every thing that has a field for them: from its words, from the code that sets it, and from tables of moves."""
    found = [
        States(t.name, f.name, tuple(map(str, f.shape.enum)), source=f.source)
        for t in resources
        for f in t.fields
        if _is_state(f.name) and f.shape.kind in ("string", "integer", "any")
    ]
    for cls in repo.classes:
        texts = tuple(v for v in words_of(repo, cls) if isinstance(v, str)) if _is_state(cls.name) else ()
        known = any(set(texts) == set(s.states) for s in found)
        if texts and not known and noun(cls.name)[:-1] and kind_of(repo, cls) == "enum":
            owner = next((t.name for t in resources if noun(t.name) == noun(cls.name)[:-1]), _without_state(cls.name))
            at = next((i for i, s in enumerate(found) if owner == s.resource and not s.states), len(found))
            held = found[at] if at < len(found) else States(owner, "", (), source=cls.source)
            found[at : at + 1] = [replace(held, states=texts)]
    closed = {(s.resource, s.field) for s in found if s.states}
    for one in (*_tables(repo), *_moves(repo)):
        fits: list[tuple[int, int]] = []
        for i, s in enumerate(found):
            listed = (s.resource, s.field) in closed
            if one.field in ("", s.field) and (set(one.states) <= set(s.states) if listed else one.names):
                named = sum(noun(s.resource)[-len(noun(n)) :] == noun(n) for n in one.names if noun(n))
                fits += [(named, -i)] if named or (listed and not one.field) else []
        if fits:
            held = found[-max(fits)[1]]
            grown = tuple(dict.fromkeys((*held.states, *one.states)))[:MAX_STATES]
            known_states = held.states if (held.resource, held.field) in closed else grown
            moves = tuple(dict.fromkeys((*held.moves, *one.moves)))
            found[-max(fits)[1]] = replace(held, states=known_states, moves=moves)
    return [s for s in found if s.states]


def _is_state(name: str) -> bool:
    return bool(set(parts(name)[-1:]) & _STATE_WORDS)


def _without_state(name: str) -> str:
    """`Order` of `OrderStatus`."""
    return name[: -len(parts(name)[-1])] if _is_state(name) else name


def _tables(repo: Repo) -> Iterator[_Seen]:
    """`TRANSITIONS = {"draft": ["sent"]}` or a list of pairs, at the top of a file or in a class."""
    for place in repo.places:
        for name, node in place.values.items():
            hinted = bool(_HINTS & set(parts(name)))
            pairs = list(_pairs(repo.value(place, node))) if hinted or isinstance(node, ast.Dict) else []
            moves = tuple((a, b) for a, b in pairs if b is not None)
            if moves and len(pairs) <= MAX_STATES and all(isinstance(s, str | None) for pair in pairs for s in pair):
                order = tuple(dict.fromkeys([*(a for a, _ in pairs), *(b for _, b in moves)]))
                owner = _without_state(place.cls.name) if place.cls is not None else ""
                about = "_".join(w for w in parts(name) if w not in _HINTS | _STATE_WORDS)
                yield _Seen([owner, about] if hinted else [], "", order, moves)


def _pairs(found: Any) -> Iterator[tuple[Any, Any]]:
    for before, after in found.items() if isinstance(found, dict) else ():
        yield before, None
        yield from ((before, one) for one in (after if isinstance(after, tuple | dict) else ()))
    listed = found if isinstance(found, tuple) else ()
    yield from (part for part in listed if isinstance(part, tuple) and len(part) == 2)


def _moves(repo: Repo) -> Iterator[_Seen]:
    """What functions set a state to, and what they asked of it before: `if x.status != "new": raise ...`, `x.status = "open"`."""
    for function in repo.functions:
        known: dict[str, tuple[str, ...]] = {}
        for node in own_nodes(function.node):
            match node:
                case ast.If(test=test, body=[*_, final]):
                    aborts = isinstance(final, ast.Expr) and head_of(final.value) == "abort"
                    leaves = aborts or isinstance(final, ast.Raise | ast.Return | ast.Continue)
                    known |= _asked(repo, function, test, not leaves)
                case ast.Assert(test=test):
                    known |= _asked(repo, function, test, True)
                case ast.Assign(targets=[ast.Attribute(attr=field, value=holder) as target], value=value) if _is_state(
                    field
                ):
                    after = repo.value(function, value)
                    own = function.cls.name if function.cls and path_of(holder) == "self" else head_of(holder)
                    if isinstance(after, str) and " " not in after:
                        before = tuple(s for s in known.get(path_of(target), ()) if s != after)
                        types = [head_of(a.annotation) for a in function.node.args.args if a.arg == own]
                        yield _Seen([own, *types], field, (*before, after), tuple((b, after) for b in before))
                        known[path_of(target)] = (after,)


def _asked(repo: Repo, function: Function, test: ast.expr, holds: bool) -> dict[str, tuple[str, ...]]:
    """The states that are possible where a condition holds, or where it does not."""
    found: dict[str, tuple[str, ...]] = {}
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == holds else [test]:
        match part:
            case ast.Compare(left=ast.Attribute() as left, ops=[op], comparators=[right]):
                value = repo.value(function, right)
                several = value if isinstance(value, tuple) else (value,)
                telling = isinstance(op, (ast.Eq | ast.In | ast.Is) if holds else (ast.NotEq | ast.NotIn | ast.IsNot))
                if telling and several and all(isinstance(s, str) for s in several):
                    found[path_of(left).removesuffix(".value")] = several
    return found
