"""The states that things go through, and the moves between them that the code allows."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from worldwright.anchor.evidence import Field, Resource, Source, States
from worldwright.anchor.names import noun as words_of_name
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.enums import words_of
from worldwright.anchor.readers.repo.families import family
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Class, Function, Module, keyword, last, path_of, top_level

noun = lru_cache(maxsize=10_000)(words_of_name)
STATE_WORDS = frozenset({"status", "state", "stage", "phase"})
_HINTS = frozenset({"transition", "transitions", "allowed", "next", "moves", "flow", "workflow", "lifecycle"})
_FROM = ("source", "from", "from_state", "from_status", "src")
_TO = ("dest", "to", "target", "to_state", "to_status", "dst")
MAX_STATES = 200
MAX_RESOURCES = 1_000
"""That have states."""
MAX_TABLES = 200
MAX_UNHINTED = 40
"""States in a table whose name does not say what it is."""
MAX_MOVES = 2_000


@dataclass(frozen=True, slots=True)
class _Table:
    """A transition table in the code."""

    name: str
    moves: tuple[tuple[str, str], ...]
    states: tuple[str, ...]
    module: Module
    cls: Class | None
    source: Source
    hinted: bool
    """Whether its name says that it is one."""


def states(repo: Repo, resources: Sequence[Resource]) -> list[States]:
    """The states of every thing that has a field for them."""
    found = [
        States(t.name, f.name, tuple(str(v) for v in f.shape.enum), source=f.source)
        for t in resources
        for f in t.fields
        if _is_state(f)
    ]
    found = found[:MAX_RESOURCES]
    known = {frozenset(s.states) for s in found}
    for cls in repo.classes():
        if len(found) < MAX_RESOURCES:
            _name_states(found, known, resources, repo, cls)
    for table in islice(_tables(repo), MAX_TABLES):
        _attach(found, resources, table)
    closed = {(t.name, f.name) for t in resources for f in t.fields if f.shape.enum}
    for move in islice(moves(repo), MAX_MOVES):
        _add_move(found, closed, move)
    return [s for s in found if s.states]


def _is_state(field: Field) -> bool:
    words = parts(field.name)
    return bool(words) and words[-1] in STATE_WORDS and field.shape.kind in ("string", "integer", "any")


def _name_states(
    found: list[States], known: set[frozenset[str]], resources: Sequence[Resource], repo: Repo, cls: Class
) -> None:
    """An enumeration such as `OrderStatus` that no field has: the states of an order all the same."""
    if parts(cls.name)[-1:] not in {(w,) for w in STATE_WORDS} or family(repo, cls) != "enum":
        return
    values = [value for value, _ in words_of(repo, cls)]
    named = tuple(v for v in values if isinstance(v, str)) or tuple(n for n in cls.values if not n.startswith("_"))
    if not named or {str(v) for v in values} in known:
        return
    known.add(frozenset(named))
    resource = _named_thing(cls.name, resources)
    empty = next((i for i, s in enumerate(found) if resource and s.resource == resource and not s.states), None)
    if empty is not None:
        found[empty] = replace(found[empty], states=named)
    elif resource or len(parts(cls.name)) > 1:
        found.append(States(resource or cls.name[: -len(parts(cls.name)[-1])], "", named, source=cls.source))


# transition tables


def _tables(repo: Repo) -> Iterator[_Table]:
    for module in repo.modules:
        yield from _tables_in(repo, Scope(module), module.tree.body)
        for cls in module.classes.values():
            yield from _tables_in(repo, Scope(module, cls), cls.node.body)
    for function in repo.functions:
        yield from _tables_in(repo, Scope(function.module, function.cls), function.node.body, function.title)


def _tables_in(repo: Repo, scope: Scope, body: Sequence[ast.stmt], title: str = "") -> Iterator[_Table]:
    name_hinted = bool(_HINTS & set(parts(title)))
    for node in top_level(body):
        match node:
            case ast.Return(value=ast.Dict() as value) if name_hinted:
                pairs, named = _pairs(repo.value(scope, value), True)
                if pairs:
                    yield _Table(title, pairs, named, scope.module, scope.cls, scope.module.source(node), True)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() | ast.List() | ast.Tuple() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() | ast.List() | ast.Tuple() as value)
            ):
                hinted = bool(_HINTS & set(parts(name)))
                if not hinted and not (isinstance(value, ast.Dict) and len(value.keys) <= MAX_UNHINTED):
                    continue
                pairs, named = _pairs(repo.value(scope, value), hinted)
                if pairs:
                    source = scope.module.source(node)
                    yield _Table(name, pairs, named, scope.module, scope.cls, source, hinted)


def _pairs(found: Any, hinted: bool) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The moves in a table, and its states in order; nothing where it is no table of moves."""
    pairs: list[tuple[str, str]] = []
    if isinstance(found, dict):
        for state, after in found.items():
            several = after if isinstance(after, tuple) else tuple(after) if isinstance(after, dict) else (after,)
            plain = isinstance(after, str | None) and hinted
            if not isinstance(state, str) or not (isinstance(after, tuple | dict) or plain):
                return (), ()
            if not all(isinstance(s, str) for s in several if s is not None):
                return (), ()
            pairs += [(state, s) for s in several if isinstance(s, str)]
        named = [s for s in found if isinstance(s, str)]
    elif isinstance(found, tuple) and hinted:
        pairs = [p for part in found for p in _listed(part)]
        named = []
    else:
        return (), ()
    order = tuple(dict.fromkeys([*named, *(s for pair in pairs for s in pair)]))
    return (tuple(dict.fromkeys(pairs)), order) if len(order) <= MAX_STATES else ((), ())


