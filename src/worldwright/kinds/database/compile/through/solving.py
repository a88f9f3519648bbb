"""Why a task cannot be done with the tools of a contract, judged by what these show; nothing where it can.

Everything that a request rests on has to be got through the contract's own answers, by calls that begin with what the request
states: which records are meant, what each call of the key sends, what decides the rules, and what the answer tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.engine.codecs import write_value
from worldwright.engine.contract import ContractTool
from worldwright.engine.revealed import is_like
from worldwright.kinds.database.compile.tasks.accept import label_rows
from worldwright.kinds.database.compile.tasks.clairvoyance import bind_goals, find_labelled
from worldwright.kinds.database.compile.tasks.deciding import StepNeeds, trace_forbidden, trace_plan
from worldwright.kinds.database.compile.tasks.describe import UNSHOWN, Asked, Describer, speak
from worldwright.kinds.database.compile.tasks.instances import BoundGoal
from worldwright.kinds.database.compile.tasks.known import PAGING, Known, list_values
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.tracing import TooMuch
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.kinds.database.compile.tasks.witnessing import list_rule_needs
from worldwright.kinds.database.compile.through.naming import find_alike, list_nodes, list_said_values
from worldwright.kinds.database.compile.through.reading import Reading, call_through, fold, shows_by_person
from worldwright.kinds.database.compile.through.telling import Telling, list_conjuncts, make_tests
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row
from worldwright.kinds.database.verify.net import net_rows
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

NO_TOOL = "contract-no-tool"
UNSAYABLE = "contract-unsayable"
REFUSED = "contract-refused"
RECORD = "contract-record-unshown"
ID = "contract-id-unshown"
VALUE = "contract-value-unshown"
RULE = "contract-rule-unshown"
ANSWER = "contract-answer-unshown"
ELSEWHERE = "contract-ends-elsewhere"
REASONS: Mapping[str, str] = {
    NO_TOOL: "the contract has no tool for a call of the key",
    UNSAYABLE: "the contract cannot say what a call of the key says",
    REFUSED: "a call of the key is refused when it is made through the contract",
    RECORD: UNSHOWN,
    ID: "no tool shows the id that a call or the answer needs",
    VALUE: "no tool shows a value that a call needs and the request does not state",
    RULE: "no tool shows what decides whether a rule allows it",
    ANSWER: "no tool shows what the answer tells",
    ELSEWHERE: "the key made through the contract does not end where it should",
}
"""By code, why tasks are dropped."""
MAX_NAMED = 5
"""Requests of one reason that a datasheet quotes."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a task cannot be done."""

    code: str
    says: str
    asked: str = ""
    """The request, in its words."""


def list_unsolvable(found: Iterable[Obstacle]) -> list[dict[str, Any]]:
    """List the reasons why tasks were dropped, as a datasheet holds them: each with its code, how many, and the first few."""
    by_code: dict[str, list[Obstacle]] = {}
    for one in found:
        by_code.setdefault(one.code, []).append(one)
    return [
        {
            "code": code,
            "says": REASONS[code],
            "tasks": len(by_code[code]),
            "first": [{"asked": one.asked, "why": one.says} for one in by_code[code][:MAX_NAMED]],
        }
        for code in REASONS
        if code in by_code
    ]


