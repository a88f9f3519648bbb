"""The harness on which one task's verifier is tried: its witness as a plan, and a judge that knows goal and rules by another way.

What an episode should score is decided without the verifier: by the goal's own condition on the final state, by the rules that
were broken on the way, and by whether anything changed besides what an accepted way changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from worldwright.blueprint.expr.evaluate import Run
from worldwright.core.canonical import canonical_json
from worldwright.engine.contract import show_call
from worldwright.engine.env import Env
from worldwright.engine.tasks import TaskBook, key_data, task_data
from worldwright.kinds.database.battery.activity import RoleActivity
from worldwright.kinds.database.battery.settings import FULL, BatterySettings, choose_steps
from worldwright.kinds.database.compile.tasks.ends import Beginning, EndState, content, extends
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, exchange_rows
from worldwright.kinds.database.compile.tasks.plans import NewRow, Plan, fill_new, make_call, open_new
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.kinds.database.verify.patterns import read_stored
from worldwright.kinds.database.verify.told import bind_pick
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task, Verdict

NO_ACTIVITY = RoleActivity()


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode of the battery."""

    what: str
    plan: Plan
    wanted: bool
    """Whether it must pass."""
    answer: Any
    verdict: Verdict
    submitted: bool = True

    @property
    def right(self) -> bool:
        return self.verdict.status == ("pass" if self.wanted else "fail")


