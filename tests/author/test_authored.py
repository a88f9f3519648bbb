"""What authors made of real evidence at the bench, replayed without any model: it holds, and covers what others read there."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.authored import KEPT, Replay, judge_verdicts, overlap, replay_session
from tests.domains import take_turns

from worldwright.formats.strict_yaml import read_yaml

SESSIONS = tuple(sorted(p.name for p in KEPT.iterdir() if p.is_dir())) if KEPT.is_dir() else ()
ANCHORS = Path(__file__).parents[2].parent / "shared" / "anchors"
needs_anchors = pytest.mark.skipif(not ANCHORS.is_dir(), reason=f"the real documents are not at {ANCHORS}")
PLAIN = {"chatwoot": "49 of 53 reading tools answer from the state, and `solid` asks for 95 %"}
"""Sessions that reach the figures and not the grade, with what they lack."""
WORST_SHARE = 0.85
"""Of the statements that somebody else found, and of all about the business, those that must be bound to what can hold them."""


def read_errors(one: Replay) -> list[str]:
    return [
        f"{f.place}: {f.says}"
        for f in one.found.findings
        if f.code in ("claim_target", "claim_place", "contract", "build")
    ]


@needs_anchors
@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_binds_what_somebody_else_found(name: str) -> None:
    one = replay_session(KEPT / name, ANCHORS, with_world=False)
    assert read_errors(one) == []
    assert one.found.lockable
    assert one.others_bound >= WORST_SHARE * one.others
    assert one.found.claims["bound"] >= WORST_SHARE * one.found.claims["business"]
    assert not [f for f in one.found.findings if f.code in ("rule_unsourced", "case_disagrees")]


@needs_anchors
@pytest.mark.timeout(900)  # the largest has 121 tools and 7,600 lines
@pytest.mark.parametrize("name", take_turns(*SESSIONS, full=3) if SESSIONS else ())
def test_a_session_makes_a_world_with_rules_and_programs(name: str) -> None:
    one = replay_session(KEPT / name, ANCHORS)
    grade = one.found.grade
    assert one.found.lockable
    assert grade is not None
    assert grade.word == "plain" if name in PLAIN else grade.word in ("solid", "deep")
    assert grade.counts["tasks"] >= 40
    assert grade.counts["policy"] > 0
    assert grade.counts["program"] > 0
    assert judge_verdicts(one)["wrong"] == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a.md#3", "a.md#2-4", True),
        ("a.md#5", "a.md#2-4", False),
        ("a.md#3", "b.md#3", False),
        ("a.json#/tools/1", "a.json#/tools/1/inputSchema/properties/x", True),
        ("a.json#/tools/1", "a.json#/tools/10", False),
        ("a.pdf#p3", "a.pdf#p3.12", True),
        ("a.pdf#p3.1", "a.pdf#p3.12", False),
    ],
)
def test_places_overlap_where_one_lies_in_the_other(one: str, other: str, same: bool) -> None:
    assert overlap(one, other) is overlap(other, one) is same


def test_every_session_says_who_made_it() -> None:

    for name in SESSIONS:
        facts = read_yaml((KEPT / name / "session.yaml").read_text(encoding="utf-8"))[0]
        assert {"author", "minutes", "evidence", "anchor", "world"} <= set(facts), name
        assert (KEPT / name / "others.yaml").is_file()
        assert (KEPT / name / "rounds.jsonl").is_file()
