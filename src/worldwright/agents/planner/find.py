"""Finding the record that a request speaks of: search with what is said of it, then rank what comes by how much of it fits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from worldwright.agents.planner.dates import parse_field_date
from worldwright.agents.planner.memory import ID, Row, flatten, items_of, kind_of, list_own_values
from worldwright.agents.planner.request import Mention, names_first
from worldwright.agents.planner.state import Plan, PlannerState
from worldwright.agents.planner.toolbox import Op, Param
from worldwright.agents.planner.words import score_likeness, stem_words, stems
from worldwright.english.stems import stem

MAX_ROWS = 50
MAX_SEARCHES = 8
"""Searches for one record, at most."""
_CODES = stems("number reference code slip serial plate document policy receipt")
_TITLES = frozenset({"title", "subject", "name", "label", "topic", "description", "summary"})


class Match(NamedTuple):
    score: float
    id: str


def find(state: PlannerState, kind: str, step: int, depth: int = 0) -> Plan[list[Match]]:
    """Records of a kind that fit what a step says, the best first. Empty where nothing is said of any."""
    given = [m.value for m in state.request.mentions_of("id") if kind_of(m.value) == kind]
    if given:
        return [Match(9.0, one) for one in given]
    again = _find_earlier(state, kind, step)
    if again:
        return again
    best: list[Match] = []
    for op in state.tools.searches_for(kind)[:2]:
        tries = list(_propose_text_filters(op, state.request.mentions_of("quoted", "code", "mail", "name", step=step)))
        if depth < 2:
            tries += yield from _propose_relation_filters(state, op, kind, step, depth)
        for arguments, why in tries[:MAX_SEARCHES]:
            outcome = yield from state.call(op, {**arguments, **limit_page(op)}, why)
            ids = [str(r["id"]) for r in items_of(outcome.data) if kind_of(r.get("id")) == kind]
            best = rank_records(state, {*ids, *(f.id for f in best)}, step)
            if best and best[0].score >= 2.0:
                return best
    if depth < 1:
        best = max(
            best, (yield from _find_via_holder(state, kind, step)), key=lambda found: found[0].score if found else -9.0
        )
    return best or rank_records(state, state.memory.list_keys(kind), step)


def _find_earlier(state: PlannerState, kind: str, step: int) -> list[Match]:
    """Find the record of an earlier step, or one that it made, behind `the same request` or `the booking that came of that`."""
    text = state.request.steps[min(step, len(state.request.steps) - 1)]
    for m in re.finditer(r"\b(?:(same|new)\s+(\w+)|(\w+) that (came) of that)", text, re.IGNORECASE) if step else ():
        if stem(m[2] or m[3]) not in state.tools.nouns.get(kind, {}):
            continue
        made = [
            str(data["id"])
            for _, _, data in state.written
            if isinstance(data, Mapping) and kind_of(data.get("id")) == kind
        ]
        used = [str(v) for _, given, _ in state.written for v in given.values() if kind_of(v) == kind]
        known = made if (m[1] or m[4]).lower() != "same" and made else used or made
        if known:
            return [Match(9.0, known[-1])]
    return []


def _find_via_holder(state: PlannerState, kind: str, step: int) -> Plan[list[Match]]:
    """Find records that no search gives by way of those that hold them: an employee's file shows the time sheets."""
    text = state.request.steps[min(step, len(state.request.steps) - 1)]
    named = state.tools.kinds_named(text)
    holders = [k for k in state.tools.nouns if k != kind and state.tools.getter(k) and state.tools.searches_for(k)]
    for holder in sorted(holders, key=lambda k: -named.get(k, 0.0))[:4]:
        hits = yield from (find(state, holder, step, 1) if holder in named else find_by_name(state, holder, step))
        for hit in hits[:1] if hits and hits[0].score >= 2.0 else []:
            yield from show(state, hit.id)
        found = rank_records(state, [key for _, key in find_ids_in_all(state, hits[:1], kind)], step)
        if found and found[0].score > 0:
            return found
    return []


