"""The referee's decision on one episode, from goals, rules, the request's facts and the two states."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.kinds.database.referee.answers import find_wrong_part
from worldwright.kinds.database.referee.changes import Changes, drop_first_texts, holds_more, list_changes, list_places
from worldwright.kinds.database.referee.goals import (
    Binding,
    GoalReader,
    Rows,
    TooManyChoices,
    list_bindings,
    list_labels,
)
from worldwright.kinds.database.referee.over import Meant, find_meant
from worldwright.kinds.database.referee.replay import NO_ROW, Made, Step, fill_value, number_steps, play
from worldwright.kinds.database.referee.request import Request
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.world.records import Call

RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"
MAX_STEPS_LEFT_OUT = 16
"""Writes of one episode that are left out in turn; of a longer one, those in which it differs from the witness."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The referee's word on an episode."""

    word: str
    """right, wrong or undecided"""
    why: str
    unknown: tuple[str, ...] = ()
    """Parts of the answer that it cannot work out; all else is as the word says."""


@dataclass(frozen=True, slots=True)
class End:
    """How an episode ended."""

    steps: tuple[Step, ...]
    """The writes that went through."""
    changes: Changes
    broken: tuple[str, ...]
    reached: tuple[bool, ...]
    """Each goal, for the choice of made rows that reaches most."""
    beyond: tuple[bool, ...]
    """Each goal of the part that a rule is said to forbid, for the same choice."""
    answer: Mapping[str, Any]
    """What somebody would report who says that it is done."""
    problem: str = ""
    """Why it cannot be judged."""

    @property
    def is_legal(self) -> bool:
        return all(self.reached) and not self.broken and not self.problem

    @property
    def has_all(self) -> bool:
        """Whether the part that a rule is said to forbid was done too."""
        return bool(self.beyond) and all(self.beyond)


