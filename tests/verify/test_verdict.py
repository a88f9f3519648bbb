"""Every part of a verdict by itself: what it asserts of an episode that is right, and of one that is not."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.verify.end_states import SCHEMA, SPAN

from worldwright.blueprint.types import INT, TEXT
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.tables import make_table
from worldwright.kinds.database.unit_of_work import Change, UnitOfWork
from worldwright.kinds.database.verify.patterns import Is, Pattern
from worldwright.kinds.database.verify.spec import Episode, Names, Reported, RowAt, Specification, Stated, Wanted
from worldwright.kinds.database.verify.verdict import judge_episode
from worldwright.world.tasks import Verdict

WORLD = cast(
    CompiledWorld,
    SimpleNamespace(
        tables={name: make_table(entity) for name, entity in SCHEMA.entities.items()},
        blueprint=SimpleNamespace(schema=SCHEMA),
    ),
)
RAISED = Pattern("changed", "person", "", "PER-01", {"level": Is(3)})
ROWS = {("person", "PER-01"): "the person"}


def change(level: int, row: str = "PER-01") -> Change:
    return Change("person", row, [row, None, 1], [row, None, level])


def judge(
    spec: Specification,
    *changes: Change,
    broken: Sequence[str] = (),
    answer: Any = None,
    submitted: bool = True,
) -> Verdict:
    uow = cast(UnitOfWork, SimpleNamespace(row=lambda table, key: ROWS.get((table, key))))
    return judge_episode(WORLD, spec, Episode(changes, uow, SPAN, tuple(broken), answer, submitted))


def told(verdict: Verdict) -> dict[str, bool]:
    assert (verdict.status == "pass") == all(a.ok for a in verdict.assertions)
    return {a.name: a.ok for a in verdict.assertions}


def test_a_change_that_was_asked_for() -> None:
    spec = Specification(accepts=((RAISED,),))
    fine = {"person changed": True, "nothing else changed": True, "no other handbook rule broken": True}
    assert told(judge(spec, change(3))) == fine
    assert told(judge(spec)) == {**fine, "person changed": False}
    assert told(judge(spec, change(4))) == {**fine, "person changed": False, "nothing else changed": False}
    assert told(judge(spec, change(3), change(3, "PER-02"))) == {**fine, "nothing else changed": False}
    (asked, _, _) = judge(spec, change(4)).assertions
    assert (asked.expected, asked.found) == (["PER-01: level=3"], ["person PER-01 changed: level=4"])


def test_what_else_changed_may_be_left_open() -> None:
    spec = Specification(accepts=((RAISED,),), framed=False, no_others=False)
    assert told(judge(spec, change(3), change(3, "PER-02"))) == {"person changed": True}


@pytest.mark.parametrize("broken", [[], ["own"], ["foreign"], ["own", "foreign"]])
def test_rules_of_the_task_and_those_of_the_handbook(broken: list[str]) -> None:
    own = {"rule own kept": "own" not in broken, "rule second kept": True}
    rules = ("own", "second")
    with_others = judge(Specification(rules=rules), broken=broken)
    assert told(with_others) == {
        "nothing else changed": True, **own, "no other handbook rule broken": "foreign" not in broken,
    }  # fmt: skip
    assert told(judge(Specification(rules=rules, no_others=False), broken=broken)) == {
        "nothing else changed": True,
        **own,
    }


@pytest.mark.parametrize(
    ("row", "text", "ok"), [("PER-01", "It is 7.", True), ("PER-01", "It is 8.", False), ("PER-09", "It is 7.", False)]
)
def test_a_text_states_a_fact_of_a_row_that_is_there(row: str, text: str, ok: bool) -> None:
    names = Names({"who": RowAt("person", row)})
    spec = Specification(texts=(Stated(names, lambda uow, frame: text, lambda uow, frame: 7, INT),))
    (found, *_) = judge(spec).assertions
    there = row == "PER-01"
    assert (found.name, found.ok, found.expected) == ("text states the fact", ok, 7 if there else None)
    assert found.found == (text if there else "")


@pytest.mark.parametrize(("row", "there"), [("PER-01", True), ("PER-09", False)])
def test_a_goal_sees_the_rows_that_it_names(row: str, there: bool) -> None:
    seen: list[object] = []

    def holds(uow: object, frame: dict[str, Any]) -> bool:
        seen.append(frame)
        return True

    names = Names({"who": RowAt("person", row)}, {"limit": 5})
    verdict = judge(Specification(goals=(Wanted("reach it", names, holds),)))
    assert told(verdict)["goal reach it"] is there
    assert seen == ([{"limit": 5, "who": "the person"}] if there else [])


@pytest.mark.parametrize("submitted", [True, False])
def test_an_answer_counts_when_it_is_submitted(submitted: bool) -> None:
    spec = Specification(answers=(Reported("outcome", TEXT, "done"),))
    assert told(judge(spec, answer={"outcome": "done"}, submitted=submitted))["answer outcome"] is submitted
    assert told(judge(spec, answer={"outcome": "refused"}, submitted=submitted))["answer outcome"] is False


@pytest.mark.parametrize("broken", ["", "rule 3"])
def test_many_rules_are_told_as_one(broken: str) -> None:
    rules = tuple(f"rule {i}" for i in range(20))
    found = [a for a in judge(Specification(rules=rules), broken=[broken]).assertions if "rules" in a.name]
    assert [(a.name.partition(":")[0], a.ok) for a in found] == [("20 rules", not broken)]


def test_many_answers_are_told_as_one() -> None:
    answers = tuple(Reported(f"part_{i}", INT, i) for i in range(20))
    right = {f"part_{i}": i for i in range(20)}
    for given in (right, {**right, "part_3": 4}):
        found = [a for a in judge(Specification(answers=answers), answer=given).assertions if "answers" in a.name]
        assert [(a.name.partition(":")[0], a.ok) for a in found] == [("20 answers", given == right)]