def find_ids_in_all(state: PlannerState, hits: Sequence[Match], kind: str) -> list[tuple[str, str]]:
    return [one for hit in hits for one in find_ids_in(state, hit.id, kind)]


def limit_page(op: Op) -> dict[str, Any]:
    """Return the argument that asks a search for as many rows as it gives at once."""
    p = op.param("limit")
    most = p.schema.get("maximum") if p else None
    return {} if p is None else {"limit": min(MAX_ROWS, most) if isinstance(most, int) else MAX_ROWS}


def _free_text(op: Op) -> list[Param]:
    return [p for p in op.filters() if p.type == "string" and not p.choices and not p.kind and not p.format]


def _propose_text_filters(op: Op, mentions: Sequence[Mention]) -> Iterator[tuple[dict[str, Any], str]]:
    """Propose filters that take a piece of text, each with the mentions that could stand there."""
    texts = _free_text(op)
    titles = [p for p in texts if set(p.name.split("_")) & _TITLES]
    for m in mentions:
        if m.kind == "quoted":
            for p in titles:
                yield {p.name: m.value}, f'The request speaks of "{m.value}", so I look for it as {p.name}.'
        if m.kind == "code":
            for p in (p for p in texts if stems(p.name) & _CODES):
                yield {p.name: m.value}, f"{m.value} looks like a {spell_out(p.name)}; I look for what carries it."
        if m.kind == "mail":
            for p in (p for p in texts if "mail" in p.name):
                yield {p.name: m.value}, f"The address {m.value} is given, which is the surest way to find the record."
    for m in names_first([m for m in mentions if m.kind == "name"]):
        for p in titles[:1]:
            yield {p.name: m.value}, f"{m.value} is named in the request; I look whether that is one of these."


def _propose_relation_filters(
    state: PlannerState, op: Op, kind: str, step: int, depth: int
) -> Plan[list[tuple[dict[str, Any], str]]]:
    """Propose filters that take the id of another record, which is looked for by name first."""
    out: list[tuple[dict[str, Any], str]] = []
    seen: set[str] = set()
    for p in op.filters():
        if (
            not p.kind
            or p.kind == kind
            or p.kind in seen
            or not any(_find_name_filter(op) for op in state.tools.searches_for(p.kind)[:1])
        ):
            continue
        seen.add(p.kind)
        hits = yield from find_by_name(state, p.kind, step)
        out += [
            ({p.name: hit.id}, f"{hit.id} is the {spell_out(p.name)} that is named; I look for what belongs to it.")
            for hit in hits[:2]
        ]
    return out


def _find_name_filter(op: Op) -> Param | None:
    """Find the filter that takes a name."""
    texts = _free_text(op)
    exact = next((p for p in texts if p.name in _TITLES), None)
    return exact or next((p for p in texts if "name" in p.name.split("_")), None)


def find_by_name(state: PlannerState, kind: str, step: int, other_than: Collection[str] = ()) -> Plan[list[Match]]:
    """Find records of a kind whose name stands in the request."""
    for op in state.tools.searches_for(kind)[:1]:
        p = _find_name_filter(op)
        if p is None:
            continue
        for m in names_first(state.request.mentions_of("name", step=step)):
            if len(str(m.value).split()) < 2 and len(state.request.mentions_of("name", step=step)) > 2:
                continue
            why = f"I need the {spell_out(p.name)} {m.value} as a record before I can go on."
            outcome = yield from state.call(op, {p.name: m.value, **limit_page(op)}, why)
            rows = [r for r in items_of(outcome.data) if kind_of(r.get("id")) == kind and r["id"] not in other_than]
            if rows:
                exact = [r for r in rows if str(r.get(p.name, "")).casefold() == str(m.value).casefold()] or rows
                return rank_records(state, [str(r["id"]) for r in exact], step)
    return []


def rank_records(state: PlannerState, ids: Iterable[str], step: int) -> list[Match]:
    """Rank records by how much of what is said fits them."""
    found = [Match(score_record(state, state.memory.row(one), step), one) for one in sorted(ids)]
    return sorted(found, key=lambda f: (-f.score, f.id))


