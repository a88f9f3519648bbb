"""Finding the record that a request speaks of: search with what is said of it, then rank what comes by how much of it fits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from worldwright.agents.planner.dates import as_date
from worldwright.agents.planner.memory import ID, Row, flat, items_of, kind_of, own
from worldwright.agents.planner.mind import Mind, Plan
from worldwright.agents.planner.request import Mention, names_first
from worldwright.agents.planner.toolbox import Op, Param
from worldwright.agents.planner.words import likeness, stem_words, stems
from worldwright.english.stems import stem

PAGE = 50
MOST_SEARCHES = 8
"""Searches for one record, at most."""
_CODES = stems("number reference code slip serial plate document policy receipt")
_TITLES = frozenset({"title", "subject", "name", "label", "topic", "description", "summary"})


class Match(NamedTuple):
    score: float
    id: str


def find(mind: Mind, kind: str, step: int, depth: int = 0) -> Plan[list[Match]]:
    """Records of a kind that fit what a step says, the best first. Empty where nothing is said of any."""
    given = [m.value for m in mind.request.of("id") if kind_of(m.value) == kind]
    if given:
        return [Match(9.0, one) for one in given]
    again = _said_before(mind, kind, step)
    if again:
        return again
    best: list[Match] = []
    for op in mind.tools.searches_for(kind)[:2]:
        tries = list(_by_text(op, mind.request.of("quoted", "code", "mail", "name", step=step)))
        if depth < 2:
            tries += yield from _by_relation(mind, op, kind, step, depth)
        for arguments, why in tries[:MOST_SEARCHES]:
            outcome = yield from mind.call(op, {**arguments, **paged(op)}, why)
            ids = [str(r["id"]) for r in items_of(outcome.data) if kind_of(r.get("id")) == kind]
            best = ranked(mind, {*ids, *(f.id for f in best)}, step)
            if best and best[0].score >= 2.0:
                return best
    if depth < 1:
        best = max(best, (yield from _through(mind, kind, step)), key=lambda found: found[0].score if found else -9.0)
    return best or ranked(mind, mind.memory.of(kind), step)


def _said_before(mind: Mind, kind: str, step: int) -> list[Match]:
    """`the same request`, `the new booking`: a record of an earlier step, or one that it made."""
    text = mind.request.steps[min(step, len(mind.request.steps) - 1)]
    for m in re.finditer(r"\b(same|new)\s+(\w+)", text, re.IGNORECASE) if step else ():
        if stem(m[2]) not in mind.tools.nouns.get(kind, {}):
            continue
        made = [
            str(data["id"])
            for _, _, data in mind.written
            if isinstance(data, Mapping) and kind_of(data.get("id")) == kind
        ]
        used = [str(v) for _, given, _ in mind.written for v in given.values() if kind_of(v) == kind]
        known = made if m[1].lower() == "new" and made else used or made
        if known:
            return [Match(9.0, known[-1])]
    return []


def _through(mind: Mind, kind: str, step: int) -> Plan[list[Match]]:
    """Records that no search gives, by way of those that hold them: an employee's file shows the time sheets."""
    text = mind.request.steps[min(step, len(mind.request.steps) - 1)]
    named = mind.tools.kinds_named(text)
    holders = [k for k in mind.tools.nouns if k != kind and mind.tools.getter(k) and mind.tools.searches_for(k)]
    for holder in sorted(holders, key=lambda k: -named.get(k, 0.0))[:4]:
        hits = yield from (find(mind, holder, step, 1) if holder in named else by_name(mind, holder, step))
        for hit in hits[:1] if hits and hits[0].score >= 2.0 else []:
            yield from show(mind, hit.id)
        found = ranked(mind, [key for _, key in inside_all(mind, hits[:1], kind)], step)
        if found and found[0].score > 0:
            return found
    return []


def inside_all(mind: Mind, hits: Sequence[Match], kind: str) -> list[tuple[str, str]]:
    return [one for hit in hits for one in inside(mind, hit.id, kind)]


def paged(op: Op) -> dict[str, Any]:
    """As many rows as a search gives at once."""
    p = op.param("limit")
    most = p.schema.get("maximum") if p else None
    return {} if p is None else {"limit": min(PAGE, most) if isinstance(most, int) else PAGE}


def _free_text(op: Op) -> list[Param]:
    return [p for p in op.filters() if p.type == "string" and not p.choices and not p.kind and not p.format]


def _by_text(op: Op, mentions: Sequence[Mention]) -> Iterator[tuple[dict[str, Any], str]]:
    """Filters that take a piece of text, each with the mentions that could stand there."""
    texts = _free_text(op)
    titles = [p for p in texts if set(p.name.split("_")) & _TITLES]
    for m in mentions:
        if m.kind == "quoted":
            for p in titles:
                yield {p.name: m.value}, f'The request speaks of "{m.value}", so I look for it as {p.name}.'
        if m.kind == "code":
            for p in (p for p in texts if stems(p.name) & _CODES):
                yield {p.name: m.value}, f"{m.value} looks like a {plainly(p.name)}; I look for what carries it."
        if m.kind == "mail":
            for p in (p for p in texts if "mail" in p.name):
                yield {p.name: m.value}, f"The address {m.value} is given, which is the surest way to find the record."
    for m in names_first([m for m in mentions if m.kind == "name"]):
        for p in titles[:1]:
            yield {p.name: m.value}, f"{m.value} is named in the request; I look whether that is one of these."


