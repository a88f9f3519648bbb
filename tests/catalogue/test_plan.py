"""The catalogue as a whole: its plan, the depth of every Blueprint, how far apart they are, and what is found by words."""

from __future__ import annotations

import re
from functools import cache

import pytest

from worldwright import catalogue
from worldwright.blueprint.depth import is_business, measure_depth
from worldwright.blueprint.likeness import Marks, marks, measure_distance, rank_pairs
from worldwright.blueprint.load import load_text
from worldwright.catalogue import taxonomy
from worldwright.catalogue.search import search
from worldwright.catalogue.standard import MIN_DISTANCE, find_missing

NAMES = catalogue.names()
pytestmark = pytest.mark.xdist_group("the whole catalogue")
"""One worker reads all Blueprints once."""


@cache
def marked(name: str) -> Marks:
    return marks(catalogue.load(name))


def test_the_plan() -> None:
    tree = taxonomy.read_taxonomy()
    assert len(tree) == 20
    assert sum(len(c.parts) for c in tree) == 50
    assert all(len(c.parts) >= 2 for c in tree)
    assert {d for c in tree for d in c.domains} == set(NAMES), "a Blueprint whose category the plan does not have"


def test_every_category_has_a_business() -> None:
    assert [c.name for c in taxonomy.read_taxonomy() if not c.domains] == []
    assert len(NAMES) >= 24


@pytest.mark.parametrize("name", NAMES)
def test_depth(name: str) -> None:
    checked = catalogue.load(name)
    assert list(find_missing(measure_depth(checked))) == []
    assert measure_depth(checked).systems >= 2
    permitted = {frozenset(o.roles) for o in checked.operations.values()}
    assert len(permitted) >= 2, "everybody may do everything"
    entry = catalogue.read_entry(name)
    assert (entry.title, entry.category) == (checked.blueprint.title, checked.blueprint.category)


@pytest.mark.slow
def test_no_two_are_one_template() -> None:
    near, one, other = rank_pairs({name: marked(name) for name in NAMES})[0]
    assert near >= MIN_DISTANCE, (one, other)


def test_a_copy_with_other_nouns_has_no_distance() -> None:
    """Every name of the Blueprint replaced, and every text: nothing that is left tells the two apart."""
    text = catalogue.text("enterprise_procurement")
    swaps = {"vendor": "donor", "requisition": "petition", "invoice": "pledge", "receipt": "arrival", "quote": "tender"}
    for old, new in swaps.items():
        text = re.sub(rf"(?<![a-z]){old}", new, text)
    copy = load_text(text.replace("blueprint: enterprise_procurement", "blueprint: charity_giving"))
    assert "donor" in copy.schema.entities
    assert measure_distance(marked("enterprise_procurement"), marks(copy)) < 0.02


def test_one_more_guard_is_seen() -> None:
    text = catalogue.text("enterprise_procurement")
    old = "    does:\n"
    assert old in text
    changed = load_text(
        text.replace(old, f"{old}      - require: count(e for e in employee) > 3 and month(today) != 13\n")
    )
    assert 0 < measure_distance(marked("enterprise_procurement"), marks(changed)) < 0.3


def test_table_editing_is_no_business() -> None:
    checked = catalogue.load("enterprise_procurement")
    assert not is_business(checked, "find_vendors") if "find_vendors" in checked.operations else True
    assert is_business(checked, "match_invoice")
    assert measure_depth(checked).business < measure_depth(checked).operations


def test_words_find_domains() -> None:
    assert search("hotel rooms")[0].domain == "hotel_booking"
    assert search("purchase requisition")[0].domain == "enterprise_procurement"
    assert "retail_returns" in [h.domain for h in search("refunded")]
    for family in (
        "cancel cancels cancelled cancelling cancellation",
        "order orders ordered ordering",
        "refund refunds refunded",
    ):
        found = [{h.domain for h in search(word)} for word in family.split()]
        assert all(domains == found[0] for domains in found), family
    assert search("zxqv") == ()
    assert search("") == ()
    for hit in search("refund"):
        assert hit.score > 0
        assert hit.places
