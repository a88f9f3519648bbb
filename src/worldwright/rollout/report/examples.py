"""A few episodes of a run, cut to what can be read: chosen so that families and ways to end are all seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.agents.chat import encode
from worldwright.rollout.records import Episode
from worldwright.rollout.report.markup import truncate

MAX_FAILED, MAX_PASSED = 5, 3
"""How many failed and passed episodes are shown."""
HEAD, TAIL = 8, 5
"""Messages that are kept of a long episode, at its beginning and at its end."""
WORDS, ARGUMENTS, VALUE = 700, 300, 200


@dataclass(frozen=True, slots=True)
class ExampleMessage:
    """A message, shortened."""

    role: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """Each with its name and its arguments."""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """An episode, shortened."""

    id: str
    domain: str
    task: str
    family: str
    role: str
    attempt: int
    status: str
    outcome: str
    calls: int
    said: tuple[ExampleMessage, ...]
    left_out: int
    """Messages between the first `HEAD` and the last `TAIL`."""
    failed: tuple[tuple[str, str, str], ...]
    """Each assertion that did not hold, with what was expected and found."""


class Examples:
    """The first episode of each family, status and outcome: few, however many episodes are seen."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Example] = {}

    def see(self, episode: Episode) -> None:
        kind = (episode.status, episode.outcome, episode.family)
        if episode.status != "error" and kind not in self._found:
            self._found[kind] = shorten_episode(episode)

    def choose(self) -> tuple[Example, ...]:
        failed = _sort_by_variety(e for e in self._found.values() if e.status == "fail")
        passed = _sort_by_variety(e for e in self._found.values() if e.status == "pass")
        return (*failed[:MAX_FAILED], *passed[:MAX_PASSED])


def _sort_by_variety(examples: Iterable[Example]) -> list[Example]:
    """Sort so that all families and outcomes come before any of them comes again."""
    rest, out = list(examples), list[Example]()
    while rest:
        best = min(rest, key=lambda e: sum((e.family == o.family) + (e.outcome == o.outcome) for o in out))
        rest.remove(best)
        out.append(best)
    return out


def shorten_episode(episode: Episode) -> Example:
    messages = [_shorten_message(m) for m in episode.messages]
    left_out = max(0, len(messages) - HEAD - TAIL)
    kept = messages if not left_out else [*messages[:HEAD], *messages[-TAIL:]]
    return Example(
        episode.id, episode.domain, episode.task, episode.family, episode.role, episode.attempt, episode.status,
        episode.outcome, len(episode.steps), tuple(kept), left_out,
        tuple((str(a.get("name")), _value(a.get("expected")), _value(a.get("found")))
              for a in episode.verdict.get("assertions", ()) if not a.get("ok")),
    )  # fmt: skip


def _shorten_message(message: Mapping[str, Any]) -> ExampleMessage:
    calls = []
    for one in message.get("tool_calls") or ():
        inner = one.get("function") if isinstance(one, Mapping) else None
        if isinstance(inner, Mapping):
            calls.append((str(inner.get("name")), truncate(str(inner.get("arguments")), ARGUMENTS)))
    role = str(message.get("role"))
    who = f"{role} {message['name']}" if role == "tool" and message.get("name") else role
    thought = truncate(str(message.get("reasoning_content") or ""), WORDS)
    return ExampleMessage(who, truncate(str(message.get("content") or ""), WORDS), tuple(calls), thought)


def _value(value: Any) -> str:
    return truncate(value if isinstance(value, str) else encode(value), VALUE)
