"""The plan: read, choose, find, fill, check the rules, write, recover, answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.agents.planner.answers import answer
from worldwright.agents.planner.caution import forbidden
from worldwright.agents.planner.choose import drop_asides, scored, wonders
from worldwright.agents.planner.each import listed, many, tally
from worldwright.agents.planner.fill import SURE, Draft, draft
from worldwright.agents.planner.find import Match, find, letter, plainly, show
from worldwright.agents.planner.memory import flat, kind_of
from worldwright.agents.planner.mind import Mind, Outcome, OutOfCalls, Plan, PlannedCall
from worldwright.agents.planner.request import quoting
from worldwright.agents.planner.toolbox import Op, Param
from worldwright.agents.planner.values import collect_mentions, value_for
from worldwright.agents.planner.words import stem_words

TRIES = 4
"""Writes for one step, at most."""
MOST_OPERATIONS_TRIED = 3
"""Operations for one step, at most."""
CLOSE = 2.5
"""How much worse another operation may score and still be tried, where the best one lacks a value or does not go through."""


class Refused(Exception):
    """A rule stands in the way. It ends the plan."""

    def __init__(self, rule: str, made: Draft, about: str, why: str) -> None:
        super().__init__(rule)
        self.rule, self.why = rule, why
        self.keys = [key for key in (about, *(v for _, v in flat(made.arguments))) if kind_of(key)]


def whole(mind: Mind) -> Plan[PlannedCall]:
    """Everything that the planner does in an episode. Its value is the call that submits."""
    about: list[str] = []
    try:
        if many(mind):
            given, why = yield from _for_each(mind)
            return PlannedCall(mind.tools.submit.name, given, why)
        for step in range(len(mind.request.steps)):
            yield from _one(mind, step, about)
        if mind.written and _tells(mind):
            for key in about[-2:]:
                yield from show(mind, key, "I look at it again, to report how it stands now.")
        return PlannedCall(mind.tools.submit.name, answer(mind, about), _conclusion(mind))
    except Refused as no:
        return PlannedCall(mind.tools.submit.name, answer(mind, [*no.keys, *about], no.rule), f"I refuse: {no.why}.")
    except OutOfCalls:
        mind.undone.append("I ran out of calls")
        why = "I have made as many calls as I allow myself, so I answer with what I have."
        return PlannedCall(mind.tools.submit.name, answer(mind, about), why)


def _conclusion(mind: Mind) -> str:
    """What has come of the request, as the planner sees it."""
    done = ", ".join(op.name for op, _, _ in mind.written)
    if mind.undone:
        return f"I could not do all of it: {'; '.join(mind.undone)}." + (f" Done is {done}." if done else "")
    return (
        f"{done} went through, so what was asked for is done."
        if done
        else "Nothing was to be changed, so I tell what I found."
    )


def _tells(mind: Mind) -> bool:
    """Whether the answer wants figures, dates or states, and not only ids."""
    return any(
        p.name not in ("outcome", "rule", "record") and "the id of" not in p.says for p in mind.tools.submit.params
    )


def _one(mind: Mind, step: int, about: list[str]) -> Plan[None]:
    """One step of the request."""
    written = yield from letter(mind, step)
    if written:
        mind.request = quoting(mind.request, step, written, frozenset(mind.tools.nouns))
    options = [] if wonders(mind.request.steps[step]) else scored(mind, step)
    if not options:
        yield from _find_out(mind, step, about)
        return
    left = options[:5]
    op, made = left[0][1], Draft(left[0][1])
    for _ in range(MOST_OPERATIONS_TRIED):
        op = mind.pick(left)
        left = [(score, other) for score, other in left if other is not op]
        key = yield from _focus(mind, step, op)
        made = yield from draft(mind, op, step, key)
        if key and key not in about:
            about.append(key)
        if not made.missing and (yield from _write(mind, made, step, key)):
            return
        if not left or left[0][0] < options[0][0] - CLOSE:
            break
    lacking = f"I have no {', '.join(made.missing)} for {op.name}" if made.missing else f"{op.name} was not accepted"
    mind.undone.append(lacking)


def _find_out(mind: Mind, step: int, about: list[str]) -> Plan[None]:
    """A step that only asks: look at the record, and let a tool work out what it can."""
    key = yield from _focus(mind, step, None)
    about += [key] if key else []
    works = tuple(op for op in mind.tools.ops if op.asks)
    for _, op in scored(mind, step, works)[:1]:
        made = yield from draft(mind, op, step, key)
        if not made.missing:
            outcome = yield from mind.call(op, made.arguments, f"{op.name} works that out without changing anything.")
            mind.told += [outcome.data] if outcome.ok else []


def _focus(mind: Mind, step: int, op: Op | None) -> Plan[str]:
    """The record that a step is about, seen in full; empty where none was found."""
    best: list[Match] = []
    mind.aim = op.says if op else ""
    for kind in _kinds(mind, step, op):
        found = yield from find(mind, kind, step)
        if found and (not best or found[0].score > best[0].score):
            best = found
        if best and (best[0].score >= SURE or (kind == _recorded(mind) and best is found and best[0].score > 0)):
            break
    if not best or best[0].score <= 0:
        return ""
    key = mind.pick([f for f in best if f.score > best[0].score - 3])
    yield from show(mind, key)
    return key


def _kinds(mind: Mind, step: int, op: Op | None) -> list[str]:
    """Kinds of record that the step may be about: what the answer says, what the tool takes, what the text names."""
    text = drop_asides(mind.request.steps[step])
    named = mind.tools.kinds_named(text)
    first = [_recorded(mind)]
    takes = [p.kind for p in op.params if p.kind and (p.required or p.kind in named)] if op else []
    takes = sorted(takes, key=lambda kind: -named.get(kind, 0))
    others = sorted(named, key=lambda kind: -named[kind])
    return [kind for kind in dict.fromkeys([*first, *takes, *others]) if kind][:3]


def _recorded(mind: Mind) -> str:
    """The kind of record that the answer names, where it names one."""
    part = mind.tools.submit.param("record")
    return mind.tools.kind_called(part.says.split("that this")[0]) if part else ""


def _write(mind: Mind, made: Draft, step: int, about: str) -> Plan[bool]:
    """The call, checked against the handbook first; another try where the tool says what was wrong."""
    last: Outcome | None = None
    for _ in range(TRIES):
        broken = forbidden(mind, made.op, made.arguments, about)
        if broken is not None:
            if _another(made):
                continue
            raise Refused(broken[0].name, made, about, broken[1])
        outcome = yield from mind.call(made.op, made.arguments, _because(made, about))
        if outcome.ok:
            return True
        again = last is not None and outcome.policy and outcome.policy == last.policy
        last = outcome
        if again or (not _mended(mind, made, outcome, step, about) and not _another(made)):
            break
    if last is not None:
        _give_up(mind, made, last, about)
    return False


def _because(made: Draft, about: str) -> str:
    filled = ", ".join(
        f"{plainly(k)} {v}" for k, v in made.arguments.items() if isinstance(v, (str, int, float)) and len(str(v)) < 40
    )
    lacking = f" I have nothing for {', '.join(made.missing)}." if made.missing else ""
    return f"{made.op.name} is what the request asks for{' on ' + about if about else ''}: {filled}.{lacking}"


def _another(made: Draft) -> bool:
    """Takes the next candidate, where any will do."""
    if not made.choice or not made.others:
        return False
    made.arguments[made.choice] = made.others.pop(0)
    return True


def _mended(mind: Mind, made: Draft, outcome: Outcome, step: int, about: str) -> bool:
    """Changes the argument that a tool did not take: what it would take, where the error says so; else what was left out."""
    details = outcome.error.get("details")
    known = details if isinstance(details, Mapping) else {}
    name = next((str(known[k]) for k in ("argument", "parameter", "field") if isinstance(known.get(k), str)), "")
    allowed = next((known[k] for k in ("allowed", "choices", "one_of") if isinstance(known.get(k), list)), None)
    if name in made.arguments and allowed:
        made.arguments[name] = mind.pick([(0.0, one) for one in allowed])
        return True
    said = set(stem_words(f"{outcome.code} {outcome.message} {name}"))
    for p in made.op.params:
        if p.name in made.arguments or p.kind or not set(stem_words(p.name)) <= said:
            continue
        value = value_for(mind, Param(p.name, p.schema, True), collect_mentions(mind, step, mind.memory.row(about)))
        if value is not None:
            made.arguments[p.name] = value
            return True
    return False


def _give_up(mind: Mind, made: Draft, outcome: Outcome, about: str) -> None:
    """A refusal that names a rule is reported as such. Any other is the planner's own mistake."""
    if outcome.policy:
        rule = mind.book.rule(outcome.policy)
        name = rule.name if rule else outcome.policy.replace("_", " ")
        raise Refused(name, made, about, f"{made.op.name} was refused by the rule '{name}': {outcome.message}")


