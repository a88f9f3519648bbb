"""Goals are checked like everything else: what is wrong is told with its place and what would be right."""

from __future__ import annotations

from typing import Any

import pytest
from tests.worlds import text

from worldwright.blueprint.load import load_text
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import BlueprintError
from worldwright.formats.strict_yaml import dump_yaml

LIBRARY = "town_library"
LEND: dict[str, Any] = {
    "by": "librarian",
    "given": {"m": "member", "c": "copy where status == 'on_shelf'"},
    "states": {"period": "int ~ pick(5, 10, 15)"},
    "wants": "exists(l for l in loan if l.member == m and l.copy == c and l.status == 'out')",
    "how": [{"do": "lend", "with": {"member": "m", "copy": "c", "days": "period"}}],
    "asks": ["please lend {c} to {m} for {period} days"],
}
FILED = {"do": "lend", "with": {"member": "m", "copy": "c"}, "as": "l", "asks": ["see {l}"]}


def library(**changes: Any) -> str:
    data = load_yaml(text(LIBRARY), "library.yaml").data
    data["goals"] = {"lend_it": {k: v for k, v in {**LEND, **changes}.items() if v is not None}}
    return dump_yaml(data)


def test_the_goal_itself_checks() -> None:
    goal = load_text(library()).goals["lend_it"]
    assert goal.roles == ("librarian",)
    assert [h.operation for h in goal.how] == ["lend"]


def test_roles_follow_from_the_witness_where_none_is_named() -> None:
    assert "librarian" in load_text(library(by=None)).goals["lend_it"].roles


def test_who_acts_may_be_named() -> None:
    goal = load_text(library(given={**LEND["given"], "k": "clerk"}, actor="k")).goals["lend_it"]
    assert goal.actor is not None


@pytest.mark.parametrize("by", [None, "librarian", "manager"])
def test_what_is_filed_is_filed_by_somebody_who_may(by: str | None) -> None:
    goal = load_text(library(files=FILED | ({"by": by} if by else {}))).goals["lend_it"]
    assert goal.files is not None
    assert goal.files.role == (by or "librarian")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"how": [{"do": "lendd", "with": {}}]}, "lend"),
        ({"how": [{"do": "lend", "with": {"member": "m"}}]}, "needs `copy`"),
        ({"how": [{"do": "lend", "with": {"member": "m", "copy": "m"}}]}, "copy"),
        ({"wants": "exists(l for l in lone if l.member == m)"}, "loan"),
        ({"wants": None}, "wants nothing"),
        ({"given": {"m": "int", "c": "copy"}}, "states"),
        ({"states": {"period": "int"}}, "TYPE ~ DRAW"),
        ({"states": {"m": "int ~ between(1, 2)"}}, "given already"),
        ({"tells": {"outcome": "m.name"}}, "already"),
        ({"by": "librarien"}, "librarian"),
        ({"mends": "no_such_layer"}, "no mess layer"),
        ({"asks": []}, "asks"),
        ({"asks": ["lend {d} to {m}"]}, "d"),
        ({"each": ["lend them all"]}, "exactly one given"),
        ({"files": {"do": "lend", "with": {"member": "m", "copy": "c"}, "asks": ["see {x}"]}}, "x"),
        ({"files": {"do": "lend", "with": {"member": "m", "copy": "c"}, "asks": ["see it"]}}, "as"),
        ({"files": {**FILED, "by": "reader"}}, "a reader may not lend"),
        ({"mentions": {"m.name": ["c.nothing"]}}, "nothing"),
        ({"actor": "m"}, "actor"),
    ],
)
def test_wrong_goals_are_told(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BlueprintError) as caught:
        load_text(library(**changes))
    assert any("goals.lend_it" in str(f) for f in caught.value.findings)
    assert said in str(caught.value)


def test_each_must_say_which() -> None:
    goal = {
        "given": {"c": "copy where status == 'on_shelf'"},
        "states": None,
        "wants": "c.status == 'lost'",
        "by": "manager",
        "how": [{"do": "clear_shelf", "with": {"copies": "many(1, c)"}}],
        "asks": ["write off {c}"],
        "each": ["write them all off"],
    }
    with pytest.raises(BlueprintError, match="which"):
        load_text(library(**goal))
