"""The walker: what it gives it has seen, what it may not call it does not, and it does the same thing every time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compiler.graph.drafts import NAMES, STRONG_LIBRARY, argument, drafted, strings
from tests.effort import examples
from tests.worlds import LIBRARY

from worldwright.blueprint.toolgraph import INDEPENDENT, STRONG, WEAK, derive_graph
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits
from worldwright.kinds.database.compile.graph.memory import Memory, remember, take_over
from worldwright.kinds.database.compile.graph.plan import plan_of
from worldwright.kinds.database.compile.graph.pool import Pool
from worldwright.kinds.database.compile.graph.walker import (
    MAX_BONUS,
    Move,
    compute_bonus,
    propose,
    walk_graph,
    weigh_tool,
)

CALLS = 50
SEEDS = 3


@cache
def walked(name: str) -> tuple[tuple[str, tuple[Move, ...]], ...]:
    """Walks of every role."""
    runtime, _ = drafted(name)
    out = []
    for role in runtime.roles or ("",):
        for seed in range(SEEDS):
            session = runtime.session(role)
            stream = Stream("test", seed, role)
            out.append(
                (
                    role,
                    walk_graph(session, runtime.compiled, role, stream, CALLS, runtime.opening.actors.get(role) or ""),
                )
            )
            session.close()
    return tuple(out)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_given_was_shown_by_the_calls_that_are_named(name: str) -> None:
    for _, walk in walked(name):
        for move in walk:
            for use in move.uses:
                assert argument(move.step.call.arguments, use.at) == use.value
                assert use.sources or not use.entity, "ids are never made up"
                for source in use.sources:
                    shown = walk[source - 1]
                    assert shown.number == source < move.number
                    assert shown.step.result.ok
                    if use.entity:
                        assert use.value in set(strings(shown.step.result.data))
                        assert use.value not in set(strings(shown.step.call.arguments))
                    else:
                        assert str(use.value) in str(shown.step.result.data)


@pytest.mark.parametrize("name", NAMES)
def test_calls_are_well_formed_and_allowed(name: str) -> None:
    wrong = {"INVALID_ARGUMENT", "FORBIDDEN", "UNKNOWN_TOOL"}
    for _, walk in walked(name):
        assert [m.number for m in walk] == list(range(1, CALLS + 1))
        for move in walk:
            error = move.step.result.error
            if error is not None and error.message.startswith("One can wait for a moment"):
                # Where the world's time ends is told only by this refusal.
                assert move.step.call.arguments["moment"] > error.message.removesuffix(".")[-len(move.step.clock) :]
                continue
            assert error is None or error.code not in wrong, f"{move.step.call} {error}"
            if error is not None and "argument" in (error.details or {}):
                assert error.code == "NOT_FOUND", f"{move.step.call} {error}"


@pytest.mark.parametrize("name", NAMES)
def test_a_row_that_is_gone_is_not_given_again(name: str) -> None:
    for _, walk in walked(name):
        gone: set[str] = set()
        for move in walk:
            given = {u.input: u.value for u in move.uses if u.entity}
            assert not gone & set(given.values())
            error = move.step.result.error
            if error is not None and error.code == "NOT_FOUND" and error.details:
                gone.add(given.get(str(error.details.get("argument")), ""))


@pytest.mark.parametrize("name", NAMES)
def test_most_writes_succeed(name: str) -> None:
    runtime, _ = drafted(name)
    writes = [m for _, walk in walked(name) for m in walk if runtime.tools[m.step.call.tool].mutates]
    assert len(writes) > 0.2 * CALLS * SEEDS
    assert sum(m.step.result.ok for m in writes) > 0.5 * len(writes)


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_write_is_not_sent_again(name: str) -> None:
    runtime, _ = drafted(name)
    for _, walk in walked(name):
        sent = [str(m.step.call) for m in walk if not m.step.result.ok and runtime.tools[m.step.call.tool].mutates]
        assert len(sent) == len(set(sent))


@pytest.mark.parametrize("name", [STRONG_LIBRARY, *NAMES])
def test_strong_precedence(name: str) -> None:
    """A tool whose required input can only come from one other is never called before that one has shown something."""
    runtime, _ = drafted(name)
    strong = {(e.source, e.target) for e in derive_graph(runtime.compiled.blueprint) if e.weight == STRONG}
    called = set()
    for _, walk in walked(name):
        done: set[str] = set()
        for move in walk:
            tool = move.step.call.tool
            called.add(tool)
            assert all(source in done for source, target in strong if target == tool)
            if move.step.result.ok:
                done.add(tool)
    if name == STRONG_LIBRARY:
        assert strong
        assert all(target in called for _, target in strong)


def test_the_same_stream_is_the_same_walk() -> None:
    runtime, _ = drafted(LIBRARY)
    walks = [
        walk_graph(runtime.session("manager"), runtime.compiled, "manager", Stream("same"), CALLS) for _ in range(2)
    ]
    assert walks[0] == walks[1]
    other = walk_graph(runtime.session("manager"), runtime.compiled, "manager", Stream("other"), CALLS)
    assert other != walks[0]


def test_an_episode_is_walked_like_a_session() -> None:
    runtime, _ = drafted(LIBRARY)
    env = Env(runtime, "0" * 64)
    env.reset(role="librarian")
    found = walk_graph(env, runtime.compiled, "librarian", Stream("env"), CALLS)
    same = walk_graph(runtime.session("librarian"), runtime.compiled, "librarian", Stream("env"), CALLS)
    assert [(m.step, m.uses) for m in found] == [(m.step, m.uses) for m in same]
    assert env.trajectory().steps == tuple(m.step for m in found)
    env.close()


def test_a_walk_ends_with_its_episode() -> None:
    runtime, _ = drafted(LIBRARY)
    env = Env(runtime, "0" * 64, Limits(calls=7))
    env.reset(role="librarian")
    assert len(walk_graph(env, runtime.compiled, "librarian", Stream("short"), CALLS)) == 7
    env.close()


# weights

amounts = st.one_of(st.integers(0, 10**9), st.floats(0, 1e12))


@given(amounts, amounts)
def test_however_much_matches_a_heavier_edge_comes_first(few: float, many: float) -> None:
    assert 0 <= compute_bonus(many) <= MAX_BONUS < 1
    for light, heavy in ((INDEPENDENT, WEAK), (WEAK, STRONG), (INDEPENDENT, STRONG)):
        assert light + compute_bonus(many) < heavy + compute_bonus(few)
    assert (compute_bonus(few) < compute_bonus(many)) <= (few < many)


def weights_along(name: str, role: str, seed: int) -> Iterator[tuple[int, float]]:
    """At every step of a walk, for every tool: the heaviest edge from the latest calls, and the weight that it is drawn by."""
    runtime, _ = drafted(name)
    plan = runtime.compiled.derive(plan_of)
    memory = Memory(Pool(plan))
    take_over(memory, plan, role)
    session, stream = runtime.session(role), Stream("weights", seed)
    settled = {("find_loans", "take_back", "loan")}
    for _ in range(20):
        for tool in plan.offered[role]:
            edges = [plan.weights.get((source, tool.name), INDEPENDENT) for source in memory.recent]
            yield max(edges, default=INDEPENDENT), weigh_tool(plan, tool, memory, settled)
        found = propose(plan, role, memory, stream, session.clock, settled)
        assert found is not None
        remember(memory, plan.tools[found.tool], found.uses, session.call(found.tool, found.arguments))
    session.close()


@settings(max_examples=examples(10), deadline=None, database=None)
@given(st.sampled_from(("librarian", "manager")), st.integers(0, 2**32))
def test_the_bonus_stays_within_the_step_between_weights(role: str, seed: int) -> None:
    for edge, drawn in weights_along(STRONG_LIBRARY, role, seed):
        assert edge <= drawn < edge + 1