def _listed(part: Any) -> Iterator[tuple[str, str]]:
    """One entry of a list of moves: a pair, or a record with a source and a target."""
    if isinstance(part, tuple) and len(part) == 2 and all(isinstance(s, str) for s in part):
        yield part[0], part[1]
    elif isinstance(part, dict):
        source = next((part[k] for k in _FROM if k in part), None)
        target = next((part[k] for k in _TO if k in part), None)
        for state in source if isinstance(source, tuple) else (source,):
            if isinstance(state, str) and isinstance(target, str):
                yield state, target


def _attach(found: list[States], resources: Sequence[Resource], table: _Table) -> None:
    """A table's moves at the states that it is about; as states of its own where none are known."""
    words = set(table.states)
    fitting = [i for i, s in enumerate(found) if s.states and words <= set(s.states)]
    if not fitting:
        if not table.hinted or not {after for _, after in table.moves} & {before for before, _ in table.moves}:
            return  # leads nowhere from where it leads: a table of something else
        fitting = [i for i, s in enumerate(found) if not s.states and _about(table, s, resources)]
    if fitting:
        best = max(fitting, key=lambda i: (_about(table, found[i], resources), -i))
        held = found[best]
        merged = tuple(dict.fromkeys((*held.moves, *table.moves)))
        found[best] = replace(held, moves=merged, states=held.states or table.states)
        return
    resource = table.cls.name if table.cls is not None and any(t.name == table.cls.name for t in resources) else ""
    resource = resource or _named_thing(table.name, resources)
    found.append(States(resource, "", table.states, table.moves, table.source))


def _about(table: _Table, states: States, resources: Sequence[Resource]) -> int:
    """Return how much speaks for a table being about a thing."""
    score = 0
    if table.cls is not None and table.cls.name == states.resource:
        score += 4
    if set(noun(states.resource)) & {w for w in parts(table.name) if w not in _HINTS}:
        score += 2
    source = next((t.source for t in resources if t.name == states.resource), None)
    if source is not None and source.file == table.module.file:
        score += 1
    return score


def _named_thing(name: str, resources: Sequence[Resource]) -> str:
    words = {w for w in parts(name) if w not in _HINTS and w not in STATE_WORDS}
    return next((t.name for t in resources if words and words <= set(noun(t.name))), "")


# moves in functions


def _add_move(found: list[States], closed: Container[tuple[str, str]], move: Move) -> None:
    """A move at the states that it belongs to. Fields that list their states get no others; all else grows with what is set."""
    words = {*move.before, move.after}
    named = [i for i, s in enumerate(found) if s.field == move.field]
    fitting = [i for i in named if (found[i].resource, move.field) not in closed or words <= set(found[i].states)]
    near = [i for i in fitting if _tail(noun(move.holder), noun(found[i].resource))]
    mentioned = [i for i in fitting if found[i].resource in move.hints]
    both = [i for i in near if i in mentioned]
    chosen = next((c for c in (both, near, mentioned) if c), fitting if len(fitting) == 1 else [])
    if not chosen:
        return
    held = found[chosen[0]]
    pairs = ((before, move.after) for before in move.before)
    grown = dict.fromkeys((*held.states, *move.before, move.after))
    found[chosen[0]] = replace(
        held,
        moves=tuple(dict.fromkeys((*held.moves, *pairs))),
        states=held.states if (held.resource, held.field) in closed else tuple(grown)[:MAX_STATES],
    )