def _by_relation(mind: Mind, op: Op, kind: str, step: int, depth: int) -> Plan[list[tuple[dict[str, Any], str]]]:
    """Filters that take the id of another record, which is looked for by name first."""
    out: list[tuple[dict[str, Any], str]] = []
    seen: set[str] = set()
    for p in op.filters():
        if not p.kind or p.kind == kind or p.kind in seen or not _nameable(mind, p.kind):
            continue
        seen.add(p.kind)
        hits = yield from by_name(mind, p.kind, step)
        out += [
            ({p.name: hit.id}, f"{hit.id} is the {plainly(p.name)} that is named; I look for what belongs to it.")
            for hit in hits[:2]
        ]
    return out


def _nameable(mind: Mind, kind: str) -> bool:
    return any(_titled(op) for op in mind.tools.searches_for(kind)[:1])


def _titled(op: Op) -> Param | None:
    """The filter that takes a name."""
    texts = _free_text(op)
    exact = next((p for p in texts if p.name in _TITLES), None)
    return exact or next((p for p in texts if "name" in p.name.split("_")), None)


def by_name(mind: Mind, kind: str, step: int, other_than: Collection[str] = ()) -> Plan[list[Match]]:
    """Records of a kind whose name stands in the request."""
    for op in mind.tools.searches_for(kind)[:1]:
        p = _titled(op)
        if p is None:
            continue
        for m in names_first(mind.request.of("name", step=step)):
            if len(str(m.value).split()) < 2 and len(mind.request.of("name", step=step)) > 2:
                continue
            why = f"I need the {plainly(p.name)} {m.value} as a record before I can go on."
            outcome = yield from mind.call(op, {p.name: m.value, **paged(op)}, why)
            rows = [r for r in items_of(outcome.data) if kind_of(r.get("id")) == kind and r["id"] not in other_than]
            if rows:
                exact = [r for r in rows if str(r.get(p.name, "")).casefold() == str(m.value).casefold()] or rows
                return ranked(mind, [str(r["id"]) for r in exact], step)
    return []


def ranked(mind: Mind, ids: Iterable[str], step: int) -> list[Match]:
    """Records by how much of what is said fits them."""
    found = [Match(fits(mind, mind.memory.row(one), step), one) for one in sorted(ids)]
    return sorted(found, key=lambda f: (-f.score, f.id))


def fits(mind: Mind, row: Row, step: int) -> float:
    """How much of what a step says is true of a record."""
    said = mind.request.of("date", "number", "code", "mail", "quoted", "name", step=step)
    values = list(own(row))
    score = sum(_fit(m, values) for m in said)
    text = mind.request.steps[min(step, len(mind.request.steps) - 1)]
    words = set(stem_words(text))
    for path, value in values:
        if isinstance(value, str) and 2 < len(value) < 40 and not ID.match(value) and as_date(value) is None:
            mine = stem_words(value)
            score += 0.4 if mine and set(mine) <= words else 0.0
        if path == "status" and isinstance(value, str):
            score -= 0.6 if mind.book.final(value) else 0.0
            score += 0.5 if stem_words(value) and set(stem_words(value)) <= set(stem_words(mind.aim)) else 0.0
        if value == mind.request.actor and value:
            score += 0.3
    return score


def _fit(m: Mention, values: Sequence[tuple[str, Any]]) -> float:
    """What it adds that a record has a value that the request mentions."""
    best = 0.0
    for path, value in values:
        near = 0.5 * likeness(path, m.before[-20:])
        if m.kind == "date" and isinstance(value, str) and as_date(value) == m.value:
            best = max(best, 2.0 + near)
        elif (
            m.kind == "number" and isinstance(value, (int, float)) and not isinstance(value, bool) and value == m.value
        ):
            best = max(best, 2.5 if m.money else 0.3 + near)
        elif isinstance(value, str) and isinstance(m.value, str) and m.kind in ("code", "mail", "quoted", "name"):
            best = max(best, _same_text(m.value, value))
    return best


def _same_text(said: str, value: str) -> float:
    a, b = said.casefold(), value.casefold()
    if a == b:
        return 2.5
    return 1.5 if len(a) > 3 and re.search(rf"(?<!\w){re.escape(a)}(?!\w)", b) else 0.0


def letter(mind: Mind, step: int) -> Plan[str]:
    """What a mail, ticket or query says that a step names by its subject; empty where it names none."""
    for m in mind.request.of("quoted", step=step):
        for op in (op for op in mind.tools.ops if op.searches and op.param("subject") and op.param("body")):
            why = f'The request refers to "{m.value}"; what stands in there may be what is wanted.'
            outcome = yield from mind.call(op, {"subject": m.value, **paged(op)}, why)
            rows = [
                r for r in items_of(outcome.data) if isinstance(r.get("body"), str) and r.get("direction") != "outgoing"
            ]
            best = ranked(mind, [str(r["id"]) for r in rows if kind_of(r.get("id"))], step)
            if best:
                return str(mind.memory.row(best[0].id).get("body", ""))
    return ""


def show(mind: Mind, key: str, why: str = "") -> Plan[dict[str, Any]]:
    """A record with all that the tools tell of it."""
    op = mind.tools.getter(kind_of(key))
    if op is not None:
        p = next(p for p in op.params if p.required)
        yield from mind.call(op, {p.name: key}, why or f"I want to see all of {key} before I act on it.")
    return mind.memory.row(key)


def inside(mind: Mind, key: str, kind: str) -> list[tuple[str, str]]:
    """Ids of a kind that a record names, each with the field: itself first, then its parts."""
    row = mind.memory.row(key)
    return [(path, value) for path, value in flat(row) if kind_of(value) == kind and value != key]


def known_dates(row: Row) -> set[date]:
    return {d for _, value in own(row) if (d := as_date(value)) is not None}


def known_numbers(row: Row) -> set[float]:
    return {float(v) for _, v in own(row) if isinstance(v, (int, float)) and not isinstance(v, bool)}


def plainly(name: str) -> str:
    return name.replace("_", " ")
