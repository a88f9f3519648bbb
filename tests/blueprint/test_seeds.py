"""Rows that a Blueprint gives by itself: what they hold is kept, what they leave out is drawn, and what is wrong is told."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.blueprint.load import canonical, canonical_yaml, load_text
from worldwright.blueprint.source import load_yaml
from worldwright.compiler.build import build
from worldwright.core.errors import BlueprintError, BuildError, Finding
from worldwright.formats.strict_yaml import dump_yaml

WORLD = """
blueprint: shelter
title: Shelter
now: 2025-06-16T09:00:00Z
systems: {{desk: the desk}}
actor: {{entity: keeper, role: role}}
roles: {{helper: feeds, chief: decides}}
entities:
  keeper:
    in: desk
    key: KP-##
    rows: 4
    seeds: {keepers}
    fields: {{name: person, role: "one of helper, chief", boss: keeper? as team, pet: animal? as fond_of}}
  animal:
    in: desk
    key: 101####
    rows: 6
    seeds: {animals}
    fields:
      keeper: keeper as animals
      name: text
      kind: one of cat, dog
      born: date?
      seen: time ~ at(today - between(1, 9), 10)
      legs: int ~ between(2, 4)
      weight: decimal(2)?
      price: money
      shy: bool
      status: state
      label: text = f"{{name}}, {{kind}}"
      old: bool computed born < today - 3000
    lifecycle: {{here: [gone], gone: []}}
    unique: [[name]]
operations:
  get_animal: {{in: desk, says: One of them., by: anyone, get: animal}}
