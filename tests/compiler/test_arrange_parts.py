"""The parts that arranging is made of: functions backwards, edits, the rows of a scene, the stage, the clock of the harness."""

from __future__ import annotations

from datetime import date
from functools import cache
from operator import add, mul, sub
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compiler.test_arrange import blueprint_text
from tests.worlds import LIBRARY, pack

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.library import FUNCTIONS
from worldwright.blueprint.load import load_text
from worldwright.blueprint.types import DATE, INT, TEXT, TIME, Type
from worldwright.kinds.database.compile.arrange.climb import SceneEditor
from worldwright.kinds.database.compile.arrange.edits import AddRow, DropRow, PointTo, SetArg, SetField, merge_edits
from worldwright.kinds.database.compile.arrange.guards import entrances
from worldwright.kinds.database.compile.arrange.inverse import invert, list_parts
from worldwright.kinds.database.compile.arrange.scene_rows import find_loose_rows, is_complete, order_rows, remove_rows
from worldwright.kinds.database.compile.arrange.scene_runner import Scene, SceneRow, SceneRunner
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.harness import Harness
from worldwright.pack.seal import write_pack

HOLIDAYS = frozenset({"2025-12-25"})
DAYS = st.dates(min_value=date(2024, 1, 1), max_value=date(2026, 12, 31))


@cache
def world() -> tuple[CompiledWorld, SceneRunner]:
    compiled = CompiledWorld(load_text(blueprint_text()))
    return compiled, SceneRunner(compiled)


def operation(name: str) -> c.Operation:
    return world()[0].blueprint.operations[name]


# functions backwards


def forwards(name: str, kinds: tuple[Type, ...], values: list[Any], target: Any) -> list[Any]:
    """What a function gives for each argument that `backwards` thinks of."""
    node = n.Call(FUNCTIONS[name].gives, name, tuple(n.Var(k, f"x{i}") for i, k in enumerate(kinds)))
    out = []
    for part, value in invert(node, values, target, HOLIDAYS):
        tried = [value if p is part else v for p, v in zip(list_parts(node), values, strict=True)]
        out.append(FUNCTIONS[name].run(*tried, *([HOLIDAYS] if FUNCTIONS[name].holidays else [])))
    return out


@given(DAYS, DAYS, st.integers(-40, 40))
def test_days_backwards(one: date, two: date, number: int) -> None:
    a, b = one.isoformat(), two.isoformat()
    assert forwards("add_days", (DATE, INT), [a, number], b) == [b, b]
    assert forwards("days_between", (DATE, DATE), [a, b], number) == [number, number]
    assert forwards("hours_between", (TIME, TIME), [f"{a}T08:00:00Z", f"{b}T09:30:00Z"], number) == [number, number]
    assert forwards("day", (TIME,), [f"{a}T08:00:00Z"], b) == [b]


@given(DAYS, DAYS, st.integers(-40, 40))
def test_moments_and_months_backwards(one: date, two: date, number: int) -> None:
    a, b = one.isoformat(), two.isoformat()
    moment, other = f"{a}T08:00:00Z", f"{b}T11:00:00Z"
    assert forwards("add_hours", (TIME, INT), [moment, number], other) == [other, other]
    for found in forwards("add_months", (DATE, INT), [f"{a[:7]}-15", number], f"{b[:7]}-15"):
        assert found == f"{b[:7]}-15"
    assert forwards("year", (DATE,), [f"{a[:7]}-15"], two.year) == [two.year]


@given(DAYS, DAYS, st.integers(0, 40))
def test_business_days_backwards(one: date, two: date, number: int) -> None:
    a, b = (FUNCTIONS["add_business_days"].run(day.isoformat(), 1, HOLIDAYS) for day in (one, two))
    assert forwards("add_business_days", (DATE, INT), [a, number], b) == [b, b]


@pytest.mark.parametrize("name", ["month_start", "month_end"])
@given(day=DAYS, other=DAYS)
def test_the_ends_of_a_month_lie_on_either_side_of_a_day(name: str, day: date, other: date) -> None:
    target = other.isoformat()
    tried = forwards(name, (DATE,), [day.isoformat()], target)
    assert tried[0][:7] == target[:7]
    assert min(tried) <= target <= max(tried)