class Solver:
    """Judges the tasks of one world. What a role, or a person where that matters, can see is read once."""

    def __init__(self, sandbox: Sandbox) -> None:
        assert sandbox.contract is not None, "without a contract every task can be done"
        self.sandbox = sandbox
        self.contract = sandbox.contract
        self.describer = Describer(sandbox)
        self.handbook = render_handbook(sandbox.compiled.blueprint)
        self._readings: dict[Asked, Reading] = {}
        self._apart: dict[tuple[Asked, str, str, int], bool] = {}
        self._personal = shows_by_person(sandbox.compiled.blueprint)

    def read(self, role: str, actor: str) -> Reading:
        """Return what somebody can see."""
        at = self._find_reader((role, actor))
        if at not in self._readings:
            found = self._readings[at] = Reading(self.sandbox.runtime, self.contract, *at)
            found.explore()
        return self._readings[at]

    def _find_reader(self, asked: Asked) -> Asked:
        """Whose reading serves for somebody: their own, or where all of a role see the same, that of the role."""
        return asked if self._personal else (asked[0], "")

    def tells_apart(self, asked: Asked, entity: str, key: str, form: n.Format) -> bool:
        """Tell whether who is asked can find a record when told what it is called in one way."""
        at = (self._find_reader(asked), entity, key, id(form))
        if at not in self._apart:
            said = tuple(list_said_values(self.sandbox, entity, key, form))
            reading = self.read(*asked).state((), said)
            self._apart[at] = not find_alike(self.sandbox, reading, entity, key, form)
        return self._apart[at]

    def find_obstacle(self, task: Task, key: Key) -> Obstacle | None:
        """Say why a task cannot be done; None where it can."""
        session = self.sandbox.runtime.session(task.role, task.actor)
        try:
            found = next(iter(_Judgement(self, task, key, session).list_obstacles()), None)
        except TooMuch:
            found = Obstacle(RULE, "it rests on more than anybody looks at")
        finally:
            session.close()
        return None if found is None else replace(found, asked=" ".join(task.instruction.split()))

    def close(self) -> None:
        for reading in self._readings.values():
            reading.close()


