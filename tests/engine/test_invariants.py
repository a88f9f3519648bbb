"""What no operation may break, no call breaks: the whole state is looked over after every walk, not only what was touched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from tests.effort import examples
from tests.random_caller import Caller
from tests.state_audit import Problem, audit
from tests.worlds import LIBRARY, NAMES, SMALL, role_of, runtime, take, walks

from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import connect


def problems(session: Session, world_name: str) -> set[Problem]:
    compiled = runtime(world_name).compiled
    conn = compiled.connect(session.snapshot())
    found = set(audit(compiled, conn))
    conn.close()
    return found


@pytest.mark.parametrize("name", NAMES)
def test_no_walk_breaks_what_always_holds(name: str) -> None:
    """References, lifecycles, uniqueness, kept fields, invariants: nothing new is wrong after any calls."""
    world = runtime(name)
    session = world.session("")
    opening = problems(session, name)

    @settings(
        max_examples=examples(60 if name in (LIBRARY, SMALL) else 8),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(walks(50))
    def walk(drawn: tuple[int, list[int]]) -> None:
        session.reset(role_of(world, drawn[0]))
        caller = Caller(world, session.role)
        for seed in drawn[1]:
            take(session, caller, seed)
        assert problems(session, name) - opening == set()

    walk()
    session.close()


# rows that a call concerns without writing to them


@pytest.fixture
def session() -> Iterator[Session]:
    session = runtime(SMALL).session("senior")
    yield session
    session.close()


def ids(session: Session, sql: str) -> list[str]:
    conn = connect(session.snapshot())
    found = [str(row[0]) for row in conn.execute(sql).fetchall()]
    conn.close()
    return found


def does(session: Session, tool: str, **arguments: object) -> None:
    result = session.call(tool, arguments)
    assert result.ok, result.error


def refuses(session: Session, tool: str, **arguments: object) -> None:
    result = session.call(tool, arguments)
    assert result.error is not None, f"{tool} {arguments} was let through"
    assert result.error.code == "INVARIANT", result.error


def gathered(session: Session) -> tuple[list[str], list[str]]:
    """Four boxes, and three worthless coins that are all in the first of them, with no others."""
    boxes = ids(session, "SELECT id FROM box ORDER BY size DESC, id")[:4]
    coins = ids(session, "SELECT id FROM coin ORDER BY id")[:3]
    for coin in ids(session, f"SELECT id FROM coin WHERE box = '{boxes[0]}' ORDER BY id"):
        does(session, "carry_over", coin=coin, box=boxes[1])
    for coin in coins:
        does(session, "sort_coins", lines=[{"coin": coin, "price": 0}])
        does(session, "carry_over", coin=coin, box=boxes[0])
    return boxes, coins


def test_the_row_that_a_child_left_is_checked(session: Session) -> None:
    boxes, coins = gathered(session)
    does(session, "turn_key", box=boxes[0])
    for coin in coins[:2]:
        does(session, "carry_over", coin=coin, box=boxes[1])
    refuses(session, "carry_over", coin=coins[2], box=boxes[1])


def test_the_row_whose_child_was_removed_is_checked(session: Session) -> None:
    boxes, _ = gathered(session)
    does(session, "turn_key", box=boxes[0])
    refuses(session, "melt", box=boxes[0], below=0.01)


def test_both_ends_of_two_references_are_checked(session: Session) -> None:
    boxes, coins = gathered(session)
    for coin, box in zip(coins[:2], boxes[1:3], strict=True):
        does(session, "carry_over", coin=coin, box=box, recorded=True)
    refuses(session, "carry_over", coin=coins[2], box=boxes[3], recorded=True)
    session.reset("senior")
    boxes, coins = gathered(session)
    for coin, box in zip(coins[1:], boxes[1:3], strict=True):
        does(session, "carry_over", coin=coin, box=box)
    for coin in coins[:2]:
        does(session, "carry_over", coin=coin, box=boxes[3], recorded=True)
    refuses(session, "carry_over", coin=coins[2], box=boxes[3], recorded=True)


def test_a_row_is_checked_when_what_it_refers_to_changes(session: Session) -> None:
    boxes, coins = gathered(session)
    size = int(ids(session, f"SELECT size FROM box WHERE id = '{boxes[0]}'")[0])
    does(session, "sort_coins", lines=[{"coin": coins[0], "price": 10}])
    for _ in range(size - 1):
        does(session, "shrink", box=boxes[0])
    refuses(session, "shrink", box=boxes[0])


def test_a_row_is_checked_when_rows_of_the_table_it_counts_are_added(session: Session) -> None:
    results = [session.call("make_box", {"label": f"box number {i}"}) for i in range(9)]
    assert [r.error.code for r in results if r.error is not None][:1] == ["INVARIANT"]
