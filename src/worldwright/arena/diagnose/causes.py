"""The causes of failures, in the order in which they are asked for: the first that explains an episode is its diagnosis.

What stops an agent from working comes first (loops, limits, calls that cannot be read), then what it was not allowed to do, then
what it did wrongly, then what it did not do, and last what it only said wrongly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.arena.diagnose import records as r
from worldwright.arena.diagnose.align import Pair, ValueDifference
from worldwright.arena.diagnose.evidence import BUSY, Event, Evidence
from worldwright.arena.diagnose.records import Diagnosis
from worldwright.blueprint.schema import Schema
from worldwright.kinds.database.compile.tasks.plans import list_leaves
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Is, Pattern

Cause = Callable[[Evidence], Diagnosis | None]
MIN_LOOP_CALLS = 4
"""So many times the same call with the same result are a loop."""


def find_loop(ev: Evidence) -> Diagnosis | None:
    if ev.state_right and ev.complete and not (ev.wrong_answers and not ev.scene.writes):
        return None
    counts = Counter((e.tool, repr(e.arguments), e.content) for e in ev.events if e.code not in BUSY)
    for (tool, arguments, content), number in counts.most_common(1):
        if number >= MIN_LOOP_CALLS:
            steps = [
                e.number for e in ev.events if (e.tool, repr(e.arguments), e.content) == (tool, arguments, content)
            ]
            says = f"`{tool}` was called {number} times with the same arguments and the same result."
            return Diagnosis(r.LOOP, says, tuple(steps), tool)
    return None


def find_exhausted_limit(ev: Evidence) -> Diagnosis | None:
    if not ev.at_limit or ev.strayed or ev.episode.broken_rules:
        return None
    useless = sum(_is_unreadable(ev, e) or _is_made_up(ev, e) for e in ev.events)
    if 2 * useless > len(ev.events):
        return None
    left = sum(pair.made is None or not pair.made.ok for pair in ev.pairs)
    says = f"The {ev.episode.outcome} ran out after {len(ev.events)} calls, with {left} of {len(ev.pairs)} changes still to make."
    return Diagnosis(r.RAN_OUT, says, tuple(e.number for e in ev.events[-1:]), _tool(ev.events[-1:]))


def find_forbidden_write(ev: Evidence) -> Diagnosis | None:
    scene = ev.scene
    if scene.refuses:
        tools = {call.tool for call in scene.forbidden_calls}
        done = [e for e in ev.writes if e.tool in tools]
        if done:
            says = f"`{done[0].tool}` was done, which the rule {scene.rule} forbids here."
            return Diagnosis(r.FORBIDDEN_WRITE, says, _numbers(done), done[0].tool, policy=scene.rule)
    tried = [e for e in ev.attempts if e.code == "FORBIDDEN" and not ev.was_repeated(e)]
    if tried and not ev.state_right and not ev.strayed:
        says = f"`{tried[0].tool}` was called, which the role {ev.episode.role} may not do."
        return Diagnosis(r.FORBIDDEN_WRITE, says, _numbers(tried), tried[0].tool)
    return None


def find_hallucination(ev: Evidence) -> Diagnosis | None:
    event = _find_blamed_call(ev, _is_made_up)
    if event is None:
        return None
    if event.code == "UNKNOWN_TOOL":
        says = f"There is no tool `{event.tool}`, and what it was meant to do was not done in another way."
        return Diagnosis(r.HALLUCINATED, says, (event.number,), event.tool)
    row = _find_refused_value(event)
    says = f"`{event.tool}` was given {row!r} for {event.argument}: no record has this id, and nothing had said so."
    return Diagnosis(r.HALLUCINATED, says, (event.number,), event.tool, row=str(row), field=event.argument, found=row)


def find_malformed(ev: Evidence) -> Diagnosis | None:
    event = _find_blamed_call(ev, _is_unreadable)
    if event is None:
        return None
    about = f" ({event.argument})" if event.argument else ""
    says = f"A call of `{event.tool}` could not be read{about}, and was not made again in a form that could."
    return Diagnosis(r.MALFORMED, says, (event.number,), event.tool, field=event.argument)


def find_giving_up(ev: Evidence) -> Diagnosis | None:
    if ev.at_limit or ev.strayed or ev.episode.broken_rules:
        return None
    idle = not any(e.ok for e in ev.events) and bool(ev.scene.key.calls)
    refused = ev.answer.get("outcome") == "refused" and "rule" not in ev.answer and not ev.writes
    empty = not ev.answer and not ev.scene.writes
    partly = not ev.complete and not ev.state_right
    if ev.episode.submitted and not (idle or empty or partly or (refused and not ev.state_right)):
        return None
    done = sum(pair.made is not None and pair.made.ok for pair in ev.pairs)
    how = "submitted" if ev.episode.submitted else "fell silent"
    says = f"The agent {how} after {len(ev.events)} calls, with {done} of {len(ev.pairs)} changes made."
    return Diagnosis(r.GAVE_UP, says, tuple(e.number for e in ev.events[-1:]), _tool(ev.events[-1:]))


def find_missed_policy(ev: Evidence) -> Diagnosis | None:
    scene = ev.scene
    for policy in ev.episode.broken_rules:
        steps = [e for e in ev.writes if policy in scene.compiled.tools[e.tool].effects.policies] or list(ev.writes)
        says = f"The rule {policy} of the handbook was broken."
        return Diagnosis(r.MISSED_POLICY, says, _numbers(steps), _tool(steps), policy=policy)
    wrong = {name: found for name, _, found in ev.wrong_answers}
    if scene.refuses and wrong and not ev.extra and {"outcome", "rule"} & wrong.keys():
        tried = [e for e in ev.attempts if e.tool in {call.tool for call in scene.forbidden_calls}]
        said = ev.answer.get("rule") or ev.answer.get("outcome")
        says = f"The rule {scene.rule} forbids what is asked; the answer says {said}."
        return Diagnosis(
            r.MISSED_POLICY, says, _numbers(tried), _tool(tried), field="rule", policy=scene.rule, expected=scene.rule, found=said,
        )  # fmt: skip
    named = ev.answer.get("rule")
    if not scene.refuses and named and "outcome" in wrong and not ev.writes and not _is_other_record(ev):
        says = f"Nothing forbids what is asked; the answer says that {named} does."
        policy = "_".join(str(named).split())
        return Diagnosis(r.MISSED_POLICY, says, field="rule", policy=policy, found=named)
    return None


def find_stale_assumption(ev: Evidence) -> Diagnosis | None:
    if ev.state_right:
        for name, expected, found in ev.wrong_answers:
            if why := _explain_outdated(ev, found, expected):
                says = f"The answer gives {found} for {name}: {why}. It is {expected}."
                return Diagnosis(r.STALE, says, field=name, expected=expected, found=found)
        return None
    for pair, d in _list_differences(ev):
        if pair.made is not None and (why := _explain_outdated(ev, d.found, d.leaf.value)):
            field = ".".join(map(str, d.leaf.path))
            says = f"`{pair.gold.tool}` was given {d.found} for {field}: {why}. It is {d.leaf.value}."
            return Diagnosis(
                r.STALE, says, (pair.made.number,), pair.gold.tool, d.leaf.entity, str(d.found) if d.leaf.entity else "", field,
                expected=d.leaf.value, found=d.found,
            )  # fmt: skip
    return None


def find_wrong_entity(ev: Evidence) -> Diagnosis | None:
    if ev.state_right:
        return None
    for pair, d in _list_differences(ev):
        if pair.made is not None and d.leaf.entity and isinstance(d.found, str):
            field = ".".join(map(str, d.leaf.path))
            says = f"`{pair.gold.tool}` was called for the {d.leaf.entity} {d.found}; {d.leaf.value} is meant."
            return Diagnosis(
                r.WRONG_ENTITY, says, (pair.made.number,), pair.gold.tool, d.leaf.entity, d.found, field,
                expected=d.leaf.value, found=d.found,
            )  # fmt: skip
    return _diagnose_stray_rows(ev, r.WRONG_ENTITY)


def find_wrong_value(ev: Evidence) -> Diagnosis | None:
    if ev.state_right:
        return None
    for pair, d in _list_differences(ev):
        if pair.made is not None:
            field = ".".join(map(str, d.leaf.path))
            says = f"`{pair.gold.tool}` was given {d.found!r} for {field}; {d.leaf.value!r} is right."
            return Diagnosis(
                r.WRONG_VALUE,
                says,
                (pair.made.number,),
                pair.gold.tool,
                field=field,
                expected=d.leaf.value,
                found=d.found,
            )
    return _diagnose_stray_rows(ev, r.WRONG_VALUE) or _text(ev)


def find_collateral(ev: Evidence) -> Diagnosis | None:
    if not ev.extra or (ev.missing and not ev.matches_witness):
        return None
    more = ev.other_writes
    row = ev.extra[0]
    says = f"{row.table} {row.id} was {row.op} too, which nobody asked for."
    return Diagnosis(r.COLLATERAL, says, _numbers(more), _tool(more), row.table, row.id, ", ".join(row.cells))


def find_missed_step(ev: Evidence) -> Diagnosis | None:
    if ev.state_right:
        return None
    for pair in ev.pairs:
        if pair.made is None or not pair.made.ok:
            how = "was never called" if pair.made is None else "was refused and not made again"
            steps = () if pair.made is None else (pair.made.number,)
            says = f"`{pair.gold.tool}` {how}, and what it changes is still to do."
            first = next((leaf for leaf in pair.gold.leaves if leaf.entity), None)
            entity, row = (first.entity, str(first.value)) if first is not None else ("", "")
            return Diagnosis(r.MISSED_STEP, says, steps, pair.gold.tool, entity, row)
    table = ev.missing[0].table if ev.missing else ""
    says = f"A {table or 'row'} that should have changed did not." if table else "What is wanted is not so in the end."
    return Diagnosis(r.MISSED_STEP, says, entity=table, row=ev.missing[0].id if ev.missing else "")


def find_wrong_answer(ev: Evidence) -> Diagnosis | None:
    name, expected, found = next(iter(ev.wrong_answers), ("", None, None))
    says = f"The answer gives {found!r} for {name}; {expected!r} is right."
    return Diagnosis(r.WRONG_ANSWER, says, field=name, expected=expected, found=found)


CAUSES: tuple[Cause, ...] = (
    find_loop,
    find_exhausted_limit,
    find_forbidden_write,
    find_hallucination,
    find_malformed,
    find_giving_up,
    find_missed_policy,
    find_stale_assumption,
    find_wrong_entity,
    find_wrong_value,
    find_collateral,
    find_missed_step,
    find_wrong_answer,
)


# what several of them ask


def _is_unreadable(ev: Evidence, event: Event) -> bool:
    return event.code == "INVALID_ARGUMENT"


def _is_made_up(ev: Evidence, event: Event) -> bool:
    """Return whether a call names a tool that there is not, or an id that no record has and that the agent had not seen."""
    if event.code == "UNKNOWN_TOOL":
        return True
    value = _find_refused_value(event) if event.code == "NOT_FOUND" else None
    return isinstance(value, str) and not ev.had_seen(value, event)


def _find_refused_value(event: Event) -> Any:
    """Find the id that was refused: that of the argument, or the one inside a list that the refusal names."""
    if not isinstance(event.arguments, dict):
        return None
    found = event.arguments.get(event.argument)
    if isinstance(found, str):
        return found
    return next((v for _, v in list_leaves(event.arguments) if isinstance(v, str) and f"'{v}'" in event.content), None)


def _find_blamed_call(ev: Evidence, fault: Callable[[Evidence, Event], bool]) -> Event | None:
    """Find the call with this fault that kept something from being done: it is all that there is of a change, or nothing of its
    kind came after it."""
    if ev.state_right and ev.scene.writes:
        return None
    faulty = {e.number: e for e in ev.events if not e.ok and fault(ev, e)}
    if not faulty:
        return None
    undone = [pair for pair in ev.pairs if pair.made is None or not pair.made.ok]
    for pair in undone:
        if pair.made is not None and pair.made.number in faulty:
            return faulty[pair.made.number]
    waiting = any(pair.made is None for pair in undone) if ev.scene.writes else not ev.extra
    blocked = [e for e in faulty.values() if not _recovered(ev, e)]
    return blocked[0] if waiting and blocked else None


def _recovered(ev: Evidence, event: Event) -> bool:
    """Return whether the agent found its way after a faulty call. For a tool that there is not, any change or, where none is
    asked for, any call that was taken says so."""
    if event.code == "UNKNOWN_TOOL":
        return not ev.scene.writes and any(e.ok for e in ev.events[event.number :])
    return ev.was_repeated(event)


def _list_differences(ev: Evidence) -> Iterator[tuple[Pair, ValueDifference]]:
    """Yield values that are not the witness's, those of calls that were taken first."""
    for ok in (True, False):
        for pair in ev.pairs:
            if pair.made is not None and pair.made.ok is ok:
                yield from ((pair, d) for d in pair.decisive)


