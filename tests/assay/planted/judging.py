"""Flaws that cannot be said in data: a specification with an assertion less, or an episode seen the wrong way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tests.assay.planted.keys import ANSWER, CHANGES, GOALS, RULES

from worldwright.english.said_values import read_number
from worldwright.kinds.database.verify.spec import Episode, Reported, Specification, Stated


def as_it_is(episode: Episode) -> Episode:
    return episode


@dataclass(frozen=True, slots=True)
class Flawed:
    """A verifier with something wrong: what it asks of an episode, and how it sees one."""

    spec: Specification
    seen: Callable[[Episode], Episode] = as_it_is
    touches: frozenset[str] = frozenset({"answer", "changes", "goals", "rules"})
    """The parts of the verdict that can come out otherwise. Where another part fails, so does the whole."""


Planted: TypeAlias = Iterator[tuple[str, Flawed]]


# an assertion dropped


def goal_not_looked_at(spec: Specification) -> Planted:
    for k, goal in enumerate(spec.goals):
        rest = tuple(g for i, g in enumerate(spec.goals) if i != k)
        yield f"{k} {goal.name}", Flawed(replace(spec, goals=rest))


def no_goal_looked_at(spec: Specification) -> Planted:
    if spec.goals:
        yield "goals", Flawed(replace(spec, goals=()))


def frame_not_looked_at(spec: Specification) -> Planted:
    yield "frame", Flawed(replace(spec, framed=False))


def rules_not_looked_at(spec: Specification) -> Planted:
    yield "rules", Flawed(replace(spec, rules=(), no_others=False))


def rule_not_looked_at(spec: Specification) -> Planted:
    for rule in spec.rules:
        yield rule, Flawed(spec, lambda e, rule=rule: replace(e, broken=tuple(r for r in e.broken if r != rule)))  # type: ignore[misc]


def neither_rule_nor_goal(spec: Specification) -> Planted:
    """Goals often hold only where a rule is kept, so that either catches what the other lets through."""
    for where, flawed in (*rule_not_looked_at(spec), *rules_not_looked_at(spec)):
        yield where, replace(flawed, spec=replace(flawed.spec, goals=()))


def other_rules_not_looked_at(spec: Specification) -> Planted:
    yield "rules", Flawed(replace(spec, no_others=False))


def answer_not_looked_at(spec: Specification) -> Planted:
    yield "answer", Flawed(replace(spec, answers=()))


def text_not_looked_at(spec: Specification) -> Planted:
    for k in range(len(spec.texts)):
        yield str(k), Flawed(replace(spec, texts=tuple(t for i, t in enumerate(spec.texts) if i != k)))


def claims_not_looked_at(spec: Specification) -> Planted:
    """What texts say besides the demanded facts is not held against the state."""
    if spec.request is not None:
        yield "claims", Flawed(replace(spec, request=None))


# a comparison loosened


def not_submitted_will_do(spec: Specification) -> Planted:
    yield "submitted", Flawed(spec, lambda e: replace(e, submitted=True))


def about_the_number(spec: Specification) -> Planted:
    """A number may be off by one in its last place."""
    for part in spec.answers:
        if part.kind is not None and part.kind.numeric and part.works_out is None:
            yield part.name, Flawed(spec, lambda e, part=part: _with_answer(e, part, _rounded))  # type: ignore[misc]
        elif part.kind is not None and part.kind.numeric and part.kind.places:
            coarser = replace(part, kind=replace(part.kind, places=part.kind.places - 1))
            answers = tuple(coarser if p is part else p for p in spec.answers)
            yield part.name, Flawed(replace(spec, answers=answers))


def superset_will_do(spec: Specification) -> Planted:
    """A list may name more than it should."""
    for part in spec.answers:
        if part.kind is None:
            yield part.name, Flawed(spec, lambda e, part=part: _with_answer(e, part, _only_right))  # type: ignore[misc]


def subset_will_do(spec: Specification) -> Planted:
    """A list may name less than it should."""
    for part in spec.answers:
        if part.kind is None and part.value:
            yield part.name, Flawed(spec, lambda e, part=part: _with_answer(e, part, _rest_too))  # type: ignore[misc]


def denial_not_understood(spec: Specification) -> Planted:
    """A text is read without its `not`."""
    yield from _reading(spec, lambda text: re.sub(r"\bnot |n't\b|It is not true that ", "", text))


def stuffing_not_seen(spec: Specification) -> Planted:
    """Of a text, only the first sentence is read."""
    yield from _reading(spec, lambda text: re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0])


# a change not seen


def removals_not_seen(spec: Specification) -> Planted:
    yield "removed", Flawed(spec, lambda e: replace(e, changes=[c for c in e.changes if c.after is not None]))


def additions_not_counted(spec: Specification) -> Planted:
    """New rows beyond the demanded number are not seen."""
    most = sum(p.op == "added" for p in spec.accepts[0]) if spec.accepts else 0
    yield "added", Flawed(spec, lambda e: replace(e, changes=_first_added(e, most)))


def only_the_goal(spec: Specification) -> Planted:
    """Whatever else changed, and whatever rule was broken."""
    if spec.goals and not any(at.label for goal in spec.goals for at in goal.names.rows.values()):
        yield "changes", Flawed(replace(spec, accepts=((),), framed=False))
        yield "changes and rules", Flawed(replace(spec, accepts=((),), framed=False, rules=(), no_others=False))


KINDS: tuple[tuple[str, Callable[[Specification], Planted], frozenset[str]], ...] = (
    ("a goal is not looked at", goal_not_looked_at, GOALS),
    ("no goal is looked at", no_goal_looked_at, GOALS),
    ("only the goal is looked at", only_the_goal, CHANGES | RULES),
    ("the frame is not looked at", frame_not_looked_at, CHANGES),
    ("no rule is looked at", rules_not_looked_at, RULES),
    ("a rule is not looked at", rule_not_looked_at, RULES),
    ("neither a rule nor the goal is looked at", neither_rule_nor_goal, GOALS | RULES),
    ("other rules are not looked at", other_rules_not_looked_at, RULES),
    ("the answer is not looked at", answer_not_looked_at, ANSWER),
    ("an answer need not be submitted", not_submitted_will_do, ANSWER),
    ("a number may be off by one", about_the_number, ANSWER),
    ("a list may name more", superset_will_do, ANSWER),
    ("a list may name less", subset_will_do, ANSWER),
    ("a text is not looked at", text_not_looked_at, GOALS),
    ("claims are not looked at", claims_not_looked_at, GOALS),
    ("a denial is not understood", denial_not_understood, GOALS),
    ("stuffing is not seen", stuffing_not_seen, GOALS),
    ("removals are not seen", removals_not_seen, CHANGES),
    ("surplus rows are not seen", additions_not_counted, CHANGES),
)


def _reading(spec: Specification, read: Callable[[str], str]) -> Planted:
    for k in range(len(spec.texts)):
        texts = tuple(_misread(t, read) if i == k else t for i, t in enumerate(spec.texts))
        yield str(k), Flawed(replace(spec, texts=texts))


def _misread(stated: Stated, read: Callable[[str], str]) -> Stated:
    return replace(stated, text=lambda uow, frame: read(str(stated.text(uow, frame) or "")))


def _with_answer(episode: Episode, part: Reported, change: Callable[[Reported, Any], Any]) -> Episode:
    if not isinstance(episode.answer, Mapping) or part.name not in episode.answer:
        return episode
    return replace(episode, answer={**episode.answer, part.name: change(part, episode.answer[part.name])})


def _rounded(part: Reported, found: Any) -> Any:
    number, wanted = read_number(found), read_number(part.value)
    places = part.kind.places if part.kind is not None else 0
    near = number is not None and wanted is not None and abs(number - wanted) * 10**places <= 1
    return part.value if near else found


def _only_right(part: Reported, found: Any) -> Any:
    return [f for f in found if f in part.value] if isinstance(found, list) else found


def _rest_too(part: Reported, found: Any) -> Any:
    return list(part.value) if isinstance(found, list) and all(f in part.value for f in found) else found


def _first_added(episode: Episode, most: int) -> list[Any]:
    out: list[Any] = []
    for change in episode.changes:
        most -= change.before is None
        if change.before is not None or most >= 0:
            out.append(change)
    return out
