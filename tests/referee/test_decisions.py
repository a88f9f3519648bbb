"""The referee's own word on episodes, without any verifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.referee.parcel_desk import ONE_RULE, make_task, one_to_send, open_desk, refusing, send, two_to_send

from worldwright.kinds.database.referee.compare import compare_tasks, count_comparisons
from worldwright.kinds.database.referee.decide import Decision, Referee
from worldwright.kinds.database.referee.replay import number_steps
from worldwright.kinds.database.referee.request import read_request
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

RIGHT_ANSWER = {"outcome": "done", "number": 105, "record": "PA-001"}


@pytest.fixture(name="decide")
def decide_on_one() -> Iterator[Any]:
    """Decide on an episode of the task to send one parcel."""
    session = open_desk().session("sender")
    task, key = one_to_send()
    referee = Referee(open_desk(), read_request(open_desk().compiled, task, key), session)

    def decide(*calls: Call, answer: Mapping[str, Any] = RIGHT_ANSWER, submitted: bool = True) -> Decision:
        steps = number_steps(referee.start(), calls)
        return referee.decide(referee.end(steps), answer, submitted)

    yield decide
    session.close()


def test_the_witness_is_right(decide: Any) -> None:
    assert decide(send("PA-001")).word == "right"
    assert decide(send("PA-001", carrier="CA-02")).word == "right"


def test_nothing_and_too_little_are_wrong(decide: Any) -> None:
    assert decide().why == "the goal send_it is not reached"
    assert decide(send("PA-001"), submitted=False).why == "no answer was given"
    assert decide(send("PA-001"), answer={}).why == "the answer says neither done nor refused"


def test_a_write_and_its_undoing_count_by_what_is_left(decide: Any) -> None:
    tag, untag = Call("tag", {"parcel": "PA-002"}), Call("untag", {"parcel": "PA-002"})
    assert decide(send("PA-001"), tag).word == "wrong"
    assert decide(send("PA-001"), tag, untag).word == "right"
    assert decide(tag, send("PA-001"), untag).word == "right"


def test_a_write_that_leaves_a_line_in_a_log_is_not_undone(decide: Any) -> None:
    charge = Call("charge", {"customer": "CU-01", "amount": 5})
    assert decide(charge, send("PA-001")).word == "wrong"


def test_a_call_that_changes_nothing_is_fine(decide: Any) -> None:
    assert decide(send("PA-001"), Call("untag", {"parcel": "PA-001"})).word == "right"
    assert decide(send(ONE_RULE), send("PA-001")).word == "right"


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"number": 106}, "number"),
        ({"number": None}, "number"),
        ({"record": "PA-002"}, "record"),
        ({"rule": "only_sealed"}, "rule"),
        ({"remark": "well"}, "remark"),
    ],
)
def test_an_answer_that_says_something_else(decide: Any, change: Mapping[str, Any], part: str) -> None:
    found = decide(send("PA-001"), answer={**RIGHT_ANSWER, **change})
    assert found.why == f"the answer is wrong in {part}"


def test_both_numbers_whichever_parcel_goes_first() -> None:
    session = open_desk().session("sender")
    task, key = two_to_send()
    referee = Referee(open_desk(), read_request(open_desk().compiled, task, key), session)
    for calls in ((send("PA-001"), send("PA-002")), (send("PA-002"), send("PA-001"))):
        end = referee.end(number_steps(referee.start(), calls))
        assert end.answer == {"outcome": "done", "number": 105, "number_2": 106}
    session.close()


def test_what_is_accepted_answered_and_ruled_is_not_looked_at() -> None:
    """A key without its accepted ends, its rules and its answer is the same request."""
    compiled = open_desk().compiled
    for task, key in (one_to_send(), refusing(ONE_RULE, "not_too_heavy")):
        facts = {k: v for k, v in key.expects.items() if k not in ("accepts", "rules", "answer")}
        bare: tuple[Task, Key] = (task, replace(key, expects=facts, answer=None))
        assert read_request(compiled, *bare) == read_request(compiled, task, key)


def test_figures_that_only_words_define_are_undecided() -> None:
    expects = {
        "outcome": "done",
        "goals": [],
        "accepts": [[]],
        "rules": [],
        "answer": {"outcome": {"is": "done"}, "count": {"number": 2, "places": 0}},
    }
    key = Key("task_001", (), {"outcome": "done", "count": 2}, expects)
    [found] = compare_tasks(open_desk(), [(make_task({"count": {}}), key)])
    assert found.disagreements == ()
    assert set(found.undecided) == {"answer count"}
    counts = count_comparisons([found, found])
    assert counts["undecided"] == 2 * found.undecided["answer count"] > 0
    assert counts["episodes"] == counts["undecided"] + counts["agreements"]
    assert counts["agreements"] > 0  # one write more is wrong, whatever the count