def _tail(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return bool(short) and long[-len(short) :] == short


# Moves between states that functions make: what a state must be before, and what it is set to.


_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Move:
    """A function that takes something from one of several states to another."""

    holder: str
    """The variable that holds the thing."""
    field: str
    before: tuple[str, ...]
    after: str
    hints: tuple[str, ...]
    """Names of classes that occur in the function."""
    source: Source


Known = dict[str, tuple[str, ...]]
"""By `order.status`: the states that are possible at this point."""


def moves(repo: Repo) -> Iterator[Move]:
    """Every move that a function guards, in order of the files."""
    for function in repo.functions:
        yield from _decorated(repo, function)
        yield from _block(repo, function, function.node.body, {}, 0)


def _hints(function: Function) -> tuple[str, ...]:
    names = [function.cls.name] if function.cls is not None else []
    names += [n.id for n in ast.walk(function.node) if isinstance(n, ast.Name)]
    names += [
        last(n.value) for n in ast.walk(function.node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return tuple(dict.fromkeys(n for n in names if n[:1].isupper()))[:50]


def _block(repo: Repo, function: Function, body: list[ast.stmt], known: Known, depth: int) -> Iterator[Move]:
    """The moves in a block of statements. What is known after it stays known to what follows."""
    scope = Scope(function.module, function.cls)
    if depth > _DEEPEST:
        return
    for node in body:
        match node:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _block(repo, function, then, known | _if_holds(repo, scope, test, True), depth + 1)
                yield from _block(repo, function, otherwise, known | _if_holds(repo, scope, test, False), depth + 1)
                if _leaves(then):
                    known |= _if_holds(repo, scope, test, False)
            case ast.Assert(test=test):
                known |= _if_holds(repo, scope, test, True)
            case ast.Assign(targets=[ast.Attribute(attr=field, value=holder) as target], value=value):
                path, after = path_of(target), repo.value(scope, value)
                if path and isinstance(after, str) and " " not in after:
                    before = tuple(s for s in known.get(path, ()) if s != after)
                    if before:
                        source = function.module.source(node)
                        yield Move(_holder(path_of(holder), function), field, before, after, _hints(function), source)
                    known[path] = (after,)
            case ast.For(body=inner) | ast.While(body=inner) | ast.With(body=inner) | ast.AsyncWith(body=inner):
                yield from _block(repo, function, inner, known, depth + 1)
            case ast.AsyncFor(body=inner) | ast.Try(body=inner):
                yield from _block(repo, function, inner, known, depth + 1)


def _holder(path: str, function: Function) -> str:
    return function.cls.name if path == "self" and function.cls is not None else last(path)


def _leaves(body: list[ast.stmt]) -> bool:
    """Tell whether a block never goes on to what follows it."""
    final = body[-1] if body else None
    if isinstance(final, ast.Expr) and isinstance(final.value, ast.Call):
        return last(path_of(final.value)) == "abort"
    return isinstance(final, ast.Raise | ast.Return | ast.Continue | ast.Break)


def _if_holds(repo: Repo, scope: Scope, test: ast.expr, holds: bool, depth: int = 0) -> Known:
    """Return what is known of states where a condition holds, or where it does not."""
    if depth > 6:
        return {}
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _if_holds(repo, scope, operand, not holds, depth + 1)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) != holds:
                return {}
            found: Known = {}
            for value in values[:10]:
                found |= _if_holds(repo, scope, value, holds, depth + 1)
            return found
        case ast.Compare(left=ast.Attribute() as left, ops=[op], comparators=[right]):
            equal = isinstance(op, ast.Eq | ast.Is | ast.In)
            if equal != holds or not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot):
                return {}
            value = repo.value(scope, right)
            states = value if isinstance(value, tuple) else (value,)
            path = path_of(left).removesuffix(".value")
            if path and states and all(isinstance(s, str) for s in states):
                return {path: tuple(states)}
    return {}


def _decorated(repo: Repo, function: Function) -> Iterator[Move]:
    """`@transition(field=status, source="new", target="open")`."""
    scope = Scope(function.module, function.cls)
    for decorator in function.node.decorator_list:
        if not isinstance(decorator, ast.Call) or last(path_of(decorator)) != "transition":
            continue
        field = keyword(decorator, "field")
        source = repo.value(scope, keyword(decorator, "source"))
        target = repo.value(scope, keyword(decorator, "target"))
        before = source if isinstance(source, tuple) else (source,)
        if (
            isinstance(target, str)
            and all(isinstance(s, str) and s != "*" for s in before)
            and function.cls is not None
        ):
            name = last(path_of(field)) or repo.text(scope, field)
            place = function.module.source(function.node)
            yield Move(function.cls.name, name, tuple(before), target, (function.cls.name,), place)
