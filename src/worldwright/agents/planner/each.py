"""Requests about many records: all that fit some conditions are listed, counted, added up, and each of them is acted on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.planner.find import find_by_name, limit_page, spell_out
from worldwright.agents.planner.memory import items_of, kind_of
from worldwright.agents.planner.request import Mention
from worldwright.agents.planner.state import Plan, PlannerState
from worldwright.agents.planner.toolbox import Op, Param
from worldwright.agents.planner.values import score_choices
from worldwright.agents.planner.words import score_likeness, stem_words, stems

MAX_PAGES = 6
_LEAST = re.compile(
    r"\b(?:at least|no less than|from|since|on or after|or more|starting|above|over|more than|after|later than)\W*$",
    re.I,
)
_MOST = re.compile(
    r"\b(?:at most|no more than|until|up to|on or before|by|below|under|less than|before|earlier than)\W*$", re.I
)


def asks_about_many(state: PlannerState) -> bool:
    """Return whether the answer is about a number of records: a count, a total, or a list of those left out."""
    return any(
        p.type == "array" or (p.name == "count" or "how many there" in p.says) for p in state.tools.submit.params
    )


def list_matching(state: PlannerState) -> Plan[tuple[Op | None, list[Mapping[str, Any]]]]:
    """List the records that the request is about, with the search that found them."""
    text = state.request.text
    scored = [(_score_search(state, op, text), op) for op in state.tools.ops if op.searches]
    if not scored:
        return None, []
    op = state.pick(sorted(scored, key=lambda one: (-one[0], one[1].name)))
    given = yield from fill_filters(state, op)
    rows: list[Mapping[str, Any]] = []
    page = limit_page(op)
    why = f"The request is about every {spell_out(op.name)} result that fits; the conditions that I read are {given}."
    for _ in range(MAX_PAGES):
        skip = {"offset": len(rows)} if rows and op.param("offset") else {}
        outcome = yield from state.call(op, {**given, **page, **skip}, why)
        found = items_of(outcome.data)
        rows += found
        if not found or not isinstance(outcome.data, Mapping) or not outcome.data.get("next_offset"):
            break
    return op, rows


def _score_search(state: PlannerState, op: Op, text: str) -> float:
    """Score how clearly a text asks for what a search lists: its noun, what the answer calls it, and filters that it would use."""
    wanted = " ".join(p.says for p in state.tools.submit.params)
    said = set(stem_words(text))
    score = 2.0 * sum(1 for s in op.noun if s in said) + 1.5 * sum(1 for s in op.noun if s in stem_words(wanted))
    score += 0.6 * len(stems(op.name) & stems(text))
    score += sum(0.5 for f in op.filters() if _base(f.name) and set(stem_words(_base(f.name))) <= said)
    score += sum(0.7 for f in op.filters() if f.choices and max((s for s, _ in score_choices(f, text)), default=0) >= 1)
    return score


def _base(name: str) -> str:
    return re.sub(r"_(?:from|to)$", "", name)


def fill_filters(state: PlannerState, op: Op) -> Plan[dict[str, Any]]:
    """Turn what the text says of the records into arguments of a search."""
    out: dict[str, Any] = {}
    text = state.request.text
    said = set(stem_words(text))
    for f in op.filters():
        if f.choices:
            best = max(score_choices(f, text), default=(0.0, None), key=lambda one: one[0])
            if best[0] >= 1:
                out[f.name] = best[1]
        elif f.type == "boolean" and set(stem_words(f.name)) <= said:
            out[f.name] = not re.search(rf"\bnot (?:\w+ )?{f.name.split('_')[-1]}", text, re.IGNORECASE)
        elif f.kind and f.kind != _find_kind(state, op) and (set(stem_words(f.name)) & said):
            hits = yield from find_by_name(state, f.kind, 0)
            if hits:
                out[f.name] = hits[0].id
    for m in state.request.mentions_of("date", "number"):
        place = _find_bound_filter(op, m)
        if place is not None:
            out.setdefault(place.name, str(m.value) if m.kind == "date" else m.value)
            state.used.add(m.start)
    quoted = state.request.mentions_of("quoted")
    for f in op.filters():
        if (
            quoted
            and f.type == "string"
            and not f.choices
            and not f.kind
            and set(stem_words(f.name)) & set(stem_words(quoted[0].before))
        ):
            out.setdefault(f.name, quoted[0].value)
    return out


def _find_kind(state: PlannerState, op: Op) -> str:
    return next((kind for kind in state.tools.nouns if op in state.tools.searches_for(kind)[:1]), "")


def _find_bound_filter(op: Op, m: Mention) -> Param | None:
    """Find the filter that a bound belongs to: `due on or before 11 April` is `due_on_to`."""
    low, high = bool(_LEAST.search(m.before)), bool(_MOST.search(m.before))
    if re.match(r"\W*or (?:more|later|after)", m.after):
        low, high = True, False
    if re.match(r"\W*or (?:less|earlier|before)", m.after):
        low, high = False, True
    ending = "_from" if low else "_to" if high else ""
    if not ending:
        return None
    kinds = ("date", "date-time") if m.kind == "date" else ("",)
    open_ = [p for p in op.filters() if p.name.endswith(ending) and p.format in kinds and p.type != "boolean"]
    scored = [
        (
            len(set(stem_words(_base(p.name))) & set(stem_words(m.before)))
            + score_likeness(_base(p.name), m.before[-25:]),
            p,
        )
        for p in open_
    ]
    best = max(scored, default=None, key=lambda one: one[0])
    return best[1] if best is not None and best[0] > 0 else None


def tally(state: PlannerState, done: Sequence[Mapping[str, Any]], left_out: Sequence[str]) -> dict[str, Any]:
    """The answer about many records."""
    out: dict[str, Any] = {}
    for part in state.tools.submit.params:
        if part.name == "outcome":
            out[part.name] = "done"
        elif part.type == "array":
            out[part.name] = list(left_out)
        elif part.type == "integer":
            out[part.name] = len(done)
        elif part.type == "number":
            out[part.name] = _sum(part, done)
        elif part.type == "string" and part.name != "rule" and done:
            out[part.name] = next((r["id"] for r in done if kind_of(r.get("id"))), None)
    return {k: v for k, v in out.items() if v is not None}


def _sum(part: Param, rows: Sequence[Mapping[str, Any]]) -> float | None:
    """The field that the part speaks of, added up to the cent."""
    names = [k for r in rows[:1] for k, v in r.items() if isinstance(v, (int, float)) and not isinstance(v, bool)]
    words = part.says.replace("added up", "").replace("the sum of", "").replace("their", "")
    best = max(names, default=None, key=lambda name: (score_likeness(name, words), score_likeness(name, part.name)))
    if best is None:
        return 0.0 if not rows else None
    cents = sum(round(float(r[best]) * 100) for r in rows if isinstance(r.get(best), (int, float)))
    return cents / 100
