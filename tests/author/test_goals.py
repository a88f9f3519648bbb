"""What the bench says of goals of which no task came, and of rules that decide none."""

from __future__ import annotations

from pathlib import Path

from worldwright.author import verbs

NOBODY = {
    "given": {"m": "member where owed < 0"},
    "wants": "m.blocked",
    "how": [{"do": "take_back", "with": {"loan": "first(l for l in m.loans)"}}],
    "asks": ["block {m}"],
}
REFUSED = {
    "by": "librarian",
    "given": {"l": "loan where status == 'returned'"},
    "wants": "l.status == 'lost'",
    "how": [{"do": "take_back", "with": {"loan": "l"}}],
    "asks": ["{l} is lost"],
}
MISSED = {
    "by": "librarian",
    "given": {"l": "loan where status == 'out'"},
    "wants": "l.fine > 1000",
    "how": [{"do": "take_back", "with": {"loan": "l"}}],
    "asks": ["take back {l}"],
}
NEVER = {
    "about": {"loan": "loan"},
    "rule": "loan.fine < 100000",
    "says": "No fine is of 100,000 or more.",
    "cases": [{"allowed": {"loan.fine": 1}}, {"forbidden": {"loan.fine": 100000}}],
}


def test_a_goal_without_a_task_is_named_with_what_stood_in_the_way(bench: Path) -> None:
    verbs.set_nodes(
        bench,
        {"goals.nobody": NOBODY, "goals.refused": REFUSED, "goals.missed": MISSED, "policies.never": NEVER},
    )
    verbs.edit_own_file(bench, "blueprint.yaml", "- waiver_cap\n", "- waiver_cap\n      - never\n")
    found = verbs.check(bench, "a test").findings
    silent = {f.place.rpartition(".")[2]: f.says for f in found if f.code == "goal_silent"}
    assert set(silent) == {"nobody", "refused", "missed"}
    assert "no row fits" in silent["nobody"]
    assert "fail: INVALID_STATE" in silent["refused"]
    assert "`how` does not lead to `wants`" in silent["missed"]
    unmet = {f.place.rpartition(".")[2] for f in found if f.code == "rule_unmet"}
    assert "never" in unmet
    assert "no_debts" not in unmet
