"""An ask with its names filled in: what is said, and which rows are meant by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from worldwright.blueprint.checked import Goal, Talk
from worldwright.blueprint.expr.nodes import Format, Var, free_names
from worldwright.core.rng import Stream
from worldwright.kinds.database.arguments import write_arguments
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, speak
from worldwright.kinds.database.compile.tasks.instances import RowKey
from worldwright.kinds.database.compile.tasks.kept_back import Piece, keep_back
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.tasks import Act, Fact

MAX_DRAWS = 8
"""Values that are tried for what is taken back, until one differs from what is right."""


@dataclass(frozen=True, slots=True)
class WordedRequest:
    """A request in words."""

    text: str
    references: tuple[Reference, ...]
    held_out: bool = False
    """Whether it is a way to ask that is held out for evaluation."""
    open: str = ""
    """The same with some of what is said left out; empty where nothing is."""
    facts: tuple[Fact, ...] = ()
    """What is left out there."""
    acts: tuple[Act, ...] = ()
    """What the requester does themselves when they are asked to."""
    changes: tuple[str, ...] = ()
    """What the requester thinks better of."""
    adds: tuple[str, ...] = ()
    """What comes to the requester's mind later, where the conversation has a second thought."""
    misled: tuple[tuple[Any, Any], ...] = ()
    """What is right, and what the requester believes or wishes at first instead of it, as arguments hold them."""
    apart: bool = False
    """Whether it has nothing to do with what was asked before it."""


def word_request(
    sandbox: Sandbox,
    describer: Describer,
    ask: Format,
    rows: Mapping[str, RowKey],
    said: Mapping[str, Any],
    prefer: int,
    known: Mapping[RowKey, str] = MappingProxyType({}),
    goal: Goal | None = None,
) -> WordedRequest | None:
    """The words of an ask; None where a row in it cannot be named so that it alone is meant, or where what is said of it is so
    only after what was asked before.

    `known` are rows that were spoken of before, and what they are called now. With the goal, it is said as a conversation too.
    """

    def word(text: Format, drawn: Mapping[str, Any] = MappingProxyType({})) -> list[Piece] | None:
        return _word_pieces(sandbox, describer, text, rows, {**said, **drawn}, prefer, known)

    pieces = word(ask)
    if pieces is None:
        return None
    references = tuple(piece.reference for piece in pieces if piece.reference is not None)
    whole = WordedRequest("".join(p.text for p in pieces), references, describer.is_held_out(ask))
    if goal is not None and goal.talk is not None:
        talk, path = goal.talk, ("talk", goal.name, prefer, *sorted(rows.items()))
        if not talk.draws:
            return _begin_talk(whole, talk, word, prefer, _bind_acts(sandbox, talk, rows, said))
        for k in range(MAX_DRAWS):
            drawn = _draw(sandbox, talk, rows, said, (*path, k))
            if drawn is not None:
                acts = _bind_acts(sandbox, talk, rows, said)
                found = _begin_talk(whole, talk, partial(word, drawn=drawn), prefer, acts)
                if found is not whole:
                    return replace(found, misled=tuple(_list_misled(goal, talk, said, drawn)))
        return whole
    opening, facts = keep_back(pieces, goal)
    return replace(whole, open=opening, facts=facts)


def _begin_talk(
    whole: WordedRequest,
    talk: Talk,
    word: Callable[[Format], list[Piece] | None],
    prefer: int,
    acts: tuple[Act, ...] | None,
) -> WordedRequest:
    """Open the conversation; the request stays whole where some of it cannot be said, or where what is taken back is right."""
    told, thought = (tuple(k.says for k in talk.knows), tuple(k.thinks or k.says for k in talk.knows))
    parts = [(talk.opens[prefer % len(talk.opens)],), talk.changes, talk.adds, told, thought]
    pieces = [[word(text) for text in texts] for texts in parts]
    if acts is None or any(text is None for texts in pieces for text in texts):
        return whole
    spoken = [p for texts in pieces for text in texts for p in text or () if p.node is not None]
    taken_back = {p.text for p in spoken if _is_drawn(p, talk)}
    if taken_back & {p.text for p in spoken if not _is_drawn(p, talk)}:
        return whole
    opens, changes, adds, *says = (["".join(p.text for p in text or ()) for text in texts] for texts in pieces)
    facts = (
        Fact(k.name, k.kind, k.called, true, k.asked, believed if k.thinks is not None else "")
        for k, true, believed in zip(talk.knows, *says, strict=True)
    )
    return replace(whole, open=opens[0], facts=tuple(facts), acts=acts, changes=tuple(changes), adds=tuple(adds))


