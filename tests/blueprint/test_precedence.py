"""Exemptions that are beaten in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.blueprint.load import load_text
from worldwright.core.errors import BlueprintError
from worldwright.kinds.database.handbook import render_handbook

EXAMPLE = (Path(__file__).parents[2] / "examples" / "town_library.yaml").read_text(encoding="utf-8")
COUNTER = """
  not_for_debtors:
    about: {member: member}
    when: member.joined_on < date('2000-01-01')
    beats: [long_standing]
    says: Members from before 2000 are not exempt.
    cases:
      - applies: {member.joined_on: 1999-12-31}
      - not: {member.joined_on: 2000-01-01}
"""


def with_counter(text: str = COUNTER) -> str:
    assert EXAMPLE.count("\noperations:") == 1
    return EXAMPLE.replace("\noperations:", f"{text}\noperations:")


def test_the_handbook_says_that_it_comes_before() -> None:
    found = load_text(with_counter())
    assert found.policies["not_for_debtors"].beats == ("long_standing",)
    assert "(Comes before: long standing.)" in render_handbook(found)


def test_a_case_feels_it() -> None:
    """A case that only the exemption allows is forbidden where the exemption is beaten."""
    bp = load_text(EXAMPLE).blueprint
    because = next(case for case in bp.policies["loan_limit"].cases if case.because == "long_standing")
    assert because.allowed is not None
    old = next(str(v) for k, v in because.allowed.items() if k.endswith("joined_on"))
    with pytest.raises(BlueprintError, match="the case says allowed, the rule says otherwise"):
        load_text(with_counter(COUNTER.replace("2000-01-01", "2030-01-01").replace("1999-12-31", old)))


def test_nothing_beats_what_beats_it() -> None:
    with pytest.raises(BlueprintError, match="beats what beats it"):
        load_text(EXAMPLE.replace("beats: [loan_limit]", "beats: [loan_limit, long_standing]"))