class VerifierHarness:
    """A task, its key and its verifier over a private copy of the world."""

    def __init__(
        self,
        sandbox: Sandbox,
        task: Task,
        key: Key,
        judge: SessionJudge | None = None,
        settings: BatterySettings = FULL,
        activity: RoleActivity = NO_ACTIVITY,
    ) -> None:
        self.sandbox = sandbox
        self.settings = settings
        self.activity = activity
        self.task = task
        self.key = key
        self.judge = judge or SessionJudge(sandbox.compiled, key.expects, brief=True)
        self.tools = sandbox.compiled.tools
        self.reads = tuple(c for c in key.calls if not self._writes(c))
        self.plan, self.made, self._labels = self._read_plan()
        self.bounds = tuple(self._bind(use, self._labels) for use in key.expects.get("goals", ()))
        self.fixed = tuple(
            replace(b, rows={k: (entity, fill_new(at, self.made)) for k, (entity, at) in b.rows.items()})
            for b in self.bounds
        )
        """The same goals with the ids that the witness's new rows have, for episodes made of its own calls."""
        self._beginning = Beginning(sandbox, (), ())
        self.gold = self.end(self.plan)
        self.refuses = key.expects.get("outcome") == "refused"

    def _writes(self, call: Call) -> bool:
        found = self.tools.get(call.tool)
        return found is not None and found.mutates

    def _read_plan(self) -> tuple[Plan, list[dict[str, list[str]]], dict[str, NewRow]]:
        """Read the write calls of the witness with what they make left open, and which new row each label stands for."""
        session = self.sandbox.start(self.task.role, self.task.actor)
        made: list[dict[str, list[str]]] = []
        plan = []
        for call in self.key.calls:
            if not self._writes(call):
                continue
            result, rows = make_call(session, call)
            if result.ok:
                plan.append(Call(call.tool, open_new(call.arguments, made)))
                made.append(rows)
        labels: dict[str, NewRow] = {}
        counts: dict[str, int] = {}
        for entity, key in sorted(session.list_created()):
            counts[entity] = counts.get(entity, 0) + 1
            found = open_new(key, made)
            if isinstance(found, NewRow):
                labels[f"{entity}_{counts[entity]}"] = found
        return tuple(plan), made, labels

    def _bind(self, use: Mapping[str, Any], labels: Mapping[str, NewRow]) -> BoundGoal:
        goal = self.sandbox.compiled.blueprint.goals[use["goal"]]
        rows: dict[str, Any] = {
            name: (goal.given[name].entity, at["id"] if "id" in at else labels[at["row"]])
            for name, at in use["rows"].items()
        }
        said = {name: read_stored(value, goal.states[name], name) for name, value in use["said"].items()}
        return BoundGoal(goal.name, self.task.role, self.task.actor, rows, said)

    def list_writes(self) -> list[int]:
        """List which calls of the witness write; of very many, some."""
        own = [i for i, call in enumerate(self.key.calls) if self._writes(call)]
        return [own[k] for k in self.choose(len(own))]

    def choose(self, number: int) -> list[int]:
        """Choose which of so many are tried: all, unless worlds are built in bulk."""
        return choose_steps(number, number if self.settings.ways else self.settings.steps)

    # playing

    def end(self, plan: Plan, stop: bool = True, fixed: bool = False) -> EndState:
        """Play a plan and leave the session at its end."""
        bounds = self.fixed if fixed else self.bounds
        nobody = (BoundGoal("", self.task.role, self.task.actor, {}, {}),)
        beginning = self._find_beginning(plan, bounds or nobody)
        return beginning.end(plan, stop, bounds or nobody, goals=bool(bounds))

    def _find_beginning(self, plan: Plan, bounds: Sequence[BoundGoal]) -> Beginning:
        """Find what a plan begins like: the witness with its reads, or its writes alone. The one used last stands ready."""
        if not self._beginning.plan or plan[:1] != self._beginning.plan[:1]:
            own = (self.key.calls, self.plan)
            like = next((one for one in own if one and one[:1] == plan[:1]), self.plan)
            self._beginning = Beginning(self.sandbox, bounds, like)
        return self._beginning

    def answer(self, end: EndState, fixed: bool = False) -> Any:
        """Return what somebody who did this would report: the witness's answer with what depends on the end worked out there."""
        if not isinstance(self.key.answer, Mapping):
            return self.key.answer
        out = dict(self.key.answer)
        uow = self.sandbox.session.unit_of_work()
        for name, wanted in self.key.expects.get("answer", {}).items():
            if "tells" not in wanted:
                continue
            bound = (self.fixed if fixed else self.bounds)[int(wanted.get("goal", 0))]
            rows = {k: uow.row(entity, fill_new(key, end.played.made)) for k, (entity, key) in bound.rows.items()}
            if all(row is not None for row in rows.values()):
                run, kind = self.sandbox.goals[bound.goal].tells[wanted["tells"]]
                found = self._bind_pick(bound, wanted, end)
                if found is not None:
                    run, rows = found[0], {**rows, **found[1]}
                out[name] = to_json(run(uow, {**rows, **bound.said}), kind)
        return out

    def _bind_pick(
        self, bound: BoundGoal, wanted: Mapping[str, Any], end: EndState
    ) -> tuple[Run, dict[str, Any]] | None:
        """What is told of a row that the goal made, and the row that is most like it here; None where it is told of no such row."""
        new = self._labels.get(wanted.get("row", ""))
        found = None if new is None else bind_pick(self.sandbox.goals[bound.goal].goal, wanted["tells"])
        gold = next((r for r in self.gold.net if new is not None and r.id == fill_new(new, self.made)), None)
        own = [r for r in end.net if gold is not None and (r.op, r.table) == (gold.op, gold.table)]
        if found is None or gold is None or not own:
            return None
        like = max(own, key=lambda r: sum(r.cells.get(k) == v for k, v in gold.cells.items()))
        row = self.sandbox.session.unit_of_work().row(like.table, like.id)
        return self.sandbox.compiled.evaluator.value(found[1]), {found[2]: row}

    def verdict(self, answer: Any, submitted: bool = True) -> Verdict:
        """The verifier's word on the session as it is."""
        return self.judge.verdict(self.sandbox.session, answer, submitted)

    def trial(self, what: str, plan: Plan, wanted: bool, answer: Any = None, stop: bool = False) -> Trial:
        """Play a plan, give the answer (or what one would report), and hear the verdict."""
        end = self.end(plan, stop, fixed=True)
        given = self.answer(end, fixed=True) if answer is None else answer
        return Trial(what, plan, wanted, given, self.verdict(given))

    def try_through(self, what: str, calls: Plan, wanted: bool, answer: Any) -> Iterator[Trial]:
        """Play calls as an agent makes them, with the tools of the contract; nothing where there is none."""
        contract, task = self.sandbox.contract, self.task
        if contract is None:
            return
        files = {f"tasks/{task.id}.json": task_data(task), f"keys/{task.id}.json": key_data(self.key)}
        book = TaskBook({path: canonical_json(data) for path, data in files.items()})
        with closing(Env(self.sandbox.runtime.without_services(), "", book=book, contract=contract)) as env:
            env.reset(task.id)
            for call in calls:
                env.call_tool(*show_call(contract, call))
            env.submit(answer, as_it_is=True)
            yield Trial(f"{what}, through the contract", calls, wanted, answer, env.verify())

    def try_around_gold(self, what: str, calls: Plan) -> Trial:
        """Play calls around the witness's own: must pass where they change no content beside it, and fail elsewhere."""
        end = self.end(calls, stop=False, fixed=True)
        wanted = self.is_gold(end) and end.reached and not end.played.broken
        given = self.answer(end, fixed=True)
        return Trial(what, calls, wanted, given, self.verdict(given))

    def try_plan(self, what: str, plan: Plan, unasked: bool = False) -> Trial:
        """Play a changed plan, with what it should score found out from goal, rules and frame. Where it says something that nobody
        asked for, only the end of the witness is right."""
        return self.score_end(what, plan, self.end(plan, stop=False), unasked)

    def try_swapped(self, what: str, step: int, plan: Plan) -> Trial:
        """Play a plan in which a call and the next have changed places, and with them what the goals call the rows they make."""
        own, self.bounds = self.bounds, exchange_rows(self.bounds, step)
        try:
            return self.try_plan(what, plan)
        finally:
            self.bounds = own

    def score_end(self, what: str, plan: Plan, end: EndState, unasked: bool = False) -> Trial:
        """Score a plan that was just played to its end."""
        wanted = end.right and not unasked and not extends(end, self.gold, self.sandbox.schema.entities)
        if not wanted and self.is_gold(end) and end.reached and not end.played.broken:
            wanted = True
        given = self.answer(end)
        return Trial(what, plan, wanted, given, self.verdict(given))

    def is_gold(self, end: EndState) -> bool:
        """Return whether an end state has the content of the witness's."""
        entities = self.sandbox.schema.entities
        return content(end, entities) == content(self.gold, entities)


Cell = Callable[[VerifierHarness], Iterator[Trial]]
"""One cell of the battery: episodes that must all score alike, or each as goal and rules say."""
