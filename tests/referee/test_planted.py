"""Errors that outside players found in verifiers, planted back one by one: the referee has to see each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from studies.parcel_desk import (
    ONE_RULE,
    TWO_RULES,
    counting,
    one_to_send,
    open_desk,
    refusing,
    send,
    sending_all,
    sending_one_of_two,
    two_to_send,
)
from studies.planted import PLANTED, Planted, find_planted, is_found
from studies.planted import main as find_every_planted_class

from worldwright.kinds.database.referee.compare import Comparison, compare_tasks
from worldwright.kinds.database.referee.settings import EVERYTHING, SAMPLE, PlaySettings
from worldwright.kinds.database.verify import verdict
from worldwright.world.tasks import Key, Task

Made = tuple[Task, Key]


def compare(made: Made, settings: PlaySettings = EVERYTHING) -> Comparison:
    [found] = compare_tasks(open_desk(), [made], settings)
    assert found.episodes == found.agreements + sum(found.undecided.values()) + len(found.disagreements)
    return found


def change(made: Made, **parts: Any) -> Made:
    task, key = made
    return task, replace(key, expects={**key.expects, **parts})


def plays(found: Comparison) -> set[str]:
    return {one.play for one in found.disagreements}


GOOD: Sequence[Callable[[], Made]] = (
    one_to_send,
    two_to_send,
    lambda: refusing(ONE_RULE, "not_too_heavy"),
    sending_all,
    counting,
)


@pytest.mark.parametrize("made", GOOD)
@pytest.mark.parametrize("settings", [EVERYTHING, SAMPLE], ids=lambda s: s.name)
def test_a_right_verifier_is_never_contradicted(made: Callable[[], Made], settings: PlaySettings) -> None:
    found = compare(made(), settings)
    assert found.disagreements == ()
    assert found.agreements == found.episodes >= (10 if settings is SAMPLE else 20)
    assert not found.undecided


def test_the_play_goes_around_the_witness() -> None:
    """Plays of every kind are made: with a verifier that passes nothing, or everything, each kind is heard of."""
    task, key = two_to_send()
    none = compare((task, replace(key, expects={**key.expects, "accepts": []})))
    assert plays(none) >= {"the witness", "another value", "two writes swapped", "two other values"}
    assert all(one.referee.startswith("right") for one in none.disagreements)


def test_an_open_choice_that_is_pinned() -> None:
    made = one_to_send()
    [accepted] = made[1].expects["accepts"]
    accepted[1]["cells"]["carrier"] = {"is": "CA-01"}
    found = compare(made)
    assert found.disagreements[0].what == "send.carrier = CA-02"
    assert plays(found) == {
        "another value",
        "one write before",
        "one write instead",
    }  # the same carrier all three times
    assert found.disagreements[0].referee.startswith("right")
    assert found.disagreements[0].verifier.startswith("fail: shipment added")
    assert found.disagreements[0].calls == ({"tool": "send", "arguments": {"parcel": "PA-001", "carrier": "CA-02"}},)


def test_a_log_that_is_not_compared() -> None:
    made = one_to_send()
    [accepted] = made[1].expects["accepts"]
    line = {"op": "added", "table": "ledger", "as": "", "many": True, "cells": {"customer": "any", "amount": "any"}}
    found = compare(change(made, accepts=[accepted, [*accepted, line]]))
    assert plays(found) == {"one write more", "one write before", "two writes more"}
    assert all("charge " in one.what for one in found.disagreements)
    assert all(one.verifier == "pass" for one in found.disagreements)
    assert "ledger" in found.disagreements[0].referee


def test_what_is_told_of_the_last_id() -> None:
    task, key = two_to_send()
    parts = {name: {k: v for k, v in part.items() if k != "row"} for name, part in key.expects["answer"].items()}
    found = compare(change((task, key), answer=parts))
    assert "two writes swapped" in plays(found)
    swapped = next(one for one in found.disagreements if one.play == "two writes swapped")
    assert swapped.answer == {"outcome": "done", "number": 105, "number_2": 106}
    assert swapped.referee.startswith("right")
    assert swapped.verifier.startswith("fail: answer number")


@pytest.mark.parametrize(("named", "other"), [("not_too_heavy", "only_sealed"), ("only_sealed", "not_too_heavy")])
def test_another_rule_that_forbids_it_too(named: str, other: str) -> None:
    found = compare(refusing(TWO_RULES, named))
    assert [(one.what, one.referee) for one in found.disagreements] == [
        (f"the rule {other}", f"right: refused, and {other} forbids it")
    ]


@pytest.mark.parametrize(("named", "other"), [("not_too_heavy", "only_sealed"), ("only_sealed", "not_too_heavy")])
def test_another_rule_that_forbids_a_part_too(named: str, other: str) -> None:
    found = compare(sending_one_of_two(named))
    assert not found.undecided
    answers = [one.answer for one in found.disagreements if one.play == "another answer"]
    assert answers
    assert all(one == {"outcome": "partly", "number": 105, "record": "PA-001", "rule": other} for one in answers)
    assert all(one.referee.startswith("right") for one in found.disagreements)


def test_a_rule_beside_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "_assert_no_other_answers", lambda spec, episode: iter(()))
    found = compare(one_to_send())
    assert {one.what for one in found.disagreements} >= {"the rule not_too_heavy", "the rule only_sealed"}
    assert all(one.verifier == "pass" for one in found.disagreements)
    assert found.disagreements[0].referee == "wrong: the answer is wrong in remark"


def test_a_refusal_that_no_rule_demands() -> None:
    found = compare(refusing("PA-001", "not_too_heavy"))
    words = {one.what: one.referee for one in found.disagreements}
    assert words["and nothing done"] == "wrong: no rule forbids it"
    done = next(one for one in found.disagreements if one.play == "the witness")
    assert done.referee.startswith("right")
    assert done.answer == {"outcome": "done", "number": 105, "record": "PA-001"}


def test_a_frame_that_is_too_wide() -> None:
    made = one_to_send()
    [accepted] = made[1].expects["accepts"]
    tag = {"op": "changed", "table": "parcel", "id": "", "as": "", "many": True, "cells": {"tagged": "any"}}
    found = compare(change(made, accepts=[accepted, [*accepted, tag]]))
    assert plays(found) == {"one write more", "one write before", "two writes more"}
    assert {one.what.split()[0] for one in found.disagreements} == {"tag"}


def test_an_optional_value_that_nobody_asked_for() -> None:
    made = one_to_send()
    [accepted] = made[1].expects["accepts"]
    accepted[1]["cells"]["express"] = "any"
    found = compare(made)
    assert found.disagreements[0].what == "send.express = True"
    assert found.disagreements[0].referee == "wrong: needless: express of send"


def test_a_witness_that_does_too_much() -> None:
    task, key = one_to_send()
    calls = (send("PA-001"), send("PA-002"))
    accepts = [[*key.expects["accepts"][0], *two_to_send()[1].expects["accepts"][0][2:]]]
    made = change((task, replace(key, calls=calls)), accepts=accepts)
    witness = next(one for one in compare(made).disagreements if one.play == "the witness")
    assert witness.referee == "wrong: needless: send"


@pytest.mark.parametrize("one", PLANTED, ids=lambda one: one.name)
def test_every_planted_class_is_found(one: Planted) -> None:
    assert is_found(one, find_planted(one))


def test_the_command_says_what_was_not_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.planted.SOUND", {"a question": counting})
    monkeypatch.setattr("studies.planted.PLANTED", (Planted("a wrong count", sending_all),))
    assert find_every_planted_class() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "not found: a wrong count"
    monkeypatch.setattr("studies.planted.PLANTED", PLANTED[-1:])
    assert find_every_planted_class() == 0
    assert capsys.readouterr().out.splitlines()[-1] == "every planted class is found"