def _is_other_record(ev: Evidence) -> bool:
    """Return whether a refused call was about another record than is meant: the rule that refused it is not what was missed."""
    return any(d.leaf.entity and isinstance(d.found, str) for _, d in _list_differences(ev))


def _explain_outdated(ev: Evidence, found: Any, expected: Any) -> str:
    """Say why somebody may have taken one value for the other, where the one is out of date."""
    if None in (found, expected) or isinstance(found, (bool, list, dict)) or found == expected:
        return ""
    for values in ev.histories:
        if values[-1] == expected and found in values[:-1]:
            return "so it was before the agent's own calls changed it"
    if (str(found), str(expected)) in ev.scene.outdated:
        return "an outdated place still shows it"
    if ev.scene.copies.get(str(found)) == expected:
        return "that is a duplicate"
    return ""


def _diagnose_stray_rows(ev: Evidence, kind: str) -> Diagnosis | None:
    """Diagnose from the rows alone, where another operation was used than the witness's."""
    others = ev.other_writes
    if ev.matches_witness or not others:
        return None
    strays = find_strays(ev.scene.compiled.blueprint.schema, ev.missing, ev.extra)
    found: RowMismatch | None = next((s for s in strays if s.entity == (kind == r.WRONG_ENTITY)), None)
    if found is None:
        return None
    says = f"{found.table} {found.row}: {found.field} is {found.found!r}; {found.expected!r} is right."
    return Diagnosis(
        kind, says, _numbers(others), others[0].tool, found.table, found.row, found.field,
        expected=found.expected, found=found.found,
    )  # fmt: skip


