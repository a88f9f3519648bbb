"""The planner plays: it solves some tasks, says the same for the same seed, always ends, gives reasons, and survives any junk."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from worldwright.agents import chat, planner
from worldwright.agents.chat import Message
from worldwright.agents.planner import MAX_CALLS
from worldwright.agents.planner.converse import MAX_MORE, MAX_QUESTIONS
from worldwright.agents.protocol import Brief, Options, fingerprint, make_agent
from worldwright.compiler.build import BuiltWorld
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.store.open import world_of

SOURCE = Path(planner.__file__).parent


def played(world: World, temperature: float, seed: int, tasks: int | None = None) -> list[Episode]:
    mind = planner.make(Options(temperature=temperature))
    env, openings = world.env(), Openings()
    return [
        play(
            env,
            mind,
            EpisodeSetup(t.id, EpisodeKey(world.digest, t.id, seed), world.name, "v", "plain", seed, fingerprint(mind)),
            Limits(),
            openings,
        )
        for t in world.tasks[:tasks]
    ]


@pytest.fixture(scope="module")
def plain(library_world: World) -> list[Episode]:
    return played(library_world, 0.0, 1)


def test_it_is_found_by_name() -> None:
    assert make_agent("planner").name == "planner"
    assert not make_agent("planner").sees_key


def test_it_solves_some_tasks_of_a_small_world_and_not_all(plain: list[Episode]) -> None:
    passed = sum(e.passed for e in plain)
    assert len(plain) // 20 <= passed < len(plain)


def test_every_episode_ends_with_an_answer_within_its_calls(plain: list[Episode]) -> None:
    assert {e.outcome for e in plain} == {"submitted"}
    assert max(len(e.steps) for e in plain) <= MAX_CALLS


def test_every_call_has_its_reason(plain: list[Episode]) -> None:
    said = [m for e in plain for m in e.messages if m["role"] == "assistant"]
    assert said
    assert all(len(m["reasoning_content"].split()) >= 4 for m in said)


def test_the_same_seed_says_the_same(library_world: World, plain: list[Episode]) -> None:
    assert [e.digest for e in played(library_world, 0.0, 1)] == [e.digest for e in plain]
    warm = played(library_world, 0.7, 3, 12)
    assert [e.digest for e in played(library_world, 0.7, 3, 12)] == [e.digest for e in warm]


def test_cold_it_says_the_same_whatever_the_seed(library_world: World, plain: list[Episode]) -> None:
    assert [e.messages for e in played(library_world, 0.0, 2)] == [e.messages for e in plain]


def test_warm_other_seeds_say_other_things(library_world: World) -> None:
    assert [e.messages for e in played(library_world, 1.0, 1)] != [e.messages for e in played(library_world, 1.0, 2)]


def test_the_temperature_is_part_of_who_it_is() -> None:
    assert fingerprint(planner.make(Options(temperature=0.2))) != fingerprint(planner.make(Options(temperature=0.9)))


@pytest.mark.slow
def test_it_solves_some_tasks_of_a_catalogue_world(built: Any) -> None:
    one: BuiltWorld = built("enterprise_procurement")
    episodes = played(world_of(one.pack), 0.0, 1)
    passed = [e for e in episodes if e.passed]
    assert len(passed) >= len(episodes) // 6
    few = [e.passed for e in episodes if e.features["calls"] <= 3]
    many = [e.passed for e in episodes if e.features["calls"] > 5]
    assert sum(few) / len(few) > sum(many) / len(many)


def test_it_does_not_know_how_tasks_are_made() -> None:
    hidden = {"compiler", "blueprint", "catalogue", "kinds", "factory", "assay"}
    for path in sorted(SOURCE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if set(n.split(".")) & hidden], f"{path.name} imports {names}"


# Junk: whatever schemas, messages and results look like, it goes on and ends.

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, width=16)
    | st.text(max_size=8)
    | st.just("AB-0001"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "status", "items", "x_on"]), inner)
    ),
    max_leaves=8,
)
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", ["string", "null"]])
        | JSON,
        "enum": st.lists(JSON, max_size=3) | JSON,
        "pattern": st.sampled_from(["^AB-[0-9]{3,}$", "(", ""]) | JSON,
        "format": st.sampled_from(["date", "date-time"]) | JSON,
        "description": st.text(max_size=20) | JSON,
        "items": JSON,
        "maximum": JSON,
    },
)
TOOLS = st.builds(
    lambda name, says, fields, needed: chat.make_function_tool(
        name, says, {"type": "object", "properties": fields, "required": needed}
    ),
    st.sampled_from(["search_things", "get_thing", "create_thing", "quote_thing", "x", "", "find_"])
    | st.text(max_size=10),
    st.text(max_size=30),
    st.dictionaries(
        st.sampled_from(["thing", "limit", "amount", "note", "x_on_from", "record", "lines", "outcome"]), SCHEMAS
    ),
    st.lists(st.sampled_from(["thing", "amount", "note", "lines"]), max_size=3),
)
REQUESTS = st.text(max_size=60) | st.sampled_from(
    [
        "Please create a thing for Ann Lee on 5 May 2025 over 3.50 EUR. Then close AB-0001.",
        "How many things?",
        '> "Quoted" 12:30 one',
    ]
)


@given(
    st.lists(TOOLS, min_size=1, max_size=4), REQUESTS, st.lists(JSON, max_size=6), st.floats(0, 2), st.integers(0, 9)
)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_junk_does_not_stop_it(
    tools: list[Mapping[str, Any]], text: str, results: list[Any], temperature: float, seed: int
) -> None:
    actor = planner.make(Options(temperature=temperature)).begin(Brief(seed))
    messages: list[Message] = [
        {"role": "system", "content": f"# Rules\n- **{text}**: no\n"},
        {"role": "user", "content": text},
    ]
    submit = chat.get_submit_name(tools)
    for turn in range(MAX_CALLS + 2):
        said = actor.act(messages, tools)
        assert isinstance(said, dict)
        [asked] = chat.parse_tool_calls(said)
        assert not asked.problem
        if asked.name == submit:
            break
        found = results[turn % len(results)] if results else None
        ok = turn % 3 != 0
        content = json.dumps({"ok": ok, "data": found, "error": found} if turn % 5 else found)
        messages = [*messages, said, chat.make_tool_message(asked, content)]
    else:
        pytest.fail("it did not end")


@pytest.mark.parametrize("content", [None, "", "no json", "[]", '{"ok": true}', '{"ok": false, "error": 3}'])
def test_odd_messages_do_not_stop_it(content: str | None) -> None:
    tools = [chat.make_function_tool("search_things", "Search.", {}), chat.make_submit_tool([], {})]
    actor = planner.make(Options()).begin(Brief(1))
    messages: list[Message] = [{"role": "user", "content": content}]
    names = []
    for _ in range(MAX_CALLS + 1):
        said = actor.act(messages, tools)
        assert isinstance(said, dict)
        names.append(chat.parse_tool_calls(said)[0].name)
        messages = [*messages, said, {"role": "tool", "content": content}]
    assert names[-1] == "submit_answer"


def test_it_asks_for_what_the_request_leaves_out(library_world: World) -> None:
    """Under the face `asking`: questions come first, nobody is asked without end, and what they tell is heard."""
    mind = planner.make(Options(temperature=0.0))
    told = 0
    for task in [t for t in library_world.tasks if t.requester is not None and t.requester.facts]:
        spot = EpisodeKey(library_world.digest, task.id, 1)
        setting = EpisodeSetup(task.id, spot, library_world.name, "v", "asking", 1, fingerprint(mind))
        found = play(library_world.env(face="asking"), mind, setting, Limits())
        tools = [step["tool"] for step in found.steps]
        asked = tools.count("ask_requester")
        assert 0 < asked <= 2 * MAX_QUESTIONS + MAX_MORE
        assert "ask_requester" not in tools[asked:]
        replies = " ".join(str(m["content"]) for m in found.messages if m.get("name") == "ask_requester")
        assert task.requester is not None
        told += any(fact.says in replies for fact in task.requester.facts)
    assert told > 0