class Referee:
    """One request, and a private session on which episodes are played, again and again."""

    def __init__(self, runtime: Runtime, request: Request, session: Session, thorough: bool = True) -> None:
        """With `thorough`, every write of every episode is left out in turn; else those in which it is not the witness."""
        self.thorough = thorough
        self.compiled = runtime.compiled
        self.session = session
        self.meant: Meant | None = None
        """The rows that the request means, where it is about every row of a kind."""
        if request.over is not None:
            self.meant = find_meant(self.compiled, session, request.over, request.role, request.actor)
            request = replace(request, goals=self.meant.list_uses(request.over))
        self.request = request
        self.goals = tuple(GoalReader(runtime.compiled, use) for use in request.goals)
        self.beyond = tuple(GoalReader(runtime.compiled, use) for use in request.beyond)
        steps = self._number_steps()
        self.steps = steps[: len(request.calls)]
        """The witness; where it is refused, what a rule forbids."""
        self.forbidden_steps = steps[len(request.calls) :]
        """What a rule forbids after the witness."""
        self.origins = self._find_origins()
        """By label, the row that the witness makes."""
        self.forbidding = self._list_forbidding()
        self.witness = self.end(self.steps)
        self.unknown = self._list_unknown()

    def start(self) -> Session:
        """Go back to the opening state, as the one who is asked."""
        self._at: tuple[tuple[Step, ...], End] | None = None
        self._stands: tuple[tuple[Step, ...], Mapping[int, Rows]] | None = None
        self.session.reset(self.request.role, self.request.actor)
        return self.session

    def go_to(self, steps: Sequence[Step]) -> Mapping[int, Rows]:
        """Make some steps, for others to be probed after them; not again where the session stands there. Returns the rows that each
        made."""
        if self._stands is None or self._stands[0] != tuple(steps):
            made = play(self.start(), steps).made
            self._stands = (tuple(steps), made)
        return self._stands[1]

    def _number_steps(self) -> tuple[Step, ...]:
        session = self.start()
        session.suspend_rules()
        return number_steps(session, (*self.request.calls, *(() if self.request.refuses else self.request.forbidden)))

    def _find_origins(self) -> dict[str, Made]:
        """Find by which step the witness makes the row of each label: `invoice_2` is the second new row of its table."""
        labels = list_labels((*self.request.goals, *self.request.beyond))
        if not labels:
            return {}
        made = play(self.start(), self.steps).made
        rows = sorted(
            (key, Made(n, entity, _rank(own, at))) for n, own in made.items() for at, (entity, key) in enumerate(own)
        )
        out = {}
        for label, wanted in labels.items():
            table, _, number = label.rpartition("_")
            mine = [row for _, row in rows if row.entity == wanted == table]
            if number.isdigit() and 1 <= int(number) <= len(mine):
                out[label] = mine[int(number) - 1]
        return out

    def _fix_labels(self, made: Mapping[int, Rows]) -> dict[str, str]:
        """Find the rows of labels whose own step was made: another new row of the same table is another thing."""
        found = {label: fill_value(row, made) for label, row in self.origins.items()}
        return {label: key for label, key in found.items() if key != NO_ROW}

    def _list_forbidding(self) -> tuple[str, ...]:
        """List every rule that the forbidden calls break where none refuses; after the witness, where a part is forbidden."""
        if not self.request.forbidden:
            return ()
        session = self.start()
        session.suspend_rules()
        play(session, (*self.steps, *self.forbidden_steps))
        return tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))

    # the end of an episode

    def end(self, steps: Sequence[Step]) -> End:
        """Play an episode and leave the session at its end. It is not played again where the session stands there."""
        if self._at is not None and self._at[0] == tuple(steps):
            return self._at[1]
        end = self._end(steps)
        new = [entity for entity, _ in self.session.list_created()]
        if any(new.count(entity) > 1 for goal in self.goals for entity in goal.picked_entities):
            end = self._end(steps, self._find_made_by_goal(end.steps))
        self._at = (tuple(steps), end)
        return end

    def _end(self, steps: Sequence[Step], own: Sequence[Rows] | None = None) -> End:
        session = self.start()
        opened = session.clock
        played = play(session, steps)
        changes = list_changes(self.compiled.tables, session.changes(), (opened, session.clock))
        broken = tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))
        uow, goals = session.unit_of_work(), self.goals
        reached, beyond, best, problem = (False,) * len(goals), (False,) * len(self.beyond), None, ""
        uses = (*self.request.goals, *self.request.beyond)
        try:
            for binding in list_bindings(uses, session.list_created(), self._fix_labels(played.made)):
                held = tuple(goal.is_reached(uow, binding) for goal in goals)
                more = tuple(goal.is_reached(uow, binding) for goal in self.beyond)
                if best is None or (sum(held), sum(more)) > (sum(reached), sum(beyond)):
                    reached, beyond, best = held, more, binding
        except TooManyChoices as e:
            problem = str(e)
        rows = own or [session.list_created()] * len(goals)
        end = End(played.steps, changes, broken, reached, beyond, {}, problem)
        return replace(end, answer=self._report(end, uow, best, rows))

    def _report(self, end: End, uow: UnitOfWork, binding: Binding | None, rows: Sequence[Rows]) -> dict[str, Any]:
        """Say what was done, as somebody would report it who takes it to be what was asked; nothing is told of rows that were not
        made."""
        answer: dict[str, Any] = {"outcome": "done"}
        if self.request.outcome == "partly" and not end.has_all:
            answer = {"outcome": "partly", "rule": next(iter(self.forbidding), None)}
        told = () if binding is None or self.meant is not None else self.request.told
        for number, (goal, names) in enumerate(zip(self.goals, told, strict=bool(told))):
            for name, part in names.items():
                if part in self.request.parts:
                    answer[part] = goal.tell(name, uow, binding or {}, rows[number])
        for goal in self.beyond if end.has_all else ():
            for name, part in zip(goal.use.goal.tells, self.request.untold, strict=True):
                if part in self.request.parts:
                    answer[part] = goal.tell(name, uow, binding or {}, ())
        return {**answer, **dict(self._facts())}

    def _facts(self) -> Iterator[tuple[str, Any]]:
        """Yield what the request itself says of the answer: what it is about, and the figures over all that it means."""
        uses = self.request.beyond if self.request.place == 0 else self.request.goals
        first = next(iter(uses[0].goal.given), "") if uses else ""
        given = uses[0].goal.given if uses else {}
        alone = (
            first in given
            and bool(uses[0].goal.how)
            and sum(kind.entity == given[first].entity for kind in given.values()) == 1
        )
        if "record" in self.request.parts and self.meant is None and alone and first in uses[0].ids:
            yield "record", uses[0].ids[first]
        if self.meant is not None:
            yield from ((part, said) for part, said in self.meant.list_parts().items() if part in self.request.parts)

    def _list_unknown(self) -> tuple[str, ...]:
        """List the parts of an answer that the request's facts do not say."""
        told = (name for use in self.request.goals for name in use.goal.tells)
        known = {*self.witness.answer, "outcome", "rule", "record", *self.request.untold, *told}
        return tuple(part for part in self.request.parts if part not in known)

    def _find_made_by_goal(self, steps: Sequence[Step]) -> list[Rows]:
        """Find the rows that each goal made: those of the writes that went through without which it is not reached."""
        own: list[list[tuple[str, str]]] = [[] for _ in self.request.goals]
        made = play(self.start(), steps).made
        for left_out in steps:
            if made.get(left_out.number):
                rest = self._end([step for step in steps if step is not left_out])
                for number, held in enumerate(rest.reached):
                    own[number] += () if held else made[left_out.number]
        return list(own)

    # deciding

    def decide(self, end: End, answer: Any, submitted: bool = True, changed: Collection[int] | None = None) -> Decision:
        """Decide on an episode. `changed` are the numbers of its writes that are not the witness's; left out, all."""
        if not submitted:
            return Decision(WRONG, "no answer was given")
        outcome = answer.get("outcome") if isinstance(answer, Mapping) else None
        if outcome == "refused":
            return self._decide_refused(end, answer)
        if outcome not in ("done", "partly"):
            return Decision(WRONG, "the answer says neither done nor refused")
        if self.request.refuses and not self.request.goals:
            return Decision(UNDECIDED, "the key does not say what was asked")
        return self._decide_done(end, answer, changed)

    def _decide_refused(self, end: End, answer: Mapping[str, Any]) -> Decision:
        if end.changes:
            return Decision(WRONG, f"it is refused, and something changed: {_say_change(end.changes)}")
        if end.broken:
            return Decision(WRONG, f"the rule {end.broken[0]} was broken")
        if not self.forbidding:
            return Decision(WRONG, "no rule forbids it")
        if not self.request.refuses:
            return Decision(WRONG, "not all of it is forbidden")
        rules = [
            rule for rule in self.forbidding if not find_wrong_part({"rule": rule}, {"rule": answer.get("rule")}, ())
        ]
        if not rules:
            return Decision(WRONG, f"forbidden by {', '.join(self.forbidding)}, and another rule is named")
        facts = dict(self._facts())
        expected = {"outcome": "refused", "rule": rules[0]} | ({"record": facts["record"]} if "record" in facts else {})
        part = find_wrong_part(expected, answer, ())
        if part:
            return Decision(WRONG, f"the answer is wrong in {part}")
        return Decision(RIGHT, f"refused, and {rules[0]} forbids it")

    def _decide_done(self, end: End, answer: Any, changed: Collection[int] | None) -> Decision:
        if end.problem:
            return Decision(UNDECIDED, end.problem)
        if self.meant is not None and self.meant.problem:
            return Decision(WRONG, self.meant.problem)
        if end.broken:
            return Decision(WRONG, f"the rule {end.broken[0]} was broken")
        for use, held in zip(self.request.goals, end.reached, strict=True):
            if not held:
                return Decision(WRONG, f"the goal {use.goal.name} is not reached")
        first = self._find_set_right(end)
        if first:
            return Decision(WRONG, f"{first} sets right first what the rule stumbles over")
        partly = self.request.outcome == "partly" and not end.has_all
        if partly and not self.forbidding:
            return Decision(WRONG, "no rule forbids a part of it")
        rules = self.forbidding if partly else (None,)
        part = min((find_wrong_part({**end.answer, "rule": rule}, answer, self.unknown) for rule in rules), key=len)
        if part:
            return Decision(WRONG, f"the answer is wrong in {part}")
        needless = self._find_needless(end, changed)
        if needless:
            return Decision(WRONG, needless)
        return Decision(RIGHT, "goals reached, rules kept, nothing needless", self.unknown)

    def _find_set_right(self, end: End) -> str:
        """Find a write by another tool that only makes legal what is forbidden, which nobody has asked for. Empty where none is."""
        tools = {call.tool for call in self.request.forbidden}
        own = {step.call.tool for step in self.steps}
        for i, step in enumerate(end.steps):
            after = any(later.call.tool in tools for later in end.steps[i + 1 :])
            if after and step.call.tool not in tools | own:
                rest = self._end([*end.steps[:i], *end.steps[i + 1 :]])
                if not rest.is_legal or (end.has_all and not rest.has_all):
                    return step.call.tool
        return ""

    def _find_needless(self, end: End, changed: Collection[int] | None) -> str:
        """Say what was done that is not needed; empty where nothing is."""
        more = end.changes - self.witness.changes
        own, theirs = drop_first_texts(end.changes), drop_first_texts(self.witness.changes)
        whole = self.request.refuses or end.has_all
        if not whole and self.witness.is_legal and holds_more(own, theirs):
            return f"all that the witness changes, and more: {_say_change(more)}"
        few = changed is None or (self.thorough and len(end.steps) <= MAX_STEPS_LEFT_OUT)
        for i, step in enumerate(end.steps):
            if few or step.number in (changed or ()):
                for what, smaller in self._list_smaller(step):
                    rest = self._end([*end.steps[:i], *smaller, *end.steps[i + 1 :]])
                    before, after = end.changes, rest.changes
                    if smaller:
                        before, after = drop_first_texts(before), drop_first_texts(after)
                    same = rest.is_legal and rest.has_all == end.has_all
                    if same and after != before and not holds_more(after, before):
                        shorter = None if smaller else self._find_shorter(end, i, rest.changes)
                        return f"needless: {what}" if shorter is None else self._find_needless(shorter, changed)
        return ""

    def _find_shorter(self, end: End, at: int, without: Changes) -> End | None:
        """Find the same end with a write less, where one write only sets anew what the others set without it: without an
        earlier write, or with its value in an earlier write. What is done twice counts by what is left."""
        if list_places(without) != list_places(end.changes):
            return None
        before, last, after = end.steps[:at], end.steps[at], end.steps[at + 1 :]
        tries = [(*before[:i], *before[i + 1 :], last, *after) for i in range(at)]
        for i, step in enumerate(before):
            for name, value in step.call.arguments.items():
                for other in last.call.arguments.values():
                    if type(other) is type(value) and other != value:
                        call = Call(step.call.tool, {**step.call.arguments, name: other})
                        tries.append((*before[:i], Step(step.number, call), *before[i + 1 :], *after))
        ends = (self._end(steps) for steps in tries)
        same = (e for e in ends if e.is_legal and e.changes == end.changes and e.has_all == end.has_all)
        return next(same, None)

    def _list_smaller(self, step: Step) -> Iterator[tuple[str, tuple[Step, ...]]]:
        """Yield less than a call: nothing, one without an optional value, one without an item of a list."""
        tool, arguments = step.call
        yield tool, ()
        for found in self.compiled.blueprint.operations[tool].inputs:
            value = arguments.get(found.name)
            if isinstance(value, (list, tuple)) and len(value) > max(found.low or 0, 1):
                for at in range(len(value)):
                    less = {**arguments, found.name: [v for k, v in enumerate(value) if k != at]}
                    yield f"item {at + 1} of {found.name} of {tool}", (Step(step.number, Call(tool, less)),)
            elif value is not None and (found.optional or found.default is not None):
                less = {name: v for name, v in arguments.items() if name != found.name}
                yield f"{found.name} of {tool}", (Step(step.number, Call(tool, less)),)


def _say_change(changes: Changes) -> str:
    return " ".join(next(iter(sorted(changes)), ("nothing",)))[:160]


def _rank(rows: Rows, at: int) -> int:
    """Count the rows of the same table before one."""
    return sum(entity == rows[at][0] for entity, _ in rows[:at])
