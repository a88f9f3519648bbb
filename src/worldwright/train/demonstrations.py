"""What a model is shown before it tries itself: the gold walks of the training worlds, or distilled rows.

A demonstration must not ask for what the model cannot know. Where results or the handbook are cut short, a value that was cut
away and is named in a later call would teach guessing: such demonstrations are left out, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldwright.agents.chat import Message, Tool, asked_for
from worldwright.agents.oracle import Oracle
from worldwright.core.errors import UsageError
from worldwright.rollout.episode import Openings, Setting, play
from worldwright.rollout.records import Limits, Spot
from worldwright.train.compact import shown_parameters
from worldwright.train.few_tools import few
from worldwright.train.rollouts import Place
from worldwright.train.talk import Line, Talk

FAILED, HIDDEN, LONG = "the gold walk did not pass", "a value was cut away that is needed", "longer than the context"


class Shown(NamedTuple):
    """Demonstrations, and why others were left out."""

    lines: list[Line]
    dropped: Mapping[str, int]


class Demonstration(NamedTuple):
    messages: Sequence[Message]
    tools: Sequence[Tool]


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
            line = talk.line(one.messages, one.tools)
            if len(line.ids) > context:
                dropped[LONG] += 1
            else:
                lines.append(line)
    return Shown(lines, dict(dropped))


def gold_walks(places: Iterable[Place], face: str = "plain", tools: int = 0) -> Iterator[Demonstration | None]:
    """The key of each task, played in its world by the oracle and judged; with so many tools, or all."""
    openings: Openings = {}
    for place in places:
        world = place.world
        setting = Setting(place.name, Spot(world.digest, place.task, 1), world.name, place.variant, face, 0, "oracle")
        env = world.env(face=face)
        try:
            episode = play(env, Oracle(), setting, Limits(), openings)
            key = env.key()
        finally:
            env.close()
        if episode.status != "pass":
            yield None
            continue
        opening = openings[(world.digest, face, episode.role)]
        system: Message = {"role": "system", "content": opening.system}
        told = few([*opening.tools, episode.submit], key, tools, place.name)
        yield Demonstration([system, *_messages(episode.messages)], told)


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
    calls = [call for message in one.messages for call in asked_for(message)]
    if any(set(call.arguments or ()) - shown.get(call.name, frozenset()) for call in calls):
        return True
    whole = "\n".join(m.get("content") or "" for m in one.messages[:2])
    seen = talk.text(talk.opening(one.messages, one.tools))
    for message in one.messages[2:]:
        if message["role"] == "assistant":
            for value in (v for call in asked_for(message) for v in _texts(call.arguments)):
                if _stands(value, whole) and not _stands(value, seen):
                    return True
        else:
            whole += "\n" + (message.get("content") or "")
            seen += "\n" + (talk.shown(message).get("content") or "")
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