TIMES = {"time", "date"}


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if TIMES & {*f.takes, f.gives.kind}])
def test_every_function_of_time_goes_backwards(name: str) -> None:
    function = FUNCTIONS[name]
    example = {"time": ("2025-06-16T09:00:00Z", TIME), "date": ("2025-06-16", DATE), "int": (3, INT)}
    values, kinds = zip(*(example[kind] for kind in function.takes), strict=True)
    assert forwards(name, kinds, list(values), example[function.gives.kind][0])


@given(DAYS, st.integers(1, 12), st.integers(0, 6))
def test_parts_of_a_day_backwards(day: date, month: int, weekday: int) -> None:
    assert forwards("month", (DATE,), [day.isoformat()], month) == [month]
    assert forwards("weekday", (DATE,), [day.isoformat()], weekday) == [weekday]


@given(DAYS, DAYS, st.integers(0, 23))
def test_an_hour_of_a_day_lies_on_either_side_of_a_moment(day: date, other: date, hour: int) -> None:
    moment = f"{other.isoformat()}T12:00:00Z"
    tried = forwards("at", (DATE, INT), [day.isoformat(), hour], moment)
    assert min(tried) <= moment <= max(tried)


def test_what_a_month_can_never_be() -> None:
    assert forwards("month", (DATE,), ["2025-06-16"], 13) == []
    assert forwards("len", (TEXT,), ["abc"], 5) == [5]


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-500, 500))
def test_arithmetic_backwards(left: int, right: int, target: int) -> None:
    for op, run in {"+": add, "-": sub, "*": mul}.items():
        node = n.Arith(INT, op, n.Var(INT, "a"), n.Var(INT, "b"))
        for part, value in invert(node, [left, right], target, HOLIDAYS):
            found = run(value, right) if part is node.left else run(left, value)
            slack = abs(right if part is node.left else left)
            assert found == target or (op == "*" and abs(found - target) < slack)


# edits


def test_what_several_edits_say_of_one_new_row_it_has_all_at_once() -> None:
    point = PointTo("box", "BX-01", "keeper", "clerk", (("tier", "high"),))
    again = PointTo("box", "BX-01", "keeper", "clerk", (("paid", 5),))
    other = PointTo("box", "BX-02", "keeper", "clerk")
    together = PointTo("box", "BX-01", "keeper", "clerk", (("tier", "high"), ("paid", 5)))
    assert merge_edits((point, SetArg("x", 1), again, other)) == (together, SetArg("x", 1), other)


SCENE = Scene(
    (
        SceneRow("clerk", "CL-01", (("role", "clerk"),)),
        SceneRow("box", "BX-01"),
        SceneRow("parcel", "PC-01", (("box", "BX-01"),)),
        SceneRow("box", "BX-02"),
        SceneRow("parcel", "PC-02", (("box", "BX-02"), ("sender", "CL-01"))),
    ),
    "CL-01",
    (("parcel", "PC-02"), ("value", 100)),
)


def edited(*edits: Any) -> Scene | None:
    return SceneEditor(world()[0].blueprint.schema, operation("add_stamp")).apply(SCENE, edits)


def test_a_row_that_is_dropped_leaves_no_gap() -> None:
    assert edited(DropRow("box", "BX-01")) is None
    scene = edited(DropRow("parcel", "PC-01"), DropRow("box", "BX-01"))
    assert scene is not None
    assert [(r.entity, r.id) for r in scene.rows] == [("clerk", "CL-01"), ("box", "BX-01"), ("parcel", "PC-01")]
    assert dict(scene.rows[2].values) == {"box": "BX-01", "sender": "CL-01"}
    assert dict(scene.args) == {"parcel": "PC-01", "value": 100}


def test_rows_alike_share_what_they_refer_to() -> None:
    scene = edited(AddRow("stamp", (("value", 5),), 3))
    assert scene is not None
    stamps = [r for r in scene.rows if r.entity == "stamp"]
    assert [r.id for r in stamps] == ["ST-01", "ST-02", "ST-03"]
    assert len({r.values for r in stamps}) == 1
    assert sum(r.entity == "parcel" for r in scene.rows) == 3


