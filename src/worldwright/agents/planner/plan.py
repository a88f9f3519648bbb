"""The plan: read, choose, find, fill, check the rules, write, recover, answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from worldwright.agents.planner.caution import find_broken_rule
from worldwright.agents.planner.choose import drop_asides, is_question, rank_writers
from worldwright.agents.planner.converse import converse
from worldwright.agents.planner.each import asks_about_many, list_matching, tally
from worldwright.agents.planner.fill import MIN_SURE_SCORE, Draft, draft
from worldwright.agents.planner.find import Match, find, read_letter, show, spell_out
from worldwright.agents.planner.memory import flatten, kind_of, list_own_values
from worldwright.agents.planner.request import Request, insert_letter, split_sentences
from worldwright.agents.planner.state import Outcome, OutOfCalls, Plan, PlannedCall, PlannerState
from worldwright.agents.planner.toolbox import Op, Param
from worldwright.agents.planner.values import collect_mentions, value_for
from worldwright.agents.planner.words import score_likeness, stem_words

_ID_OF = re.compile(r"\bids? of (?:the |an? |those )?([a-z][a-z ]+?)(?: that\b|$)", re.IGNORECASE)


_TELL = re.compile(r"\b(?:tell me|let me know|let me have|give me|report|hear)\b[^.?!]*", re.IGNORECASE)
STALE_PENALTY = 0.8
"""How much less a field counts that was seen before something was written."""
MIN_SCORE = 0.3
"""Below this, a field is too unlike a part of the answer to be told."""


def compose_answer(state: PlannerState, about: Sequence[str], refused: str = "") -> dict[str, Any]:
    """Compose the answer that is submitted. Parts for which nothing was found are left out, where that is allowed."""
    out: dict[str, Any] = {}
    for part in state.tools.submit.params:
        value = _part(state, part, about, refused)
        if value is not None:
            out[part.name] = value
    if state.undone and not refused and state.tools.submit.allows_none("outcome"):
        out["outcome"] = None
    return out


def _part(state: PlannerState, part: Param, about: Sequence[str], refused: str) -> Any:
    if part.name == "outcome":
        wanted = "refused" if refused else "done"
        return wanted if not part.choices or wanted in part.choices else part.choices[0]
    if part.name == "rule":
        return refused or None
    if part.name == "record":
        kind = state.tools.kind_called(part.says.split("that this")[0])
        return next((key for key in about if kind_of(key) == kind), about[0] if about else None)
    if refused and "where it was done" in part.says:
        return None
    if part.type == "array":
        return []
    return answer_value(state, part, about)


def answer_value(state: PlannerState, part: Param, about: Sequence[str]) -> Any:
    """The value whose field is called most like the part: results of writes first, then the record itself."""
    called = _ID_OF.search(part.says)
    if called and part.type == "string":
        return _id(state, part, called[1], about)
    wanted = find_questions(state.request.text)
    best: tuple[float, Any] = (MIN_SCORE, None)
    for bonus, path, value in _list_values(state, about):
        if _fits_type(part, value):
            score = _score_field(part, path, wanted) + bonus
            best = (score, value) if score > best[0] + 1e-9 and score - bonus > 0 else best
    return best[1]


def find_questions(text: str) -> str:
    """Extract what the request wants to hear: its questions, and what stands behind `tell me`."""
    asked = [text[low:high] for low, high in split_sentences(text) if text[low:high].rstrip().endswith("?")]
    return " ".join([*asked, *(m[0] for m in _TELL.finditer(text))])


def _score_field(part: Param, path: str, wanted: str) -> float:
    """Score how well a field goes with a part of the answer: by its name, its plain word, and the words of the question."""
    name = path.split()[-1]
    alike = max(score_likeness(name, part.name), 0.8 * score_likeness(path, part.name)) + (
        0.3 if name == part.name else 0.0
    )
    mine, said = set(stem_words(name)), set(stem_words(wanted))
    return alike + (0.35 * len(mine & said) / len(mine) if mine else 0.0)


def _list_values(state: PlannerState, about: Sequence[str]) -> Iterator[tuple[float, str, Any]]:
    """Yield what may be told, the surest first: what a write gave back, then the records as they are now, then what was passed."""
    for age, (_, arguments, data) in enumerate(reversed(state.written)):
        if isinstance(data, Mapping):
            yield from ((0.4 - 0.05 * age, path, value) for path, value in flatten(data))
        yield from ((0.1 - 0.05 * age, name, value) for name, value in arguments.items())
    for data in state.told:
        yield from ((0.4, path, value) for path, value in flatten(data if isinstance(data, Mapping) else {}))
    for key in about:
        row = state.memory.row(key)
        old = 0.0 if state.memory.since.get(key, 0) >= len(state.written) else STALE_PENALTY
        yield from ((0.2 - old, path, value) for path, value in list_own_values(row))
        yield from ((0.05 - old, path, value) for path, value in flatten(row))


def _id(state: PlannerState, part: Param, words: str, about: Sequence[str]) -> str | None:
    """The id of a kind: what was chosen for a parameter of that name, else what a write made, else what it is about."""
    kind = state.tools.kind_called(words)
    if not kind:
        return None
    for _, arguments, data in reversed(state.written):
        if kind_of(arguments.get(part.name)):
            return str(arguments[part.name])
        row = data if isinstance(data, Mapping) else {}
        mine = [v for _, v in flatten(row) if kind_of(v) == kind]
        given = [v for v in arguments.values() if kind_of(v) == kind]
        if mine or given:
            return str(next((v for v in mine if v == row.get("id")), None) or (given or mine)[0])
    return next((key for key in about if kind_of(key) == kind), None)


def _fits_type(part: Param, value: Any) -> bool:
    if part.choices:
        return value in part.choices
    if part.type == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if part.type == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if part.type == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str)


MAX_ATTEMPTS = 4
"""Writes for one step, at most."""
MAX_OPERATIONS_TRIED = 3
"""Operations for one step, at most."""
MAX_SCORE_GAP = 2.5
"""How much worse another operation may score and still be tried, where the best one lacks a value or does not go through."""


class Refused(Exception):
    """A rule stands in the way. It ends the plan."""

    def __init__(self, rule: str, made: Draft, about: str, why: str) -> None:
        super().__init__(rule)
        self.rule, self.why = rule, why
        self.keys = [key for key in (about, *(v for _, v in flatten(made.arguments))) if kind_of(key)]


def plan_episode(state: PlannerState, read: Callable[[str], Request]) -> Plan[PlannedCall]:
    """Plan everything that the planner does in an episode, call by call. Its value is the call that submits. `read` reads the
    request again, with more of it."""
    about: list[str] = []
    if state.tools.can_ask:
        yield from converse(state, read)
    try:
        if asks_about_many(state):
            given, why = yield from _act_on_each(state)
            return PlannedCall(state.tools.submit.name, given, why)
        for step in range(len(state.request.steps)):
            yield from _do_step(state, step, about)
        if state.written and _wants_values(state):
            for key in about[-2:]:
                yield from show(state, key, "I look at it again, to report how it stands now.")
        return PlannedCall(state.tools.submit.name, compose_answer(state, about), _conclude(state))
    except Refused as no:
        return PlannedCall(
            state.tools.submit.name, compose_answer(state, [*no.keys, *about], no.rule), f"I refuse: {no.why}."
        )
    except OutOfCalls:
        state.undone.append("I ran out of calls")
        why = "I have made as many calls as I allow myself, so I answer with what I have."
        return PlannedCall(state.tools.submit.name, compose_answer(state, about), why)


def _conclude(state: PlannerState) -> str:
    """Say what has come of the request, as the planner sees it."""
    done = ", ".join(op.name for op, _, _ in state.written)
    if state.undone:
        return f"I could not do all of it: {'; '.join(state.undone)}." + (f" Done is {done}." if done else "")
    return (
        f"{done} went through, so what was asked for is done."
        if done
        else "Nothing was to be changed, so I tell what I found."
    )


def _wants_values(state: PlannerState) -> bool:
    """Return whether the answer wants figures, dates or states, and not only ids."""
    return any(
        p.name not in ("outcome", "rule", "record") and "the id of" not in p.says for p in state.tools.submit.params
    )


def _do_step(state: PlannerState, step: int, about: list[str]) -> Plan[None]:
    """Carry out one step of the request."""
    written = yield from read_letter(state, step)
    if written:
        state.request = insert_letter(state.request, step, written, frozenset(state.tools.nouns))
    options = [] if is_question(state.request.steps[step]) else rank_writers(state, step)
    if not options:
        yield from _find_out(state, step, about)
        return
    left = options[:5]
    op, made = left[0][1], Draft(left[0][1])
    for _ in range(MAX_OPERATIONS_TRIED):
        op = state.pick(left)
        left = [(score, other) for score, other in left if other is not op]
        key = yield from _focus(state, step, op)
        made = yield from draft(state, op, step, key)
        if key and key not in about:
            about.append(key)
        if not made.missing and (yield from _write(state, made, step, key)):
            return
        if not left or left[0][0] < options[0][0] - MAX_SCORE_GAP:
            break
    lacking = f"I have no {', '.join(made.missing)} for {op.name}" if made.missing else f"{op.name} was not accepted"
    state.undone.append(lacking)


def _find_out(state: PlannerState, step: int, about: list[str]) -> Plan[None]:
    """A step that only asks: look at the record, and let a tool work out what it can."""
    key = yield from _focus(state, step, None)
    about += [key] if key else []
    works = tuple(op for op in state.tools.ops if op.computes)
    for _, op in rank_writers(state, step, works)[:1]:
        made = yield from draft(state, op, step, key)
        if not made.missing:
            outcome = yield from state.call(op, made.arguments, f"{op.name} works that out without changing anything.")
            state.told += [outcome.data] if outcome.ok else []


def _focus(state: PlannerState, step: int, op: Op | None) -> Plan[str]:
    """The record that a step is about, seen in full; empty where none was found."""
    best: list[Match] = []
    state.aim = op.says if op else ""
    for kind in _kinds(state, step, op):
        found = yield from find(state, kind, step)
        if found and (not best or found[0].score > best[0].score):
            best = found
        if best and (
            best[0].score >= MIN_SURE_SCORE
            or (kind == _find_answer_kind(state) and best is found and best[0].score > 0)
        ):
            break
    if not best or best[0].score <= 0:
        return ""
    key = state.pick([f for f in best if f.score > best[0].score - 3])
    yield from show(state, key)
    return key


def _kinds(state: PlannerState, step: int, op: Op | None) -> list[str]:
    """Kinds of record that the step may be about: what the answer says, what the tool takes, what the text names."""
    text = drop_asides(state.request.steps[step])
    named = state.tools.kinds_named(text)
    first = [_find_answer_kind(state)]
    takes = [p.kind for p in op.params if p.kind and (p.required or p.kind in named)] if op else []
    takes = sorted(takes, key=lambda kind: -named.get(kind, 0))
    others = sorted(named, key=lambda kind: -named[kind])
    return [kind for kind in dict.fromkeys([*first, *takes, *others]) if kind][:3]


def _find_answer_kind(state: PlannerState) -> str:
    """Return the kind of record that the answer names, where it names one."""
    part = state.tools.submit.param("record")
    return state.tools.kind_called(part.says.split("that this")[0]) if part else ""


def _write(state: PlannerState, made: Draft, step: int, about: str) -> Plan[bool]:
    """The call, checked against the handbook first; another try where the tool says what was wrong."""
    last: Outcome | None = None
    for _ in range(MAX_ATTEMPTS):
        broken = find_broken_rule(state, made.op, made.arguments, about)
        if broken is not None:
            if _take_next_candidate(made):
                continue
            raise Refused(broken[0].name, made, about, broken[1])
        outcome = yield from state.call(made.op, made.arguments, _explain(made, about))
        if outcome.ok:
            return True
        rule = state.book.find_saying(outcome.message)
        again = last is not None and rule is not None and rule == state.book.find_saying(last.message)
        last = outcome
        if again or (not _mend_draft(state, made, outcome, step, about) and not _take_next_candidate(made)):
            break
    if last is not None:
        _give_up(state, made, last, about)
    return False


def _explain(made: Draft, about: str) -> str:
    filled = ", ".join(
        f"{spell_out(k)} {v}"
        for k, v in made.arguments.items()
        if isinstance(v, (str, int, float)) and len(str(v)) < 40
    )
    lacking = f" I have nothing for {', '.join(made.missing)}." if made.missing else ""
    return f"{made.op.name} is what the request asks for{' on ' + about if about else ''}: {filled}.{lacking}"


def _take_next_candidate(made: Draft) -> bool:
    """Take the next candidate, where any will do."""
    if not made.choice or not made.others:
        return False
    made.arguments[made.choice] = made.others.pop(0)
    return True


def _mend_draft(state: PlannerState, made: Draft, outcome: Outcome, step: int, about: str) -> bool:
    """Change the argument that a tool did not take: what it would take, where the error says so; else what was left out."""
    details = outcome.error.get("details")
    known = details if isinstance(details, Mapping) else {}
    name = next((str(known[k]) for k in ("argument", "parameter", "field") if isinstance(known.get(k), str)), "")
    allowed = next((known[k] for k in ("allowed", "choices", "one_of") if isinstance(known.get(k), list)), None)
    if name in made.arguments and allowed:
        made.arguments[name] = state.pick([(0.0, one) for one in allowed])
        return True
    said = set(stem_words(f"{outcome.code} {outcome.message} {name}"))
    for p in made.op.params:
        if p.name in made.arguments or p.kind or not set(stem_words(p.name)) <= said:
            continue
        value = value_for(state, Param(p.name, p.schema, True), collect_mentions(state, step, state.memory.row(about)))
        if value is not None:
            made.arguments[p.name] = value
            return True
    return False


def _give_up(state: PlannerState, made: Draft, outcome: Outcome, about: str) -> None:
    """A refusal that names a rule is reported as such. Any other is the planner's own mistake."""
    rule = state.book.find_saying(outcome.message)
    if rule is not None:
        raise Refused(
            rule.name, made, about, f"{made.op.name} was refused by the rule '{rule.name}': {outcome.message}"
        )