def _list_misled(
    goal: Goal, talk: Talk, said: Mapping[str, Any], drawn: Mapping[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """Yield each stated value for which another is said first, where it is plain for which."""
    texts = (*talk.changes, *(fact.says for fact in talk.knows))
    names = {n for text in texts for part in text.parts if not isinstance(part, str) for n in free_names(part[0])}
    for name, (kind, _) in talk.draws.items():
        meant = [n for n in sorted(names & said.keys()) if goal.states[n] == kind]
        if len(meant) == 1:
            yield to_json(said[meant[0]], kind), to_json(drawn[name], kind)


def _is_drawn(piece: Piece, talk: Talk) -> bool:
    return piece.node is not None and bool(free_names(piece.node) & talk.draws.keys())


def _draw(
    sandbox: Sandbox, talk: Talk, rows: Mapping[str, RowKey], said: Mapping[str, Any], path: tuple[Any, ...]
) -> dict[str, Any] | None:
    """Draw what is said first and taken back; None where there is nothing to be drawn."""
    uow = sandbox.uow(*path)
    drawn: dict[str, Any] = {}
    for name, (_, node) in talk.draws.items():
        uow.stream = Stream(*path, name)
        drawn[name] = sandbox.compiled.evaluator.bind(node)(uow, sandbox.frame(uow, rows, {**said, **drawn}))
    return None if any(value is None for value in drawn.values()) else drawn


def _bind_acts(
    sandbox: Sandbox, talk: Talk, rows: Mapping[str, RowKey], said: Mapping[str, Any]
) -> tuple[Act, ...] | None:
    """What the requester does when they are asked to, with the arguments of this request; None where one of these is missing."""
    uow = sandbox.uow("acts")
    frame = sandbox.frame(uow, rows, said)
    out = []
    for act in talk.does:
        operation = sandbox.compiled.blueprint.operations[act.operation]
        values = {name: sandbox.compiled.evaluator.bind(node)(uow, frame) for name, node in act.args}
        if any(values.get(i.name) is None and not i.optional and i.default is None for i in operation.inputs):
            return None
        out.append(Act(act.name, act.called, act.asked, act.operation, write_arguments(operation, values), act.says))
    return tuple(out)


def _word_pieces(
    sandbox: Sandbox,
    describer: Describer,
    ask: Format,
    rows: Mapping[str, RowKey],
    said: Mapping[str, Any],
    prefer: int,
    known: Mapping[RowKey, str],
) -> list[Piece] | None:
    uow = sandbox.session.unit_of_work()
    frame = {**{name: uow.row(*at) for name, at in rows.items()}, **said}
    first = sandbox.first_uow()
    opening = {name: first.row(*at) for name, at in rows.items()}
    out: list[Piece] = []
    for part in ask.parts:
        if isinstance(part, str):
            out.append(Piece(part))
            continue
        node, spec = part
        run = sandbox.compiled.evaluator.bind(node)
        value = run(uow, frame)
        if value is None:
            return None
        if all(opening[name] is not None for name in free_names(node) & rows.keys()):
            before = run(first, {**opening, **said})
            if (before.id if isinstance(before, Row) else before) != (value.id if isinstance(value, Row) else value):
                return None
        if node.type.kind != "ref":
            out.append(Piece(speak(value, node.type, spec), node))
        elif (node.type.entity, value.id) in known:
            out.append(Piece(known[node.type.entity, value.id]))
        else:
            reference = describer.refer(node.type.entity, value.id, prefer)
            if reference is None:
                return None
            out.append(Piece(reference.text, node, reference))
    return out


def means_one(sandbox: Sandbox, name: str, ask: Format, rows: Mapping[str, RowKey], said: Mapping[str, Any]) -> bool:
    """Return whether what an ask says of each given fits that row alone, among all that the goal could be about.

    A row that is named outright was checked when it was described; one that is only hinted at (`{b.guest.name} is at the desk`)
    is meant only if no other row would be spoken of in the same words.
    """
    compiled = sandbox.goals[name]
    gone = {kind.entity: sandbox.list_gone(kind.entity) for kind in compiled.goal.given.values()}
    uow = sandbox.session.unit_of_work()
    frame = {**{k: uow.row(*at) for k, at in rows.items()}, **said}
    parts = [part for part in ask.parts if not isinstance(part, str)]
    for variable, kind in compiled.goal.given.items():
        if any(isinstance(node, Var) and node.name == variable for node, _ in parts):
            continue
        own = [sandbox.compiled.evaluator.value(node) for node, _ in parts if variable in free_names(node)]
        mine = [run(uow, frame) for run in own]
        test = compiled.where.get(variable)
        for row in uow.rows(kind.entity):
            other = {**frame, variable: row}
            if (
                row.id == rows[variable][1]
                or row.id in gone[kind.entity]
                or (test is not None and not test(uow, {**other, "self": row}))
            ):
                continue
            if [run(uow, other) for run in own] == mine:
                return False
    return True
