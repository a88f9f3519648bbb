"""The arguments of a call that writes: ids from the record that the step is about, other values from what the step says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.agents.planner.dates import parse_field_date
from worldwright.agents.planner.find import find, find_by_name, find_ids_in, limit_page, rank_records, spell_out
from worldwright.agents.planner.memory import Row, flatten, items_of, kind_of, list_own_values
from worldwright.agents.planner.state import Plan, PlannerState
from worldwright.agents.planner.toolbox import DOES, Op, Param
from worldwright.agents.planner.values import MentionPool, collect_mentions, score_choices, value_for
from worldwright.agents.planner.words import score_likeness, stem_words, stems

MIN_SURE_SCORE = 2.0
"""From here on a record counts as the one that was meant."""
MIN_CERTAIN_SCORE = 4.0
"""From here on a record is given even where a tool does not ask for it."""
MAX_ALTERNATIVES = 6


@dataclass
class Draft:
    """A call in the making."""

    op: Op
    arguments: dict[str, Any] = field(default_factory=dict)
    choice: str = ""
    """The parameter for which any fitting record will do."""
    others: list[str] = field(default_factory=list)
    """What else could stand there, the best first."""
    missing: list[str] = field(default_factory=list)


def draft(state: PlannerState, op: Op, step: int, about: str) -> Plan[Draft]:
    """The arguments as far as the planner can fill them."""
    out = Draft(op)
    row = state.memory.row(about)
    have = collect_mentions(state, step, row)
    for p in op.params:
        if p.kind:
            yield from _id(state, p, step, about, out)
    for p in sorted(
        (p for p in op.params if not p.kind), key=lambda p: (not p.required, p.type == "string" and not p.choices)
    ):
        value = _lines(state, p, about, have, op) if p.type == "array" else value_for(state, p, have)
        if value is not None:
            out.arguments[p.name] = value
        elif p.required and p.schema.get("default") is None:
            out.missing.append(p.name)
    return out


def _id(state: PlannerState, p: Param, step: int, about: str, out: Draft) -> Plan[None]:
    if kind_of(about) == p.kind and about not in out.arguments.values() and not _names_role(state, p):
        out.arguments[p.name] = about
        return
    if not p.required:
        if state.tools.kinds_named(state.request.steps[step]).get(p.kind, 0.0) >= 1.0 and not _names_role(state, p):
            found = yield from find(state, p.kind, step, 1)
            if found and found[0].score >= MIN_CERTAIN_SCORE:
                out.arguments[p.name] = found[0].id
        return
    linked = {value for _, value in find_ids_in(state, about, p.kind)} | ({about} if _names_role(state, p) else set())
    named = yield from find_by_name(state, p.kind, step, linked)
    named = [
        f for f in named if f.score >= MIN_SURE_SCORE and f.id not in linked and f.id not in out.arguments.values()
    ]
    held = _find_held_id(state, p, about, step)
    if named:
        out.arguments[p.name] = state.pick(named)
        return
    if held and held != about:
        out.arguments[p.name] = held
        return
    found = yield from find(state, p.kind, step, 1)
    found = [
        f for f in found if f.score >= MIN_SURE_SCORE and f.id not in linked and f.id not in out.arguments.values()
    ]
    if found:
        out.arguments[p.name] = state.pick(found)
        return
    told = yield from _find_by_common_name(state, p, step)
    open_ = (yield from _candidates(state, p, about, step)) if about and not told else []
    if told:
        out.arguments[p.name] = told
    elif open_:
        out.arguments[p.name], out.choice, out.others = open_[0], p.name, open_[1:]
    else:
        out.missing.append(p.name)


def _names_role(state: PlannerState, p: Param) -> bool:
    """Return whether a parameter names somebody by what they do (`approver`, `covered_by`), and not by what they are."""
    return bool(DOES.search(p.name)) and not set(stem_words(p.name)) <= set(state.tools.nouns.get(p.kind, {}))


def _find_held_id(state: PlannerState, p: Param, about: str, step: int) -> str:
    """Find the id that the record itself has for this parameter."""
    found = find_ids_in(state, about, p.kind)
    roles = {q.name for op in state.tools.ops for q in op.params if q.kind == p.kind}
    depth = {path: len(path.split()) for path, _ in found}
    for path in sorted(depth, key=lambda one: depth[one]):
        there = [value for where, value in found if where == path]
        if score_likeness(path, p.name) >= 0.4 or (len(roles) == 1 and len({v for _, v in found}) == 1):
            return state.pick(rank_records(state, dict.fromkeys(there), step))
    return ""


def _find_by_common_name(state: PlannerState, p: Param, step: int) -> Plan[str]:
    """Find a record that the step calls by a name in small letters (`crop preservative`), by reading down a list of them.

    Where no search lists the kind itself, one that can be narrowed by it names its records beside their ids.
    """
    sources = state.tools.searches_for(p.kind)[:1]
    sources += [op for op in state.tools.ops if op.searches and any(f.kind == p.kind for f in op.filters())][:2]
    text = " ".join(state.request.steps[step].lower().split())
    for op in sources:
        known = {name: key for name, key in _map_names(state, p.kind).items() if name in text}
        if not known:
            yield from state.call(
                op, limit_page(op), f"The request may call a {spell_out(p.name)} by its name; I read down the list."
            )
            known = {name: key for name, key in _map_names(state, p.kind).items() if name in text}
        if known:
            return known[max(known, key=len)]
    return ""


def _map_names(state: PlannerState, kind: str) -> dict[str, str]:
    """Map the names of the records of a kind that were seen, in small letters, to their ids."""
    out: dict[str, str] = {}
    for key, row in state.memory.rows.items():
        if kind_of(key) == kind and isinstance(row.get("name"), str):
            out.setdefault(row["name"].lower(), key)
        for field_, value in row.items():
            name = row.get(f"{field_}_name")
            if kind_of(value) == kind and isinstance(name, str):
                out.setdefault(name.lower(), str(value))
    return {name: key for name, key in out.items() if len(name) > 3}


def _candidates(state: PlannerState, p: Param, about: str, step: int) -> Plan[list[str]]:
    """Records that could stand for a parameter that the request leaves open, the most fitting first."""
    for op in state.tools.searches_for(p.kind)[:1]:
        filters = _choose_filters(op, p, _remove_names(state, step))
        why = f"Any {spell_out(p.name)} that fits will do, so I look which there are."
        outcome = yield from state.call(op, {**filters, **limit_page(op)}, why)
        rows = [r for r in items_of(outcome.data) if kind_of(r.get("id")) == p.kind]
        taken = {value for _, value in flatten(state.memory.row(about))} | {state.request.actor, about}
        scored = [(_score_pairing(state, row, about, step), str(row["id"])) for row in rows if row["id"] not in taken]
        scored.sort(key=lambda one: (-one[0], one[1]))
        if scored:
            first = state.pick(scored)
            return [first, *(key for _, key in scored if key != first)][:MAX_ALTERNATIVES]
    return []


def _remove_names(state: PlannerState, step: int) -> str:
    """Remove the names from a step: `Harbourgate Drivers` says nothing of the site that is wanted."""
    text = state.request.steps[step]
    for m in state.request.mentions_of("name", "quoted", step=step):
        text = text.replace(str(m.value), " ")
    return text


def _choose_filters(op: Op, p: Param, text: str) -> dict[str, Any]:
    """Choose filters of a search that follow from what the parameter is called (`approver`) or from the words of the step."""
    out: dict[str, Any] = {}
    for f in op.filters():
        if not f.choices:
            continue
        named = next((c for c in f.choices if stem_words(str(c)) == stem_words(p.name)), None)
        best = max(score_choices(f, text), default=(0.0, None), key=lambda one: one[0])
        if named is not None:
            out[f.name] = named
        elif best[0] >= 1.9:
            out[f.name] = best[1]
    return out


def _score_pairing(state: PlannerState, row: Row, about: str, step: int) -> float:
    """Score how well a record suits another one: what both have in common, limits that are high enough, absences."""
    other = dict(list_own_values(state.memory.row(about)))
    words = set(stem_words(state.request.steps[step]))
    amounts = [m.value for m in state.request.mentions_of("number", step=step) if m.money]
    amount = (
        max(amounts)
        if amounts
        else max((v for k, v in other.items() if "=price" in stems(k) and isinstance(v, (int, float))), default=0)
    )
    score = 0.0
    for name, value in list_own_values(row):
        if isinstance(value, str) and value and value == other.get(name):
            score += 0.5
        if isinstance(value, str) and stem_words(value) and set(stem_words(value)) <= words:
            score += 3.0 if "name" in name and len(value) > 3 and value.lower() in state.request.text.lower() else 1.0
        if "limit" in name and isinstance(value, (int, float)) and not isinstance(value, bool):
            score += 0.8 if value >= amount else -2.0
        if name == "status" and isinstance(value, str) and state.book.final(value):
            score -= 1.0
        if value is True:
            score -= 0.3
    return score - (2.0 if _is_absent(state, row) else 0.0)


def _is_absent(state: PlannerState, row: Row) -> bool:
    """Return whether today lies between two dates of a record, the second of which is its end: an absence."""
    dates = [(name, d) for name, value in row.items() if (d := parse_field_date(value)) is not None]
    ends = [d for name, d in dates if "away" in name or "absent" in name or "leave" in name]
    return len(ends) >= 2 and min(ends) <= state.request.today <= max(ends)


def _lines(state: PlannerState, p: Param, about: str, have: MentionPool, op: Op) -> Any:
    """A list of objects: one for each part of the record, or what the step counts (`3 x`)."""
    if not p.fields:
        return _ids(state, p, about) if p.required else None
    key = next((f for f in p.fields if f.kind), None)
    rows: list[Row] = list(_parts(state.memory.row(about), key.kind)) if key else []
    if key and kind_of(about) == key.kind:
        rows = [state.memory.row(about)]
    named = [
        r for r in rows if any(isinstance(v, str) and len(v) > 4 and v.lower() in have.text.lower() for v in r.values())
    ]
    if rows and key:
        return [_line(state, p, row, have, op, bool(named) or len(rows) == 1) for row in named or rows]
    if key is None and p.required:
        one = {f.name: value_for(state, f, have) for f in p.fields}
        one = {k: v for k, v in one.items() if v is not None}
        return [one] if all(f.name in one for f in p.fields if f.required) else None
    return None


def _line(state: PlannerState, p: Param, row: Row, have: MentionPool, op: Op, chosen: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for f in p.fields:
        if f.kind:
            out[f.name] = row["id"]
        elif f.type in ("integer", "number") and chosen and f.type == "integer" and have.list_unspent("number"):
            out[f.name] = value_for(state, f, have)
        elif f.name in row and row[f.name] is not None:
            out[f.name] = _compute_remaining(f, row, op)
        elif f.required:
            value = value_for(state, f, have)
            if value is not None:
                out[f.name] = value
    return {k: v for k, v in out.items() if v is not None}


def _compute_remaining(f: Param, row: Row, op: Op) -> Any:
    """Compute what is left of a quantity for the operation to do: ordered less received, received less billed."""
    value = row[f.name]
    if f.type != "integer" or not isinstance(value, int):
        return value
    done = [
        v
        for k, v in row.items()
        if isinstance(v, int) and k != f.name and stems(k) & op.names and not isinstance(v, bool)
    ]
    return value - done[0] if done and value - done[0] >= 0 else value


def _parts(row: Row, kind: str) -> Iterator[Mapping[str, Any]]:
    for value in row.values():
        if isinstance(value, list):
            yield from (one for one in value if isinstance(one, Mapping) and kind_of(one.get("id")) == kind)


def _ids(state: PlannerState, p: Param, about: str) -> list[str] | None:
    items = p.schema.get("items")
    kind = Param(p.name, items, True).kind if isinstance(items, Mapping) else ""
    if not kind:
        return None
    return [about] if kind_of(about) == kind else [v for _, v in find_ids_in(state, about, kind)] or None
