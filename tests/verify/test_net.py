"""Net changes: what is different at the end, and only in columns whose sort makes a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.verify.end_states import SCHEMA

from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import INT, TEXT, TIME, ref
from worldwright.core.ids import KeyFormat
from worldwright.kinds.database.tables import Table, make_table
from worldwright.kinds.database.unit_of_work import Change
from worldwright.kinds.database.verify.net import NetRow, list_compared, net_rows

PAPER = Entity(
    "paper",
    "",
    KeyFormat("PAP-", 2),
    0,
    {
        c.name: c
        for c in (
            Column("owner", ref("person")),
            Column("amount", INT),
            Column("body", TEXT, sort="text"),
            Column("sent_at", TIME, sort="time"),
            Column("number", INT, sort="sequence"),
            Column("total", INT, source="kept", sort="derived"),
            Column("twice", INT, source="computed", sort="derived"),
            Column("seen", INT, sort="log"),
        )
    },
    {},
    {},
)
TRAIL = Entity("trail", "", KeyFormat("TRL-", 2), 0, {"what": Column("what", TEXT)}, {}, {}, log=True, trail=True)
LEDGER = Entity("line", "", KeyFormat("LIN-", 2), 0, {"sum": Column("sum", INT)}, {}, {}, log=True)
BARE = Entity("token", "", KeyFormat("TOK-", 2), 0, {"seen": Column("seen", INT, sort="log")}, {}, {})
TABLES: dict[str, Table] = {e.name: make_table(e) for e in (PAPER, TRAIL, LEDGER, BARE)}
BEFORE = ["PAP-01", "PER-01", 5, "old", "2025-06-16T09:00:00Z", 1, 50, 0]


def net(*changes: tuple[str, str, Sequence[Any] | None, Sequence[Any] | None]) -> tuple[NetRow, ...]:
    return net_rows(TABLES, [Change(*c) for c in changes])


def after(**cells: Any) -> list[Any]:
    position = TABLES["paper"].position
    out = list(BEFORE)
    for name, value in cells.items():
        out[position[name]] = value
    return out


def test_only_columns_that_make_a_difference_are_compared() -> None:
    assert list_compared(PAPER) == ("owner", "amount", "body", "sent_at")
    assert list_compared(TRAIL) == ()
    assert list_compared(SCHEMA.entities["paper"]) == ("body", "signed", "due_on")


def test_a_row_that_came_shows_every_compared_column() -> None:
    (row,) = net(("paper", "PAP-01", None, BEFORE))
    assert row == NetRow(
        "added", "paper", "PAP-01", {"owner": "PER-01", "amount": 5, "body": "old", "sent_at": "2025-06-16T09:00:00Z"}
    )


def test_a_row_that_changed_shows_what_changed() -> None:
    assert net(("paper", "PAP-01", BEFORE, after(amount=6, seen=9, total=60))) == (
        NetRow("changed", "paper", "PAP-01", {"amount": 6}),
    )


def test_a_row_that_went_is_gone_whatever_it_held() -> None:
    assert net(("paper", "PAP-01", BEFORE, None)) == (NetRow("removed", "paper", "PAP-01", {}),)


def test_a_line_in_a_ledger_counts() -> None:
    assert net(("line", "LIN-01", None, ["LIN-01", 5])) == (NetRow("added", "line", "LIN-01", {"sum": 5}),)


def test_what_follows_by_rule_and_what_is_a_trail_is_left_out() -> None:
    assert net(("paper", "PAP-01", BEFORE, after(number=2, total=51, seen=3))) == ()
    assert net(("trail", "TRL-01", None, ["TRL-01", "called"])) == ()
    assert net(("trail", "TRL-01", ["TRL-01", "called"], None)) == ()


def test_there_and_back_again_is_no_change() -> None:
    assert net(("paper", "PAP-01", BEFORE, list(BEFORE))) == ()
    assert net(("paper", "PAP-09", None, None)) == ()


def test_a_row_without_compared_columns_still_comes_and_goes() -> None:
    """It is a row like any other: nobody asked for it."""
    assert net(("token", "TOK-01", None, ["TOK-01", 0])) == (NetRow("added", "token", "TOK-01", {}),)
    assert net(("token", "TOK-01", ["TOK-01", 0], None)) == (NetRow("removed", "token", "TOK-01", {}),)
    assert net(("token", "TOK-01", ["TOK-01", 0], ["TOK-01", 1])) == ()


@given(st.lists(st.tuples(st.sampled_from(("owner", "amount", "body", "number", "total", "seen")), st.integers(0, 3))))
def test_a_change_shows_exactly_where_compared_cells_differ(edits: list[tuple[str, int]]) -> None:
    values = after(**dict(edits))
    position = TABLES["paper"].position
    expected = {c: values[position[c]] for c in list_compared(PAPER) if values[position[c]] != BEFORE[position[c]]}
    found = net(("paper", "PAP-01", BEFORE, values))
    assert found == ((NetRow("changed", "paper", "PAP-01", expected),) if expected else ())
