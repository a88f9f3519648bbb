"""Lifecycles: as a document states the moves, else as the words of the states say; and what other inputs know of a thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.anchor.model.services import (
    DAY,
    NUMBER,
    TEXT,
    WHOLE,
    Op,
    built,
    checked,
    derived,
    episode,
    evidence,
    status,
    words,
)

from worldwright.anchor.evidence import Evidence, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.model.lifecycles import lifecycle, target
from worldwright.anchor.readers.documents import read as read_documents
from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.world.records import ToolSpec

SCHEMAS: dict[str, dict[str, Any]] = {
    "Claim": {
        "id": WHOLE,
        "amount": NUMBER,
        "filed_on": DAY,
        "status": words("Draft", "In Review", "Approved", "Paid", "Rejected"),
    },
}  # fmt: skip
OPERATIONS = (
    Op("listClaims", "GET", "/claims", gives="[Claim]", query=("status",)),
    Op("createClaim", "POST", "/claims", ("amount", "filed_on"), ("amount",), "Claim"),
    Op("getClaim", "GET", "/claims/{claimId}", gives="Claim"),
    Op("updateClaim", "PATCH", "/claims/{claimId}", ("status", "amount"), (), "Claim"),
    Op("approveClaim", "POST", "/claims/{claimId}/approve", gives="Claim"),
    Op("rejectClaim", "POST", "/claims/{claimId}/reject", gives="Claim"),
)
STATED = """# Claim states

