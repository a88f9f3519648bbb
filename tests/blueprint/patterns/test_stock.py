"""Stock: what is there is the sum of the moves, nothing is promised twice, and the right lot goes first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.blueprint.patterns.small_world import (
    SmallWorld,
    does,
    example,
    finding,
    findings,
    from_pattern,
    grown,
    line_of,
    refuses,
)
from tests.effort import examples

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.session import Session

USE = """
use:
  - stock:
      in: wms
      item: article
      place: depot
      level: batch
      level_key: BAT-####
      lots: true
      first_enforced: tool
      days_left: {default: 0, strict: 14}
      refers: {order: order}
      posts:
        take_in:
          - {kind: received, item: article, place: depot, lot: lot_code, expires_on: expires_on, quantity: pieces}
        promise:
          - {kind: reserved, level: batch, quantity: pieces, about: {order: order}}
        let_go:
          - {kind: released, level: batch, quantity: pieces}
        take_out:
          - {kind: released, level: batch, quantity: pieces, when: promised}
          - {kind: issued, level: batch, quantity: pieces, about: {order: order}}
        write_off:
          - {kind: issued, item: article, place: depot, lot: lot_code, quantity: pieces}
        adjust:
          - {kind: counted, level: batch, quantity: difference}
"""

BODY = """
blueprint: store
title: Store
now: 2025-06-16T09:00:00Z
systems: {wms: the store}
actor: {entity: clerk, role: role}
roles: {keeper: moves things}
entities:
  clerk: {in: wms, key: CLK-##, rows: 1, fields: {name: person, role: one of keeper}}
  article: {in: wms, key: ART-##, rows: 2, fields: {name: product}}
  depot: {in: wms, key: DEP-##, rows: 2, fields: {name: city}}
  order: {in: wms, key: ORD-##, rows: 1, fields: {name: text}}
operations:
  take_in:
    in: wms
    says: It comes in.
    by: keeper
    takes: {article: article, depot: depot, lot_code: text, expires_on: date?, pieces: int}
    gives: article
  promise:
    in: wms
    says: It is promised.
    by: keeper
    takes: {batch: batch, order: order, pieces: int}
    does:
      - let: {level: batch, quantity: pieces}
      - obey: [enough_there, not_held]
    gives: batch
  let_go: {in: wms, says: Not promised., by: keeper, takes: {batch: batch, pieces: int}, gives: batch}
  take_out:
    in: wms
    says: It goes out.
    by: keeper
    takes: {batch: batch, order: order, pieces: int, promised: {type: bool, default: false}}
    does:
      - let: {level: batch}
      - obey: [not_held, not_expired, right_lot_first]
    gives: batch
  write_off:
    in: wms
    says: Gone.
    by: keeper
    takes: {article: article, depot: depot, lot_code: text, pieces: int}
    gives: article
  adjust: {in: wms, says: Counted., by: keeper, takes: {batch: batch, difference: int}, gives: batch}
  hold: {in: wms, says: Hold it., by: keeper, takes: {batch: batch}, does: [{set: {batch.held: true}}], gives: batch}
  look_at:
    in: wms
    says: What the terms say.
    by: anyone
    takes: {article: article, depot: depot}
    gives: {here: "free_of(article, depot)", anywhere: free_anywhere(article), first: "goes_first(article, depot).id"}
  get_batch: {in: wms, says: One of them., by: anyone, get: batch, with: [moves]}
  find_batches: {in: wms, says: All., by: anyone, search: batch, filters: [article, depot, lot_code], sort: [lot_code]}
"""

TEXT = BODY + USE
SIMPLE = """
blueprint: shelf
title: Shelf
now: 2025-06-16T09:00:00Z
systems: {wms: the store}
actor: {entity: clerk, role: role}
roles: {keeper: moves things}
entities:
  clerk: {in: wms, key: CLK-##, rows: 1, fields: {name: person, role: one of keeper}}
  article: {in: wms, key: ART-##, rows: 3, fields: {name: product}}
  depot: {in: wms, key: DEP-##, rows: 2, fields: {name: city}}
operations:
  shift:
    in: wms
    says: From one place to another.
    by: keeper
    takes: {article: article, source: depot, target: depot, weight: decimal(2)}
    gives: article
  look_at:
    in: wms
    says: What the terms say.
    by: anyone
    takes: {article: article, depot: depot}
    gives: {here: "free_of(article, depot)", anywhere: free_anywhere(article)}
use:
  - stock:
      in: wms
      item: article
      place: depot
      quantity: decimal(2)
      rows: 4
      opening: between(1.0, 9.0)
      posts:
        shift:
          - {kind: issued, item: article, place: source, quantity: weight}
          - {kind: received, item: article, place: target, quantity: weight}
"""
ART, HERE, THERE, ORDER = "ART-01", "DEP-01", "DEP-02", "ORD-01"


def store(*lots: dict[str, Any], text: str = TEXT) -> Session:
    """Lots of one article at one depot, unless they say otherwise: ten pieces each, good for a month."""
    world = SmallWorld(text)
    world.given("clerk", role="keeper")
    for entity in ("article", "article", "depot", "depot", "order"):
        world.given(entity, name="x")
    for i, lot in enumerate(lots, 1):
        usual = {"lot_code": f"L{i}", "received_on": "2025-06-01", "expires_on": "2025-07-16", "opening": 10}
        world.given("batch", **{"article": ART, "depot": HERE, **usual, **lot})
    return world.opens("keeper")


def amounts(desk: Session, batch: str = "BAT-0001") -> tuple[int, int, int]:
    """On hand, reserved and available, after comparing them with the moves."""
    found = does(desk, "get_batch", batch=batch)
    signs = {"received": (1, 0), "counted": (1, 0), "issued": (-1, 0), "reserved": (0, 1), "released": (0, -1)}
    there = found["opening"] + sum(signs[m["kind"]][0] * m["quantity"] for m in found["moves"])
    promised = sum(signs[m["kind"]][1] * m["quantity"] for m in found["moves"])
    assert (found["on_hand"], found["reserved"], found["available"]) == (there, promised, there - promised)
    return there, promised, there - promised


def test_what_it_adds() -> None:
    assert from_pattern(TEXT, "stock") == {
        "entities": {"batch", "stock_move"},
        "terms": {"free_of", "free_anywhere", "goes_first"},
        "policies": {"enough_there", "not_held", "not_expired", "right_lot_first"},
        "always": {"stock_not_negative", "move_not_empty"},
    }
    assert from_pattern(SIMPLE, "stock") == {
        "entities": {"stock_level", "stock_move"},
        "terms": {"free_of", "free_anywhere"},
        "policies": {"enough_there", "not_held"},
        "always": {"stock_not_negative", "move_not_empty"},
    }


def test_the_example_of_its_docstring_loads() -> None:
    use, statements = example("stock")
    assert "obey: [enough_there, not_held, not_expired, right_lot_first]" in statements
    load_text(BODY + use)


def test_it_works_on_a_grown_world() -> None:
    desk = grown(SIMPLE, "keeper")
    looks = [does(desk, "look_at", article=f"ART-0{a}", depot=f"DEP-0{d}") for a in (1, 2, 3) for d in (1, 2)]
    assert sum(1 for look in looks if look["here"] >= 1) == 4
    assert all(round(looks[i]["here"] + looks[i + 1]["here"], 2) == looks[i]["anywhere"] for i in (0, 2, 4))


def test_the_levels_of_the_start_are_drawn_as_said() -> None:
    drawn = "{depot: first(d for d in depot), received_on: today - 3, lot_code: 'f\"K{digits(4)}\"', held: 'true'}"
    text = TEXT.replace("      lots: true\n", f"      lots: true\n      rows: 6\n      drawn: {drawn}\n")
    for lot in does(grown(text, "keeper"), "find_batches")["items"]:
        assert (lot["depot"], lot["received_on"]) == (HERE, "2025-06-13")
        assert lot["lot_code"].startswith("K")
        assert lot["held"]


# moves


def test_what_comes_in_makes_its_level_or_adds_to_it() -> None:
    desk = store()
    lot = {"article": ART, "depot": HERE, "lot_code": "X1", "expires_on": "2025-08-01"}
    does(desk, "take_in", **lot, pieces=5)
    does(desk, "take_in", **lot, pieces=3)
    does(desk, "take_in", **lot | {"depot": THERE}, pieces=2)
    does(desk, "take_in", **lot | {"lot_code": "X2", "expires_on": None}, pieces=1)
    found = does(desk, "find_batches")["items"]
    assert [(b["lot_code"], b["depot"], b["on_hand"], b["expires_on"], b["received_on"]) for b in found] == [
        ("X1", HERE, 8, "2025-08-01", "2025-06-16"),
        ("X1", THERE, 2, "2025-08-01", "2025-06-16"),
        ("X2", HERE, 1, None, "2025-06-16"),
    ]
    assert does(desk, "look_at", article=ART, depot=HERE) == {"here": 9, "anywhere": 11, "first": found[0]["id"]}


def test_what_is_not_there_cannot_go_out() -> None:
    desk = store({})
    gone = {"article": ART, "depot": HERE, "lot_code": "L1"}
    assert refuses(desk, "write_off", **gone, pieces=11) == "INVARIANT"
    assert refuses(desk, "write_off", **gone | {"lot_code": "L9"}, pieces=1) == "NOT_IN_STOCK"
    assert refuses(desk, "write_off", **gone | {"depot": THERE}, pieces=1) == "NOT_IN_STOCK"
    assert refuses(desk, "write_off", **gone | {"article": "ART-02"}, pieces=1) == "NOT_IN_STOCK"
    does(desk, "write_off", **gone, pieces=10)
    assert amounts(desk) == (0, 0, 0)


def test_what_is_promised_is_not_free() -> None:
    desk = store({})
    does(desk, "promise", batch="BAT-0001", order=ORDER, pieces=7)
    assert amounts(desk) == (10, 7, 3)
    assert refuses(desk, "promise", batch="BAT-0001", order=ORDER, pieces=4) == "NOT_ENOUGH_STOCK"
    assert refuses(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=4) == "INVARIANT"
    does(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=4, promised=True)
    assert amounts(desk) == (6, 3, 3)
    assert refuses(desk, "let_go", batch="BAT-0001", pieces=4) == "INVARIANT"
    does(desk, "let_go", batch="BAT-0001", pieces=3)
    assert amounts(desk) == (6, 0, 6)
    moves = does(desk, "get_batch", batch="BAT-0001")["moves"]
    assert [(m["kind"], m["order"], m["moved_on"]) for m in moves[:3]] == [
        ("reserved", ORDER, "2025-06-16"),
        ("released", None, "2025-06-16"),
        ("issued", ORDER, "2025-06-16"),
    ]


@pytest.mark.parametrize("pieces", [0, -1])
def test_a_move_moves_something(pieces: int) -> None:
    desk = store({})
    assert refuses(desk, "promise", batch="BAT-0001", order=ORDER, pieces=pieces) == "INVARIANT"
    assert refuses(desk, "adjust", batch="BAT-0001", difference=0) == "INVARIANT"
    does(desk, "adjust", batch="BAT-0001", difference=-10)
    assert refuses(desk, "adjust", batch="BAT-0001", difference=-1) == "INVARIANT"


steps = st.lists(st.tuples(st.sampled_from(["promise", "let_go", "take_out", "adjust"]), st.integers(1, 6)), max_size=8)


@settings(max_examples=examples(30), deadline=None)
@given(steps)
def test_the_sums_hold_whatever_happens(taken: list[tuple[str, int]]) -> None:
    desk = store({})
    there, promised = 10, 0
    for tool, n in taken:
        change = {"promise": (0, n), "let_go": (0, -n), "take_out": (-n, 0), "adjust": (-n, 0)}[tool]
        call = {"batch": "BAT-0001", "difference" if tool == "adjust" else "pieces": -n if tool == "adjust" else n}
        if tool in ("promise", "take_out"):
            call["order"] = ORDER
        after = there + change[0], promised + change[1]
        if 0 <= after[1] <= after[0]:
            there, promised = after
            does(desk, tool, **call)
        else:
            refuses(desk, tool, **call)
        assert amounts(desk) == (there, promised, there - promised)


def test_a_shift_takes_from_one_place_to_another() -> None:
    world = SmallWorld(SIMPLE)
    world.given("clerk", role="keeper")
    for entity in ("article", "depot", "depot"):
        world.given(entity, name="x")
    world.given("stock_level", article=ART, depot=HERE, opening=250)
    desk = world.opens("keeper")
    assert refuses(desk, "shift", article=ART, source=THERE, target=HERE, weight=1) == "NOT_IN_STOCK"
    assert refuses(desk, "shift", article=ART, source=HERE, target=THERE, weight=2.51) == "INVARIANT"
    does(desk, "shift", article=ART, source=HERE, target=THERE, weight=1.25)
    assert does(desk, "look_at", article=ART, depot=THERE) == {"here": 1.25, "anywhere": 2.5}


# which lot


@pytest.mark.parametrize(
    ("other", "first"),
    [
        ({"expires_on": "2025-07-15"}, True),
        ({"expires_on": "2025-07-16"}, False),
        ({"expires_on": "2025-07-17"}, False),
        ({"expires_on": None}, False),
        ({"expires_on": "2025-06-16"}, True),
        ({"expires_on": "2025-06-15"}, False),
        ({"expires_on": "2025-07-15", "opening": 0}, False),
        ({"expires_on": "2025-07-15", "held": 1}, False),
        ({"expires_on": "2025-07-15", "depot": THERE}, False),
        ({"expires_on": "2025-07-15", "article": "ART-02"}, False),
    ],
)
def test_the_lot_that_expires_first_goes_first(other: dict[str, Any], first: bool) -> None:
    desk = store({}, other)
    call = {"batch": "BAT-0001", "order": ORDER, "pieces": 1}
    assert (does(desk, "look_at", article=ART, depot=HERE)["first"] == "BAT-0002") is first
    if first:
        assert refuses(desk, "take_out", **call) == "OTHER_LOT_FIRST"
    else:
        does(desk, "take_out", **call)


def test_what_is_promised_of_the_other_lot_does_not_count() -> None:
    desk = store({}, {"expires_on": "2025-07-01"})
    does(desk, "promise", batch="BAT-0002", order=ORDER, pieces=10)
    does(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=1)


def test_or_the_oldest_goes_first() -> None:
    text = TEXT.replace("      lots: true\n", "      lots: true\n      first: received\n")
    desk = store({"expires_on": None}, {"received_on": "2025-05-31", "expires_on": "2026-01-01"}, text=text)
    assert refuses(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=1) == "OTHER_LOT_FIRST"
    does(desk, "take_out", batch="BAT-0002", order=ORDER, pieces=10)
    does(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=1)


def test_by_default_the_agent_keeps_the_order() -> None:
    desk = store({}, {"expires_on": "2025-07-01"}, text=TEXT.replace("      first_enforced: tool\n", ""))
    does(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=1)


@pytest.mark.parametrize(
    ("variant", "expires", "usable"),
    [
        ("default", "2025-06-16", True),
        ("default", "2025-06-15", False),
        ("strict", "2025-06-30", True),
        ("strict", "2025-06-29", False),
        ("strict", None, True),
    ],
)
def test_a_lot_is_used_to_its_last_day(variant: str, expires: str | None, usable: bool) -> None:
    desk = store({"expires_on": expires}, text=TEXT + f"variant: {{not_expired: {variant}}}\n")
    call = {"batch": "BAT-0001", "order": ORDER, "pieces": 1}
    if usable:
        does(desk, "take_out", **call)
    else:
        assert refuses(desk, "take_out", **call) == "LOT_EXPIRED"


def test_what_is_held_is_not_free() -> None:
    desk = store({}, {"expires_on": "2025-07-01"}, {"expires_on": "2025-06-15"})
    does(desk, "hold", batch="BAT-0002")
    assert does(desk, "look_at", article=ART, depot=HERE) == {"here": 10, "anywhere": 10, "first": "BAT-0001"}
    for tool in ("promise", "take_out"):
        assert refuses(desk, tool, batch="BAT-0002", order=ORDER, pieces=1) == "STOCK_HELD"
    does(desk, "take_out", batch="BAT-0001", order=ORDER, pieces=1)


@pytest.mark.parametrize("days", [0, 1, 30])
@pytest.mark.parametrize("first", ["expiry", "received"])
def test_its_own_cases_hold_for_any_parameters(days: int, first: str) -> None:
    load_text(TEXT.replace("{default: 0, strict: 14}", f"{{default: {days}}}\n      first: {first}"))


PARAMETERS = (
    "in, item, place, level, level_key, move, move_key, called, quantity, lots, first, first_enforced, days_left, rows, "
    "opening, expires, drawn, refers, posts"
)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("lots: true", "lot: true", "`lot` is not known here"),
        ("      item: article\n", "", "`item` is needed"),
        ("{default: 0, strict: 14}", "{strict: 14}", "days_left: `days_left` needs a `default`"),
        ("place: depot\n", "place: held\n", "place: `held` is the pattern's own"),
        ("refers: {order:", "refers: {batch: clerk, order:", "refers: `batch` is the pattern's own"),
        ("about: {order: order}", "about: {job: order}", "moves about `job`, which `refers` does not name"),
        ("kind: counted, level: batch", "kind: counted", "give either `level`, or `item` and `place`"),
        ("kind: counted, level: batch", "kind: counted, item: batch.article", "give either `level`, or `item` and"),
        ("      lots: true\n", "", "it names a lot exactly where there are `lots`"),
        (
            "lots: true",
            "lots: true\n      drawn: {on_hand: '1'}",
            "drawn: `on_hand` is not one of article, depot, held,",
        ),
        ("kind: counted", "kind: guessed", "posts.adjust.0.kind: Input should be 'received', 'issued'"),
    ],
)
def test_wrong_parameters(right: str, wrong: str, message: str) -> None:
    found = finding(TEXT.replace(right, wrong))
    assert message in found.message
    assert (found.line, found.path) == (line_of(TEXT, "- stock:"), "use[0].stock")
    assert found.hint == f"parameters: {PARAMETERS}"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("item: article\n", "item: artcle\n", "no type or entity is called `artcle as batches`"),
        ("        let_go:", "        letgo:", "no operation `letgo` to extend"),
        ("kind: counted, level: batch", "kind: counted, level: btch", "nothing is called `btch` here"),
    ],
)
def test_what_does_not_fit_the_blueprint_is_said_at_the_pattern(right: str, wrong: str, message: str) -> None:
    found = findings(TEXT.replace(right, wrong))
    assert any(message in str(f) and f.line == line_of(TEXT, "- stock:") for f in found)


def test_a_blueprint_uses_it_once() -> None:
    found = finding(TEXT + USE.replace("\nuse:\n", ""))
    assert (found.path, found.message) == ("use[1].stock", "adds entities.batch, which is there already")
