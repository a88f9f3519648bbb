"""Demonstrations for SFT: the gold walks of the training worlds, or distilled rows.

A demonstration must not ask for what the model cannot know. Where results or the handbook are cut short, a call that names a value
which was cut away would teach guessing: such demonstrations are dropped, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldwright.agents.chat import Message, Tool, parse_tool_calls
from worldwright.agents.oracle import Oracle
from worldwright.agents.protocol import Agent
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode
from worldwright.train.compact_prompt import select_parameters
from worldwright.train.error_recovery import WRONG_CALL_REASON, ErrorRecoveryOracle
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import Settings
from worldwright.train.tool_subset import select_tools

FAILED = "the gold walk did not pass"
NEEDS_HIDDEN = "a call needs a value that was cut away"
TOO_LONG = "longer than the context"


class TokenizedDemonstrations(NamedTuple):
    """Demonstrations as tokens, and why others were dropped."""

    episodes: list[TokenizedEpisode]
    dropped: Mapping[str, int]


class Demonstration(NamedTuple):
    messages: Sequence[Message]
    tools: Sequence[Tool]
    wrong_turn: int | None = None
    """Index of the message that makes a deliberate wrong call, which is context and not a target."""


def build_demonstrations(
    settings: Settings, chat_format: ChatFormat, tasks: Iterable[WorldTask], note: Callable[[str], None]
) -> list[TokenizedEpisode]:
    """Build the demonstrations of a run, and note how many there are and why others were dropped."""
    how, sft = settings.rollout, settings.sft
    found: Iterable[Demonstration | None] = (
        read_distilled_rows(map(Path, sft.data))
        if sft.data
        else play_gold_walks(tasks, how.face, how.max_tools, sft.error_recovery)
    )
    built = tokenize_demonstrations(chat_format, found, how.max_context_tokens)
    dropped = "".join(f"; {n} dropped: {reason}" for reason, n in built.dropped.items())
    note(f"{len(built.episodes)} demonstrations{dropped}")
    if not built.episodes:
        raise UsageError(
            "there is no demonstration to learn from: raise rollout.max_context_tokens, or chat_format.max_result_rows and "
            "chat_format.max_result_chars"
        )
    return built.episodes


def tokenize_demonstrations(
    chat_format: ChatFormat, demonstrations: Iterable[Demonstration | None], max_context_tokens: int
) -> TokenizedDemonstrations:
    """Tokenize demonstrations, and drop those that cannot be learned from. None stands for one that did not pass."""
    episodes: list[TokenizedEpisode] = []
    dropped: Counter[str] = Counter()
    for one in demonstrations:
        if one is None:
            dropped[FAILED] += 1
        elif needs_hidden_value(chat_format, one):
            dropped[NEEDS_HIDDEN] += 1
        else:
            episode = chat_format.tokenize_episode(one.messages, one.tools, one.wrong_turn)
            if len(episode.token_ids) > max_context_tokens:
                dropped[TOO_LONG] += 1
            else:
                episodes.append(episode)
    return TokenizedDemonstrations(episodes, dict(dropped))


def play_gold_walks(
    tasks: Iterable[WorldTask], face: str = "plain", max_tools: int = 0, error_recovery: float = 0.0
) -> Iterator[Demonstration | None]:
    """Play the key of each task in its world with the oracle, and yield it where it passes, None where it does not.

    A share `error_recovery` of the walks comes again with a wrong call, where one can be made that does no harm."""
    openings = Openings()
    for task in tasks:
        episode, walk = _play_walk(task, Oracle(), face, max_tools, openings)
        if episode.status != "pass":
            yield None
            continue
        yield walk
        if Stream("slipping", task.name).chance(error_recovery):
            episode, walk = _play_walk(task, ErrorRecoveryOracle(task.name, max_tools), face, max_tools, openings)
            if episode.status == "pass" and walk.wrong_turn is not None:
                yield walk


def _play_walk(
    task: WorldTask, agent: Agent, face: str, max_tools: int, openings: Openings
) -> tuple[Episode, Demonstration]:
    world = task.world
    setting = EpisodeSetup(
        task.name, EpisodeKey(world.digest, task.task_id, 1), world.name, task.variant, face, 0, "oracle"
    )
    env = world.env(face=face)
    try:
        episode = play(env, agent, setting, Limits(), openings)
        key = env.key()
    finally:
        env.close()
    opening = openings.by_id[episode.opening]
    system: Message = {"role": "system", "content": opening.system}
    tools = select_tools([*opening.tools, episode.submit], key, max_tools, task.name)
    wrong = (at for at, m in enumerate(episode.messages, start=1) if m.get("reasoning_content") == WRONG_CALL_REASON)
    return episode, Demonstration([system, *_strip_reasoning(episode.messages)], tools, next(wrong, None))


def read_distilled_rows(paths: Iterable[Path]) -> Iterator[Demonstration]:
    """Read the rows that `worldwright distill --format sft` wrote."""
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise UsageError(f"{path} cannot be read: {e}") from None
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                row = json.loads(line)
                yield Demonstration(_strip_reasoning(row["messages"]), row["tools"])
            except (ValueError, KeyError, TypeError) as e:
                raise UsageError(
                    f"{path}:{number} is no row of distilled SFT data (`messages` and `tools`): {e!r}"
                ) from None


def _strip_reasoning(messages: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Return the messages up to the last one of the agent, without its reasoning."""
    out: list[Any] = [{k: v for k, v in m.items() if k != "reasoning_content"} for m in messages]
    while out and out[-1]["role"] != "assistant":
        out.pop()
    return out


def needs_hidden_value(chat_format: ChatFormat, one: Demonstration) -> bool:
    """Return whether a call names a value or a parameter that the episode has and the shortened prompt does not show."""
    if chat_format.style != "compact":
        return False
    max_optional = chat_format.settings.max_optional_parameters
    shown = {
        tool["function"]["name"]: select_parameters(tool["function"].get("parameters") or {}, max_optional)
        for tool in one.tools
    }
    calls = [
        call for at, message in enumerate(one.messages) if at != one.wrong_turn for call in parse_tool_calls(message)
    ]
    if any(set(call.arguments or ()) - shown.get(call.name, frozenset()) for call in calls):
        return True
    whole = "\n".join(m.get("content") or "" for m in one.messages[:2])
    seen = chat_format.decode(chat_format.encode_prompt(one.messages, one.tools))
    for at, message in enumerate(one.messages[2:], start=2):
        if message["role"] != "assistant":
            whole += "\n" + (message.get("content") or "")
            seen += "\n" + (chat_format.render_observation(message).get("content") or "")
        elif at != one.wrong_turn:
            values = (value for call in parse_tool_calls(message) for value in _iter_names(call.arguments))
            if any(_mentions(whole, value) and not _mentions(seen, value) for value in values):
                return True
    return False


def _mentions(text: str, value: str) -> bool:
    return value in text or value.replace("_", " ") in text


def _iter_names(value: Any) -> Iterator[str]:
    """Iterate over the texts inside arguments that are long enough to be a name or an id."""
    if isinstance(value, str):
        if len(value) > 3:
            yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _iter_names(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _iter_names(one)
