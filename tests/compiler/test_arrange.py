"""Arranged scenes: for every guard one that it refuses, and one just inside its edge, each found by a mechanism of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from functools import cache

import pytest

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.kinds.database.compile.arrange.scene_rows import is_complete
from worldwright.kinds.database.compile.arrange.scene_runner import SceneRunner
from worldwright.kinds.database.compile.arrange.search import Case, FoundCases, SceneSearch
from worldwright.kinds.database.compile.arrange.write import test_file as written_file
from worldwright.kinds.database.compiled_world import CompiledWorld

WORLD = """
blueprint: post_office
title: Post office
now: 2025-06-16T09:00:00Z
systems: {office: the office}
actor: {entity: clerk, role: role}
roles: {clerk: works at the desk, boss: works behind it}
entities:
  clerk:
    in: office
    key: CL-##
    rows: 2
    fields: {name: person, role: "one of clerk, boss", paid: money, tier: "one of low, high"}
  box:
    in: office
    key: BX-##
    rows: 2
    fields: {label: text, keeper: clerk?, opens_on: date, price: money, status: state}
    lifecycle: {open: [shut], shut: [open]}
  parcel:
    in: office
    key: PC-##
    rows: 2
    fields:
      box: box as parcels
      sender: clerk?
      weight: int
      kind: one of letter, book
      status: state
      heavy: bool computed weight > 20
    lifecycle: {here: [sent, lost], sent: [], lost: []}
  stamp: {in: office, key: ST-##, fields: {parcel: parcel as stamps, box: box, value: money}}
policies:
  asked_first:
    about: {parcel: parcel}
    rule: exists(s for s in parcel.stamps)
    enforced: agent
    says: A parcel has a stamp.
    cases: [allowed: {parcel.stamps: 1}, forbidden: {parcel.stamps: 0}]
  not_dear:
    about: {stamp: stamp}
    when: stamp.box.keeper is not none and stamp.box.keeper.tier == 'high'
    rule: stamp.value <= stamp.box.keeper.paid
    says: Stamps cost no more than was paid.
    cases:
      - allowed: {stamp.box.keeper.tier: high, stamp.value: 3, stamp.box.keeper.paid: 3}
      - forbidden: {stamp.box.keeper.tier: high, stamp.value: 3.01, stamp.box.keeper.paid: 3}
operations:
"""

OPERATIONS = {
    "full": """
        takes: {box: box}
        does:
          - require: count(p for p in box.parcels if p.status == 'here') < 12
            else: FULL
        """,
    "season": """
        takes: {box: box}
        does:
          - require: month(today) in (5, 6)
            else: OUT_OF_SEASON
        """,
    "early": """
        takes: {box: box}
        does:
          - require: now >= at(today, 8)
            else: TOO_EARLY
        """,
    "swap": """
        takes: {one: box, two: box}
        does:
          - require: one.status == 'open' and two.status == 'open'
            else: NOT_OPEN
          - set: {one.status: shut}
          - set: {two.status: shut}
        """,
    "send_all": """
        takes: {box: box}
        does:
          - each: p in box.parcels
            where: p.kind == 'book'
            do:
              - require: p.weight <= 20
                else: TOO_HEAVY
              - set: {p.status: sent}
        """,
    "nested": """
        takes: {parcel: parcel, how: "one of plain, fast", note: text?}
        does:
          - require: how == 'plain' or note is not none
            else: SAY_WHY
          - when: how == 'fast'
            do:
              - when: parcel.sender is not none
                do:
                  - require: parcel.sender.tier == 'high'
                    else: NOT_HIGH
                  - set: {parcel.status: sent}
        """,
    "add_stamp": """
        takes: {parcel: parcel, value: money}
        does:
          - add: stamp
            with: {parcel: parcel, box: parcel.box, value: value}
            as: stamp
          - obey: [not_dear]
        """,
    "agree": """
        takes: {parcel: parcel, kept: bool = false, by: clerk?}
        does:
          - require: (by is not none) == kept
            else: BY_WHOM
          - when: by is not none
            do:
              - require: parcel.sender == by
                else: NOT_THEIRS
        """,
    "largest": """
        takes: {box: box}
        does:
          - find: big in box.parcels
            where: big.heavy
          - require: big is none
            else: HEAVY_ONE
        """,
    "smallest": """
        takes: {box: box}
        does:
          - find: small in box.parcels
            where: not small.heavy
          - require: small is not none
            else: NO_SMALL_ONE
        """,
    "closing": """
        takes: {parcel: parcel}
        does:
          - obey: [asked_first]
          - set: {parcel.status: sent}
        """,
    "shut_down": """
        takes: {parcel: parcel}
        does:
          - add: stamp
            with: {parcel: parcel, box: parcel.box, value: 2}
          - when: sum(s.value for s in parcel.stamps) == 5
            do:
              - set: {parcel.box.status: shut}
        """,
    "sure": """
        takes: {box: box}
        does:
          - require: box.status == 'open'
          - set: {box.status: shut}
        """,
}


def blueprint_text() -> str:
    out = WORLD
    for name, body in OPERATIONS.items():
        head = f"{name}:\n  in: office\n  says: What is looked at.\n  by: clerk\n"
        tail = textwrap.indent(textwrap.dedent(body).strip(), "  ") + "\n  gives: {done: true}\n"
        out += textwrap.indent(head + tail, "  ")
    return out


@cache
def world() -> tuple[Checked, SceneRunner]:
    blueprint = load_text(blueprint_text())
    return blueprint, SceneRunner(CompiledWorld(blueprint))


@cache
def found(name: str) -> FoundCases:
    blueprint, stage = world()
    return SceneSearch(stage, blueprint.operations[name]).search()


def case(name: str, start: str) -> Case:
    return next(c for c in found(name).cases if c.title.startswith(start))


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_guard_has_a_scene(name: str) -> None:
    assert found(name).unreached == ()
    assert found(name).cases[0].title == "works"


@pytest.mark.parametrize("name", OPERATIONS)
def test_scenes_are_whole_and_do_what_they_say(name: str) -> None:
    blueprint, stage = world()
    operation = blueprint.operations[name]
    for c in found(name).cases:
        assert is_complete(blueprint.schema, operation, c.scene)
        trial = stage.run(operation, c.scene)
        assert (trial.ok, trial.code, trial.broken) == (not c.code, c.code, c.broken)


def test_a_guard_on_a_count_has_rows_that_share_what_they_need() -> None:
    refusing, edge = case("full", "refuses"), case("full", "allows_at_the_edge")
    assert [sum(r.entity == "parcel" for r in c.scene.rows) for c in (refusing, edge)] == [12, 11]
    blueprint, _ = world()
    text, _ = written_file(blueprint, blueprint.operations["full"], found("full"))
    assert "    for _ in range(12):\n        harness.given(" in text


def test_the_clock_is_moved_where_nothing_else_helps() -> None:
    assert case("season", "refuses").scene.now == "2025-07-16T09:00:00Z"
    assert case("early", "refuses").scene.now == "2025-06-16T07:59:59Z"
    assert case("early", "allows_at_the_edge").scene.now == "2025-06-16T08:00:00Z"
    blueprint, _ = world()
    text, _ = written_file(blueprint, blueprint.operations["early"], found("early"))
    assert '    harness.clock("2025-06-16T07:59:59Z")\n' in text


def test_the_clock_stands_still_elsewhere() -> None:
    others = [c for name in OPERATIONS if name not in ("season", "early") for c in found(name).cases]
    assert all(c.scene.now == "" for c in others)


def test_two_names_for_one_row() -> None:
    args = dict(case("swap", "refuses invalid_state").scene.args)
    assert args["one"] == args["two"]


def test_a_guard_in_a_loop_gets_a_row_to_look_at() -> None:
    (row,) = [r for r in case("send_all", "refuses too_heavy").scene.rows if r.entity == "parcel"]
    assert dict(row.values)["weight"] == 21
    assert dict(row.values)["kind"] == "book"


def test_what_an_added_row_holds_is_followed_to_where_it_comes_from() -> None:
    refusing, edge = case("add_stamp", "refuses"), case("add_stamp", "allows_at_the_edge")
    assert [dict(c.scene.args)["value"] for c in (refusing, edge)] == [101, 100]
    assert refusing.scene.rows == edge.scene.rows
    keeper = refusing.scene.row("clerk", "CL-02")
    box = refusing.scene.row("box", "BX-01")
    assert keeper is not None
    assert box is not None
    assert (dict(keeper.values), dict(box.values)) == ({"tier": "high"}, {"keeper": "CL-02"})


def test_what_works_breaks_no_rule_of_the_handbook() -> None:
    assert found("closing").cases[0].broken == ()
    assert case("closing", "lets_happen").broken == ("asked_first",)


def test_a_condition_on_what_the_operation_itself_has_written() -> None:
    stamps = [r for r in case("shut_down", "refuses").scene.rows if r.entity == "stamp"]
    assert [dict(r.values)["value"] for r in stamps] == [300]


def test_a_move_that_cannot_fail_is_no_guard() -> None:
    assert found("sure").guards == 1


def test_the_same_files_whatever_the_hash_seed() -> None:
    code = (
        "import hashlib, sys; from worldwright.blueprint.load import load_text; "
        "from worldwright.core.memo import Memo; from worldwright.kinds.database.compile.stages.tools import test_files; "
        "from worldwright.kinds.database.compiled_world import CompiledWorld; "
        "files = test_files(CompiledWorld(load_text(sys.stdin.read())), Memo()).files; "
        "print(hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], input=blueprint_text(), env={"PYTHONHASHSEED": seed}, capture_output=True, text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "77")
    }  # fmt: skip
    assert len(said) == 1
