"""What a model is shown before it tries itself: the gold walks of the training worlds, or distilled rows.

A demonstration must not ask for what the model cannot know. Where results or the handbook are cut short, a value that was cut
away and is named in a later call would teach guessing: such demonstrations are left out, and counted.
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
from worldwright.train.compact import shown_parameters
from worldwright.train.few_tools import few
from worldwright.train.rollouts import Place
from worldwright.train.settings import Settings
from worldwright.train.slips import REASON, Slipping
from worldwright.train.talk import Line, Talk

FAILED, HIDDEN, LONG = "the gold walk did not pass", "a value was cut away that is needed", "longer than the context"


class Shown(NamedTuple):
    """Demonstrations, and why others were left out."""

    lines: list[Line]
    dropped: Mapping[str, int]


class Demonstration(NamedTuple):
    messages: Sequence[Message]
    tools: Sequence[Tool]
    slip: int | None = None
    """Which message is a slip: told, and not taught."""


def lines_of(settings: Settings, talk: Talk, places: Iterable[Place], note: Callable[[str], None]) -> list[Line]:
    """The demonstrations of a run as tokens. How many there are, and why others were left out, is noted."""
    how, sft = settings.rollout, settings.sft
    walks = gold_walks(places, how.face, how.tools, sft.slips)
    shown = demonstrations(talk, distilled(map(Path, sft.data)) if sft.data else walks, how.context)
    note(f"{len(shown.lines)} demonstrations" + "".join(f"; {n} left out: {why}" for why, n in shown.dropped.items()))
    if not shown.lines:
        raise UsageError(
            "there is no demonstration to learn from: allow a longer rollout.context, or more rows and characters in talk"
        )
    return shown.lines


def demonstrations(talk: Talk, found: Iterable[Demonstration | None], context: int) -> Shown:
    """As tokens. None stands for one that did not pass."""
    lines: list[Line] = []
    dropped: Counter[str] = Counter()
    for one in found:
        if one is None:
            dropped[FAILED] += 1
        elif hidden(talk, one):
            dropped[HIDDEN] += 1
        else:
            line = talk.line(one.messages, one.tools, one.slip)
            if len(line.ids) > context:
                dropped[LONG] += 1
            else:
                lines.append(line)
    return Shown(lines, dict(dropped))


def gold_walks(
    places: Iterable[Place], face: str = "plain", tools: int = 0, slips: float = 0.0
) -> Iterator[Demonstration | None]:
    """The key of each task, played in its world by the oracle and judged; with so many tools, or all.

    Of these walks a share comes again with a slip, where one can be made that does no harm."""
    openings: Openings = {}
    for place in places:
        episode, told = _walked(place, Oracle(), face, tools, openings)
        if episode.status != "pass":
            yield None
            continue
        yield told
        if Stream("slipping", place.name).chance(slips):
            episode, told = _walked(place, Slipping(place.name, tools), face, tools, openings)
            if episode.status == "pass" and told.slip is not None:
                yield told


def _walked(place: Place, agent: Agent, face: str, tools: int, openings: Openings) -> tuple[Episode, Demonstration]:
    world = place.world
    setting = EpisodeSetup(
        place.name, EpisodeKey(world.digest, place.task, 1), world.name, place.variant, face, 0, "oracle"
    )
    env = world.env(face=face)
    try:
        episode = play(env, agent, setting, Limits(), openings)
        key = env.key()
    finally:
        env.close()
    opening = openings[(world.digest, face, episode.role)]
    system: Message = {"role": "system", "content": opening.system}
    told = few([*opening.tools, episode.submit], key, tools, place.name)
    slips = (at for at, one in enumerate(episode.messages, start=1) if one.get("reasoning_content") == REASON)
    return episode, Demonstration([system, *_messages(episode.messages)], told, next(slips, None))


def distilled(paths: Iterable[Path]) -> Iterator[Demonstration]:
    """Rows that `worldwright distill --format sft` wrote."""
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise UsageError(f"{path} cannot be read: {e}") from None
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                row = json.loads(line)
                yield Demonstration(_messages(row["messages"]), row["tools"])
            except (ValueError, KeyError, TypeError) as e:
                raise UsageError(
                    f"{path}:{number} is no row of distilled SFT data (`messages` and `tools`): look at {e}"
                ) from None


def _messages(found: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Up to the last thing that the agent said; its reasons are not taught."""
    out: list[Any] = [{k: v for k, v in m.items() if k != "reasoning_content"} for m in found]
    while out and out[-1]["role"] != "assistant":
        out.pop()
    return out


def hidden(talk: Talk, one: Demonstration) -> bool:
    """Whether a call names a value, or a parameter, that the episode showed and the model would not have seen."""
    if talk.form != "compact":
        return False
    shown = {
        tool["function"]["name"]: shown_parameters(tool["function"].get("parameters") or {}, talk.settings.optionals)
        for tool in one.tools
    }
    calls = [call for at, message in enumerate(one.messages) if at != one.slip for call in parse_tool_calls(message)]
    if any(set(call.arguments or ()) - shown.get(call.name, frozenset()) for call in calls):
        return True
    whole = "\n".join(m.get("content") or "" for m in one.messages[:2])
    seen = talk.text(talk.opening(one.messages, one.tools))
    for at, message in enumerate(one.messages[2:], start=2):
        if message["role"] != "assistant":
            whole += "\n" + (message.get("content") or "")
            seen += "\n" + (talk.shown(message).get("content") or "")
        elif at != one.slip:
            values = (value for call in parse_tool_calls(message) for value in _texts(call.arguments))
            if any(_stands(value, whole) and not _stands(value, seen) for value in values):
                return True
    return False


def _stands(value: str, text: str) -> bool:
    return value in text or value.replace("_", " ") in text


def _texts(value: Any) -> Iterator[str]:
    """Texts inside arguments that are long enough to be somebody's name or id."""
    if isinstance(value, str):
        if len(value) > 3:
            yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)
