"""Duplicates, soft deletion, numbers given out again and look-alikes: a name finds two, and requests mean one of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.domains import take_turns
from tests.variants.layers.state_worlds import World, spoken_of, world

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values import make_look_alike

pytestmark = pytest.mark.slow  # a world with tasks is compiled for each

MARKS = {"soft_deleted": "deleted_on", "id_reuse": "retired_on"}
DOMAINS = take_turns("retail_returns", "hotel_booking")


def kind(found: World, layer: str) -> str:
    """The entity that the layer fell on."""
    label = found.checked.blueprint.layers[layer][0].removeprefix("mess:")
    return next(m.entity for m in found.checked.mess if m.spec.label == label)


def pairs(found: World, layer: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(original, copy) as they are kept."""
    label = found.checked.blueprint.layers[layer][0].removeprefix("mess:")
    rows = {r["id"]: r for r in found.rows(kind(found, layer))}
    return [
        (rows[b.before], rows[b.id]) for b in found.grown.blemishes if b.label == label and b.column == "" and b.before
    ]


def guarded(found: World, entity: str) -> tuple[str, str]:
    """An operation that takes such a row, and the policy that guards it."""
    for op in found.checked.operations.values():
        for i in op.inputs:
            if op.body and i.type.kind == "ref" and i.type.entity == entity:
                return op.name, i.name
    raise AssertionError(f"nothing takes a {entity}")


@pytest.mark.parametrize("layer", ["soft_deleted", "id_reuse"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_what_is_gone_still_lies_there_and_nobody_speaks_of_it(domain: str, layer: str) -> None:
    found = world(domain, layer)
    entity, mark = kind(found, layer), MARKS[layer]
    two = pairs(found, layer)
    assert len(two) >= 5
    assert all(bool(copy[mark]) != bool(original[mark]) for original, copy in two)
    first = [bool(min(pair, key=lambda r: str(r["id"]))[mark]) for pair in two]
    assert any(first), "sometimes the one that comes first is gone"
    assert not all(first)
    gone = {r["id"] for r in found.rows(entity) if r[mark]}
    assert not gone & spoken_of(found, entity)
    assert found.met(layer) or not spoken_of(found, entity) & {original["id"] for original, _ in two}
    assert f"`{mark}`" in found.handbook


@pytest.mark.parametrize("layer", ["soft_deleted", "id_reuse"])
def test_somebody_speaks_of_what_is_there(layer: str) -> None:
    """Otherwise the one above says nothing."""
    found = world("hotel_booking", layer)
    assert spoken_of(found, kind(found, layer))


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_number_finds_the_retired_and_the_present(domain: str) -> None:
    found = world(domain, "id_reuse")
    entity = kind(found, "id_reuse")
    rows = found.rows(entity)
    number = next(name for name in rows[0] if name.endswith("number") and "file" in name)
    shared = [n for n, k in Counter(r[number] for r in rows if r[number]).items() if k > 1]
    assert shared
    tool = found.searches(entity, number)[0]
    for one in shared[:5]:
        there = found.shown(tool, **{number: one}).values()
        assert len(there) > 1
        assert sum(r["retired_on"] is None for r in there) <= 1


@pytest.mark.parametrize("domain", DOMAINS)
def test_of_two_records_the_one_confirmed_last_counts(domain: str) -> None:
    found = world(domain, "duplicates")
    entity = kind(found, "duplicates")
    two = pairs(found, "duplicates")
    assert len(two) >= 5
    assert all(copy["name"] == original["name"] for original, copy in two)
    newer = [copy["confirmed_on"] > original["confirmed_on"] for original, copy in two]
    assert any(newer)
    assert not all(newer)
    second = {(a if b["confirmed_on"] > a["confirmed_on"] else b)["id"] for a, b in two}
    assert not second & spoken_of(found, entity)
    assert found.met("duplicates")
    assert "confirmed last" in found.handbook


def test_whoever_acts_on_the_wrong_one_breaks_a_rule() -> None:
    found = world("clinic_scheduling", "soft_deleted")
    entity = kind(found, "soft_deleted")
    policy = next(name for name in found.checked.policies if name.startswith("deleted"))
    assert found.checked.policies[policy].enforced == "agent"
    taking = [
        op for op in found.checked.operations.values() if op.body and any(i.type.entity == entity for i in op.inputs)
    ]
    assert taking
    effects = [found.runtime.compiled.tools[op.name].effects for op in taking]
    assert all(policy in e.policies for e in effects)


@pytest.mark.parametrize("domain", DOMAINS)
def test_look_alikes_are_others(domain: str) -> None:
    found = world(domain, "look_alikes")
    entity = kind(found, "look_alikes")
    two = pairs(found, "look_alikes")
    assert len(two) >= 5
    same = sum(copy["name"] == original["name"] for original, copy in two)
    assert 0 < same < len(two)
    assert all(abs(len(copy["name"]) - len(original["name"])) <= 3 for original, copy in two)
    assert found.checked.blueprint.entities[entity].live is None
    assert found.met("look_alikes")


def test_names_that_look_alike_differ() -> None:
    assert make_look_alike("Anna Meyer", Stream("a")) == "Anna Meier"
    assert make_look_alike("Northfield Supplies Ltd", Stream("a")) == "Northfield Supply Ltd"
    for name in ("Jo Li", "Kwame Boateng", "Harbour Foods GmbH", "7"):
        assert make_look_alike(name, Stream("b", name)) != name
