"""Where a rule or a record reads something that is not there: nothing raises, and a value that must be there is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.core.errors import BlueprintError, BuildError
from worldwright.engine.env import Env
from worldwright.store.open import world_of

DESK = """
blueprint: probe
title: Probe
now: 2025-03-17T09:00:00Z
currency: EUR
systems: {d: desk}
entities:
  page:
    {in: d, says: A page., key: PA-##, rows: 3, called: "{name}", seeds: [{name: One}, {name: Two}], fields: {name: text}}
  salary:
    in: d
    says: A salary.
    key: SA-##
    rows: 4
    called: "{name}"
    seeds: [{name: A, page: 2}, {name: B, above: 3}]
    fields:
      name: 'text ~ f"Salary {id}"'
      kind: "one of fixed, hourly ?"
      page: page? as salaries
      above: salary? as below
      monthly: "money? ~ money(2000) if chance(0.5) else none"
      hourly: "money? ~ money(20) if monthly is none else none"
      yearly: "money = monthly * 12 if monthly is not none else hourly * 2080"
operations:
  find_salaries: {in: d, says: Search., by: anyone, search: salary, filters: [name]}
  add_salary:
    in: d
    says: Add one.
    by: anyone
    takes: {notes: {list: {content: text}, min: 0, max: 5}, monthly: "money?", hourly: "money?"}
    does:
      - let: {called: "coalesce(first(t for t in notes).content, 'nobody')"}
      - {add: salary, with: {name: called, monthly: monthly, hourly: hourly}, as: made}
    gives: made
  rename_kind: {in: d, says: Say what kind., by: anyone, takes: {salary: salary, word: text}, does: [{set: {salary.kind: word}}]}
"""


@pytest.fixture(scope="module")
def env() -> Env:
    found = world_of(build(load_text(DESK, "probe.yaml"), 7, with_tasks=False).pack).env()
    found.reset()
    return found


def test_a_word_that_a_field_does_not_have_is_refused(env: Env) -> None:
    salary: Any = env.call_tool("find_salaries", {}).data["items"][0]
    refused = env.call_tool("rename_kind", {"salary": salary["id"], "word": "weekly"})
    assert refused.error is not None
    assert refused.error.code == "OUT_OF_RANGE"
    assert refused.error.details == {"field": "kind", "allowed": ["fixed", "hourly"]}
    assert env.call_tool("rename_kind", {"salary": salary["id"], "word": "hourly"}).ok


def test_a_kept_value_that_must_be_there_and_is_not_is_refused(env: Env) -> None:
    done: Any = env.call_tool("add_salary", {"notes": [], "hourly": 20.0}).data
    assert done["yearly"] == 41_600
    refused = env.call_tool("add_salary", {"notes": []})
    assert refused.error is not None
    assert (refused.error.code, refused.error.details) == ("MISSING_VALUE", {"field": "yearly"})


def test_the_first_of_an_empty_list_has_no_fields(env: Env) -> None:
    first: Any = env.call_tool("add_salary", {"notes": [{"content": "Ada"}], "monthly": 5.0}).data
    none: Any = env.call_tool("add_salary", {"notes": [], "monthly": 5.0}).data
    assert (first["name"], none["name"]) == ("Ada", "nobody")


def test_references_of_seeds_are_kept_forwards_and_where_they_may_be_left_out(env: Env) -> None:
    items: Any = env.call_tool("find_salaries", {"limit": 2}).data["items"]
    assert [(row["page"], row["above"]) for row in items] == [("PA-02", None), (None, "SA-03")]


def test_a_search_takes_nothing_but_filters() -> None:
    wrong = DESK.replace("filters: [name]}", "filters: [name], takes: {page: page}}")
    with pytest.raises(BlueprintError, match="takes nothing but its filters"):
        load_text(wrong, "probe.yaml")


def test_a_filter_that_no_search_can_use_is_named() -> None:
    wrong = DESK.replace("      page: page? as", "      label: 'text computed f\"{name} {id}\"'\n      page: page? as")
    wrong = wrong.replace("filters: [name]}", "filters: [name, label]}")
    with pytest.raises(BuildError, match=r"the filter `label` of the search of salary has no SQL form"):
        build(load_text(wrong, "probe.yaml"), 7, with_tasks=False)