def score_record(state: PlannerState, row: Row, step: int) -> float:
    """Score how much of what a step says is true of a record."""
    said = state.request.mentions_of("date", "number", "code", "mail", "quoted", "name", step=step)
    values = list(list_own_values(row))
    score = sum(_score_mention(m, values) for m in said)
    text = state.request.steps[min(step, len(state.request.steps) - 1)]
    words = set(stem_words(text))
    for path, value in values:
        if isinstance(value, str) and 2 < len(value) < 40 and not ID.match(value) and parse_field_date(value) is None:
            mine = stem_words(value)
            score += 0.4 if mine and set(mine) <= words else 0.0
        if path == "status" and isinstance(value, str):
            score -= 0.6 if state.book.final(value) else 0.0
            score += 0.5 if stem_words(value) and set(stem_words(value)) <= set(stem_words(state.aim)) else 0.0
        if value == state.request.actor and value:
            score += 0.3
    return score


def _score_mention(m: Mention, values: Sequence[tuple[str, Any]]) -> float:
    """Score what it adds that a record has a value that the request mentions."""
    best = 0.0
    for path, value in values:
        near = 0.5 * score_likeness(path, m.before[-20:])
        if m.kind == "date" and isinstance(value, str) and parse_field_date(value) == m.value:
            best = max(best, 2.0 + near)
        elif (
            m.kind == "number" and isinstance(value, (int, float)) and not isinstance(value, bool) and value == m.value
        ):
            best = max(best, 2.5 if m.money else 0.3 + near)
        elif isinstance(value, str) and isinstance(m.value, str) and m.kind in ("code", "mail", "quoted", "name"):
            best = max(best, _score_text(m.value, value))
    return best


def _score_text(said: str, value: str) -> float:
    a, b = said.casefold(), value.casefold()
    if a == b:
        return 2.5
    return 1.5 if len(a) > 3 and re.search(rf"(?<!\w){re.escape(a)}(?!\w)", b) else 0.0


def read_letter(state: PlannerState, step: int) -> Plan[str]:
    """Read the mail, ticket or query that a step names by its subject; empty where it names none."""
    for m in state.request.mentions_of("quoted", step=step):
        for op in (op for op in state.tools.ops if op.searches and op.param("subject") and op.param("body")):
            why = f'The request refers to "{m.value}"; what stands in there may be what is wanted.'
            outcome = yield from state.call(op, {"subject": m.value, **limit_page(op)}, why)
            rows = [
                r for r in items_of(outcome.data) if isinstance(r.get("body"), str) and r.get("direction") != "outgoing"
            ]
            best = rank_records(state, [str(r["id"]) for r in rows if kind_of(r.get("id"))], step)
            if best:
                return str(state.memory.row(best[0].id).get("body", ""))
    return ""


def show(state: PlannerState, key: str, why: str = "") -> Plan[dict[str, Any]]:
    """A record with all that the tools tell of it."""
    op = state.tools.getter(kind_of(key))
    if op is not None:
        p = next(p for p in op.params if p.required)
        yield from state.call(op, {p.name: key}, why or f"I want to see all of {key} before I act on it.")
    return state.memory.row(key)


def find_ids_in(state: PlannerState, key: str, kind: str) -> list[tuple[str, str]]:
    """Find the ids of a kind that a record names, each with the field: itself first, then its parts."""
    row = state.memory.row(key)
    return [(path, value) for path, value in flatten(row) if kind_of(value) == kind and value != key]


def list_dates(row: Row) -> set[date]:
    return {d for _, value in list_own_values(row) if (d := parse_field_date(value)) is not None}


def list_numbers(row: Row) -> set[float]:
    return {float(v) for _, v in list_own_values(row) if isinstance(v, (int, float)) and not isinstance(v, bool)}


def spell_out(name: str) -> str:
    return name.replace("_", " ")
