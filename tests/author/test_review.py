"""What operations are believed to do, runs that show it, and what somebody says of them; and where claims stand in the evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from worldwright.author import verbs
from worldwright.author.beliefs import describe_operation, describe_operations, find_examples
from worldwright.author.check import check_bench
from worldwright.author.folder import REVIEW, read_bench, read_text
from worldwright.author.review import count_review, find_answer
from worldwright.author.spans import mark_sheet
from worldwright.core.errors import UsageError

from .conftest import RULES, claims


def test_a_sentence_says_who_what_and_unless(bench: Path) -> None:
    checked = verbs.load_bench(bench)
    said = describe_operation(checked, "lend")
    assert said.does.startswith("Only a librarian")
    assert "adds a loan" in said.does
    assert "sets status to lent of a copy" in said.does
    assert any("loan limit is kept" in one for one in said.refused)
    assert not any("loan limit" in one for one in said.forbidden)
    assert said.says.startswith(f"{said.does} The system refuses it unless ")
    search = describe_operation(checked, "find_members")
    assert "It lists records of member, chosen by" in search.does
    assert search.refused == ()


def test_every_operation_has_a_sentence_of_its_own(bench: Path) -> None:
    checked = verbs.load_bench(bench)
    found = describe_operations(checked, None)
    assert {b.operation for b in found} == set(checked.operations)
    assert len({b.says for b in found if b.refused or b.forbidden}) == len(
        [b for b in found if b.refused or b.forbidden]
    )


@pytest.mark.slow
def test_a_run_shows_what_an_operation_changes(bench: Path) -> None:
    checked = verbs.load_bench(bench)
    examples = find_examples(checked, None)
    assert {"lend", "take_back", "find_members"} <= set(examples)
    lent = examples["lend"]
    assert lent.role == "librarian"
    assert set(lent.diff) >= {"loan", "copy"}
    [(key, changed)] = lent.diff["copy"].changed.items()
    assert key == lent.arguments["copy"]
    assert changed["status"] == ("on_shelf", "lent")
    assert examples["find_members"].diff == {}
    again = find_examples(checked, None)
    assert again == examples


def test_what_somebody_says_counts_while_the_operation_is_the_same(bench: Path) -> None:
    verbs.review(bench, "lend", "yes", "Ada")
    verbs.review(bench, "waive_fine", "edit", "Ada", "only the manager waives, and never twice")
    checked, (found, problems) = verbs.load_bench(bench), read_bench(bench)
    assert problems == ()
    beliefs = {b.operation: b for b in describe_operations(checked, None)}
    answer = find_answer(found.review, beliefs["lend"])
    assert answer is not None
    assert (answer.is_, answer.by) == ("yes", "Ada")
    assert count_review(found.review, list(beliefs.values())) == {
        "operations": len(beliefs), "confirmed": 1, "denied": 1, "open": len(beliefs) - 2,
    }  # fmt: skip
    denied = [f for f in check_bench(found, with_world=False).findings if f.code == "operation_denied"]
    assert [f.place for f in denied] == ["blueprint.yaml#operations.waive_fine"]
    assert "never twice" in denied[0].says
    other = replace(beliefs["lend"], does="Anybody may do it.")
    assert find_answer(found.review, other) is None


def test_an_operation_that_does_something_else_is_looked_at_again(bench: Path) -> None:
    verbs.review(bench, "waive_fine", "no", "Ada")
    text = read_text(bench, "blueprint.yaml")
    verbs.write_own_file(bench, "blueprint.yaml", text.replace("by: manager\n", "by: [manager, librarian]\n"))
    found, _ = read_bench(bench)
    assert not [f for f in check_bench(found, with_world=False).findings if f.code == "operation_denied"]


def test_the_newest_word_of_one_person_counts(bench: Path) -> None:
    for answer in ("no", "yes"):
        verbs.review(bench, "lend", answer, "Ada")
    verbs.review(bench, "lend", "no", "Bo")
    found, _ = read_bench(bench)
    assert [(row.by, row.is_) for row in found.review] == [("Ada", "yes"), ("Bo", "no")]


@pytest.mark.parametrize(
    ("operation", "answer", "instead"),
    [("nothing", "yes", ""), ("lend", "perhaps", ""), ("lend", "edit", " "), ("lend", "edit", "x" * 5000)],
)
def test_what_makes_no_sense_is_refused(bench: Path, operation: str, answer: str, instead: str) -> None:
    with pytest.raises(UsageError):
        verbs.review(bench, operation, answer, "Ada", instead)
    assert not (bench / REVIEW).exists()


@pytest.mark.parametrize(
    "text",
    ["- operation: 5\n", "- {operation: lend, is: perhaps}\n", "nonsense", "- {operation: gone, is: 'yes', says: x}\n"],
)
def test_a_damaged_review_is_a_finding(bench: Path, text: str) -> None:
    (bench / REVIEW).write_text(text)
    found, problems = read_bench(bench)
    every = check_bench(found, problems, with_world=False).findings
    assert any(f.code == "file" and f.place.startswith(REVIEW) for f in every)


def test_nobody_writes_the_review_whole(bench: Path) -> None:
    with pytest.raises(UsageError, match="not the author's"):
        verbs.write_own_file(bench, REVIEW, "- operation: lend\n")
    verbs.review(bench, "lend", "yes", "Ada")
    assert "lend" in verbs.read_own_file(bench, REVIEW)


def test_claims_are_marked_where_they_stand(bench: Path) -> None:
    lines = mark_sheet(bench, "rules.md.txt", claims())
    assert [line.text for line in lines] == list(RULES)
    for number, line in enumerate(lines, start=1):
        [span] = line.spans
        assert (span.start, line.text[span.start : span.end], span.claims) == (
            0,
            RULES[number - 1],
            (f"c{number:03d}",),
        )


SHEET = "1 | **Orders** over `EUR 25,000` go\n2 | to the  board. Nobody else\n3 | signs.\n"


@pytest.mark.parametrize(
    ("at", "says", "marked"),
    [
        (
            "rules.md#1-2",
            "Orders over EUR 25,000 go to the board.",
            ["Orders** over `EUR 25,000` go", "to the  board.", ""],
        ),
        ("rules.md#2", "board", ["", "board", ""]),
        ("rules.md#2-3", "nobody else signs.", ["", "Nobody else", "signs."]),
        ("rules.md#3", "words that do not stand there", ["", "", "signs."]),
        ("rules.md#9", "Orders", ["", "", ""]),
        ("other.md#1", "Orders", ["", "", ""]),
    ],
)
def test_a_claim_is_found_whatever_marks_stand_in_it(bench: Path, at: str, says: str, marked: list[str]) -> None:
    (bench / "evidence" / "rules.md.txt").write_text(SHEET)
    [first, *_] = claims()
    lines = mark_sheet(bench, "rules.md.txt", [replace(first, at=at, says=says)])
    assert ["".join(line.text[s.start : s.end] for s in line.spans) for line in lines] == marked


def test_claims_that_overlap_share_their_letters(bench: Path) -> None:
    (bench / "evidence" / "rules.md.txt").write_text("1 | Nobody borrows more than three\n")
    first, second, *_ = claims()
    rows = [
        replace(first, at="rules.md#1", says="Nobody borrows more"),
        replace(second, at="rules.md#1", says="more than three"),
    ]
    [line] = mark_sheet(bench, "rules.md.txt", rows)
    assert [(line.text[s.start : s.end], s.claims) for s in line.spans] == [
        ("Nobody borrows ", ("c001",)),
        ("more", ("c001", "c002")),
        (" than three", ("c002",)),
    ]