class _Judgement:
    """One task, played through the contract."""

    def __init__(self, solver: Solver, task: Task, key: Key, session: Session) -> None:
        self._solver = solver
        self._sandbox = solver.sandbox
        self._compiled = solver.sandbox.compiled
        self._evaluator = self._compiled.evaluator
        self._blueprint = self._compiled.blueprint
        self._task = task
        self._key = key
        self._session = session
        self._request = " ".join(task.instruction.split()).casefold()
        told = f"{task.role} {task.actor} {task.instruction}"
        self._known = Known(told, solver.handbook, self._sandbox.schema.now, self._compiled.specs)
        self._uses = [*key.expects.get("goals", ()), *key.expects.get("request", ())]
        self._over: Mapping[str, Any] = key.expects.get("over", {})
        self._names = {at: tuple(self._list_forms(*at)) for at in self._list_rows()}
        """By (entity, id) of the records that are meant, the ways of calling them that the request uses."""
        self._reading = solver.read(task.role, task.actor).state(self._list_stated_ids(), self._list_stated_values())
        self._writes = any(self._compiled.tools[call.tool].mutates for call in key.calls)
        if self._writes:
            self._reading = self._reading.copy()
        self._telling = Telling(self._compiled, self._reading)

    # what the request says

    def _list_rows(self) -> Iterator[tuple[str, str]]:
        """Yield (entity, id) of every record of the opening state that a goal is about."""
        for use in self._uses:
            given = self._blueprint.goals[use["goal"]].given
            yield from ((given[name].entity, at["id"]) for name, at in use.get("rows", {}).items() if "id" in at)
        for one in self._over.get("where", ()):
            kind = self._sandbox.schema.entities[self._over["table"]].columns[one["field"]].type
            if kind.kind == "ref":
                yield kind.entity, one["value"]

    def _list_forms(self, entity: str, key: str) -> Iterator[n.Format]:
        """Yield the ways of calling a record that the request uses."""
        for form, text in self._solver.describer.list_names(entity, key):
            if " ".join(text.split()).casefold() in self._request:
                yield form

    def _is_stated(self, key: str) -> bool:
        return self._known.is_seen(key)

    def _list_stated_ids(self) -> Iterator[tuple[str, str]]:
        ids = {*self._names}
        for call in self._key.calls:
            operation = self._blueprint.operations[call.tool]
            for path, value in list_values(call.arguments):
                kind = find_input(operation, tuple(path.split(".")))
                if kind is not None and kind.type.kind == "ref" and value is not None:
                    ids.add((kind.type.entity, str(value)))
        return ((entity, key) for entity, key in sorted(ids) if self._is_stated(key))

    def _list_stated_values(self) -> Iterator[tuple[str, str, Any]]:
        """Yield (entity, column, value) of what the request says of records."""
        for (entity, key), forms in self._names.items():
            for form in forms:
                yield from list_said_values(self._sandbox, entity, key, form)

    # judging

    def list_obstacles(self) -> Iterator[Obstacle]:
        """Yield what stands in the way, in the order in which one meets it."""
        yield from self._list_unnamed()
        yield from self._list_unplayable()
        yield from self._list_forbidden()
        yield from self._list_untold()
        verdict = self._sandbox.runtime.judge(self._key.expects).verdict(self._session, self._key.answer, True)
        if verdict.status != "pass":
            yield Obstacle(ELSEWHERE, "what it shows does not lead there")

    # which records are meant

    def _list_unnamed(self) -> Iterator[Obstacle]:
        for use in self._uses:
            goal = self._blueprint.goals[use["goal"]]
            if self._over and goal.name == self._over["goal"]:
                continue
            for name, at in use.get("rows", {}).items():
                lack = self._find_unnamed(use, name, goal.given[name].entity, at["id"]) if "id" in at else ""
                if lack:
                    yield Obstacle(RECORD, f"nothing shows {lack}, by which {at['id']} is meant")
        if self._over:
            yield from self._list_unfound()

    def _find_unnamed(self, use: Mapping[str, Any], name: str, entity: str, key: str) -> str:
        """Say what was not shown by which a record is told from the others."""
        if self._names[entity, key] or self._is_stated(key):
            return self._find_uncalled(entity, key)
        return self._find_unpicked(use, name, entity, key)

    def _find_uncalled(self, entity: str, key: str) -> str:
        """Say what was not shown of what the request calls a record by."""
        forms = () if self._is_stated(key) else self._names[entity, key]
        lacks = [find_alike(self._sandbox, self._reading, entity, key, form) for form in forms]
        return lacks[0] if lacks and all(lacks) else ""

    def _find_unpicked(self, use: Mapping[str, Any], name: str, entity: str, key: str) -> str:
        """Say what was not shown that picks a record which is not named: what is said of it, or the conditions of the goal."""
        goal, uow = self._blueprint.goals[use["goal"]], self._sandbox.first_uow()
        frame = self._make_frame(use, uow, {})
        hints = [node for node in self._list_hints(goal, name) if self._is_said(node, uow, frame)]
        if hints:
            lacks = [self._telling.find_lack(node, uow, frame) for node in hints]
            return lacks[0] if all(lacks) else ""
        where = goal.where.get(name)
        if where is None:
            return ""
        rows = self._sandbox.list_live(entity)
        lack, _ = self._telling.narrow(entity, (name, "self"), list_conjuncts(where), rows, uow, frame)
        if lack:
            # What nobody says and nothing shows does not matter where the same record is meant without it.
            said = self._telling.drop_unshown(where)
            missing, left = self._telling.narrow(entity, (name, "self"), list_conjuncts(said), rows, uow, frame)
            lack = "" if not missing and [row.id for row in left] == [key] else lack
        return lack

    def _list_hints(self, goal: Any, name: str) -> Iterator[n.Node]:
        """Yield what the words of a goal say of a record without naming it."""
        files = goal.files.asks if goal.files is not None else ()
        for ask in (*goal.asks, *goal.then, *files):
            for node, _ in list_nodes(ask):
                if not isinstance(node, n.Var) and name in n.free_names(node):
                    yield node

    def _is_said(self, node: n.Node, uow: Any, frame: dict[str, Any]) -> bool:
        value = self._evaluator.bind(node)(uow, frame)
        if isinstance(value, Row):
            return any(True for _ in self._list_forms(value.entity, value.id)) or self._is_stated(value.id)
        return value is not None and speak(value, node.type, "").casefold() in self._request

    def _list_unfound(self) -> Iterator[Obstacle]:
        """Yield what was not shown that tells which records a request over many is about, and what is added up of them."""
        entity, uow = self._over["table"], self._sandbox.first_uow()
        tests = make_tests(self._over["where"], entity, self._compiled)
        names, where = self._find_where()
        # What nobody sees and the goal does not mean is not taken for something else.
        rows = [
            row
            for row in self._sandbox.opening(entity)
            if row.id in self._reading.rows or all(holds(uow, dict.fromkeys(names, row)) for _, holds in where)
        ]
        lack, left = self._telling.narrow(entity, ("self",), tests, rows, uow, {})
        # What all of these have is not looked for.
        told = [test for test, holds in where if not all(holds(uow, dict.fromkeys(names, row)) for row in left)]
        lack = lack or self._telling.narrow(entity, names, told, left, uow, {}, narrowed=True)[0]
        if lack:
            yield Obstacle(RECORD, f"nothing shows {lack}, by which they are meant")
        total = self._over.get("total", "")
        lacks = [self._telling.find_lack_of_value(row, total, uow) for row in left if total]
        yield from (Obstacle(ANSWER, f"nothing shows {lack}") for lack in lacks if lack)
        for one in self._over["where"]:
            kind = self._sandbox.schema.entities[entity].columns[one["field"]].type
            if kind.kind == "ref" and self._find_uncalled(kind.entity, one["value"]):
                yield Obstacle(RECORD, f"nothing tells which {kind.entity} is meant")

    def _find_where(self) -> tuple[tuple[str, ...], list[tuple[n.Node, Any]]]:
        """What the goal of a request over many calls a record, and what it says of each by itself: as written, and ready to run."""
        goal = self._blueprint.goals.get(self._over["goal"])
        if goal is None:
            return ("self",), []
        name = next(iter(goal.given))
        tests = list_conjuncts(goal.where[name]) if name in goal.where else []
        return (name, "self"), [(test, self._evaluator.truth(test)) for test in tests]

    # calls

    def _list_unplayable(self) -> Iterator[Obstacle]:
        """Play the key, and yield what it sends that was not stated or shown before."""
        tools = self._compiled.tools
        writes = tuple(call for call in self._key.calls if tools[call.tool].mutates)
        how, rules = iter(self._trace_how(writes)), iter(self._trace_rules(writes))
        for call in self._key.calls:
            tool = self._solver.contract.find_tool(call)
            if tool is None:
                yield Obstacle(NO_TOOL, f"there is no tool for {call.tool}")
                return
            mutates = tools[call.tool].mutates
            step = next(how, StepNeeds()) if mutates else StepNeeds()
            yield from self._list_unknown(tool, call, step)
            for rule, _, needs in next(rules).rules if mutates else ():
                if self._blueprint.policies[rule].enforced == "agent":
                    lack = self._telling.find_lack_of_needs(needs, self._session.unit_of_work())
                    yield from (Obstacle(RULE, f"nothing shows {lack}, on which {rule} rests") for _ in lack[:1])
            before = len(self._session.list_created())
            seen = call_through(tool, self._session, call)
            if isinstance(seen, str):
                yield Obstacle(UNSAYABLE, f"{tool.name}: {seen}")
                return
            if not seen.result.ok and not self._is_left_out(call):
                yield Obstacle(REFUSED, f"{tool.name} refuses it")
                return
            self._reading.note(seen) if mutates and seen.result.ok else None
            self._telling.made |= {key: entity for entity, key in self._session.list_created()[before:]}

    def _is_left_out(self, call: Call) -> bool:
        """Tell whether a call is one that the rules do not allow, as the answer says."""
        left = self._key.answer.get("left_out", ()) if isinstance(self._key.answer, Mapping) else ()
        return any(value in left for _, value in list_values(call.arguments))

    def _trace_how(self, writes: Sequence[Call]) -> Sequence[StepNeeds]:
        ids = find_labelled(self._sandbox, self._task, writes)
        bounds = bind_goals(self._sandbox, self._task, self._key.expects.get("goals", ()), ids)
        return trace_plan(self._sandbox, bounds, tuple(writes)).steps if bounds else ()

    def _trace_rules(self, writes: Sequence[Call]) -> Sequence[StepNeeds]:
        who = BoundGoal("", self._task.role, self._task.actor, {}, {})
        return trace_plan(self._sandbox, (who,), tuple(writes), goals=False).steps

    def _list_unknown(self, tool: ContractTool, call: Call, step: StepNeeds) -> Iterator[Obstacle]:
        operation, uow = self._blueprint.operations[call.tool], self._session.unit_of_work()
        for path, value in list_values(call.arguments):
            name = path.partition(".")[0]
            kind = find_input(operation, tuple(int(p) if p.isdigit() else p for p in path.split(".")))
            if value is None or kind is None or name in PAGING or name in tool.fixed:
                continue
            if kind.type.kind == "ref":
                if self._is_stated(value):
                    continue
                seen = self._telling.has_id(kind.type.entity, value)
                lack = self._telling.find_lack_of_needs(step.arguments.get(name, ()), uow) if seen else str(value)
                if lack:
                    yield Obstacle(ID, f"nothing shows {lack}")
                continue
            take = tool.takes.get(name)
            if kind.type.kind == "enum" and take is not None and not take.each:
                written = str(write_value(take.codec, value))
                if not is_like(written, str(value)):
                    yield Obstacle(VALUE, f"nothing says that {name} is {written!r} where {value} is meant")
                continue
            lack = self._telling.find_lack_of_needs(step.arguments.get(name, ()), uow)
            known = self._known.find_source(call.tool, path, value) or fold(value) in self._reading.told
            if lack or (not known and name not in step.arguments):
                yield Obstacle(VALUE, f"nothing shows {lack or f'that {path} is {value}'}")

    # ends

    def _list_forbidden(self) -> Iterator[Obstacle]:
        """Yield what was not shown by which a rule forbids what is asked for, and no refusal says either."""
        forbidden = tuple(Call(str(one["tool"]), one["arguments"]) for one in self._key.expects.get("forbidden", ()))
        if not forbidden:
            return
        rule = str(self._key.answer.get("rule", ""))
        done = [call for call in self._key.calls if self._compiled.tools[call.tool].mutates]
        met = trace_forbidden(self._sandbox, self._task.role, self._task.actor, done, forbidden)
        lack = self._telling.find_lack_of_needs(list_rule_needs(met, rule) or (), self._session.unit_of_work())
        if lack and not self._is_refused(forbidden, rule):
            yield Obstacle(RULE, f"nothing shows {lack}, on which {rule} rests")

    def _is_refused(self, forbidden: Sequence[Call], rule: str) -> bool:
        """Tell whether somebody who just tries is told by the tools that the rule forbids it."""
        twin = self._session.fork()
        try:
            for call in forbidden:
                tool = self._solver.contract.find_tool(call)
                if tool is None or any(True for _ in self._list_unknown(tool, call, StepNeeds())):
                    return False
                seen = call_through(tool, twin, call)
                if isinstance(seen, str):
                    return False
                if not seen.result.ok:
                    return seen.result.error is not None and seen.result.error.policy == rule
        finally:
            twin.close()
        return False

    def _list_untold(self) -> Iterator[Obstacle]:
        """Yield the parts of the answer that were not shown."""
        uow, labels = self._session.unit_of_work(), self._find_labels()
        answer = self._key.answer if isinstance(self._key.answer, Mapping) else {}
        for name, part in self._key.expects.get("answer", {}).items():
            if "tells" in part:
                use = self._key.expects["goals"][part["goal"]]
                node = self._blueprint.goals[use["goal"]].tells[part["tells"]]
                lack = self._telling.find_lack(node, uow, self._make_frame(use, uow, labels))
                lack = lack or self._find_unseen(node, answer.get(name))
                yield from (Obstacle(ANSWER, f"nothing shows {lack}") for _ in lack[:1])
            elif name not in ("outcome", "rule"):
                told = part.get("set", [part["is"]] if isinstance(part.get("is"), str) else ())
                for key in told:
                    if not self._is_known_id(key):
                        yield Obstacle(ID, f"nothing shows {key}")

    def _find_unseen(self, node: n.Node, value: Any) -> str:
        return str(value) if node.type.kind == "ref" and value is not None and not self._is_known_id(value) else ""

    def _is_known_id(self, key: str) -> bool:
        return self._is_stated(key) or any(
            self._telling.has_id(entity, key) for entity in self._sandbox.schema.entities
        )

    def _find_labels(self) -> dict[str, str]:
        net = net_rows(self._compiled.tables, self._session.changes())
        return {label: key for key, label in label_rows(net).items()}

    def _make_frame(self, use: Mapping[str, Any], uow: Any, labels: Mapping[str, str]) -> dict[str, Any]:
        """The names of a goal as its expressions use them."""
        (bound,) = bind_goals(self._sandbox, self._task, (use,), labels)
        return {**{name: uow.row(*at) for name, at in bound.rows.items()}, **bound.said}
