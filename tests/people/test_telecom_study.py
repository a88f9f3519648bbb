"""The study of tau2's telecom tasks: what it makes of scenarios and conversations, and, where the package is, of a few tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import pytest
from studies.telecom import __main__ as study
from studies.telecom.drive import BESIDE, THEIRS, UNEXPLAINED, UNTOLD, Played
from studies.telecom.person import find_act, make_person, read_acts, read_instructions, read_scenario
from studies.telecom.report import sum_up, survey
from studies.telecom.talk import ASKED_BACK, AT_ONCE, LOST, OTHER, REFUSED, Talk, Wish
from studies.telecom.theirs import Scenario

from worldwright.world.tasks import Act, Fact

HERE = find_spec("inspect_evals") is not None
PLATE = Fact(
    "plate", "reference", ("number plate",), "ABC 123", ("What is the number plate?", "Which plate is on the car?")
)
HORN = Act("horn", ("blow the horn",), ("Please blow the horn.", "Could you honk?"), "press", {"what": "horn"}, "{saw}")
DOOR = Act("door", ("open the car door",), ("Please open the door of the car.",), "press", {"what": "door"}, "{saw}")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _talk(ok: bool = True) -> tuple[Talk, list[Any]]:
    ran: list[Any] = []

    def press(tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        ran.append((tool, dict(arguments)))
        return ok, "it is loud"

    return Talk(make_person((PLATE,), (HORN, DOOR)), press), ran


def test_every_act_has_instructions_in_other_words() -> None:
    said, acts = read_instructions(), read_acts()
    facts, _ = read_scenario(*study.SOMEBODY)
    assert set(said["acts"]) == {act.name for act in acts}
    assert set(said["facts"]) == {fact.name for fact in facts}
    things: list[Fact | Act] = [*read_acts(every_value=True), *facts]
    known = {_plain(text) for thing in things for text in (*thing.asked, *thing.called)}
    for sentences in (*said["acts"].values(), *said["facts"].values()):
        assert len(sentences) >= 3
        assert not known & {_plain(text) for text in sentences}


def test_one_act_for_each_value() -> None:
    acts = read_acts(every_value=True)
    assert len({act.name for act in acts}) == len(acts) > len(read_acts())
    found = find_act(acts, "set_network_mode_preference", {"mode": "3g_only"})
    assert found is not None
    assert found.name == "only_3g"
    assert find_act(read_acts(), "set_network_mode_preference", {"mode": "3g_only"}) is None


def test_facts_of_a_scenario() -> None:
    known = "You are Ann Lee with phone number 555-010-4477. You are currently at home in Spain. You like tea."
    facts, left = read_scenario(known, "Be polite. You are willing to refuel 3.5 GB of data if need be.")
    assert {fact.name: fact.says for fact in facts} == {
        "name": "Ann Lee",
        "phone_number": "555-010-4477",
        "location": "at home in Spain",
        "top_up": "3.5 GB",
    }
    assert left == ["You like tea."]


def test_what_is_asked_for_comes_at_once() -> None:
    talk, ran = _talk()
    assert talk.want_fact(PLATE, "What is the number plate?").outcome == AT_ONCE
    wish = talk.want_act(HORN, "Please blow the horn.")
    assert (wish.outcome, wish.beside) == (AT_ONCE, ())
    assert ran == [("press", {"what": "horn"})]
    assert talk.turns == 2


def test_another_act_is_told_apart_by_its_arguments() -> None:
    talk, _ = _talk()
    wish = talk.want_act(HORN, "Please open the door of the car.")
    assert (wish.outcome, wish.beside, wish.met) == (OTHER, ("door",), False)


def test_what_is_told_instead_is_wrong() -> None:
    talk, ran = _talk()
    assert talk.want_act(HORN, "What is the number plate?").outcome == OTHER
    assert ran == []


def test_what_says_nothing_is_lost() -> None:
    talk, _ = _talk()
    assert talk.want_act(HORN, "Blue, green, seven.").outcome == LOST


def test_what_cannot_be_run_is_refused() -> None:
    talk, _ = _talk(ok=False)
    assert talk.want_act(HORN, "Please blow the horn.").outcome == REFUSED


@pytest.mark.parametrize(
    ("back", "answer"), [("{}", "Yes, please."), ("{} or the number plate", "I mean: blow the horn, please.")]
)
def test_a_question_back_is_answered_once(back: str, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    talk, _ = _talk()
    said: list[str] = []

    def reply(message: str) -> str:
        said.append(message)
        return f"Do you mean {back.format('that I should blow the horn')}?"

    monkeypatch.setattr(talk, "_say", reply)
    assert talk.want_act(HORN, "The loud thing?").outcome == LOST
    assert said == ["The loud thing?", answer]


def test_an_answered_question_back_counts() -> None:
    wish = Wish(
        "horn", "The loud thing?", ASKED_BACK, ("Do you mean that I should blow the horn?", "It is loud."), (), 2
    )
    found = sum_up([_played(True, True, True, (), (wish,))])
    assert (found["questions asked back"], found["acts asked for"][ASKED_BACK], found["misunderstood"]) == (1, 1, [])


def _played(
    solved: bool, passed: bool, control: bool, problems: tuple[str, ...], wishes: tuple[Wish, ...] = ()
) -> Played:
    return Played("t", solved, passed, control, False, "", wishes, problems, (), 0)


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        (_played(True, True, True, (LOST,)), ""),
        (_played(False, True, True, (UNTOLD, BESIDE)), UNTOLD),
        (_played(False, False, False, (LOST,)), THEIRS),
        (_played(False, False, True, (UNTOLD, BESIDE, LOST, OTHER)), LOST),
        (_played(False, False, True, (UNTOLD, BESIDE)), BESIDE),
        (_played(False, False, True, ()), UNEXPLAINED),
    ],
)
def test_the_reason_is_what_weighs_most(played: Played, reason: str) -> None:
    assert played.reason == reason
    faults = [row["fault"] for row in sum_up([played])["not solved"].values()]
    assert faults == (
        [] if not reason else ["theirs" if reason == THEIRS else "unknown" if reason == UNEXPLAINED else "ours"]
    )


def test_survey_finds_what_is_misunderstood() -> None:
    person = make_person((PLATE,), (HORN, DOOR))
    said = {
        "facts": {"plate": ["What is the number plate?"]},
        "acts": {"horn": ["Please open the door of the car."], "door": []},
    }
    found = survey(person, said)
    assert found["sentences"]["all"] == 2
    assert [row["wanted"] for row in found["misunderstood"]] == ["horn"]


def test_limit_spreads_over_the_tasks() -> None:
    scenarios = [Scenario(str(k), "", "", "", (), None) for k in range(10)]
    assert [one.id for one in study.choose(scenarios, 3)] == ["0", "3", "6"]
    assert len(study.choose(scenarios, 0)) == len(study.choose(scenarios, 99)) == 10


@pytest.mark.slow
def test_the_survey_needs_no_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert study.main(["--survey", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(one["sentences"]["all"] >= 3 * found["acts known"] for one in found["survey"].values())


@pytest.mark.skipif(HERE, reason="inspect-evals is installed")
def test_without_the_package_it_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert study.main(["--limit", "1"]) == 2
    assert "pip install -e . 'inspect-evals==0.26.*'" in capsys.readouterr().err


@pytest.mark.skipif(
    not HERE, reason="needs inspect-evals, in an environment of its own: python -m studies.telecom --help"
)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the package, when it is imported
def test_five_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert study.main(["--limit", "5", "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    tasks = found["tasks"]
    assert found["their user tools without an act"] == ["set_apn_settings"]
    assert (tasks["tasks"], tasks["control: with user tools called directly"], tasks["control: with nothing done"]) == (
        5,
        5,
        0,
    )
    assert tasks["facts asked for"]["all"] >= 15
    assert tasks["acts asked for"]["all"] > 5
    assert tasks["solved"] + sum(row["tasks"] for row in tasks["not solved"].values()) == 5
    assert {row["fault"] for row in tasks["not solved"].values()} <= {"ours"}