def _for_each(mind: Mind) -> Plan[tuple[dict[str, Any], str]]:
    """Acts on every record that fits, and counts."""
    op, rows = yield from listed(mind)
    acts = mind.tools.submit.param("outcome") is not None and any(p.type == "array" for p in mind.tools.submit.params)
    kind = kind_of(rows[0].get("id")) if rows else ""
    writers = tuple(w for w in mind.tools.writers if any(p.kind == kind and p.required for p in w.params))
    done: list[Mapping[str, Any]] = []
    left_out: list[str] = []
    options = scored(mind, 0, writers) if acts and kind else []
    act = mind.pick(options[:5]) if options else None
    for row in rows:
        key = str(row.get("id"))
        ruled_out = act is not None and (yield from _row(mind, act, key))
        if ruled_out is True:
            left_out.append(key)
        elif ruled_out is False:
            done.append(row)
    searched = op.name if op else "the tools"
    why = f"{searched} gave {len(rows)} that fit; {len(done)} of them count and {len(left_out)} are left out."
    return tally(mind, done, left_out), why


def _row(mind: Mind, act: Op, key: str) -> Plan[bool | None]:
    """One of many: False where it was done, True where a rule forbids it, None where it cannot be done anyway."""
    made = yield from draft(mind, act, 0, key)
    if forbidden(mind, act, made.arguments, key) is not None:
        return True
    outcome = yield from mind.call(act, made.arguments, f"{key} fits what was asked, so I do {act.name} on it.")
    return False if outcome.ok else True if outcome.policy else None
