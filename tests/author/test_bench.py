"""The bench: what it finds, what it takes from an author, and what it keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.anchor.anchors import given as given_file
from tests.anchor.anchors import lock_of
from tests.author.conftest import LIBRARY, RULES, lay_bench

from worldwright.author import verbs
from worldwright.author.check import Checkup
from worldwright.author.folder import read_facts
from worldwright.author.open import lock_bench, open_bench
from worldwright.author.rounds import apply_edits, find_edits, list_states, read_began, read_rounds
from worldwright.blueprint.given import split_given
from worldwright.core.errors import UsageError
from worldwright.store.anchors import Anchors

BOUND: list[dict[str, Any]] = [
    {"id": "c001", "to": ["policy:loan_limit"]},
    {"id": "c002", "to": ["policy:no_debts"]},
    {"id": "c003", "to": ["policy:waiver_cap"]},
    {"id": "c004", "to": ["guard:lend.NOT_ON_SHELF"]},
    {"id": "c005", "is": "not_business", "why": "a matter of layout"},
]
CASES: list[dict[str, Any]] = [
    {"allowed": {"loan.fine": 15}},
    {"forbidden": {"loan.fine": 15.01}},
]


def codes(found: Checkup) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for finding in found.findings:
        out.setdefault(finding.code, []).append(finding.place)
    return out


def look(folder: Path) -> Checkup:
    return verbs.check(folder, "a test", with_world=False)


def test_a_claim_is_open_until_somebody_says_what_became_of_it(bench: Path) -> None:
    assert codes(look(bench))["claim_open"] == [f"claims.yaml#c00{n}" for n in (1, 2, 3, 4)]
    verbs.bind_claims(bench, BOUND)
    found = look(bench)
    assert "claim_open" not in codes(found)
    assert found.claims == {"claims": 5, "business": 4, "bound": 4, "not_expressible": 0, "open": 0, "powerless": 0}
    assert found.lockable


def test_an_author_adds_what_the_reader_missed(bench: Path) -> None:
    missed = "Return boxes are emptied every morning."
    sheet = bench / "evidence" / "rules.md.txt"
    sheet.write_text(sheet.read_text() + f"12 | **Hours.** {missed} Nobody waits.\n")
    verbs.bind_claims(bench, [{"at": "rules.md#12", "says": missed, "to": ["policy:loan_limit"]}])
    row = verbs.list_claims(bench)[-1]
    assert (row["id"], row["at"], row["says"], row["is"]) == ("a001", "rules.md#12", missed, "bound")
    assert look(bench).claims["bound"] == 1
    verbs.bind_claims(bench, [{"id": "a001", "is": "not_business", "why": "who empties boxes is none of it"}])
    assert look(bench).claims == {
        "claims": 6,
        "business": 4,
        "bound": 0,
        "not_expressible": 0,
        "open": 4,
        "powerless": 0,
    }


@pytest.mark.parametrize(
    ("at", "says", "problem"),
    [
        ("rules.md#2", "Return boxes are emptied every morning.", "does not stand at"),
        ("rules.md#40", RULES[0], "is no place"),
        ("../../rules.md#1", RULES[0], "c001 already"),
        ("../../bench.json#1", "format", "is no place"),
        ("rules.md#1", "Nobody borrows more than their allowance", "c001 already"),
        ("rules.md#1", "", "does not stand at"),
    ],
)
def test_an_added_claim_stands_in_the_evidence_and_only_once(bench: Path, at: str, says: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        verbs.bind_claims(bench, [{"at": at, "says": says, "to": ["policy:loan_limit"]}])
    claims = bench / "claims.yaml"
    claims.write_text(
        claims.read_text() + f"- {{id: a001, at: '{at}', says: '{says}', is: bound, to: [policy:loan_limit]}}\n"
    )
    assert codes(look(bench))["claim_place"] == ["claims.yaml#a001"]


@pytest.mark.parametrize(
    ("to", "code", "says"),
    [
        ("policy:loan_limits", "claim_target", "no policy"),
        ("loan_limit", "claim_target", "is no reference"),
        ("guard:lend.NOT_THERE", "claim_target", "refuses nothing"),
        ("constraint:member.mails", "claim_target", "no field"),
        ("computed:loan.due_on", "claim_idle", "does not follow"),
        ("lifecycle:member", "claim_idle", "no lifecycle"),
        ("constraint:loan.reference", "claim_idle", "any text"),
    ],
)
def test_what_a_claim_is_bound_to_must_be_there_and_have_force(bench: Path, to: str, code: str, says: str) -> None:
    verbs.bind_claims(bench, [{"id": "c001", "to": [to]}])
    finding = next(f for f in look(bench).findings if f.place == "claims.yaml#c001")
    assert finding.code == code
    assert says in finding.says


def test_a_figure_that_stands_nowhere_in_the_rule_is_a_finding(bench: Path) -> None:
    verbs.bind_claims(bench, [{"id": "c003", "to": ["policy:loan_limit"]}])
    assert "15" in next(f.says for f in look(bench).findings if f.code == "claim_figure")


def test_a_handbook_that_says_another_figure_than_the_evidence_is_a_finding(bench: Path) -> None:
    verbs.bind_claims(bench, BOUND)
    verbs.edit_own_file(
        bench, "blueprint.yaml", "Fines over {cap:money} are never waived.", "Fines over 20 EUR are never waived."
    )
    assert codes(look(bench))["claim_words"] == ["claims.yaml#c003"]


def test_a_rule_that_comes_from_nowhere_is_a_finding_until_it_is_labelled(bench: Path) -> None:
    verbs.bind_claims(bench, [b for b in BOUND if b["id"] != "c003"])
    assert "blueprint.yaml#policies.waiver_cap" in codes(look(bench))["rule_unsourced"]
    verbs.edit_own_file(
        bench, "blueprint.yaml", "    rule: loan.fine <= cap\n", "    source: assumed\n    rule: loan.fine <= cap\n"
    )
    assert "blueprint.yaml#policies.waiver_cap" not in codes(look(bench)).get("rule_unsourced", [])


def test_cases_of_somebody_else_are_run_against_the_rule(bench: Path) -> None:
    verbs.bind_claims(bench, BOUND)
    assert "blueprint.yaml#policies.waiver_cap" in codes(look(bench))["cases_missing"]
    verbs.add_cases(bench, "waiver_cap", "another reader", CASES)
    found = codes(look(bench))
    assert "blueprint.yaml#policies.waiver_cap" not in found["cases_missing"]
    assert "case_disagrees" not in found
    verbs.add_cases(bench, "waiver_cap", "another reader", [*CASES, {"allowed": {"loan.fine": 40}}])
    assert codes(look(bench))["case_disagrees"] == ["cases.yaml#waiver_cap.2"]
    verbs.add_cases(bench, "waiver_cap", "another reader", [{"forbidden": {"loan.lent_on": "2025-01-01"}}])
    assert codes(look(bench))["case_unclear"] == ["cases.yaml#waiver_cap.0"]


def test_whoever_writes_cases_is_not_shown_the_rule(bench: Path) -> None:
    verbs.bind_claims(bench, BOUND)
    brief = verbs.brief_cases(bench, "waiver_cap")
    assert "Fines over 15 EUR are never waived." in brief
    assert "fine: money" in brief
    assert "<= cap" not in brief
    assert "allowed: {loan.fine" not in brief


def test_an_error_of_the_language_has_its_line_and_comes_alone(bench: Path) -> None:
    verbs.edit_own_file(bench, "blueprint.yaml", "    rule: loan.fine <= cap\n", "    rule: loan.fines <= cap\n")
    found = look(bench)
    line = next(
        n for n, text in enumerate((bench / "blueprint.yaml").read_text().splitlines(), 1) if "loan.fines" in text
    )
    assert f"blueprint.yaml#{line}" in codes(found)["language"]
    assert not found.lockable
    assert [code for code, _ in ((n["code"], n) for n in verbs.next_data(found))] == ["language"]


@pytest.mark.parametrize(
    "file", ["../outside.txt", "/etc/passwd", "bench.json", "rounds.jsonl", "evidence/rules.md.txt", ""]
)
def test_only_the_files_of_the_author_are_written(bench: Path, file: str) -> None:
    before = {p: p.read_bytes() for p in bench.rglob("*") if p.is_file()}
    with pytest.raises(UsageError, match="not the author's"):
        verbs.write_own_file(bench, file, "x")
    assert {p: p.read_bytes() for p in bench.rglob("*") if p.is_file()} == before


def test_damaged_files_are_findings_and_nothing_is_lost(bench: Path) -> None:
    (bench / "claims.yaml").write_text("- {id: c001, is: maybe\n")
    (bench / "cases.yaml").write_text("- just text\n")
    found = look(bench)
    assert sorted(codes(found)["file"]) == ["cases.yaml#1", "claims.yaml#2"]
    assert (bench / "claims.yaml").read_text() == "- {id: c001, is: maybe\n"


def test_nodes_are_set_and_removed_by_path(bench: Path) -> None:
    verbs.set_nodes(
        bench, {"policies.waiver_cap.says": "Large fines are kept, {cap:money} and more."}, ["goals.write_it_off"]
    )
    found = look(bench)
    assert found.checked is not None
    assert found.checked.policies["waiver_cap"].says.startswith("Large fines are kept, EUR 15")
    assert "write_it_off" not in found.checked.goals
    with pytest.raises(UsageError, match=r"no `policies\.nothing`"):
        verbs.set_nodes(bench, {}, ["policies.nothing"])


LINES = st.lists(st.text(alphabet="ab\n", max_size=4), max_size=8).map("\n".join)


@given(LINES, LINES)
def test_edits_make_one_text_of_another(old: str, new: str) -> None:
    assert apply_edits(old, find_edits(old, new)) == new


def test_the_transcript_gives_the_files_of_every_round(bench: Path) -> None:
    began = {p.name: p.read_text() for p in bench.glob("*.yaml")}
    look(bench)
    verbs.bind_claims(bench, BOUND)
    middle = (bench / "claims.yaml").read_text()
    look(bench)
    look(bench)
    verbs.edit_own_file(bench, "blueprint.yaml", "{default: 15, strict: 5}", "{default: 14, strict: 5}")
    look(bench)
    rounds = read_rounds(bench)
    assert [r.number for r in rounds] == [1, 2, 3]
    states = list(list_states(read_began(bench), rounds))
    assert {k: v for k, v in states[0].items() if k in began} == {k: v for k, v in began.items() if k in states[0]}
    assert states[2]["claims.yaml"] == middle
    assert states[3]["blueprint.yaml"] == (bench / "blueprint.yaml").read_text()
    assert rounds[0].findings["claim_open"] == 4
    assert "claim_open" not in rounds[1].findings


def test_a_world_is_built_and_graded(bench: Path) -> None:
    verbs.bind_claims(bench, BOUND)
    found = verbs.check(bench, "a test")
    assert found.grade is not None
    assert found.grade.shares["claims"].good == 4
    assert found.grade.shares["writes"].good == found.grade.shares["writes"].of > 0
    assert found.grade.counts["tasks"] >= 10
    assert found.pack is not None
    assert json.loads(found.pack.files["grade.json"])["grade"] == found.grade.word == found.pack.manifest.grade


def test_a_hand_written_world_has_no_grade(tmp_path: Path) -> None:
    from tests.shared_builds import build

    from worldwright.blueprint.load import load_file

    pack = build(load_file(LIBRARY), 7).pack
    assert "grade.json" not in pack.files
    assert b'"grade"' not in pack.files["manifest.json"]


def test_what_a_change_does_is_told(tmp_path: Path) -> None:
    folder = lay_bench(tmp_path / "b")
    verbs.bind_claims(folder, BOUND)
    verbs.set_nodes(folder, {}, ["goals.write_it_off"])
    changes = {(c.what, c.name): (c.before, c.after) for c in verbs.diff(folder)}
    assert changes["claims", "bound"] == ("0", "4")
    assert changes["grade", "claims"] == ("0 of 4", "4 of 4")
    assert changes["goals", "write_it_off"][1] == ""
    assert ("tasks", "tasks") in changes


def test_rows_that_came_with_the_evidence_lie_in_a_file_of_their_own(tmp_path: Path) -> None:
    csv = "id,title,pages\n" + "".join(f"{n},Book {n},{100 + n}\n" for n in range(1, 41))
    anchors = Anchors(tmp_path / "home")
    anchors.put(lock_of(given_file("data", {"books.csv": csv}), name="books"))
    folder = open_bench(anchors, "books", tmp_path / "bench")
    assert "Book 7" not in (folder / "blueprint.yaml").read_text()
    assert (folder / "given.yaml").read_text().count("Book") == 40
    verbs.set_nodes(folder, {"title": "A shelf"})
    (folder / "blueprint.yaml").write_text((folder / "blueprint.yaml").read_text().rstrip())
    found = look(folder)
    assert found.checked is not None
    assert found.checked.schema.entities["book"].rows == 40
    again = open_bench(anchors, "books", tmp_path / "again", begin=folder)
    assert (again / "given.yaml").read_text() == (folder / "given.yaml").read_text()
    lock_bench(anchors, folder, read_facts(folder), found, "a test")
    text = anchors.load_world("books", "books").blueprint
    assert split_given(text)[1].count("Book") == 40
    assert "A shelf" in text


def test_a_bench_of_what_was_locked_goes_on_with_its_rounds(tmp_path: Path) -> None:
    csv = "id,title,pages\n" + "".join(f"{n},Book {n},{100 + n}\n" for n in range(1, 41))
    anchors = Anchors(tmp_path / "home")
    anchors.put(lock_of(given_file("data", {"books.csv": csv}), name="books"))
    first = open_bench(anchors, "books", tmp_path / "first")
    verbs.check(first, by="somebody")
    verbs.set_nodes(first, {"title": "A shelf"})
    found = verbs.check(first, by="somebody")
    lock_bench(anchors, first, read_facts(first), found, "somebody")
    again = open_bench(anchors, "books", tmp_path / "again")
    verbs.set_nodes(again, {"title": "Two shelves"})
    verbs.check(again, by="somebody else")
    assert [r.by for r in read_rounds(again)] == ["somebody", "somebody", "somebody else"]
    other = open_bench(anchors, "books", tmp_path / "other", begin=again)
    verbs.check(other, by="a third")
    assert [r.by for r in read_rounds(other)] == ["somebody", "somebody", "a third"]
    assert "Two shelves" in (other / "blueprint.yaml").read_text()
