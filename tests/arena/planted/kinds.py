"""One planter for each class of failure: scripts that fail in this way and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tests.arena.planted.script import SUBMIT, WORDS, Move, Script
from tests.arena.planted.stage import Place, Stage

from worldwright.arena.diagnose import records as r
from worldwright.core import days
from worldwright.core.ids import prefix_of
from worldwright.kinds.database.compile.tasks.plans import replace_at
from worldwright.kinds.database.compile.tasks.variations import list_other_values
from worldwright.world.records import Call

Planter = Callable[[Stage], Iterator[Script]]
SIBLINGS = 3
FARTHEST = 12
"""Values tried until one breaks a rule that the tools let through."""
STRANGER = "XX-00"


def wrong_entity(stage: Stage) -> Iterator[Script]:
    for place in stage.places:
        if place.input.type.kind == "ref":
            for other in _others(stage, place, SIBLINGS):
                if stage.scene.copies.get(other) != place.value and not _shows(stage, other, place.value):
                    yield _with(r.WRONG_ENTITY, stage, place, other, everywhere=True)


def wrong_value(stage: Stage) -> Iterator[Script]:
    for place in stage.places:
        if place.input.type.kind not in ("ref", "text"):
            for other in _others(stage, place, 2):
                if not _shows(stage, other, place.value):
                    yield _with(r.WRONG_VALUE, stage, place, other)


def missed_step(stage: Stage) -> Iterator[Script]:
    for i in stage.writes:
        kept = [k for k in range(len(stage.gold)) if k != i]
        yield Script(r.MISSED_STEP, (*stage.moves(stage.parts(kept)), stage.submit()))


def missed_policy(stage: Stage) -> Iterator[Script]:
    reads = stage.moves(stage.parts(stage.reads))
    rules = [name for name in stage.scene.compiled.blueprint.policies if name != stage.scene.rule]
    if stage.scene.refuses:
        yield Script(r.MISSED_POLICY, (*reads, stage.submit(outcome="done", rule=None)))
    for rule in rules[:2] if reads else ():
        yield Script(r.MISSED_POLICY, (*reads, stage.submit(outcome="refused", rule=rule)))
    if stage.key.expects.get("rules") and not stage.scene.refuses:
        yield from _breaking(stage)


def _breaking(stage: Stage) -> Iterator[Script]:
    """The witness with one choice that the tools let through and the handbook forbids."""
    for place in stage.places:
        if place.input.type.kind not in ("ref", "enum", "bool"):
            continue
        for other in _others(stage, place, FARTHEST):
            moves, fine, broken = stage.played(_changed(stage, place, other))
            if fine and broken:
                yield Script(r.MISSED_POLICY, (*moves, stage.submit()))
                break


def forbidden_write(stage: Stage) -> Iterator[Script]:
    if stage.scene.refuses:
        reads = stage.moves(stage.parts(stage.reads))
        done = tuple(Move(one.tool, dict(one.arguments)) for one in stage.scene.forbidden_calls)
        session = stage.session()
        if any(session.call(move.tool, move.arguments).ok for move in done) and session.changes():
            yield Script(r.FORBIDDEN_WRITE, (*reads, *done, stage.submit(outcome="done", rule=None)))
            yield Script(r.FORBIDDEN_WRITE, (*reads, *done, stage.submit()))
    tools = stage.scene.compiled.tools.values()
    theirs = sorted(t.name for t in tools if t.mutates and t.roles and stage.task.role not in t.roles)
    for i in stage.writes[:1] if theirs else ():
        kept = stage.parts([k for k in range(len(stage.gold)) if k != i])
        yield Script(r.FORBIDDEN_WRITE, (*stage.moves(kept), Move(theirs[i % len(theirs)], {}), stage.submit()))


def stale(stage: Stage) -> Iterator[Script]:
    """The answer as it was before the own changes; a duplicate for the record that counts; what an outdated place shows."""
    whole = stage.moves(stage.parts())
    for name, value in stage.answer.items():
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            for before in _before(stage, value):
                yield Script(r.STALE, (*whole, stage.submit(**{name: before})))
    copies = {right: copy for copy, right in stage.scene.copies.items()}
    outdated = {right: shown for shown, right in stage.scene.outdated}
    for place in stage.places:
        if place.value in copies:
            yield _with(r.STALE, stage, place, copies[place.value])
        elif isinstance(place.value, str) and place.value in outdated:
            yield _with(r.STALE, stage, place, outdated[place.value])


def _before(stage: Stage, value: Any) -> Iterator[Any]:
    """What stood where this stands after the witness's changes."""
    session = stage.session()
    for one in stage.key.calls:
        session.call(one.tool, one.arguments)
    seen: set[Any] = set()
    for table in session.diff().values():
        for cells in table.changed.values():
            for before, after in cells.values():
                if after == value and before not in (None, value, *seen) and not isinstance(before, bool):
                    seen.add(before)
                    yield before


