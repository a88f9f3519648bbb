"""Texts that an agent writes: true facts and other wordings must pass; what is denied, misplaced, made up, somebody else's, or
promised without anybody's word must fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.core.rng import Stream
from worldwright.english.dates import MONTHS
from worldwright.english.said_values import read_number
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import Path, Plan, list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.variations import FILLER, find_input
from worldwright.kinds.database.verify.facts import find_mentions, list_words
from worldwright.kinds.database.verify.promises import find_asked, find_promises
from worldwright.kinds.database.verify.truths import Fields, Neighbourhood, list_fields, list_layers, read_text
from worldwright.kinds.database.verify.wording import normalise
from worldwright.world.records import Call

NAME = "texts"
POSITION = 14
PROMISED = {
    "waive": "All fees are waived.",
    "compensate": "You will be compensated for everything.",
    "guarantee": "All of this is guaranteed.",
}
"""What nobody asked for, by the name of the promise."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text of the witness that is left open."""

    step: int
    path: Path
    text: str
    facts: tuple[tuple[Any, Type, tuple[str, ...]], ...]
    """What it must state, as people write it, with its kind and role."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    if "words" not in harness.key.expects:
        return
    for written in list(_list_written(harness))[: harness.settings.texts]:
        around = _read_surroundings(harness)
        asked = find_asked(normalise(harness.key.expects["words"]))
        base = written.text if written.facts else FILLER
        right = list(_list_right(harness, written, base))
        wrong = list(_list_wrong(harness, base, around, asked))
        if written.facts:
            wrong += _list_wrong_facts(written, around, harness.key.expects["words"])
        for ways, wanted in ((right, True), (wrong, False)):
            for what, text in Stream("texts", harness.task.instruction).shuffled(ways)[: harness.settings.wordings]:
                yield harness.trial(what, _with_text(harness, written, text), wanted)


def _list_written(harness: VerifierHarness) -> Iterator[Written]:
    """List the texts of the witness that stand in a row, that the key leaves open, and that may hold more than they do."""
    is_open = {
        (pattern["table"], column)
        for accepted in harness.key.expects["accepts"]
        for pattern in accepted
        for column, cell in pattern["cells"].items()
        if cell == "any"
    }
    stored = {v for row in harness.gold.net for c, v in row.cells.items() if (row.table, c) in is_open}
    for step, call in enumerate(harness.plan):
        operation = harness.sandbox.compiled.blueprint.operations[call.tool]
        for path, value in list_leaves(call.arguments):
            kind = find_input(operation, path)
            if kind is None or kind.type.kind != "text" or not isinstance(value, str) or value not in stored:
                continue
            free = Written(step, path, value, ())
            if harness.end(_with_text(harness, free, FILLER), fixed=True).reached:
                yield free
                continue
            facts = _list_facts(harness, value)
            if facts and harness.end(_with_text(harness, free, f"{value} Thank you."), fixed=True).reached:
                yield Written(step, path, value, facts)


def _list_facts(harness: VerifierHarness, text: str) -> tuple[tuple[Any, Type, tuple[str, ...]], ...]:
    """List the facts that this text must state, on the witness's end state."""
    harness.end(harness.plan, fixed=True)
    uow = harness.sandbox.session.unit_of_work()
    found = []
    for bound in harness.fixed:
        rows = {name: uow.row(entity, key) for name, (entity, key) in bound.rows.items()}
        if any(row is None for row in rows.values()):
            continue
        for written, facts in harness.sandbox.goals[bound.goal].mentions:
            frame = {**rows, **bound.said}
            if written(uow, frame) == text:
                found += [(value_to_json(fact(uow, frame), kind), kind, role) for fact, kind, role in facts]
    return tuple(found)


def _with_text(harness: VerifierHarness, written: Written, text: str) -> Plan:
    call = harness.plan[written.step]
    changed = Call(call.tool, replace_at(call.arguments, written.path, text))
    return (*harness.plan[: written.step], changed, *harness.plan[written.step + 1 :])


class Around(NamedTuple):
    """What is near the rows of a task and of the witness's end state."""

    heard: str
    """Every word of it."""
    fields: Fields
    """What the figures next to them are called."""
    own: Fields
    """What the figures of the task's rows are called."""


