"""The referee's own word on episodes, without any verifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from studies.parcel_desk import (
    ONE_RULE,
    TWO_RULES,
    counting,
    make_task,
    one_to_send,
    open_desk,
    refusing,
    send,
    sending_all,
    sending_one_of_two,
    two_to_send,
    use_goal,
)

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


def test_a_choice_that_is_made_anew_counts_by_what_is_left(decide: Any) -> None:
    """The first carrier is one that may be taken, and so is the one that takes it in the end."""
    first, other = (Call("move", {"shipment": "SH-001", "carrier": carrier}) for carrier in ("CA-01", "CA-02"))
    assert decide(send("PA-001"), other).word == "right"
    assert decide(send("PA-001", carrier="CA-02"), first).word == "right"
    assert decide(send("PA-001"), other, first).word == "right"
    assert decide(send("PA-001"), other, first, other).word == "right"
    assert decide(send("PA-001"), other, Call("hurry", {"shipment": "SH-001"})).why == "needless: hurry"


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


def decide_with(made: tuple[Task, Key], answer: Mapping[str, Any], *calls: Call) -> Decision:
    session = open_desk().session("sender")
    try:
        referee = Referee(open_desk(), read_request(open_desk().compiled, *made), session)
        return referee.decide(referee.end(number_steps(referee.start(), calls)), answer)
    finally:
        session.close()


ALL_SENT = (send("PA-001"), send("PA-002"))
REPORT = {"outcome": "done", "count": 2, "left_out": [TWO_RULES, ONE_RULE], "total": 30.75}


def test_every_row_that_fits_is_meant() -> None:
    task, key = sending_all()
    bare = {k: v for k, v in key.expects.items() if k not in ("goals", "accepts", "answer")}
    made = (task, replace(key, expects=bare, answer=None))
    assert decide_with(made, REPORT, *ALL_SENT).word == "right"
    assert decide_with(made, REPORT, *reversed(ALL_SENT)).word == "right"
    assert decide_with(made, {**REPORT, "count": 1}, ALL_SENT[0]).why == "the goal send_each is not reached"
    for part, wrong in (("count", 4), ("total", 150.75), ("left_out", [ONE_RULE]), ("left_out", None)):
        assert decide_with(made, {**REPORT, part: wrong}, *ALL_SENT).why == f"the answer is wrong in {part}"


@pytest.mark.parametrize(
    ("where", "figures"),
    [
        ([], (4, 150.75)),
        ([{"field": "worth", "op": ">=", "value": 20.25}], (3, 140.25)),
        ([{"field": "worth", "op": "<=", "value": 20.25}], (2, 30.75)),
        (
            [{"field": "customer", "op": "==", "value": "CU-01"}, {"field": "sealed", "op": "==", "value": False}],
            (1, 80),
        ),
        ([{"field": "weight", "op": ">=", "value": 91}], (0, 0)),
    ],
)
def test_a_question_is_counted_by_what_it_says(where: list[Any], figures: tuple[int, float]) -> None:
    task, key = counting()
    made = (task, replace(key, expects={**key.expects, "over": {**key.expects["over"], "where": where}}))
    assert decide_with(made, {"outcome": "done", "count": figures[0], "total": figures[1]}).word == "right"


def test_what_cannot_be_done_though_no_rule_forbids_it_has_no_one_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    task, key = sending_all()
    goal = open_desk().compiled.blueprint.goals["send_each"]
    [step] = goal.how
    small = replace(step, args=tuple((k, v) for k, v in step.args if k != "carrier"))
    goals = {**open_desk().compiled.blueprint.goals, "send_each": replace(goal, how=(small,))}
    monkeypatch.setattr(open_desk().compiled, "blueprint", replace(open_desk().compiled.blueprint, goals=goals))
    found = decide_with((task, key), REPORT, *ALL_SENT)
    assert found.why == "PA-001 cannot be dealt with, and no rule forbids it"


def test_where_the_order_decides_what_is_left_out_there_is_no_one_reading() -> None:
    """Any two of three charges are one too many."""
    task, key = sending_all()
    over = {**key.expects["over"], "goal": "charge_for", "where": [{"field": "worth", "op": "<=", "value": 40}]}
    charges = tuple(Call("charge", {"customer": "CU-01", "amount": amount}) for amount in (21, 40.5))
    found = decide_with((task, replace(key, expects={**key.expects, "over": over})), REPORT, *charges)
    assert found.why == "whether PA-002 is left out depends on which comes first"


def test_nothing_is_set_right_first() -> None:
    """A parcel is too heavy. Something could be taken out of it, and nobody has asked for that."""
    done = {"outcome": "done", "number": 150, "record": ONE_RULE}
    lighten = Call("lighten", {"parcel": ONE_RULE})
    refused = refusing(ONE_RULE, "not_too_heavy")
    found = decide_with(refused, done, lighten, send(ONE_RULE))
    assert (found.word, found.why) == ("wrong", "lighten sets right first what the rule stumbles over")
    assert decide_with(refused, {"outcome": "refused", "rule": "not_too_heavy", "record": ONE_RULE}).word == "right"


def test_where_the_forbidden_part_can_be_done_all_of_it_is_right() -> None:
    task, key = sending_one_of_two("only_sealed")
    request = {**key.expects, "request": [use_goal("PA-002", "weigh_and_send")], "forbidden": []}
    made = (task, replace(key, expects=request))
    whole = {"outcome": "done", "number": 105, "record": "PA-001", "kilograms": 6}
    assert decide_with(made, whole, *ALL_SENT).word == "right"
    assert decide_with(made, {**whole, "kilograms": 5}, *ALL_SENT).why == "the answer is wrong in kilograms"
    assert decide_with(made, {**whole, "outcome": "partly"}, *ALL_SENT).why == "the answer is wrong in outcome"
    assert decide_with(made, {**RIGHT_ANSWER, "outcome": "partly"}, ALL_SENT[0]).why == "no rule forbids a part of it"


def test_a_new_row_that_is_spoken_of_is_the_one_that_its_own_write_made() -> None:
    """Send two parcels, and make the shipment of the first one express."""
    _, key = two_to_send()
    hurry = {"goal": "hurry_it", "rows": {"s": {"row": "shipment_1"}}, "said": {}}
    expects = {**key.expects, "goals": [use_goal("PA-001"), hurry, use_goal("PA-002")]}
    calls = (send("PA-001"), Call("hurry", {"shipment": "SH-001"}), send("PA-002"))
    made = (make_task({}), replace(key, calls=calls, expects=expects))
    done = {"outcome": "done"}
    assert decide_with(made, done, *calls).word == "right"
    other = (calls[0], send("PA-002"), Call("hurry", {"shipment": "SH-002"}))
    assert decide_with(made, done, *other).why == "the goal hurry_it is not reached"


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