"""

CASPAR = (
    "{keeper: 2, name: Caspar, kind: dog, born: 2019-02-28, seen: 2025-06-01T08:30:00Z, legs: 3, weight: 7.25, price: 80.5, "
    "shy: true, status: gone}"
)


def text(keepers: str = "[]", animals: str = "[]") -> str:
    return WORLD.format(keepers=keepers, animals=animals)


Rows = dict[str, list[dict[str, Any]]]


@cache
def rows(keepers: str = "[]", animals: str = "[]", seed: int = 7) -> Rows:
    """The opening state of the world."""
    return opening(text(keepers, animals), seed)


def opening(source: str, seed: int) -> Rows:
    pack = build(load_text(source), seed, with_tasks=False).pack
    conn = sqlite3.connect(":memory:")
    conn.deserialize(pack.state)
    conn.row_factory = sqlite3.Row
    return {
        name: [dict(r) for r in conn.execute(f'SELECT * FROM "{name}" ORDER BY id')] for name in ("keeper", "animal")
    }


def findings(keepers: str = "[]", animals: str = "[]") -> tuple[Finding, ...]:
    with pytest.raises(BlueprintError) as raised:
        load_text(text(keepers, animals), "shelter.yaml")
    return raised.value.findings


def test_what_a_row_says_is_kept_in_storage_form() -> None:
    first = rows(animals=f"[{CASPAR}]")["animal"][0]
    assert first == {
        "id": "1010001", "keeper": "KP-02", "name": "Caspar", "kind": "dog", "born": "2019-02-28", "seen": "2025-06-01T08:30:00Z",
        "legs": 3, "weight": 725, "price": 8050, "shy": 1, "status": "gone", "label": "Caspar, dog",
    }  # fmt: skip


def test_what_it_leaves_out_is_drawn_as_it_would_be_anyway() -> None:
    plain, given_some = rows()["animal"], rows(animals="[{}, {name: Bo}]")["animal"]
    assert given_some[0] == plain[0]
    assert given_some[1] == {**plain[1], "name": "Bo", "label": f"Bo, {plain[1]['kind']}"}
    assert given_some[2:] == plain[2:]


def test_there_are_as_many_rows_as_are_given_and_never_fewer_than_are_asked_for() -> None:
    names = ", ".join(f"{{name: n{k}}}" for k in range(9))
    assert [r["name"] for r in rows(animals=f"[{names}]")["animal"]] == [f"n{k}" for k in range(9)]
    assert len(rows(animals="[{name: one}]")["animal"]) == 6


def test_a_reference_may_be_to_a_row_that_is_given_only_there() -> None:
    keepers = ", ".join(f"{{name: Keeper {k}}}" for k in range(1, 7))
    found = rows(f"[{keepers}]", "[{keeper: 6}]")
    assert found["keeper"][5]["name"] == "Keeper 6"
    assert found["animal"][0]["keeper"] == "KP-06"


def test_a_row_may_refer_to_one_before_it_in_the_same_table() -> None:
    found = rows("[{name: Ada}, {name: Bob, boss: 1}, {boss: null}]")["keeper"]
    assert [r["boss"] for r in found[:3]] == [None, "KP-01", None]


def test_references_in_a_circle_and_to_later_rows_are_kept() -> None:
    """A keeper is made before any animal is, and before the keepers after it."""
    found = rows("[{pet: 2, boss: 2}, {}]", "[{keeper: 1}, {}]")
    assert (found["keeper"][0]["pet"], found["keeper"][0]["boss"]) == ("1010002", "KP-02")
    assert found["animal"][0]["keeper"] == "KP-01"


def test_none_is_a_value_and_for_a_text_a_word() -> None:
    found = rows(animals="[{born: none, weight: null, name: none}]")["animal"][0]
    assert (found["born"], found["weight"], found["name"]) == (None, None, "none")


def test_the_same_text_and_seed_give_the_same_rows_and_another_seed_other_ones() -> None:
    given_rows = f"[{CASPAR}, {{name: Bo}}]"
    one, other = rows(animals=given_rows), rows(animals=given_rows, seed=8)
    rows.cache_clear()
    assert rows(animals=given_rows) == one
    assert [r["name"] for r in other["animal"][:2]] == ["Caspar", "Bo"]
    assert other["animal"][0] == {**one["animal"][0], "keeper": "KP-02"}
    assert other["animal"][2:] != one["animal"][2:]


def test_given_rows_are_written_and_read_again() -> None:
    checked = load_text(text("[{name: Ada}]", f"[{CASPAR}, {{name: '007', born: none}}]"))
    again = load_text(canonical_yaml(checked.blueprint))
    assert canonical(again.blueprint) == canonical(checked.blueprint)
    assert again.schema.entities["animal"].seeds == checked.schema.entities["animal"].seeds
    assert again.schema.entities["animal"].seeds[1]["name"] == "007"


@pytest.mark.parametrize(
    ("row", "message", "hint"),
    [
        ("nam: Bo", "has no field `nam`", "did you mean `name`?"),
        ("label: Bo", "has no field `label` that could be given", ""),
        ("old: true", "has no field `old` that could be given", ""),
        ("id: '1010001'", "has no field `id`", ""),
        ("name: null", "`animal.name` cannot be none", ""),
        ("name: 7", "7 is not text", "quote it"),
        ("kind: bird", "'bird' is not one of cat, dog", ""),
        ("status: lost", "'lost' is not one of here, gone", ""),
        ("legs: 2.5", "2.5 is not", ""),
        ("legs: four", "'four' is not", ""),
        ("price: 1.234", "1.234 is not", ""),
        ("shy: 1", "1 is not true or false", ""),
        ("born: 2019-02-30", "'2019-02-30' is not a day", "2025-01-31"),
        ("seen: 2019-02-28", "'2019-02-28' is not a moment", ""),
        ("keeper: 0", "0 is no row of `keeper`", "1 to 4"),
        ("keeper: 5", "5 is no row of `keeper`", "1 to 4"),
        ("keeper: true", "True is no row of `keeper`", ""),
        ("keeper: KP-01", "'KP-01' is no row of `keeper`", "its number, 1 to 4"),
        ("keeper: null", "`animal.keeper` cannot be none", ""),
    ],
)
def test_what_cannot_be_given_is_told(row: str, message: str, hint: str) -> None:
    (found,) = findings(animals=f"[{{name: Bo}}, {{{row}}}]")
    assert message in found.message
    assert hint in found.hint
    assert found.path.startswith("entities.animal.seeds[1]")


@pytest.mark.parametrize("row", ["legs: none", "price: none", "shy: none", "seen: none", "kind: none", "status: none"])
def test_a_field_that_is_required_cannot_be_none_by_word_either(row: str) -> None:
    (found,) = findings(animals=f"[{{{row}}}]")
    assert "cannot be none" in found.message


def test_two_rows_that_must_differ_and_do_not_are_refused_when_the_world_is_built() -> None:
    with pytest.raises(BuildError, match="no unique values found"):
        rows(animals="[{name: Bo}, {name: Bo}]")


def test_more_rows_than_fit_are_refused() -> None:
    (found,) = findings(animals="[" + ", ".join(["{}"] * 2001) + "]")
    assert "2000" in found.message


cells = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text("abcXYZ 0189.-", min_size=1, max_size=12).map(str.strip).filter(bool),
        "kind": st.sampled_from(["cat", "dog"]),
        "legs": st.integers(-(10**6), 10**6),
        "price": st.integers(0, 10**9).map(lambda n: n / 100),
        "shy": st.booleans(),
        "born": st.none() | st.dates().filter(lambda d: d.year >= 1000).map(str),
        "keeper": st.integers(1, 4),
        "status": st.sampled_from(["here", "gone"]),
    },
)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(cells, max_size=5, unique_by=lambda c: c.get("name", object())))
def test_whatever_is_given_is_there(several: list[dict[str, Any]]) -> None:
    data = load_yaml(text(), "shelter.yaml").data
    data["entities"]["animal"]["seeds"] = several
    found = opening(dump_yaml(data), 7)["animal"]
    for row, wanted in zip(found, several, strict=False):
        for name, value in wanted.items():
            stored = {"keeper": f"KP-0{value}", "price": round(value * 100) if name == "price" else 0}.get(name, value)
            assert row[name] == stored, (name, value)
