"""Clairvoyance: a key that uses what nobody has shown, or decides before it has read what decides. There must be none.

The calls of a key are played, and held against what an agent knows before each of them: the instruction, the handbook, the tools
and the results so far. What the rules, the refusal and the answer rest on is found from the Blueprint, apart from how the key was
made.

A value that no call shows may be one that is worked out: then the goal says how, and all that this reads has to have been shown
before the call. Not checked: the arithmetic itself; and what a program counts and adds up over the records that it was shown (the
referee does that sum).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.kinds.database.compile.tasks.accept import label_rows
from worldwright.kinds.database.compile.tasks.deciding import StepNeeds, make_tracer, trace_forbidden, trace_plan
from worldwright.kinds.database.compile.tasks.instances import BoundGoal
from worldwright.kinds.database.compile.tasks.known import WORKED_OUT, Known, list_values
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.seeing import Sight, say_needs
from worldwright.kinds.database.compile.tasks.tracing import Need, TooMuch
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.verify.net import net_rows
from worldwright.kinds.database.verify.patterns import read_stored
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task


def list_clairvoyance(sandbox: Sandbox, task: Task, key: Key) -> tuple[str, ...]:
    """List what a key knows that its caller does not, in words; nothing where everything was shown before it is used."""
    try:
        return tuple(_Audit(sandbox, task, key).list_problems())
    except TooMuch:
        return ("it rests on more than anybody looks at",)


class _Audit:
    """One key, played."""

    def __init__(self, sandbox: Sandbox, task: Task, key: Key) -> None:
        self._sandbox = sandbox
        self._task = task
        self._key = key
        self._policies = sandbox.compiled.blueprint.policies
        told = f"{task.role} {task.actor} {task.instruction}"
        handbook = render_handbook(sandbox.compiled.blueprint)
        self._known = Known(told, handbook, sandbox.schema.now, sandbox.compiled.specs)
        self._sight = Sight(sandbox.compiled, self._known, task.role)

    def list_problems(self) -> Iterator[str]:
        """Yield what is wrong, in the order of the calls, then of the end."""
        tools = self._sandbox.compiled.tools
        writes = tuple(call for call in self._key.calls if tools[call.tool].mutates)
        rules, how = iter(self._list_rules(writes)), self._trace_how(writes)
        forbidden = [Call(str(one["tool"]), one.get("arguments", {})) for one in self._key.expects.get("forbidden", ())]
        done = [call for call in writes if forbidden]
        against = trace_forbidden(self._sandbox, self._task.role, self._task.actor, done, tuple(forbidden))
        session = self._sandbox.start(self._task.role, self._task.actor)
        for number, call in enumerate(self._key.calls, start=1):
            step = next(how, StepNeeds()) if tools[call.tool].mutates else StepNeeds()
            for path, value in list_values(call.arguments):
                shown = self._known.find_source(call.tool, path, value)
                why = "" if shown else self._find_unworked(number, call, path, step)
                if why:
                    yield f"call {number}, {call.tool}: nothing shows that {path} is {value}, and {why}"
            if tools[call.tool].mutates:
                for rule, _, needs in next(rules):
                    missing = self._sight.list_missing(needs)
                    if missing and self._policies[rule].enforced == "agent":
                        yield f"call {number}, {call.tool}: made before {say_needs(missing)} was seen, on which {rule} rests"
            result = session.call(call.tool, call.arguments)
            self._sight.note(call, self._sandbox.show(session, call, result), session)
        answer = self._key.answer if isinstance(self._key.answer, Mapping) else {}
        rule = str(answer.get("rule", ""))
        if forbidden:
            yield from self._find_unread_rule(rule, against)
        yield from self._list_untold(answer)

    def _list_rules(self, calls: Sequence[Call]) -> list[list[tuple[str, bool, tuple[Need, ...]]]]:
        who = BoundGoal("", self._task.role, self._task.actor, {}, {})
        return [step.rules for step in trace_plan(self._sandbox, (who,), tuple(calls), goals=False).steps]

    def _trace_how(self, writes: Sequence[Call]) -> Iterator[StepNeeds]:
        """Trace from what the goals work the arguments of each write out, up to one that is refused."""
        if not any(map(_is_worked_out, self._key.provenance)):
            return iter(())
        ids = find_labelled(self._sandbox, self._task, writes)
        bounds = bind_goals(self._sandbox, self._task, self._key.expects.get("goals", ()), ids)
        return iter(trace_plan(self._sandbox, bounds, tuple(writes)).steps if bounds else ())

    def _find_unworked(self, number: int, call: Call, path: str, step: StepNeeds) -> str:
        """Say why a value that no call shows cannot be worked out either; empty where it can: the key says so, a goal says how,
        and all that this rests on was shown."""
        label, name = f"{number} {call.tool}", path.partition(".")[0]
        mine = (p for p in self._key.provenance if (p.get("call"), p.get("argument")) == (label, path))
        if not any(map(_is_worked_out, mine)):
            return "it is not worked out"
        if name not in step.arguments or name in step.fixed:
            return "no goal says how it is worked out"
        missing = self._sight.list_missing(step.arguments[name])
        return f"it rests on {say_needs(missing)}, which was not seen" if missing else ""

    def _find_unread_rule(self, rule: str, met: Sequence[tuple[str, bool, tuple[Need, ...]]]) -> Iterator[str]:
        needs = next((needs for name, kept, needs in met if name == rule and not kept), None)
        if needs is None:
            yield f"the refusal names {rule}, which does not forbid it"
        elif missing := self._sight.list_missing(needs):
            yield f"the refusal names {rule} before {say_needs(missing)} was seen"

    def _list_untold(self, answer: Mapping[str, Any]) -> Iterator[str]:
        """Yield the parts of an answer that no call showed. The session is at the end."""
        parts = self._key.expects.get("answer", {})
        for name, part in parts.items():
            if "tells" in part:
                missing = self._sight.list_missing(self._list_told(part))
                if missing and not self._is_shown(answer.get(name)):
                    yield f"the answer's {name} is told, and {say_needs(missing)} was never seen"
            elif name not in ("outcome", "rule") and isinstance(part.get("is"), str):
                shown = self._known.is_seen(str(answer.get(name)))
                yield from () if shown else (f"the answer's {name} is {answer.get(name)}, which nothing shows",)

    def _is_shown(self, value: Any) -> bool:
        return isinstance(value, str) and bool(self._known.find_text(value))

    def _list_told(self, part: Mapping[str, Any]) -> tuple[Need, ...]:
        sandbox = self._sandbox
        use = self._key.expects["goals"][part["goal"]]
        net = net_rows(sandbox.compiled.tables, sandbox.session.changes())
        ids = {label: key for key, label in label_rows(net).items()}
        (bound,) = bind_goals(sandbox, self._task, (use,), ids)
        uow = sandbox.session.unit_of_work()
        frame = {name: uow.row(*at) for name, at in bound.rows.items()}
        tracer = sandbox.compiled.derive(make_tracer)[0]
        return tracer.list_needs(sandbox.goals[use["goal"]].goal.tells[part["tells"]], uow, {**frame, **bound.said})


def bind_goals(
    sandbox: Sandbox, task: Task, uses: Sequence[Mapping[str, Any]], ids: Mapping[str, str]
) -> list[BoundGoal]:
    """Bind the goals that a key names to their rows; `ids` are those of rows that it calls by labels."""
    out = []
    for use in uses:
        goal = sandbox.compiled.blueprint.goals[use["goal"]]
        rows = {
            name: (goal.given[name].entity, str(at.get("id") or ids.get(str(at.get("row")), "")))
            for name, at in use.get("rows", {}).items()
        }
        said = {name: read_stored(value, goal.states[name], name) for name, value in use.get("said", {}).items()}
        out.append(BoundGoal(goal.name, task.role, task.actor, rows, said))
    return out


def find_labelled(sandbox: Sandbox, task: Task, writes: Sequence[Call]) -> dict[str, str]:
    """Find the rows that the labels of a key stand for, by making its writes."""
    session = sandbox.start(task.role, task.actor)
    for call in writes:
        session.call(call.tool, call.arguments)
    net = net_rows(sandbox.compiled.tables, session.changes())
    return {label: key for key, label in label_rows(net).items()}


def _is_worked_out(entry: Mapping[str, str]) -> bool:
    """Tell whether a key says of a value that it is worked out."""
    return str(entry.get("known", entry.get("from", ""))).startswith(WORKED_OUT)