| From | To |
| --- | --- |
| Draft | In Review |
| In Review | Approved, Rejected |
| Approved | Paid |
"""


def both(text: str) -> Evidence:
    found = evidence("Claims", SCHEMAS, OPERATIONS)
    return replace(found, states=read_documents([Upload("claims.md", text.encode())]).states)


def test_moves_that_a_document_states_are_all_there_are() -> None:
    found = checked(derived(both(STATED))).schema.entities["claim"].lifecycle
    assert {k: sorted(v) for k, v in found.items()} == {
        "draft": ["in_review"], "in_review": ["approved", "rejected"], "approved": ["paid"], "paid": [], "rejected": [],
    }  # fmt: skip


def test_without_it_states_go_on_as_they_are_written() -> None:
    found = checked(derived(evidence("Claims", SCHEMAS, OPERATIONS))).schema.entities["claim"].lifecycle
    assert next(iter(found)) == "draft"
    assert "approved" in found["draft"]
    assert found["rejected"] == ()


def test_the_world_keeps_to_what_is_stated() -> None:
    env = episode(built(derived(both(STATED))))
    claim = env.call_tool("createClaim", {"amount": 20}).data
    by = {"claimId": claim["id"]}
    assert claim["status"] == "Draft"
    assert status(env.call_tool("approveClaim", by)) == 409
    assert status(env.call_tool("updateClaim", {**by, "status": "Paid"})) == 409
    assert env.call_tool("updateClaim", {**by, "status": "In Review"}).ok
    assert env.call_tool("approveClaim", by).data["status"] == "Approved"
    assert status(env.call_tool("rejectClaim", by)) == 409
    assert env.call_tool("updateClaim", {**by, "status": "Paid"}).ok
    assert status(env.call_tool("updateClaim", {**by, "status": "Draft"})) == 409


def test_a_target_that_no_stated_move_leads_to_is_reached_as_before() -> None:
    found = lifecycle(["draft", "sent", "cancelled"], ["cancelled"], [("draft", "sent")])
    assert found == {"draft": ["sent", "cancelled"], "sent": ["cancelled"], "cancelled": []}


def test_the_first_state_is_one_that_nothing_leads_to() -> None:
    assert next(iter(lifecycle(["paid", "sent", "made"], [], [("made", "sent"), ("sent", "paid")]))) == "made"
    assert next(iter(lifecycle(["a", "open", "b"], [], [("a", "b"), ("b", "a")]))) == "open"


@pytest.mark.parametrize(
    ("verb", "states", "reached"),
    [
        (("cancel",), ("open", "canceled"), "canceled"),
        (("approve",), ("pending", "approved"), "approved"),
        (("ship",), ("open", "order_shipped"), "order_shipped"),
        (("wave",), ("open", "closed"), ""),
        (("assign",), ("open", "assigned"), "assigned"),
        ((), ("open",), ""),
    ],
)
def test_the_state_that_a_verb_leads_to(verb: tuple[str, ...], states: tuple[str, ...], reached: str) -> None:
    assert target(verb, states) == reached


names = st.lists(
    st.sampled_from(["draft", "open", "sent", "paid", "closed", "void", "a", "b"]), min_size=1, max_size=6, unique=True
)


@given(names, st.data())
def test_every_arrow_is_between_states_and_none_is_twice(states: list[str], data: st.DataObject) -> None:
    some = st.sampled_from([*states, "elsewhere"])
    pairs = st.tuples(some, some).filter(lambda pair: pair[0] != pair[1])
    found = lifecycle(states, data.draw(st.lists(some, max_size=3)), data.draw(st.lists(pairs, max_size=4)))
    assert sorted(found) == sorted(states)
    for state, following in found.items():
        assert set(following) <= set(states) - {state}
        assert len(set(following)) == len(following)


@pytest.mark.parametrize("states", [("draft", "open"), ("a", "b", "c", "d")])
def test_no_state_leads_to_itself(states: tuple[str, ...]) -> None:
    for state in states:
        assert state not in lifecycle(states, [state], [(state, state)])[state]


# what other inputs know


def test_a_document_gives_states_to_a_text() -> None:
    plain = {"Claim": {**SCHEMAS["Claim"], "status": TEXT}}
    found = replace(evidence("Claims", plain, OPERATIONS), states=(States("Claim", "status", ("Open", "Settled")),))
    assert set(checked(derived(found)).schema.entities["claim"].lifecycle) == {"open", "settled"}


SHIP: dict[str, dict[str, Any]] = {
    "Carrier": {"id": WHOLE, "name": TEXT},
    "Parcel": {"id": WHOLE, "moved_by": WHOLE, "size": TEXT, "weight": NUMBER},
}
SHIPPING = (
    Op("listCarriers", "GET", "/carriers", gives="[Carrier]"),
    Op("listParcels", "GET", "/parcels", gives="[Parcel]"),
    Op("createParcel", "POST", "/parcels", ("moved_by", "size", "weight"), ("moved_by",), "Parcel"),
)
KEPT = """
CREATE TABLE carriers (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE parcels (id integer PRIMARY KEY, moved_by integer NOT NULL REFERENCES carriers (id),
    size varchar(4) CHECK (size IN ('S', 'M', 'XL')), weight numeric(8,2));
"""


def test_a_schema_says_what_a_number_refers_to_and_which_words_there_are() -> None:
    columns = checked(derived(evidence("Ship", SHIP, SHIPPING, KEPT))).schema.entities["parcel"].columns
    assert (columns["moved_by"].type.kind, columns["moved_by"].type.entity) == ("ref", "carrier")
    assert columns["size"].type.kind == "enum"
    assert len(columns["size"].type.values) == 3


def test_so_a_carrier_that_is_not_there_is_not_found() -> None:
    env = episode(built(derived(evidence("Ship", SHIP, SHIPPING, KEPT))))
    carrier = env.call_tool("listCarriers", {"limit": 1}).data[0]["id"]
    made = env.call_tool("createParcel", {"moved_by": carrier, "size": "XL"})
    assert (made.data["moved_by"], made.data["size"]) == (carrier, "XL")
    assert status(env.call_tool("createParcel", {"moved_by": 999})) == 404


# a caller that knows nothing but schemas


def tool(schema: dict[str, Any]) -> ToolSpec:
    whole = {"type": "object", "properties": {"it": schema}, "required": ["it"]}
    return ToolSpec("take", "Take it.", whole, {}, True, "service", ())


def drawn(schema: dict[str, Any], seen: Any, times: int = 80) -> set[Any]:
    walker = Walker((tool(schema),), Stream("numbers"), "2025-06-16T09:00:00Z")
    walker.learn(seen)
    return {walker.call()[1]["it"] for _ in range(times)}


SEEN = {"items": [{"id": 1010001, "total": 12, "on": True}, {"id": 1010002, "owner": {"id": 1020007}}], "count": 2}


def test_numbers_that_look_like_ids_are_tried_where_any_number_fits() -> None:
    assert {1010001, 1010002, 1020007} <= drawn({"type": "integer"}, SEEN)


def test_and_never_where_a_number_has_a_bound() -> None:
    assert all(1 <= n <= 50 for n in drawn({"type": "integer", "minimum": 1, "maximum": 50}, SEEN))


def test_other_numbers_are_no_ids() -> None:
    walker = Walker((tool({"type": "integer"}),), Stream("numbers"), "2025-06-16T09:00:00Z")
    walker.learn({"total": 12, "year": 2025, "flag": True, "price": 1010001.5, "text": "1010003"})
    assert walker.numbers == {}
    assert walker.seen == {"101": {"1010003": None}}
