from __future__ import annotations

from worldwright.cli.views.lifecycle import draw


def test_longest_way_first_then_what_leaves_it() -> None:
    order = {
        "issued": ("part_received", "received", "cancelled"),
        "part_received": ("received",),
        "received": ("closed",),
        "closed": (),
        "cancelled": (),
    }
    assert draw(order) == [
        "issued --> part_received --> received --> [closed]",
        "issued --> received | [cancelled]",
    ]


def test_circles_end() -> None:
    assert draw({"a": ("b",), "b": ("a", "c"), "c": ("a",)}) == ["a --> b --> c", "b --> a", "c --> a"]


def test_long_ways_fold_at_arrows() -> None:
    long = {f"state_{i}": (f"state_{i + 1}",) for i in range(5)} | {"state_5": ()}
    assert draw(long, 40) == [
        "state_0 --> state_1 --> state_2",
        "   --> state_3 --> state_4 --> [state_5]",
    ]


def test_dense_lifecycles_do_not_take_forever() -> None:
    states = [f"s{i}" for i in range(14)]
    assert draw({s: tuple(t for t in states if t != s) for s in states})


def test_one_state() -> None:
    assert draw({"only": ()}) == ["[only]"]