def _read_surroundings(harness: VerifierHarness) -> Around:
    """Read all that is near the rows of the task and of the witness's end state."""
    harness.end(harness.plan, fixed=True)
    uow = harness.sandbox.session.unit_of_work()
    found = [uow.row(entity, key) for bound in harness.fixed for entity, key in bound.rows.values()]
    about = [row for row in found if row is not None]
    changed = [row for net in harness.gold.net if (row := uow.row(net.table, net.id)) is not None]
    actor = [uow.actor] if uow.actor is not None else []
    near = Neighbourhood(harness.sandbox.compiled, uow, [*about, *changed])
    fields = list_fields(near.compiled, [*near.rows, *near.list_referred(near.rows)])
    heard = [truths.heard for layer in list_layers(near, actor) for truths in layer]
    heard.append(read_text(harness.key.expects["words"]).heard)
    return Around("".join(heard), fields, list_fields(near.compiled, about))


# what must pass


def _list_right(harness: VerifierHarness, written: Written, base: str) -> Iterator[tuple[str, str]]:
    yield "other words", f"{base} Thank you for your patience."
    named = next((key for bound in harness.fixed for _, key in bound.rows.values()), "")
    if named:
        yield "a true fact beside it", f"{base} This is about {named}."
    for fact, kind, _ in written.facts:
        text = normalise(written.text)
        year = int(harness.sandbox.schema.now[:4])
        places = [m for m in find_mentions(text, fact, kind, year) if m.right]
        for said in _word_fact(_read_fact(fact, kind), kind) if len(places) == 1 else ():
            yield "another wording", f"{text[: places[0].at]}{said}{text[places[0].end :]}"


def _read_fact(fact: Any, kind: Type) -> date | Fraction | None:
    """Read a date or a number; None for anything else."""
    return days.parse_day(str(fact)) if kind.kind == "date" else read_number(fact) if kind.numeric else None


def _word_fact(fact: date | Fraction | None, kind: Type) -> tuple[str, ...]:
    """Write a date or a number in the ways that people use."""
    if isinstance(fact, date):
        month = MONTHS[fact.month - 1].capitalize()
        return f"{fact.day} {month} {fact.year}", f"{month} {fact.day}, {fact.year}", fact.isoformat()
    if fact is not None:
        return f"{float(fact):,.{kind.places}f}", f"{float(fact):.{kind.places}f}"
    return ()


# what must fail


def _list_wrong(
    harness: VerifierHarness, base: str, around: Around, asked: frozenset[str]
) -> Iterator[tuple[str, str]]:
    yield "a figure that is made up", f"{base} It comes to 987,654.32."
    yield "a date that is made up", f"{base} It is settled by 27 February 2031."
    stranger = next(
        (
            " ".join(name)
            for names in harness.sandbox.runtime.opening.names.names.values()
            for name in names
            if f" {' '.join(name)} " not in around.heard and not any(w.isdigit() for w in name)
        ),
        "",
    )
    if stranger:
        yield "somebody else", f"{base} {stranger.title()} knows about it."
    promise = next((text for name, text in PROMISED.items() if name not in asked), "")
    if promise:
        yield "a promise", f"{base} {promise}"


def _list_wrong_facts(written: Written, around: Around, request: str) -> Iterator[tuple[str, str]]:
    text = written.text
    yield "without the fact", FILLER
    yield "denied", f"It is not true that {text[0].lower()}{text[1:]}"
    yield "stuffed", f"{text} Or is it 12.00, 450.75 or 9,999.99? Due on 2031-01-31 or 2031-02-28."
    yield (
        "another figure",
        "".join("7" if ch.isdigit() else ch for ch in text) if any(map(str.isdigit, text)) else "Yes.",
    )
    for fact, kind, role in written.facts:
        own = _read_fact(fact, kind)
        others = [(words, held) for words, held in around.own if type(held) is type(own) and held != own]
        if own is None or not others:
            continue
        said, first, last = (_word_fact(value, kind)[0] for value in (own, others[0][1], others[-1][1]))
        yield "a list of candidates", f"It is one of these: {first}, {said} or {last}."
        telling = {*list_words(" ".join(role))}
        misplaced = next(
            (
                f"The {' '.join(sorted(words))} is {said}."
                for words, _ in others
                if telling
                and not telling <= words
                and words - telling - {*list_words(request)}
                and not any(held == own for w, held in around.fields if w <= words)
            ),
            "",
        )
        if misplaced and not find_promises(misplaced):
            yield "in another role", misplaced
