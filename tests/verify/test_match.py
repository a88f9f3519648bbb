"""Matching net changes against patterns: up to renaming, whatever the order, and never more nor less than trying everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.verify.end_states import (
    OLD,
    OUTSIDE,
    REFERENCES,
    SCHEMA,
    SPAN,
    loosened,
    nets,
    oracle,
    patterns_of,
    renamed,
    renamings,
)  # fmt: skip

from worldwright.kinds.database.verify.match import Match, TooManyWays, match
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, Cell, During, Is, Of, Pattern

many = settings(max_examples=examples(80), deadline=None, suppress_health_check=list(HealthCheck))


def whole(patterns: Accepted, net: tuple[NetRow, ...]) -> bool:
    return match(patterns, net, SPAN).whole


# the same end state


@many
@given(st.data())
def test_an_end_state_matches_itself_under_any_renaming_and_in_any_order(data: st.DataObject) -> None:
    net = data.draw(nets(most=7))
    patterns = tuple(data.draw(st.permutations(patterns_of(net))))
    other = renamed(net, data.draw(renamings(net)))
    assert whole(patterns, tuple(data.draw(st.permutations(other))))


@many
@given(st.data())
def test_names_are_the_renaming(data: st.DataObject) -> None:
    """Where the match is whole, writing its names into the patterns gives the rows that are there."""
    net = data.draw(nets(most=6))
    other = renamed(net, data.draw(renamings(net)))
    patterns = patterns_of(net)
    found = match(patterns, other, SPAN)
    for p, rows in found.rows.items():
        for r in rows:
            row, pattern = other[r], patterns[p]
            assert found.names.get(pattern.label, row.id) == row.id
            for name, cell in pattern.cells.items():
                if isinstance(cell, Of):
                    assert found.names[cell.label] == row.cells[name]
    assert sorted(r for rows in found.rows.values() for r in rows) == list(range(len(other)))


@many
@given(st.data())
def test_the_order_of_rows_patterns_and_ids_makes_no_difference(data: st.DataObject) -> None:
    """For any patterns and any rows, matching or not."""
    net = data.draw(nets())
    patterns = data.draw(loosened(patterns_of(data.draw(st.sampled_from((net, data.draw(nets())))))))
    to = data.draw(renamings(net))
    shuffled = tuple(data.draw(st.permutations(renamed(net, to))))
    assume(not any(p.op == "added" and p.id for p in patterns))
    assert whole(patterns, net) == whole(tuple(data.draw(st.permutations(patterns))), shuffled)


# another end state


@many
@given(st.data())
def test_a_changed_cell_is_seen(data: st.DataObject) -> None:
    net = data.draw(nets(most=6))
    patterns = patterns_of(net)
    pinned = [(i, k) for i, r in enumerate(net) for k in r.cells if isinstance(patterns[i].cells[k], (Is, During))]
    assume(pinned)
    i, name = data.draw(st.sampled_from(pinned))
    value: Any = net[i].cells[name]
    other = OUTSIDE if isinstance(patterns[i].cells[name], During) else f"{value}?" if isinstance(value, str) else 77
    changed = (*net[:i], replace(net[i], cells={**net[i].cells, name: other}), *net[i + 1 :])
    assert not whole(patterns, changed)


@many
@given(st.data())
def test_a_row_less_and_a_row_more_are_seen(data: st.DataObject) -> None:
    net = data.draw(nets(most=6))
    patterns = patterns_of(net)
    i = data.draw(st.integers(0, len(net) - 1))
    fewer = (*net[:i], *net[i + 1 :])
    open_only = net[i].op == "changed" and all(isinstance(c, (AnyValue, During)) for c in patterns[i].cells.values())
    assert whole(patterns, fewer) == open_only
    table = net[i].table
    extra = NetRow(net[i].op, table, SCHEMA.entities[table].key.make(91), net[i].cells)
    found = match(patterns, (*net, extra), SPAN)
    assert not found.whole
    assert found.extra or found.missing


@many
@given(st.data())
def test_a_reference_to_another_new_row_is_seen(data: st.DataObject) -> None:
    """Re-wired to a row that is no copy of the old one: another end state, as trying everything confirms."""
    net = data.draw(nets())
    new = {r.id: r for r in net if r.op == "added"}
    wires = [(i, k) for i, r in enumerate(net) for k, v in r.cells.items() if v in new]
    assume(wires)
    i, name = data.draw(st.sampled_from(wires))
    entity = REFERENCES[net[i].table, name]
    others = [key for key, r in new.items() if r.table == entity and key != net[i].cells[name]]
    others += [*OLD[entity], ""]
    wired = data.draw(st.sampled_from(others)) or None
    changed = (*net[:i], replace(net[i], cells={**net[i].cells, name: wired}), *net[i + 1 :])
    patterns = patterns_of(net)
    assert whole(patterns, changed) == oracle(patterns, changed)
    if wired not in new:
        assert not whole(patterns, changed)


def orders(*children: tuple[int, ...]) -> tuple[NetRow, ...]:
    """Orders that are alike, each with lines of these numbers."""
    out = []
    count = 0
    for k, numbers in enumerate(children):
        key = f"ORD-{11 + k}"
        out.append(NetRow("added", "order", key, {"buyer": None, "amount": 5, "status": "open", "sent_at": SPAN[0]}))
        for number in numbers:
            count += 1
            out.append(NetRow("added", "line", f"LIN-{10 + count}", {"order": key, "beside": None, "number": number}))
    return tuple(out)


def test_two_parents_with_swapped_children() -> None:
    patterns = patterns_of(orders((1, 2), (3, 4)))
    assert whole(patterns, orders((3, 4), (1, 2)))
    assert whole(patterns, orders((4, 3), (2, 1)))
    assert not whole(patterns, orders((1, 3), (2, 4)))
    assert not whole(patterns, orders((1, 2, 3), (4,)))
    assert not whole(patterns, orders((1, 2, 3, 4), ()))


def test_a_reference_to_another_row_is_seen_where_there_is_nothing_to_choose() -> None:
    order, line = orders((1,))
    patterns = patterns_of((order, line))
    assert whole(patterns, (line, order))
    for other in ("ORD-01", "ORD-99"):
        astray = replace(line, cells={**line.cells, "order": other})
        assert not whole(patterns, (order, astray))
        assert not whole(patterns[::-1], (astray, order))


def test_grandchildren_are_told_apart_by_their_parents() -> None:
    """Bosses of bosses: whichever row comes first, the right one is found behind it."""
    family = tuple(
        NetRow("added", "person", key, {"boss": boss, "level": level})
        for key, boss, level in (
            ("PER-11", None, 1), ("PER-12", None, 1), ("PER-16", "PER-14", 3), ("PER-15", "PER-13", 3),
            ("PER-13", "PER-11", 2), ("PER-14", "PER-12", 2),
        )
    )  # fmt: skip
    patterns = patterns_of(family)
    for turn in range(len(family)):
        for way in (1, -1):
            assert whole(patterns, (*family[turn:], *family[:turn])[::way])


@pytest.mark.parametrize("way", [1, -1])
def test_parents_are_told_apart_by_how_many_refer_to_them(way: int) -> None:
    """Without trying, although one reference is left open, so that more may refer to them than have to."""
    people = []
    for team in range(1, 7):
        people.append(NetRow("added", "person", f"PER-{team}0", {"boss": None, "level": 1}))
        people += [
            NetRow("added", "person", f"PER-{team}{k + 1}", {"boss": f"PER-{team}0", "level": 2}) for k in range(team)
        ]
    net = (*people, NetRow("added", "person", "PER-99", {"boss": "PER-10", "level": 3}))
    *known, last = patterns_of(net)
    patterns = (*known, replace(last, cells={**last.cells, "boss": AnyValue()}))
    assert whole(patterns, net[::way])
    moved = (*net[:-2], replace(net[-2], cells={**net[-2].cells, "boss": "PER-10"}), net[-1])
    assert not whole(patterns, moved[::way])


# ties


@pytest.mark.parametrize("k", [1, 2, 8, 40])
def test_copies_are_interchangeable(k: int) -> None:
    net = orders(*(() for _ in range(k)))
    patterns = patterns_of(net)
    assert whole(patterns, net[::-1])
    assert not whole(patterns, net[1:])
    assert not whole(patterns, (*net, replace(net[0], id="ORD-99")))
    assert not whole(patterns, (replace(net[0], cells={**net[0].cells, "amount": 6}), *net[1:]))


@pytest.mark.parametrize("k", [2, 5, 12])
def test_copies_with_copies_below_them_are_interchangeable(k: int) -> None:
    net = orders(*((1, 1) for _ in range(k)))
    patterns = patterns_of(net)
    assert whole(patterns, net[::-1])
    assert whole(tuple(reversed(patterns)), net)
    uneven = orders((1, 1, 1), (1,), *((1, 1) for _ in range(k - 2)))
    assert not whole(patterns, uneven)


def ring(*sizes: int) -> tuple[NetRow, ...]:
    """Lines that stand in rings, each beside the next: alike in every way but how long their ring is."""
    out = []
    first = 11
    for size in sizes:
        for i in range(size):
            beside = f"LIN-{first + (i + 1) % size}"
            out.append(NetRow("added", "line", f"LIN-{first + i}", {"order": None, "beside": beside, "number": 1}))
        first += size
    return tuple(out)


def test_ties_that_are_no_forest_branch() -> None:
    """A row of a long ring looks like one of a short ring, however far one looks; only trying tells."""
    patterns = patterns_of(ring(6, 3))
    assert whole(patterns, ring(3, 6))
    assert whole(patterns, ring(6, 3)[::-1])
    assert not whole(patterns, ring(9))
    assert not whole(patterns, ring(3, 3, 3))


def test_more_than_the_allowed_branches_are_refused() -> None:
    with pytest.raises(TooManyWays):
        match(patterns_of(ring(34, 34)), ring(68), SPAN)


# what is left open


@settings(many, max_examples=examples(300))
@given(st.data())
def test_it_agrees_with_trying_everything(data: st.DataObject) -> None:
    net = data.draw(nets(most=4))
    source = data.draw(st.sampled_from((net, net, data.draw(nets(most=4)))))
    patterns = data.draw(loosened(patterns_of(source)))
    assume(len(patterns) <= 6)
    assert whole(patterns, net) == oracle(patterns, net)


def test_rows_in_any_number_get_what_the_others_do_not_need() -> None:
    """The pattern for one row must leave alone the row that only it can do without."""
    any_line = {"order": AnyValue(), "beside": AnyValue(), "number": AnyValue()}
    one = Pattern("added", "line", "l", "", any_line)
    ones = Pattern("added", "line", "", "", {**any_line, "number": Is(1)}, many=True)
    rows = tuple(
        NetRow("added", "line", f"LIN-{k}", {"order": None, "beside": None, "number": n})
        for k, n in ((11, 1), (12, 2), (13, 1))
    )
    assert whole((one, ones), rows)
    assert not whole((one, ones), rows[1:2])
    assert not whole((one, ones), (*rows, replace(rows[1], id="LIN-14")))


def test_each_pattern_for_many_needs_one() -> None:
    any_line = {"order": AnyValue(), "beside": AnyValue(), "number": AnyValue()}
    every = Pattern("added", "line", "", "", any_line, many=True)
    ones = replace(every, cells={**any_line, "number": Is(1)})
    row = NetRow("added", "line", "LIN-11", {"order": None, "beside": None, "number": 1})
    two = (row, replace(row, id="LIN-12", cells={**row.cells, "number": 2}))
    assert whole((every, ones), two)
    assert whole((ones, every), two[::-1])
    assert not whole((every, ones), (row,))


def test_a_pattern_for_many_may_have_one_row_as_every_other() -> None:
    any_line = {"order": AnyValue(), "beside": AnyValue(), "number": AnyValue()}
    ones = Pattern("added", "line", "", "", {**any_line, "number": Is(1)}, many=True)
    other = Pattern("added", "line", "other", "", {**any_line, "number": Is(2)})
    rows = tuple(NetRow("added", "line", f"LIN-1{n}", {"order": None, "beside": None, "number": n}) for n in (1, 2))
    for patterns in ((ones, other), (other, ones)):
        found = match(patterns, rows, SPAN)
        assert (found.whole, found.names) == (True, {"other": "LIN-12"})


def test_two_patterns_never_share_a_row() -> None:
    """Although every row can be explained without one of them, by the pattern for many."""
    any_line = {"order": AnyValue(), "beside": AnyValue(), "number": AnyValue()}
    first = Pattern("added", "line", "first", "", {**any_line, "number": Is(1)})
    patterns = (first, replace(first, label="second"), Pattern("added", "line", "", "", any_line, many=True))
    rows = tuple(
        NetRow("added", "line", f"LIN-{k}", {"order": None, "beside": None, "number": n})
        for k, n in ((11, 1), (12, 2), (13, 3))
    )
    assert not whole(patterns, rows)
    assert whole(patterns, (*rows, replace(rows[0], id="LIN-14")))


def test_rows_in_any_number_belong_where_they_are_said_to() -> None:
    """A name of their own, as a verifier that is written by hand may give them, loosens nothing."""
    first, other = orders((1, 2), ())[0], orders((), ())[1]
    patterns = patterns_of((first, other))
    lines = tuple(row for row in orders((1, 2)) if row.table == "line")
    any_line: dict[str, Cell] = {"order": Of(patterns[0].label), "beside": AnyValue(), "number": AnyValue()}
    for name in ("", "a", "zz"):
        every = Pattern("added", "line", name, "", any_line, many=True)
        assert whole((*patterns, every), (first, other, *lines))
        apart = (replace(lines[0], cells={**lines[0].cells, "order": other.id}), lines[1])
        assert not whole((*patterns, every), (first, other, *apart))


def test_a_row_that_may_stay_as_it_is() -> None:
    note = Pattern("changed", "order", "", "ORD-01", {"sent_at": During()})
    assert whole((note,), ())
    assert whole((note,), (NetRow("changed", "order", "ORD-01", {"sent_at": SPAN[1]}),))
    assert not whole((note,), (NetRow("changed", "order", "ORD-01", {"sent_at": OUTSIDE}),))
    assert not whole((note,), (NetRow("changed", "order", "ORD-02", {"sent_at": SPAN[1]}),))


# what is told of a failure


def test_what_fits_is_not_told() -> None:
    net = orders((1, 2), (3,))
    patterns = patterns_of(net)
    less = match(patterns, net[:-1], SPAN)
    assert (less.missing, less.extra) == ((len(net) - 1,), ())
    wrong = match(patterns, (*net[:-1], replace(net[-1], cells={**net[-1].cells, "number": 9})), SPAN)
    assert (wrong.missing, wrong.extra) == ((len(net) - 1,), (len(net) - 1,))
    assert dict(wrong.rows) == {p: (p,) for p in range(len(net) - 1)}


@many
@given(st.data())
def test_the_report_accounts_for_every_row_and_pattern(data: st.DataObject) -> None:
    net = data.draw(nets())
    patterns = data.draw(loosened(patterns_of(data.draw(nets()))))
    found: Match = match(patterns, net, SPAN)
    explained = [r for rows in found.rows.values() for r in rows]
    assert sorted([*explained, *found.extra]) == list(range(len(net)))
    assert not set(found.rows) & set(found.missing)
    assert all(len(rows) == 1 or patterns[p].many for p, rows in found.rows.items())
