"""An ask with its names filled in: what is said, and which rows are meant by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from worldwright.blueprint.expr.nodes import Format, Var, free_names
from worldwright.core.names import to_words
from worldwright.kinds.database.compile.tasks.describe import Describer, Reference, speak
from worldwright.kinds.database.compile.tasks.instances import RowKey
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.unit_of_work import Row

MAX_LEFT_OUT = 2
"""Details of one goal that a requester keeps until asked."""
ASK_ME = "(ask me)"


@dataclass(frozen=True, slots=True)
class WordedRequest:
    """A request in words."""

    text: str
    references: tuple[Reference, ...]
    held_out: bool = False
    """Whether it is a way to ask that is held out for evaluation."""
    open: str = ""
    """The same with some of what is said left out."""
    details: Mapping[str, str] = field(default_factory=dict)
    """What is left out there, by name."""
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
) -> WordedRequest | None:
    """The words of an ask; None where a row in it cannot be named so that it alone is meant, or where what is said of it is so
    only after what was asked before.

    `known` are rows that were spoken of before, and what they are called now.
    """
    uow = sandbox.session.unit_of_work()
    frame = {**{name: uow.row(*at) for name, at in rows.items()}, **said}
    first = sandbox.first_uow()
    opening = {name: first.row(*at) for name, at in rows.items()}
    parts: list[str] = []
    references: list[Reference] = []
    left_out: dict[int, str] = {}
    for part in ask.parts:
        if isinstance(part, str):
            parts.append(part)
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
        if node.type.kind == "ref" and (node.type.entity, value.id) in known:
            parts.append(known[node.type.entity, value.id])
        elif node.type.kind == "ref":
            reference = describer.refer(node.type.entity, value.id, prefer)
            if reference is None:
                return None
            references.append(reference)
            parts.append(reference.text)
        else:
            if isinstance(node, Var) and node.name in said:
                left_out[len(parts)] = node.name
            parts.append(speak(value, node.type, spec))
    last = dict(list(left_out.items())[-MAX_LEFT_OUT:])
    details = {to_words(name): parts[at] for at, name in last.items()}
    whole = "".join(parts)
    rest = "".join(ASK_ME if at in last else part for at, part in enumerate(parts))
    return WordedRequest(whole, tuple(references), describer.is_held_out(ask), rest, details)


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
