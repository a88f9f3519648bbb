"""A task in the making: a request, its witness, what is accepted, and how hard it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.blueprint.types import TEXT, Type
from worldwright.core.names import to_words
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.accept import Demand, Dropped, Scope, label_rows, scope_of
from worldwright.kinds.database.compile.tasks.answer_parts import (
    ABOUT_SEVERAL,
    describe_part,
    list_outcome_parts,
    name_parts,
    say_place,
    say_where_done,
)
from worldwright.kinds.database.compile.tasks.asking import WordedRequest
from worldwright.kinds.database.compile.tasks.describe import Reference
from worldwright.kinds.database.compile.tasks.ends import end_plan
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, RowKey
from worldwright.kinds.database.compile.tasks.knobs import REFERENCES
from worldwright.kinds.database.compile.tasks.living import measure_living
from worldwright.kinds.database.compile.tasks.plans import NewRow, Plan, fill_new, play
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.told import find_picked_rows
from worldwright.kinds.database.compile.tasks.witnessing import UNFOUND, play_calls, play_plan, play_refusal
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.patterns import has_open_texts, pattern_data
from worldwright.world.records import Call

TOO_EASY = "too easy where enough are"
"""Why a walk is dropped that would take the place of a harder one."""

Answers = tuple[dict[str, Any], dict[str, tuple[Type | None, str]], dict[str, Any]]
"""How each part of an answer is checked, what it means, and what the witness says."""


@dataclass(frozen=True, slots=True)
class ForbiddenPart:
    """A part of a request that a rule forbids, where the rest is to be done."""

    bound: BoundGoal
    words: WordedRequest
    rule: str
    calls: tuple[Call, ...]
    """What would have been done."""
    place: int
    """After how many of the other parts it is asked for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Everything of a task but its number and its final words."""

    family: str
    shape: tuple[str, ...]
    """What kind of task it is: two of one shape would be copies with other numbers."""
    bounds: tuple[BoundGoal, ...]
    plan: Plan
    outcome: str
    rule: str
    asked: tuple[WordedRequest, ...]
    closing: tuple[str, ...]
    """Sentences after the request: what to report, what to do where a rule forbids it."""
    calls: tuple[Call, ...]
    answer: Mapping[str, Any]
    fields: Mapping[str, tuple[Type | None, str]]
    expects: Mapping[str, Any]
    demands: tuple[Demand, ...]
    choices: int
    features: Mapping[str, Any] = field(default_factory=dict)
    handbook: bool = False
    """Whether it rests on a rule that only the handbook enforces."""
    program: str = ""
    sources: tuple[Mapping[str, str], ...] = ()
    """By call, where the witness has each argument from."""


def make_done(
    sandbox: Sandbox,
    family: str,
    shape: Sequence[str],
    bounds: Sequence[BoundGoal],
    plan: Plan,
    asks: Sequence[WordedRequest],
    seed: tuple[Any, ...],
    closing: Sequence[str] = (),
    record: bool = False,
    answers: Answers | None = None,
    calls: Sequence[Call] | None = None,
    forbidden: ForbiddenPart | None = None,
    least: int = 0,
) -> Candidate | Dropped:
    """Make a task whose goals are to be reached, all but a part that a rule forbids.

    `answers` and `calls` are given where a program makes them. With `record`, the answer has the same parts as it would have if a
    rule forbade it, so that its form gives nothing away. It is dropped where it takes fewer than the `least` calls."""
    asked_for = [b for b in bounds if b.goal]
    if forbidden is not None:
        asks = insert_part(asks, forbidden)
    references = tuple(r for a in asks for r in a.references)
    refusable = record and bool(plan)
    first = bounds[0] if forbidden is None or forbidden.place else forbidden.bound
    about = _find_about(first) if refusable else None
    request = tell_request(asks)
    played = (
        play_plan(
            sandbox,
            bounds,
            plan,
            request,
            references,
            about,
            None if forbidden is None else (forbidden.calls, forbidden.rule),
        )
        if calls is None
        else play_calls(sandbox, bounds, calls, request)
    )
    if isinstance(played, Dropped):
        return played
    if len(played.calls) < least:
        return Dropped(TOO_EASY)
    calls, looked_at = played.calls, 0 if plan else played.records
    scope = scope_of(sandbox, bounds, plan, seed) if asked_for else Scope(((),), (), 0, (), 0)
    if isinstance(scope, Dropped):
        return scope
    end = end_plan(sandbox, bounds, plan, goals=bool(asked_for))
    labels = label_rows(end.net)
    names = name_parts([list(sandbox.goals[b.goal].goal.tells) for b in _list_asked(bounds, forbidden) if b.goal])
    places = _list_places(bounds, forbidden)
    parts, fields, answer = answers or _collect_answers(sandbox, bounds, plan, labels, places, names)
    if refusable:
        fields = {name: (kind, say_where_done(says)) for name, (kind, says) in fields.items()}
    if about is not None:
        _add_record(first, parts, fields, answer, places[0] and 0)
    rules = rules_in_play(sandbox, plan)
    outcome = "done" if forbidden is None else "partly"
    expects: dict[str, Any] = {
        "outcome": outcome,
        "goals": [_use(sandbox, b, end.played.made, labels) for b in asked_for],
        "accepts": [[pattern_data(p, sandbox.schema) for p in patterns] for patterns in scope.accepts],
        "rules": list(rules),
        "answer": {"outcome": {"is": outcome}, **parts},
    }
    if has_open_texts(scope.accepts, sandbox.schema):
        expects["words"] = "\n".join(_list_said(sandbox, asked_for))
    fields.setdefault("record", (TEXT, ABOUT_SEVERAL))
    if forbidden is not None:
        rules = _add_forbidden(sandbox, forbidden, expects, fields, answer, names[forbidden.place])
        expects["request"] = [_use(sandbox, forbidden.bound, end.played.made, labels)]
    handbook = bool(scope.restricted)
    features = _features(sandbox, bounds, calls, plan, references, scope, rules, asks)
    return Candidate(
        family, tuple(shape), tuple(bounds), plan, outcome, forbidden.rule if forbidden is not None else "", tuple(asks),
        tuple(closing), calls, {"outcome": outcome, **answer}, {**list_outcome_parts(), **fields}, expects, scope.demands,
        scope.choices,
        {**features, "items": looked_at} if looked_at else features, handbook, sources=played.sources,
    )  # fmt: skip


def make_refused(
    sandbox: Sandbox,
    shape: Sequence[str],
    bound: BoundGoal,
    plan: Plan,
    made: Sequence[Mapping[str, Sequence[str]]],
    rule: str,
    asks: Sequence[WordedRequest],
    closing: Sequence[str],
) -> Candidate | Dropped:
    """Make a task that a rule forbids: nothing may change, and the answer names the rule."""
    references = tuple(r for a in asks for r in a.references)
    if not bound.rows:
        return Dropped(UNFOUND, bound.goal)
    played = play_refusal(sandbox, bound, plan, rule, tell_request(asks), references, next(iter(bound.rows.values())))
    if isinstance(played, Dropped):
        return played
    parts: dict[str, Any] = {}
    fields: dict[str, tuple[Type | None, str]] = {}
    answer: dict[str, Any] = {}
    goal = sandbox.goals[bound.goal].goal
    for name, node in goal.tells.items():
        fields[name] = (node.type, say_where_done(describe_part(sandbox, name, node)))
    if _find_about(bound) is not None:
        _add_record(bound, parts, fields, answer)
    fields.setdefault("record", (TEXT, ABOUT_SEVERAL))
    agent = sandbox.compiled.blueprint.policies[rule].enforced == "agent"
    expects = {
        "outcome": "refused",
        "asked": bound.goal,
        "request": [_use(sandbox, bound, (), {})],
        "goals": [],
        "accepts": [[]],
        "rules": [rule] if agent else [],
        "forbidden": [{"tool": c.tool, "arguments": fill_new(c.arguments, made)} for c in plan],
        "answer": {"outcome": {"is": "refused"}, "rule": {"is": rule}, **parts},
    }
    scope = Scope(((),), (), 0, (), 0)
    return Candidate(
        "policy", tuple(shape), (bound,), (), "refused", rule, tuple(asks), tuple(closing), played.calls,
        {"outcome": "refused", "rule": rule, **answer}, {**list_outcome_parts(), **fields}, expects, (), 0,
        _features(sandbox, (bound,), played.calls, (), references, scope, (rule,), asks), agent, sources=played.sources,
    )  # fmt: skip


def _add_forbidden(
    sandbox: Sandbox,
    forbidden: ForbiddenPart,
    expects: dict[str, Any],
    fields: dict[str, tuple[Type | None, str]],
    answer: dict[str, Any],
    names: Mapping[str, str],
) -> tuple[str, ...]:
    """Add what is expected of a part that a rule forbids: that it is named, and nothing told of it. Returns the rules in play."""
    rule = forbidden.rule
    for key, node in sandbox.goals[forbidden.bound.goal].goal.tells.items():
        fields[names[key]] = (node.type, say_where_done(describe_part(sandbox, key, node, forbidden.place)))
    if sandbox.compiled.blueprint.policies[rule].enforced == "agent" and rule not in expects["rules"]:
        expects["rules"].append(rule)
    expects["asked"] = forbidden.bound.goal
    expects["place"] = forbidden.place
    expects["forbidden"] = [{"tool": c.tool, "arguments": c.arguments} for c in forbidden.calls]
    expects["answer"]["rule"] = {"is": rule}
    answer["rule"] = rule
    return tuple(dict.fromkeys((*expects["rules"], rule)))


def _list_said(sandbox: Sandbox, bounds: Sequence[BoundGoal]) -> list[str]:
    """List what the asker says, as people write it: a request may say it in other words, or in a record."""
    said = (
        value_to_json(value, sandbox.goals[b.goal].goal.states[name])
        for b in bounds
        for name, value in b.said.items()
        if value is not None
    )
    return list(dict.fromkeys(map(str, said)))


def insert_part(asks: Sequence[WordedRequest], forbidden: ForbiddenPart) -> tuple[WordedRequest, ...]:
    """Put a part among the others; what comes after it has nothing to do with it."""
    before, after = asks[: forbidden.place], asks[forbidden.place :]
    return (*before, forbidden.words, *(replace(ask, apart=ask.apart or not k) for k, ask in enumerate(after)))


def tell_request(asks: Sequence[WordedRequest]) -> str:
    """Tell everything that is asked, without what somebody says around it."""
    return "\n".join(ask.text for ask in asks)


def _add_record(
    bound: BoundGoal,
    parts: dict[str, Any],
    fields: dict[str, tuple[Type | None, str]],
    answer: dict[str, Any],
    place: int | None = None,
) -> None:
    """Add the id of what it is about: nobody knows it who has not looked."""
    entity, key = next(iter(bound.rows.values()))
    parts["record"] = {"is": key}
    fields["record"] = (TEXT, say_place(f"the id of the {to_words(entity)} that this is about", place))
    answer["record"] = key


def _find_about(bound: BoundGoal) -> RowKey | None:
    """Find the one record that a request is about: what is given first, unless another record of its kind is given too."""
    rows = list(bound.rows.values())
    return rows[0] if rows and sum(entity == rows[0][0] for entity, _ in rows) == 1 else None


def _list_asked(bounds: Sequence[BoundGoal], forbidden: ForbiddenPart | None) -> list[BoundGoal]:
    """List everything that is asked for, in order."""
    if forbidden is None:
        return list(bounds)
    return [*bounds[: forbidden.place], forbidden.bound, *bounds[forbidden.place :]]


def _list_places(bounds: Sequence[BoundGoal], forbidden: ForbiddenPart | None) -> list[int | None]:
    """List which of the things that are asked for each goal is, from 0 on; None where it is the only one."""
    if len(bounds) == 1 and forbidden is None:
        return [None]
    after = len(bounds) if forbidden is None else forbidden.place
    return [k + (k >= after) for k in range(len(bounds))]


def _collect_answers(
    sandbox: Sandbox,
    bounds: Sequence[BoundGoal],
    plan: Plan,
    labels: Mapping[str, str],
    places: Sequence[int | None],
    names: Sequence[Mapping[str, str]],
) -> Answers:
    """Collect what is reported back: how it is checked, what it means, and what the witness says. `places` are those of the goals
    among all that is asked for, and `names` what the parts of the answer are called there."""
    parts: dict[str, Any] = {}
    fields: dict[str, tuple[Type | None, str]] = {}
    answer: dict[str, Any] = {}
    picked = [find_picked_rows(sandbox, bound, plan) for bound in bounds]
    made = play(sandbox.start(bounds[0].role, bounds[0].actor), plan).made
    uow = sandbox.session.unit_of_work()
    for number, bound in enumerate(bounds):
        compiled = sandbox.goals[bound.goal]
        frame = {name: uow.row(entity, fill_new(key, made)) for name, (entity, key) in bound.rows.items()}
        for key, (run, kind) in compiled.tells.items():
            place = places[number]
            name = names[place or 0][key]
            parts[name] = {"goal": number, "tells": key}
            fields[name] = (kind, describe_part(sandbox, key, compiled.goal.tells[key], place))
            pick = picked[number].get(key)
            if pick is not None and pick.id in labels:
                parts[name]["row"] = labels[pick.id]
                value = pick.run(uow, {**frame, **bound.said, pick.name: uow.row(pick.entity, pick.id)})
            else:
                value = run(uow, {**frame, **bound.said})
            answer[name] = to_json(value, kind)
    return parts, fields, answer


def _use(
    sandbox: Sandbox, bound: BoundGoal, made: Sequence[Mapping[str, Sequence[str]]], labels: Mapping[str, str]
) -> dict[str, Any]:
    goal = sandbox.goals[bound.goal].goal
    rows: dict[str, Any] = {}
    for name, (_, key) in bound.rows.items():
        found = fill_new(key, made)
        rows[name] = {"row": labels[found]} if isinstance(key, NewRow) and found in labels else {"id": found}
    return {
        "goal": bound.goal,
        "rows": rows,
        "said": {name: value_to_json(value, goal.states[name]) for name, value in bound.said.items()},
    }


def rules_in_play(sandbox: Sandbox, plan: Plan) -> tuple[str, ...]:
    """The handbook rules that bind the calls of a plan."""
    policies = sandbox.compiled.blueprint.policies
    found: dict[str, None] = {}
    for call in plan:
        for name in sandbox.compiled.tools[call.tool].effects.policies:
            if policies[name].enforced == "agent" and policies[name].rule is not None:
                found[name] = None
    return tuple(found)


def _features(
    sandbox: Sandbox,
    bounds: Sequence[BoundGoal],
    calls: Sequence[Call],
    plan: Plan,
    references: Sequence[Reference],
    scope: Scope,
    rules: Sequence[str],
    asks: Sequence[WordedRequest],
) -> dict[str, Any]:
    """Difficulty, measured on the witness."""
    specs = sandbox.compiled.specs
    role = bounds[0].role
    met = {at for b in bounds for at in b.rows.values()} | {(r.entity, r.id) for r in references}
    kinds = [REFERENCES.index(r.kind) for r in references]
    return {
        "calls": len(calls),
        "writes": len(plan),
        "goals": len({b.goal for b in bounds}),
        "reference": REFERENCES[max(kinds)] if kinds else "none",
        "branches": sum(step.test is not None for b in bounds if b.goal for step in sandbox.goals[b.goal].goal.how),
        "mess": sum(at in sandbox.damaged for at in met),
        "tools": sum(not s.roles or role in s.roles for s in specs.values()),
        "joins": sum(r.joins for r in references),
        "distractors": sum(r.alike for r in references),
        "systems": len({specs[c.tool].system for c in calls}),
        "policies": len(rules),
        "end_states": 1 + scope.choices,
        "turns": len(asks) + sum(len(ask.facts) + len(ask.acts) + len(ask.adds) for ask in asks[:1]),
        "items": max((len(v) for c in plan for v in c.arguments.values() if isinstance(v, list)), default=0),
        **measure_living(sandbox, bounds, plan, asks),
    }
