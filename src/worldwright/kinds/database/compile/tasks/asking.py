"""An ask with its names filled in: what is said, and which rows are meant by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from worldwright.blueprint.checked import Goal, Talk
from worldwright.blueprint.expr.nodes import Format, Var, free_names
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, speak
from worldwright.kinds.database.compile.tasks.instances import RowKey
from worldwright.kinds.database.compile.tasks.kept_back import Piece, keep_back
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.tasks import Fact


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
    adds: tuple[str, ...] = ()
    """What comes to the requester's mind later, where the conversation has a second thought."""
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

    def word(text: Format) -> list[Piece] | None:
        return _word_pieces(sandbox, describer, text, rows, said, prefer, known)

    pieces = word(ask)
    if pieces is None:
        return None
    references = tuple(piece.reference for piece in pieces if piece.reference is not None)
    whole = WordedRequest("".join(p.text for p in pieces), references, describer.is_held_out(ask))
    if goal is not None and goal.talk is not None:
        return _begin_talk(whole, goal.talk, word, prefer)
    opening, facts = keep_back(pieces, goal)
    return replace(whole, open=opening, facts=facts)


def _begin_talk(
    whole: WordedRequest, talk: Talk, word: Callable[[Format], list[Piece] | None], prefer: int
) -> WordedRequest:
    """Open the conversation; the request stays whole where some of it cannot be said."""
    texts = [talk.opens[prefer % len(talk.opens)], *talk.adds, *(known.says for known in talk.knows)]
    worded = ["".join(p.text for p in pieces) for pieces in map(word, texts) if pieces is not None]
    if len(worded) < len(texts):
        return whole
    opening, *adds = worded[: 1 + len(talk.adds)]
    says = worded[1 + len(talk.adds) :]
    facts = (Fact(k.name, k.kind, k.called, said, k.asked) for k, said in zip(talk.knows, says, strict=True))
    return replace(whole, open=opening, facts=tuple(facts), adds=tuple(adds))


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
