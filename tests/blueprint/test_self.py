"""`self`, the row an expression belongs to: handed to terms, compared with others, the same in every way that a tool is run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.blueprint.patterns.small_world import SmallWorld, does, finding, refuses
from tests.shared_builds import build
from tests.worlds import runtime_of_files

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session

TEXT = """
blueprint: lending
title: Lending
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {librarian: lends}
entities:
  clerk: {in: desk, key: CLK-##, rows: 1, fields: {name: person, role: one of librarian}}
  member:
    in: desk
    key: MEM-##
    rows: 6
    called: "{name} with {fine_of(self):money} to pay"
    fields:
      name: person
      referred_by: "member as referred? ~ any(m for m in member) if chance(0.4) else none"
      owes: money computed fine_of(self)
      good: bool computed obeys(no_fines, m=self)
      self_made: int = count(r for r in referred if r.referred_by == self)
      first_among: bool computed not exists(m for m in member if m != self and m.id < self.id)
  loan: {in: desk, key: LN-##, rows: 9, fields: {member: member as loans, fine: "money ~ pick(0, 2.50)"}}
terms:
  fine_of: {about: {m: member}, is: sum(l.fine for l in m.loans)}
policies:
  no_fines:
    about: {m: member}
    rule: fine_of(m) == 0
    says: No fines.
    cases: [allowed: {m.loans: [{fine: 0}]}, forbidden: {m.loans: [{fine: 1}]}]
always:
  fines_bounded: {each: member, holds: fine_of(self) <= 10, says: A fine stops at ten.}
operations:
  find_members: {in: desk, says: Search., by: anyone, search: member, where: fine_of(self) < 9, filters: [owes, good], sort: [owes]}
  get_member: {in: desk, says: One., by: anyone, get: member, where: fine_of(self) < 9}
  set_fine:
    in: desk
    says: Set it.
    by: librarian
    takes: {loan: loan, fine: money}
    does:
      - require: loan.member.good or loan.member.owes >= 2
        else: SMALL_FINE
      - set: {loan.fine: fine}
    gives: loan
"""


def desk() -> Session:
    world = SmallWorld(TEXT)
    world.given("clerk", role="librarian")
    for by in (None, "MEM-01", "MEM-01"):
        world.given("member", name="x", referred_by=by)
    for number, fine in ((1, 200), (1, 50), (2, 0), (3, 100)):
        world.given("loan", member=f"MEM-0{number}", fine=fine)
    return world.opens("librarian")


def test_a_field_hands_its_row_to_a_term() -> None:
    rows = does(desk(), "find_members")["items"]
    assert [(r["id"], r["owes"], r["good"]) for r in rows] == [
        ("MEM-02", 0, True),
        ("MEM-03", 1, False),
        ("MEM-01", 2.5, False),
    ]
    assert [r["first_among"] for r in rows] == [False, False, True]
    assert [r["self_made"] for r in rows] == [0, 0, 2]


def test_a_search_filters_by_it() -> None:
    session = desk()
    assert [r["id"] for r in does(session, "find_members", owes_from=1, good=False)["items"]] == ["MEM-03", "MEM-01"]


def test_rules_invariants_and_conditions_know_it() -> None:
    session = desk()
    assert refuses(session, "set_fine", loan="LN-04", fine=3) == "SMALL_FINE"
    assert refuses(session, "set_fine", loan="LN-02", fine=9) == "INVARIANT"
    does(session, "set_fine", loan="LN-02", fine=8)
    assert refuses(session, "get_member", member="MEM-01") == "NOT_FOUND"


def test_a_file_says_the_same_as_the_engine() -> None:
    pack = build(load_text(TEXT), 7, with_tasks=False).pack
    said: list[Any] = []
    for runtime in (Runtime(compile_blueprint(pack.blueprint), pack.state, ""), runtime_of_files(pack)):
        session = runtime.session("librarian")
        calls = [session.call("set_fine", {"loan": f"LN-0{i}", "fine": i}) for i in range(1, 10)]
        said.append([(r.ok, r.data, r.error) for r in [*calls, session.call("find_members", {})]])
    assert said[0] == said[1]


@pytest.mark.parametrize("draw", ["fine_of(self)", "self.id"])
def test_a_row_that_is_being_drawn_is_not_known_yet(draw: str) -> None:
    assert finding(TEXT.replace("pick(0, 2.50)", draw)).message == "nothing is called `self` here"


def test_nor_where_there_is_no_row() -> None:
    text = TEXT.replace("- set: {loan.fine: fine}", "- require: self is none")
    assert finding(text).message == "nothing is called `self` here"
