"""Messages and rows as TRL and the chat templates of Hugging Face take them.

    {"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "function": {"name": "find_people", "arguments": {"name": "Ann"}}}]}
    {"role": "tool", "name": "find_people", "content": "{\"ok\": true, ...}"}

Arguments are an object: templates turn them into text themselves, and text would be quoted twice. `content` is always text,
because templates fail on null or on nothing, each on another one. Ids of calls are left out: results follow their calls in order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, parse_tool_calls
from worldwright.distill.reader import EpisodeReader
from worldwright.distill.records import EpisodeSummary, Pair
from worldwright.rollout.records import Episode

_THOUGHT = re.compile(r"<think>.*?</think>\s*", re.DOTALL)
_OF_TASK = ("domain", "variant", "world", "task", "family", "role", "face")

COLUMNS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "sft": (("messages", "tools"), (*_OF_TASK, "agent", "episode")),
    "dpo": (
        ("prompt", "chosen", "rejected", "tools"),
        (*_OF_TASK, "kind", "chosen_agent", "rejected_agent", "chosen_episode", "rejected_episode"),
    ),
    "rl": (("prompt", "tools"), _OF_TASK),
}
"""By format: the columns that are lists of objects, and those that are text."""

Row = Mapping[str, Any]
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A row, or a part of one, as a line of JSON has it."""


def make_sft_row(shelf: EpisodeReader, seen: EpisodeSummary, reasoning: bool) -> Row:
    """A success from the system message to the call that submits. What that call came to teaches nothing."""
    episode = shelf.episode(seen)
    last = max(at for at, m in enumerate(episode.messages) if m["role"] == "assistant")
    messages = _messages(shelf, seen, episode.messages[: last + 1], reasoning)
    return {
        "messages": messages,
        "tools": _tools(shelf, episode),
        **_task_columns(seen),
        "agent": seen.agent,
        "episode": seen.id,
    }


def make_dpo_row(shelf: EpisodeReader, pair: Pair, reasoning: bool) -> Row:
    """Make a row of what both had before them, and the one message in which they differ."""
    good, bad = shelf.episode(pair.chosen), shelf.episode(pair.rejected)
    at, other = _find_message(good, pair.at), _find_message(bad, pair.at)
    return {
        "prompt": _messages(shelf, pair.chosen, good.messages[:at], reasoning),
        "chosen": [message(good.messages[at], reasoning)],
        "rejected": [message(bad.messages[other], reasoning)],
        "tools": _tools(shelf, good),
        **_task_columns(pair.chosen),
        "kind": pair.kind,
        "chosen_agent": pair.chosen.agent,
        "rejected_agent": pair.rejected.agent,
        "chosen_episode": pair.chosen.id,
        "rejected_episode": pair.rejected.id,
    }


def make_rl_row(shelf: EpisodeReader, seen: EpisodeSummary) -> Row:
    """Make a row of what an agent is given and where it is to act; nothing of what anybody did."""
    episode = shelf.episode(seen)
    return {
        "prompt": _messages(shelf, seen, episode.messages[:1], False),
        "tools": _tools(shelf, episode),
        **_task_columns(seen),
    }


def message(given: Mapping[str, Any], reasoning: bool) -> dict[str, Any]:
    """A message of an episode, as templates take it."""
    role, text = given["role"], given.get("content") or ""
    if role == "tool":
        return {"role": role, "name": given["name"], "content": text}
    if role != "assistant":
        return {"role": role, "content": text}
    out: dict[str, Any] = {"role": role, "content": text if reasoning else _THOUGHT.sub("", text)}
    if reasoning and given.get("reasoning_content"):
        out["reasoning_content"] = given["reasoning_content"]
    calls = parse_tool_calls(_make_message(given))
    if calls:
        out["tool_calls"] = [
            {"type": "function", "function": {"name": c.name, "arguments": dict(c.arguments)}} for c in calls
        ]
    return out


def _make_message(given: Mapping[str, Any]) -> Message:
    return {"role": "assistant", "content": given.get("content"), "tool_calls": given.get("tool_calls") or []}


def _messages(
    shelf: EpisodeReader, seen: EpisodeSummary, given: Sequence[Mapping[str, Any]], reasoning: bool
) -> list[dict[str, Any]]:
    system = {"role": "system", "content": shelf.opening(seen).system}
    return [system, *(message(m, reasoning) for m in given)]


def _tools(shelf: EpisodeReader, episode: Episode) -> list[Mapping[str, Any]]:
    return [*shelf.openings[episode.opening].tools, episode.submit]


def _find_message(episode: Episode, number: int) -> int:
    """Find where the agent's message of this number stands."""
    return [at for at, m in enumerate(episode.messages) if m["role"] == "assistant"][number]


def _task_columns(seen: EpisodeSummary) -> dict[str, str]:
    return {name: getattr(seen, name) for name in _OF_TASK}
