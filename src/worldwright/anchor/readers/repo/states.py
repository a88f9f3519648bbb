"""The states that things go through, and the moves between them that the code allows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from worldwright.anchor.evidence import Resource, States
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.limits import words_of
from worldwright.anchor.readers.repo.names import Repo, kind_of
from worldwright.anchor.readers.repo.source import Function, Place
from worldwright.anchor.readers.repo.tree import assigned, head_of, keyword, own_nodes, path_of
from worldwright.english.words import wordset

_STATE_WORDS = wordset("status state stage phase")
_HINTS = wordset("transition transitions allowed next moves flow workflow lifecycle")
_ENDS = (("source", "from", "from_state"), ("dest", "target", "to", "to_state"))
MAX_STATES = 200
Known = dict[str, tuple[str, ...]]
"""By `order.status`: the states that are possible at this point."""


class _Seen(NamedTuple):
    """States and moves at a place in the code, and the names that may tell of which thing they are."""

    names: Sequence[str]
    field: str
    states: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]
    spoken: Collection[str] = ()
    """Classes that are spoken of around a move."""
    file: str = ""
    """Where a table of moves stands."""


def states(repo: Repo, resources: Sequence[Resource]) -> list[States]:
    """The states of every thing that has a field for them: from its words, from the code that sets it, and from tables of moves."""
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
    closed = {(s.resource, s.field) for s in found if s.states}
    for one in (*_tables(repo), *_moves(repo)):
        place = _fitting(found, closed, one)
        if place is not None:
            held = found[place]
            grown = tuple(dict.fromkeys((*held.states, *one.states)))[:MAX_STATES]
            known_states = held.states if (held.resource, held.field) in closed else grown
            moves = tuple(dict.fromkeys((*held.moves, *one.moves)))
            found[place] = replace(held, states=known_states, moves=moves)
    return [s for s in found if s.states]


def _fitting(found: Sequence[States], closed: Collection[tuple[str, str]], one: _Seen) -> int | None:
    """The place of the states that something seen is about: by its names, or else by what stands around it."""
    fits: list[tuple[int, int]] = []
    possible: list[int] = []
    leads_on = {a for a, _ in one.moves} & {b for _, b in one.moves}
    for i, s in enumerate(found):
        listed = (s.resource, s.field) in closed
        if one.field in ("", s.field) and (set(one.states) <= set(s.states) if listed else one.names):
            named = 2 * sum(noun(s.resource)[-len(noun(n)) :] == noun(n) for n in one.names if noun(n))
            near = bool(leads_on) and s.source is not None and s.source.file == one.file
            named += near or bool(one.moves and s.resource in one.spoken)
            fits += [(named, -i)] if named or (listed and not one.field) else []
            possible.append(i)
    alone = possible if len(possible) == 1 and one.field and one.moves else [None]
    return -max(fits)[1] if fits else alone[0]


def _is_state(name: str) -> bool:
    return bool(set(parts(name)[-1:]) & _STATE_WORDS)


def _without_state(name: str) -> str:
    """`Order` of `OrderStatus`."""
    return name[: -len(parts(name)[-1])] if _is_state(name) else name


def _tables(repo: Repo) -> Iterator[_Seen]:
    """`TRANSITIONS = {"draft": ["sent"]}` or a list of pairs: at the top of a file, in a class, or in a function."""
    named: list[tuple[Place, str, ast.expr]] = []
    for one in repo.places:
        named += [(one, name, node) for name, node in one.values.items()]
    for function in repo.functions:
        named += [(function, name, node) for part in function.node.body for name, node in assigned(part)]
        final = function.node.body[-1]
        named += [(function, function.name, final.value)] if isinstance(final, ast.Return) and final.value else []
    for place, name, node in named:
        hinted = bool(_HINTS & set(parts(name)))
        shut = isinstance(place, Function) and not hinted
        pairs = list(_pairs(repo.value(place, node))) if (hinted or isinstance(node, ast.Dict)) and not shut else []
        moves = tuple((a, b) for a, b in pairs if b is not None)
        if moves and len(pairs) <= MAX_STATES and all(isinstance(s, str | None) for pair in pairs for s in pair):
            order = tuple(dict.fromkeys([*(a for a, _ in pairs), *(b for _, b in moves)]))
            owner = _without_state(place.cls.name) if place.cls is not None else ""
            about = "_".join(w for w in parts(name) if w not in _HINTS | _STATE_WORDS)
            yield _Seen([owner, about] if hinted else [], "", order, moves, file=place.module.file)


def _pairs(found: Any) -> Iterator[tuple[Any, Any]]:
    for before, after in found.items() if isinstance(found, dict) else ():
        yield before, None
        yield from ((before, one) for one in (after if isinstance(after, tuple | dict) else ()))
    for part in found if isinstance(found, tuple) else ():
        if isinstance(part, tuple) and len(part) == 2:
            yield part
        elif isinstance(part, dict):  # as libraries for state machines take them
            source, target = (next((part[w] for w in words if w in part), None) for words in _ENDS)
            yield from ((one, target) for one in (source if isinstance(source, tuple) else (source,)) if target)


def _moves(repo: Repo) -> Iterator[_Seen]:
    """What functions set a state to, and what they asked of it before: `if x.status != "new": raise ...`, `x.status = "open"`."""
    for function in repo.functions:
        for decorator in function.node.decorator_list if function.cls is not None else ():
            if head_of(decorator) == "transition":  # of django-fsm
                source, after = (repo.value(function, keyword(decorator, word)) for word in ("source", "target"))
                before = source if isinstance(source, tuple) else (source,)
                field = repo.text(function, keyword(decorator, "field")) or head_of(keyword(decorator, "field"))
                if isinstance(after, str) and all(isinstance(s, str) and s != "*" for s in before):
                    owner = [function.cls.name] if function.cls is not None else []
                    yield _Seen(owner, field, (*before, after), tuple((one, after) for one in before))
        yield from _block(repo, function, function.node.body, {})


def _block(repo: Repo, function: Function, body: Sequence[ast.stmt], known: Known) -> Iterator[_Seen]:
    """The moves in a block of statements. What is known after it stays known to what follows."""
    for node in body:
        match node:
            case ast.If(test=test, body=[*_, final] as then, orelse=otherwise):
                yield from _block(repo, function, then, known | _asked(repo, function, test, True))
                yield from _block(repo, function, otherwise, known | _asked(repo, function, test, False))
                aborts = isinstance(final, ast.Expr) and head_of(final.value) == "abort"
                if aborts or isinstance(final, ast.Raise | ast.Return | ast.Continue | ast.Break):
                    known |= _asked(repo, function, test, False)
            case ast.Assert(test=test):
                known |= _asked(repo, function, test, True)
            case ast.Assign(targets=[ast.Attribute(attr=field) as target], value=value) if _is_state(field):
                after = repo.value(function, value)
                if isinstance(after, str) and " " not in after:
                    yield _seen(function, target, known.get(path_of(target), ()), after)
                    known[path_of(target)] = (after,)
            case ast.For(body=inner) | ast.AsyncFor(body=inner) | ast.While(body=inner) | ast.Try(body=inner):
                yield from _block(repo, function, inner, known)
            case ast.With(body=inner) | ast.AsyncWith(body=inner):
                yield from _block(repo, function, inner, known)


def _seen(function: Function, target: ast.Attribute, known: Sequence[str], after: str) -> _Seen:
    """One move, with the names that may tell of which thing: of the variable, its type, and the classes that are spoken of."""
    own = function.cls.name if function.cls and path_of(target.value) == "self" else head_of(target.value)
    types = [head_of(a.annotation) for a in function.node.args.args if a.arg == own]
    before = tuple(s for s in known if s != after)
    spoken = {node.id for node in own_nodes(function.node) if isinstance(node, ast.Name) and node.id[:1].isupper()}
    return _Seen([own, *types], target.attr, (*before, after), tuple((b, after) for b in before), spoken)


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
