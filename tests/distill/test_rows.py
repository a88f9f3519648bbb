"""Rows against the episodes that they are made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.distill.played import Scripted, chatty, record

from worldwright.agents.chat import call, get_tool_name, parse_tool_calls
from worldwright.distill.make import distill
from worldwright.distill.records import Recipe
from worldwright.distill.rows import COLUMNS, message
from worldwright.engine.world import World
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def made(folder: Path, runs: list[Run], *formats: str, **recipe: Any) -> dict[str, list[dict[str, Any]]]:
    distill([r.folder for r in runs], Recipe(formats, **recipe), folder)
    return {fmt: rows(folder / fmt / "train.jsonl") for fmt in formats}


def calls(messages: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(c["function"]["name"], c["function"]["arguments"]) for m in messages for c in m.get("tool_calls", ())]


def asked(episode: Episode) -> list[tuple[str, Any]]:
    return [(c.name, c.arguments) for m in episode.messages for c in parse_tool_calls(m)]  # type: ignore[arg-type]


def test_an_example_is_the_episode(library_world: World, good: Run, tmp_path: Path) -> None:
    found = {r["episode"]: r for r in made(tmp_path / "out", [good], "sft", likeness=1)["sft"]}
    assert len(found) == len(library_world.tasks)
    for episode in good.episodes():
        row, whole = found[episode.id], good.messages(episode)
        assert calls(row["messages"]) == asked(episode)
        assert [m["role"] for m in row["messages"]] == [m["role"] for m in whole[:-1]]
        for m, there in zip(row["messages"], whole, strict=False):
            assert m["content"] == (there["content"] or "")
        assert row["tools"] == good.tools(episode)
        assert calls(row["messages"])[-1] == (get_tool_name(episode.submit), episode.answer)


def test_messages_have_the_keys_of_the_convention(good: Run, tmp_path: Path) -> None:
    keys = {"system": {"role", "content"}, "user": {"role", "content"}, "tool": {"role", "name", "content"}}
    for row in made(tmp_path / "out", [good], "sft")["sft"]:
        for m in row["messages"]:
            assert isinstance(m["content"], str)
            assert set(m) == keys.get(m["role"], {"role", "content", "tool_calls"})
            for c in m.get("tool_calls", ()):
                assert set(c) == {"type", "function"}
                assert isinstance(c["function"]["arguments"], dict)


def test_every_format_has_its_columns(good: Run, bad: Run, tmp_path: Path) -> None:
    for fmt, found in made(tmp_path / "out", [good, bad], "sft", "dpo", "rl").items():
        assert found
        lists, texts = COLUMNS[fmt]
        for row in found:
            assert tuple(row) == (*lists, *texts)
            assert all(isinstance(row[name], str) for name in texts)


def test_reasons_are_left_out_unless_asked_for(good: Run, tmp_path: Path) -> None:
    reasons = {m["reasoning_content"] for e in good.episodes() for m in e.messages if m.get("reasoning_content")}
    assert reasons
    silent = (made(tmp_path / "a", [good], "sft"), (tmp_path / "a/sft/train.jsonl").read_text())[1]
    assert "reasoning" not in silent
    told = made(tmp_path / "b", [good], "sft", reasoning=True)["sft"]
    assert {m["reasoning_content"] for r in told for m in r["messages"] if "reasoning_content" in m} == reasons


def test_thoughts_in_the_words_go_with_the_reasons() -> None:
    given = call("find", {"a": 1}, reason="because") | {"content": "<think>hm\nhm</think>\n\nOn it."}
    assert message(given, False)["content"] == "On it."
    assert "reasoning_content" not in message(given, False)
    assert message(given, True)["content"].startswith("<think>")


def test_a_pair_holds_one_message_a_side(library_world: World, good: Run, bad: Run, tmp_path: Path) -> None:
    found = made(tmp_path / "out", [good, bad], "dpo")["dpo"]
    right, wrong = ({e.id: e for e in run.episodes()} for run in (good, bad))
    assert len(found) == len(library_world.tasks)
    for row in found:
        one, other = right[row["chosen_episode"]], wrong[row["rejected_episode"]]
        [chosen], [rejected] = row["chosen"], row["rejected"]
        assert calls([*row["prompt"], chosen]) == asked(one)
        assert calls([*row["prompt"], rejected]) == asked(other)
        assert row["kind"] == "answer"
        results = [m["content"] for m in row["prompt"] if m["role"] == "tool"]
        assert results == [m["content"] for m in one.messages if m["role"] == "tool"][:-1]
        assert results == [m["content"] for m in other.messages if m["role"] == "tool"][:-1]


def test_only_words_do_not_part(library_world: World, good: Run, tmp_path: Path) -> None:
    talk = record(library_world, Scripted("chatty", chatty), tmp_path / "talk")
    for row in made(tmp_path / "out", [good, talk], "dpo")["dpo"]:
        assert row["kind"] == "answer"
        assert "Let me see." not in json.dumps(row)


@pytest.fixture(scope="module")
def asks(good: Run, bad: Run, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return made(tmp_path_factory.mktemp("rl") / "out", [good, bad], "rl")["rl"]


def test_a_task_is_what_an_agent_is_given(asks: list[dict[str, Any]], library_world: World) -> None:
    assert sorted(row["task"] for row in asks) == sorted(task.id for task in library_world.tasks)
    env = library_world.env()
    for row in asks:
        assert row["world"] == library_world.digest
        first = env.reset(row["task"])
        assert row["prompt"] == [dict(m) for m in first.messages]
        assert [get_tool_name(t) for t in row["tools"][:-1]] == [t.name for t in first.tools]


def test_a_task_gives_nothing_away(asks: list[dict[str, Any]], library_world: World) -> None:
    for row in asks:
        key = library_world.key(row["task"])
        text = json.dumps(row)
        for word in ("tool_calls", "assistant", "verdict", "reward", "reasoning", "broken_rules"):
            assert word not in text
        secrets = [c.arguments for c in key.calls if c.arguments] + ([key.answer] if key.answer else [])
        assert secrets
        told = json.dumps([row["prompt"], *(row[n] for n in COLUMNS["rl"][1])])
        for secret in secrets:
            assert json.dumps(json.dumps(secret))[1:-1] not in told
            assert json.dumps(secret) not in text