def _text(ev: Evidence) -> Diagnosis | None:
    for one in ev.episode.verdict.get("assertions", ()):
        if not one["ok"] and one["name"].startswith("text ") and not ev.missing and not ev.extra:
            says = f"A text does not state {one['expected']!r} as it must."
            return Diagnosis(
                r.WRONG_VALUE, says, _numbers(ev.writes), _tool(ev.writes), field="text", expected=one["expected"]
            )
    return None


def _numbers(events: Any) -> tuple[int, ...]:
    return tuple(e.number for e in events)


def _tool(events: Any) -> str:
    return events[0].tool if events else ""


# rows that should have changed, beside rows that did


@dataclass(frozen=True, slots=True)
class RowMismatch:
    """One way in which a row is not the row that was wanted."""

    table: str
    row: str
    field: str
    expected: Any
    found: Any
    entity: bool
    """Whether another record is meant, not another value."""


def find_strays(schema: Schema, missing: Sequence[Pattern], extra: Sequence[NetRow]) -> Iterator[RowMismatch]:
    """Yield for each row that is missing what is different about the nearest one that is there."""
    for pattern in missing:
        beside = [row for row in extra if (row.op, row.table) == (pattern.op, pattern.table)]
        found = [list(_compare_row(schema, pattern, row)) for row in beside]
        if found:
            yield from min(found, key=len)


def _compare_row(schema: Schema, pattern: Pattern, row: NetRow) -> Iterator[RowMismatch]:
    if pattern.id and pattern.id != row.id:
        yield RowMismatch(row.table, row.id, "id", pattern.id, row.id, True)
        return
    columns = schema.entities[row.table].columns
    for name, cell in pattern.cells.items():
        if isinstance(cell, Is) and name in row.cells and row.cells[name] != cell.value:
            kind = columns[name].type
            right, given = to_json(cell.value, kind), to_json(row.cells[name], kind)
            yield RowMismatch(row.table, row.id, name, right, given, kind.kind == "ref")