def malformed(stage: Stage) -> Iterator[Script]:
    for i in stage.writes:
        one = stage.gold[i]
        needed = [
            p.name
            for p in stage.scene.compiled.blueprint.operations[one.tool].inputs
            if not p.optional and p.default is None
        ]
        given = [name for name in needed if name in one.arguments]
        for name in given[:2]:
            rest = {k: v for k, v in one.arguments.items() if k != name}
            yield _instead(r.MALFORMED, stage, i, Move(one.tool, rest))
            yield _instead(
                r.MALFORMED, stage, i, Move(one.tool, {**one.arguments, name: {"value": one.arguments[name]}})
            )
        yield _instead(r.MALFORMED, stage, i, Move(one.tool, {**one.arguments, "please_note": "urgent"}))
        yield _instead(r.MALFORMED, stage, i, Move(one.tool, {}, '{"' + "value: "))


def hallucinated(stage: Stage) -> Iterator[Script]:
    for i in stage.writes:
        one = stage.gold[i]
        for name in (f"{one.tool}_now", f"quick_{one.tool}"):
            yield _instead(r.HALLUCINATED, stage, i, Move(name, one.arguments))
    for place in stage.places:
        if place.input.type.kind == "ref" and isinstance(place.value, str) and prefix_of(place.value):
            yield _with(r.HALLUCINATED, stage, place, f"{prefix_of(place.value)}97531")