def _act_on_each(state: PlannerState) -> Plan[tuple[dict[str, Any], str]]:
    """Act on every record that fits, and count."""
    op, rows = yield from list_matching(state)
    acts = state.tools.submit.param("outcome") is not None and any(p.type == "array" for p in state.tools.submit.params)
    kind = kind_of(rows[0].get("id")) if rows else ""
    writers = tuple(w for w in state.tools.writers if any(p.kind == kind and p.required for p in w.params))
    done: list[Mapping[str, Any]] = []
    left_out: list[str] = []
    options = rank_writers(state, 0, writers) if acts and kind else []
    act = state.pick(options[:5]) if options else None
    for row in rows:
        key = str(row.get("id"))
        ruled_out = act is not None and (yield from _act_on_row(state, act, key))
        if ruled_out is True:
            left_out.append(key)
        elif ruled_out is False:
            done.append(row)
    searched = op.name if op else "the tools"
    why = f"{searched} gave {len(rows)} that fit; {len(done)} of them count and {len(left_out)} are left out."
    return tally(state, done, left_out), why


def _act_on_row(state: PlannerState, act: Op, key: str) -> Plan[bool | None]:
    """Act on one of many: False where it was done, True where a rule forbids it, None where it cannot be done anyway."""
    made = yield from draft(state, act, 0, key)
    if find_broken_rule(state, act, made.arguments, key) is not None:
        return True
    outcome = yield from state.call(act, made.arguments, f"{key} fits what was asked, so I do {act.name} on it.")
    return False if outcome.ok else True if state.book.find_saying(outcome.message) else None
