"""Same Blueprint, same seed, same calls: same bytes. And nothing else is ever touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.domains import CORE_IN_TURN
from tests.effort import examples
from tests.random_caller import Caller
from tests.worlds import LIBRARY, NAMES, SMALL, role_of, runtime, take, text, walks

from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.state import check_state, connect
from worldwright.store.open import world_of
from worldwright.world.records import TableDiff

quick = settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))


def effort(name: str) -> settings:
    """Fewer walks where a world is large."""
    return quick if name in (LIBRARY, SMALL) else settings(quick, max_examples=examples(6))


BUILD = """
import sys
from worldwright.blueprint.load import load_text
from worldwright.kinds.database.builder import COMPILE_STAGES, start_draft
from worldwright.kinds.database.compile.pipeline import run_stages
from worldwright.core.memo import Memo
from worldwright.core.canonical import sha256
from worldwright.compiler.build import build
checked = load_text(sys.stdin.read())
if sys.argv[1] == "tasks":
    print(build(checked, 7).pack.manifest.digest)
else:
    draft = next(draft for stage, draft in run_stages(COMPILE_STAGES, start_draft(checked, 7, Memo())) if stage == "graph")
    print(draft.grown.digest, sha256(draft.files["graph.json"]))
"""


# building


@pytest.mark.parametrize("name", [LIBRARY, SMALL, *(pytest.param(n, marks=pytest.mark.slow) for n in CORE_IN_TURN)])
def test_two_processes_build_the_same_pack(name: str) -> None:
    """Whole where that is quick, else state and graph; whatever the hashes are."""
    command = [sys.executable, "-c", BUILD, "tasks" if name in (LIBRARY, SMALL) else "graph"]
    found = set()
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(command, input=text(name), env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert found != {""}


@cache
def tables(blueprint: str, seed: int = 7) -> dict[str, dict[str, dict[str, Any]]]:
    """Every cell of an opening state: table, id, column."""
    checked = load_cached(blueprint)
    conn = connect(build(checked, seed, with_tasks=False).pack.state)
    out = {}
    for name, entity in checked.schema.entities.items():
        columns = ["id", *(c.name for c in entity.stored)]
        listed = ", ".join(f'"{c}"' for c in columns)
        rows = conn.execute(f'SELECT {listed} FROM "{name}" ORDER BY id').fetchall()
        out[name] = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    conn.close()
    return out


def edited(*edits: tuple[str, str]) -> str:
    out = text(LIBRARY)
    for old, new in edits:
        assert out.count(old) == 1, old
        out = out.replace(old, new)
    return out


EDITS = {
    "a field at the end": ("      owed: money = sum", "      hobby: sentence\n      owed: money = sum"),
    "a field in front": (
        "      name: person\n      mail: email",
        "      hobby: product\n      name: person\n      mail: email",
    ),
    "a drawn field": ("      blocked: bool", "      luck: int ~ between(1, 1000)\n      blocked: bool"),
    "a field elsewhere": ("      genre: one of", "      pages: int ~ skewed(40, 900)\n      genre: one of"),
    "an entity": (
        "  notice:\n    in: mail",
        "  branch:\n    in: desk\n    key: BR-##\n    rows: 5\n    fields: {name: city, opened_on: date}\n  notice:\n    in: mail",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_is_added_changes_nothing_else(what: str) -> None:
    before, after = tables(text(LIBRARY)), tables(edited(EDITS[what]))
    for table, rows in before.items():
        assert set(after[table]) == set(rows)
        for key, row in rows.items():
            assert {column: after[table][key][column] for column in row} == row


def test_more_base_rows_leave_the_first_ones_as_they_were() -> None:
    """Without a past and without mess, because those look at every row there is; and but for days, where edges are planted."""
    bare = text(LIBRARY)[: text(LIBRARY).index("\ngoals:\n")]
    more = bare.replace("    rows: 60\n", "    rows: 90\n").replace("    rows: 8\n", "    rows: 12\n")
    before, after = tables(bare + "\n"), tables(more + "\n")
    for table in ("member", "clerk", "title", "copy"):
        for key, row in before[table].items():
            assert {**after[table][key], "joined_on": ""} == {**row, "joined_on": ""}


@pytest.mark.slow
def test_another_seed_is_another_state_of_the_same_tools() -> None:
    one, other = (build(load_cached(text(LIBRARY)), seed).pack for seed in (7, 8))
    assert one.manifest.state != other.manifest.state
    assert one.manifest.digest != other.manifest.digest
    assert one.manifest.blueprint == other.manifest.blueprint
    same = {path for path in one.files if one.files[path] == other.files.get(path)}
    assert {path for path in one.files if path.startswith("tools")} <= same
    assert tables(text(LIBRARY), 7)["member"] != tables(text(LIBRARY), 8)["member"]


# running


def walked(session: Session, world: Runtime, seeds: list[int], caller: Caller | None = None) -> list[Any]:
    guide = caller or Caller(world, session.role)
    return [take(session, guide, seed) for seed in seeds]


def dumped(world: Runtime, state: bytes) -> dict[str, dict[str, dict[str, Any]]]:
    conn = connect(state)
    out = {
        name: {row[0]: table.record(row) for row in conn.execute(table.select).fetchall()}
        for name, table in world.compiled.tables.items()
    }
    conn.close()
    return out


def compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, TableDiff]:
    """The diff of two whole states."""
    out = {}
    for table, old in before.items():
        new = after[table]
        changed = {
            key: {
                column: (old[key][column], new[key][column])
                for column in old[key]
                if old[key][column] != new[key][column]
            }
            for key in old.keys() & new.keys()
            if old[key] != new[key]
        }
        diff = TableDiff(
            {key: new[key] for key in new.keys() - old.keys()},
            changed,
            {key: old[key] for key in old.keys() - new.keys()},
        )
        if diff:
            out[table] = diff
    return out


@pytest.mark.parametrize("name", NAMES)
def test_the_diff_of_touched_rows_is_the_diff_of_two_dumps(name: str) -> None:
    world = runtime(name)
    session = world.session("")
    opening = dumped(world, world.state)

    @effort(name)
    @given(walks(40))
    def walk(drawn: tuple[int, list[int]]) -> None:
        session.reset(role_of(world, drawn[0]))
        walked(session, world, drawn[1])
        assert session.diff() == compared(opening, dumped(world, session.snapshot()))

    walk()
    session.close()


@pytest.mark.parametrize("name", NAMES)
def test_reset_is_a_new_session(name: str) -> None:
    world = runtime(name)
    used = world.session("")

    @effort(name)
    @given(walks(30), walks(15))
    def walk(first: tuple[int, list[int]], second: tuple[int, list[int]]) -> None:
        used.reset(role_of(world, first[0]))
        walked(used, world, first[1])
        role = role_of(world, second[0])
        used.reset(role)
        assert used.digest() == world.state_digest()
        assert used.diff() == {}
        assert used.violations() == ()
        fresh = world.session(role)
        assert walked(used, world, second[1]) == walked(fresh, world, second[1])
        assert (used.digest(), used.clock, used.violations()) == (fresh.digest(), fresh.clock, fresh.violations())
        assert used.diff() == fresh.diff()
        fresh.close()

    walk()
    used.close()


@quick
@given(walks(12), walks(12), walks(12))
def test_sessions_side_by_side_are_as_one_after_the_other(
    first: tuple[int, list[int]], second: tuple[int, list[int]], third: tuple[int, list[int]]
) -> None:
    drawn = (first, second, third)
    world = runtime(LIBRARY)
    serial = []
    for number, seeds in drawn:
        session = world.session(role_of(world, number))
        serial.append((walked(session, world, seeds), session.digest(), session.clock))
        session.close()
    sessions = [world.session(role_of(world, number)) for number, _ in drawn]
    callers = [Caller(world, s.role) for s in sessions]
    steps: list[list[Any]] = [[] for _ in drawn]
    for i in range(max(len(seeds) for _, seeds in drawn)):
        for k, (_, seeds) in enumerate(drawn):
            if i < len(seeds):
                steps[k].append(take(sessions[k], callers[k], seeds[i]))
    assert [(s, x.digest(), x.clock) for s, x in zip(steps, sessions, strict=True)] == serial
    for session in sessions:
        session.close()


@pytest.mark.parametrize("name", [LIBRARY, SMALL])
def test_a_fork_is_a_replay(name: str) -> None:
    world = world_of(build(load_cached(text(name)), 7).pack)
    compiled = runtime(name)

    @quick
    @given(walks(15), walks(10))
    def walk(first: tuple[int, list[int]], more: tuple[int, list[int]]) -> None:
        env = world.env()
        env.reset(role=role_of(compiled, first[0]))
        caller = Caller(compiled, role_of(compiled, first[0]))
        calls = [take(env.agent, caller, seed) for seed in first[1]]
        fork = env.fork()
        before = (env.state_digest(), env.diff(), env.violations(), env.trajectory().steps)
        rest = [take(fork.agent, caller, seed) for seed in more[1]]
        assert (env.state_digest(), env.diff(), env.violations(), env.trajectory().steps) == before, "the fork is apart"
        replay = world.env()
        replay.reset(role=role_of(compiled, first[0]))
        for tool, arguments, result in [*calls, *rest]:
            assert replay.call_tool(tool, arguments) == result
        assert replay.state_digest() == fork.state_digest()
        assert replay.diff() == fork.diff()
        assert replay.violations() == fork.violations()
        assert replay.trajectory() == fork.trajectory()
        for e in (env, fork, replay):
            e.close()

    walk()


@pytest.mark.parametrize("name", NAMES)
def test_a_snapshot_is_the_state(name: str) -> None:
    world = runtime(name)
    session = world.session("")

    @effort(name)
    @given(walks(25))
    def walk(drawn: tuple[int, list[int]]) -> None:
        session.reset(role_of(world, drawn[0]))
        walked(session, world, drawn[1])
        data = session.snapshot()
        check_state(data, world.compiled.blueprint.schema)
        again = Runtime(world.compiled, data, "")
        assert again.state_digest() == session.digest()
        twin = again.session(session.role)
        assert twin.snapshot() == data
        twin.close()

    walk()
    session.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_call_changes_nothing(name: str) -> None:
    """Not the state, not the clock, and not the numbers that new ids take: those have no gaps."""
    world = runtime(name)
    session = world.session("")
    keys = {e.name: e.key for e in world.compiled.blueprint.schema.entities.values()}

    @effort(name)
    @given(walks(30))
    def walk(drawn: tuple[int, list[int]]) -> None:
        session.reset(role_of(world, drawn[0]))
        caller = Caller(world, session.role)
        digest, clock = session.digest(), session.clock
        handed: dict[str, set[int]] = {}
        for seed in drawn[1]:
            tool, _, result = take(session, caller, seed)
            if not result.ok or not world.tools[tool].mutates:
                assert (session.digest(), session.clock) == (digest, clock), tool
            digest, clock = session.digest(), session.clock
            for table, diff in session.diff().items():
                handed.setdefault(table, set()).update(keys[table].number(key) or 0 for key in diff.added)
        for table, numbers in handed.items():
            first = world.opening.counters[table] + 1
            assert numbers == set(range(first, first + len(numbers))), f"ids of {table} have a gap"

    walk()
    session.close()


# what is left of a call that was refused, and of one that only read


def test_the_caller_is_as_before_after_a_refusal() -> None:
    session = runtime(SMALL).session("junior")
    before = session.call("who_am_i", {}).data
    refused = session.call("count_me", {"by_how_many": 5})
    assert refused.error is not None
    assert refused.error.code == "ENOUGH"
    assert session.call("who_am_i", {}).data == before
    session.close()


def test_a_rule_broken_by_reading_is_not_laid_to_the_next_write() -> None:
    world = runtime(SMALL)
    session = world.session("senior")
    owned = {row["id"]: row["owner"] for row in session.call("find_boxes", {"limit": 50}).data["items"]}
    stray = next(key for key, owner in sorted(owned.items()) if owner is None)
    session.call("look_around", {"box": stray})
    session.call("count_me", {"by_how_many": 0})
    assert [tool for policy, tool, _ in session.violations() if policy == "tidy"] in ([], ["look_around"])
    session.close()
