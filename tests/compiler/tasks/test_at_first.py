"""Who writes a request has seen the opening state, and nothing of what comes of the request itself."""

from __future__ import annotations

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.tasks.asking import WordedRequest, word_request
from worldwright.kinds.database.compile.tasks.describe import Describer
from worldwright.kinds.database.compile.tasks.instances import BoundGoal, perform
from worldwright.kinds.database.compile.tasks.legs import Leg, Tried, Walk
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of

OFFICE = """
blueprint: post_office_box
title: Box
now: 2025-06-16T09:00:00Z
systems: {box: the box}
actor: {entity: clerk, role: role}
roles: {clerk: opens letters}
entities:
  clerk: {in: box, key: CL-##, rows: 3, fields: {name: person, role: one of clerk}}
  writer: {in: box, key: WR-##, rows: 12, called: "{name}", fields: {name: person}}
  letter:
    in: box
    key: LE-##
    rows: 40
    called: "the letter {title} of {signed}"
    fields:
      writer: writer as letters ~ any(w for w in writer)
      title: text ~ f"on {letters(6)}"
      signed: text computed writer.name
      owed: money ~ between(20, 90)
      price: money ~ between(20, 90)
      waived: money ~ 0
      settled: bool ~ false
operations:
  find_letters: {in: box, says: Search letters., by: anyone, search: letter, filters: [title, writer], sort: [id], page: 20}
  find_writers: {in: box, says: Search writers., by: anyone, search: writer, filters: [name], sort: [id], page: 20}
  forget:
    in: box
    says: Forget a name.
    by: anyone
    takes: {writer: writer}
    does: [set: {writer.name: "'(gone)'"}]
    gives: writer
  settle:
    in: box
    says: Settle a letter.
    by: anyone
    takes: {letter: letter}
    does: [set: {letter.owed: 0, letter.settled: true}]
    gives: letter
goals:
  forget_them:
    given: {w: "writer where name != '(gone)'"}
    wants: w.name == '(gone)'
    how: [{do: forget, with: {writer: w}}]
    asks: ["please forget {w}", "{w} wants to be forgotten, so do that"]
    then: ["forget {w}"]
  settle_it:
    given: {l: letter where not settled}
    wants: l.settled and l.owed == 0
    how: [{do: settle, with: {letter: l}}]
    asks: ["please settle {l} from {l.signed}", "{l} ({l.signed}) is paid, so settle it"]
    then: ["settle {l} from {l.signed}"]
    each: ["settle every letter {which}", "all letters {which} are to be settled"]
"""


@pytest.fixture
def sandbox() -> Sandbox:
    compiled = compile_checked(load_text(OFFICE, "box.yaml"), Memo())
    return Sandbox(Runtime(compiled, grow_state(compiled, 7).data, ""))


def say(sandbox: Sandbox, letter: str) -> WordedRequest | None:
    [ask] = sandbox.goals["settle_it"].goal.then
    return word_request(sandbox, Describer(sandbox), ask, {"l": ("letter", letter)}, {}, 0)


def test_what_a_name_has_become_is_not_said(sandbox: Sandbox) -> None:
    first, *others = sandbox.opening("letter")
    at = sandbox.compiled.tables["letter"].position["writer"]
    other = next(row for row in others if row.values[at] != first.values[at])
    sandbox.start("clerk", sandbox.actors["clerk"][0])
    assert say(sandbox, first.id) is not None
    assert sandbox.session.call("forget", {"writer": first.values[at]}).ok
    assert say(sandbox, first.id) is None
    assert say(sandbox, other.id) is not None


def test_rows_are_called_what_they_were_called_at_first(sandbox: Sandbox) -> None:
    [letter, *_] = sandbox.opening("letter")
    wanted = Describer(sandbox).refer("letter", letter.id)
    sandbox.start("clerk", sandbox.actors["clerk"][0])
    writer = letter.values[sandbox.compiled.tables["letter"].position["writer"]]
    assert sandbox.session.call("forget", {"writer": writer}).ok
    assert wanted is not None
    assert Describer(sandbox).refer("letter", letter.id) == wanted


def test_only_what_came_just_before_is_called_the_same(sandbox: Sandbox) -> None:
    describer, actor = Describer(sandbox), sandbox.actors["clerk"][0]
    at = sandbox.compiled.tables["letter"].position["writer"]
    [writer, *_] = sandbox.opening("writer")
    letter = next(row for row in sandbox.opening("letter") if row.values[at] != writer.id)

    def leg(goal: str, name: str, row: tuple[str, str]) -> Leg:
        bound = BoundGoal(goal, "clerk", actor, {name: row}, {})
        words = word_request(sandbox, describer, sandbox.goals[goal].goal.then[0], bound.rows, {}, 0)
        assert words is not None
        return Leg(bound, words)

    sandbox.start("clerk", actor)
    first = leg("forget_them", "w", ("writer", writer.id))
    walk = Walk(sandbox, describer, Tried(sandbox, 7, None), (7, "walk", 0), [first])
    assert perform(sandbox, first.bound, (7, 0), walk.so_far)
    assert walk._map_names() == {("writer", writer.id): "the same writer"}
    assert walk.follow(leg("settle_it", "l", ("letter", letter.id)))
    assert walk._map_names() == {("letter", letter.id): "the same letter"}


def test_only_an_amount_that_stays_is_added_up() -> None:
    world = world_of(build(load_text(OFFICE, "box.yaml"), 7).pack)
    told = [task.instruction for task in world.tasks if "without the ones left out" in task.instruction]
    assert told
    assert all("the sum of their price" in text for text in told)
    assert not any("(gone)" in task.instruction for task in world.tasks)