def test_a_scene_stays_small() -> None:
    assert edited(AddRow("stamp", (), 10**9)) is None
    assert edited(AddRow("stamp", (), 36)) is None


def test_nothing_refers_to_a_row_that_is_not_there() -> None:
    assert edited(AddRow("stamp", (("parcel", "PC-09"),))) is None
    assert edited(SetField("parcel", "PC-01", "sender", "CL-09")) is None
    assert edited(SetField("stamp", "ST-01", "value", 3)) is None


def test_rows_come_after_those_they_refer_to() -> None:
    scene = edited(PointTo("box", "BX-01", "keeper", "clerk", (("tier", "high"),)))
    assert scene is not None
    order = [(r.entity, r.id) for r in scene.rows]
    assert order.index(("clerk", "CL-02")) < order.index(("box", "BX-01")) < order.index(("parcel", "PC-01"))
    assert order_rows(world()[0].blueprint.schema, scene) == scene
    assert is_complete(world()[0].blueprint.schema, operation("add_stamp"), scene)


def test_loose_ends_go_with_what_only_they_need() -> None:
    schema, op = world()[0].blueprint.schema, operation("add_stamp")
    assert list(find_loose_rows(schema, op, SCENE)) == [{("parcel", "PC-01"), ("box", "BX-01")}]
    assert remove_rows(schema, op, SCENE, frozenset({("parcel", "PC-02")})) is None


# guards


def test_the_branches_and_loops_around_a_guard() -> None:
    nested = operation("nested")
    outer = next(s for s in nested.body if isinstance(s, c.When))
    inner = next(s for s in outer.do if isinstance(s, c.When))
    assert [(s, want) for s, _, want in entrances(nested.body, inner.do[0])] == [(outer, True), (inner, True)]
    assert entrances(nested.body, nested.body[0]) == ()


# the stage


def test_two_views_of_a_statement() -> None:
    """As it is when the statement is reached, and as it was before the operation wrote anything."""
    _, stage = world()
    op = operation("shut_down")
    scene = SceneEditor(stage.compiled.blueprint.schema, op).first_scene()
    branch = next(s for s in op.body if isinstance(s, c.When))
    counts = [sum(1 for _ in stage.uow.rows("stamp")) for _ in stage.views(op, scene, branch)]
    assert counts == [1, 0]


def test_one_view_where_nothing_was_written() -> None:
    _, stage = world()
    op = operation("full")
    scene = SceneEditor(stage.compiled.blueprint.schema, op).first_scene()
    assert [f["box"].id for f in stage.views(op, scene, op.body[0])] == ["BX-01"]


def test_the_stage_is_clean_whatever_was_done_on_it() -> None:
    _, stage = world()
    op = operation("sure")
    scene = SceneEditor(stage.compiled.blueprint.schema, op).first_scene()
    assert [stage.run(op, scene).ok for _ in range(3)] == [True, True, True]


def test_which_of_two_equal_guards_refuses() -> None:
    """Statements are told apart by where they are, not by what they say."""
    _, stage = world()
    op = operation("swap")
    first, second = (s for s in op.body if isinstance(s, c.Set))
    rows = (SceneRow("clerk", "CL-01", (("role", "clerk"),)), SceneRow("box", "BX-01"))
    trial = stage.run(op, Scene(rows, "CL-01", (("one", "BX-01"), ("two", "BX-01"))))
    assert trial.at is second
    assert id(first) in trial.seen


# the harness


@pytest.mark.parametrize("way", ["engine", "file"])
def test_the_clock_of_a_rig(way: str, tmp_path: Path) -> None:
    write_pack(pack(LIBRARY).files, tmp_path / "pack")
    harness = Harness(tmp_path / "pack", way)
    harness.clock("2031-02-03T04:05:06Z")
    harness.acts(harness.given("clerk", role="librarian"))
    lent = harness.call("lend", member=harness.given("member"), copy=harness.given("copy"))
    assert lent.ok, lent.error
    assert lent.data["lent_on"] == harness.today == "2031-02-03"