def gave_up(stage: Stage) -> Iterator[Script]:
    last = stage.writes[-1] if stage.writes else len(stage.gold) - 1
    for k in sorted({0, last // 2, last}):
        begun = stage.moves(stage.parts(range(k)))
        yield Script(r.GAVE_UP, (*begun, WORDS, WORDS, WORDS))
        yield Script(r.GAVE_UP, (*begun, Move(SUBMIT, {})))


def loop(stage: Stage) -> Iterator[Script]:
    first = stage.writes[0] if stage.writes else len(stage.gold)
    begun = stage.moves(stage.parts(range(first)))
    for again in begun[-2:]:
        yield Script(r.LOOP, (*begun, *(again for _ in range(30))), turns=len(begun) + 12)
        yield Script(r.LOOP, (*begun, *(again for _ in range(5)), WORDS, WORDS, WORDS))


def ran_out(stage: Stage) -> Iterator[Script]:
    looks = tuple(Move(one.tool, one.arguments) for one in stage.house.reads(stage.task.role))
    for share in (2, 3) if len(looks) > 3 else ():
        turns = 1 + len(looks) // share
        yield Script(r.RAN_OUT, looks, turns)
    half = stage.moves(stage.parts(range(len(stage.gold) - 1)))
    if half:
        yield Script(r.RAN_OUT, half, len(half))


def wrong_answer(stage: Stage) -> Iterator[Script]:
    whole = stage.moves(stage.parts())
    for name, value in stage.answer.items():
        if name in ("outcome", "rule"):
            continue
        form = stage.task.answer_schema["properties"][name]
        for other in _spoilt(value, form):
            if str(other) not in map(str, _before(stage, value)) and not _shows(stage, other, value):
                yield Script(r.WRONG_ANSWER, (*whole, stage.submit(**{name: other})))


def _spoilt(value: Any, form: Mapping[str, Any]) -> Iterator[Any]:
    """Yield other values of the form that is asked for: any else is given back."""
    if "enum" in form:
        yield from (other for other in form["enum"] if other != value)
        return
    if isinstance(value, str) and (day := days.parse_day(value)) is not None:
        yield days.add_days(day.isoformat(), 3)
        return
    match value:
        case bool():
            yield not value
        case int() | float():
            yield from (round(value + 1, 2), round(value * 2 + 7, 2))
        case str():
            yield STRANGER
        case list():
            yield [*value, STRANGER]


def collateral(stage: Stage) -> Iterator[Script]:
    """Everything as asked, and a change that another task asks for."""
    if stage.scene.refuses:
        return
    whole = stage.parts()
    for more in stage.house.writes(stage.task.role, stage.task.id):
        moves, fine, broken = stage.played([*whole, (0, more)])
        if fine and not broken:
            yield Script(r.COLLATERAL, (*moves, stage.submit()))


PLANTERS: Mapping[str, Planter] = MappingProxyType(
    {
        r.WRONG_ENTITY: wrong_entity,
        r.WRONG_VALUE: wrong_value,
        r.MISSED_STEP: missed_step,
        r.MISSED_POLICY: missed_policy,
        r.FORBIDDEN_WRITE: forbidden_write,
        r.STALE: stale,
        r.MALFORMED: malformed,
        r.HALLUCINATED: hallucinated,
        r.GAVE_UP: gave_up,
        r.LOOP: loop,
        r.RAN_OUT: ran_out,
        r.WRONG_ANSWER: wrong_answer,
        r.COLLATERAL: collateral,
    }
)


# what several of them do


def _others(stage: Stage, place: Place, most: int) -> Iterator[Any]:
    found = list_other_values(
        stage.house.sandbox, place.input, place.value, ("plants", stage.task.id, *place.path), most
    )
    return (other for _, other in zip(range(most), found, strict=False))


def _shows(stage: Stage, other: Any, value: Any) -> bool:
    """Whether the one is an outdated form of the other: that is another class."""
    return (str(other), str(value)) in stage.scene.outdated


def _changed(stage: Stage, place: Place, other: Any, everywhere: bool = False) -> list[tuple[int, Call]]:
    out = []
    for i, one in stage.parts():
        if i == place.call:
            one = Call(one.tool, replace_at(one.arguments, place.path, other))
        if everywhere and i in stage.writes:
            one = Call(one.tool, _swapped(one.arguments, place.value, other))
        out.append((i, one))
    return out


def _swapped(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, dict):
        return {k: _swapped(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_swapped(v, old, new) for v in value]
    return new if isinstance(value, str) and value == old else value


def _with(kind: str, stage: Stage, place: Place, other: Any, everywhere: bool = False) -> Script:
    return Script(kind, (*stage.moves(_changed(stage, place, other, everywhere)), stage.submit()))


def _instead(kind: str, stage: Stage, i: int, move: Move) -> Script:
    """The witness with one of its calls made in a way that cannot succeed; what needs its result is left out."""
    before = stage.moves(stage.parts(range(i)))
    rest = stage.moves(stage.parts([k for k in range(len(stage.gold)) if k != i]))[len(before) :]
    return Script(kind, (*before, _filled(stage, i, move), *rest, stage.submit()))


def _filled(stage: Stage, i: int, move: Move) -> Move:
    """Ids of new rows as the witness has them: what comes before is played as it plays it."""
    real: Mapping[str, Any] = stage.key.calls[i].arguments
    gold = stage.gold[i].arguments
    arguments = {
        name: real[name] if name in real and value == gold[name] else value
        for name, value in dict(move.arguments).items()
    }
    return Move(move.tool, arguments, move.raw)
