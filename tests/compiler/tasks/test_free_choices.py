"""Two free choices from one table: each is open whatever the other is."""

from __future__ import annotations

import pytest

from worldwright.kinds.database.compile.tasks.accept import widen
from worldwright.kinds.database.compile.tasks.ends import EndState
from worldwright.kinds.database.compile.tasks.plans import PlanResult
from worldwright.kinds.database.verify.match import match
from worldwright.kinds.database.verify.net import NetRow
from worldwright.kinds.database.verify.patterns import Accepted, Is, Pattern

SPAN = ("2025-01-01T08:00:00Z", "2025-01-01T09:00:00Z")


def end(first: str, second: str) -> EndState:
    """Two people were given a device each."""
    rows = (("E-1", first), ("E-2", second))
    net = tuple(NetRow("changed", "device", key, {"holder": who, "status": "in_use"}) for who, key in rows)
    return EndState(PlanResult((), (), (), ()), tuple(sorted(net, key=lambda row: row.id)), SPAN, True)


def accept(*ends: EndState) -> list[Accepted]:
    first, *others = ends
    accepts: list[Accepted] = [
        tuple(Pattern(r.op, r.table, "", r.id, {k: Is(v) for k, v in r.cells.items()}) for r in first.net)
    ]
    for other in others:
        widen(accepts, other, {})
    return accepts


@pytest.mark.parametrize(("first", "second"), [("DV-3", "DV-4"), ("DV-4", "DV-3"), ("DV-9", "DV-1"), ("DV-1", "DV-9")])
def test_two_choices_from_one_table_are_open_together(first: str, second: str) -> None:
    accepts = accept(end("DV-1", "DV-2"), end("DV-3", "DV-2"), end("DV-1", "DV-4"))
    assert len(accepts) == 1
    assert match(accepts[0], end(first, second).net, SPAN).whole


def test_each_still_gets_one() -> None:
    accepts = accept(end("DV-1", "DV-2"), end("DV-3", "DV-2"), end("DV-1", "DV-4"))
    alone = end("DV-3", "DV-4").net[:1]
    assert not match(accepts[0], alone, SPAN).whole
