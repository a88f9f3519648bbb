"""What an agent is: given the messages so far and the tools, it says the next message.

An `Agent` is what was chosen and configured; it begins an `Actor` for every episode, which may remember what it has seen. An
agent in a package of its own is registered as an entry point of the group `worldwright.agents`: a function that takes
`Options` and gives an `Agent`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from worldwright.agents.chat import Message, Tool
from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.world.tasks import Key, Task

GROUP = "worldwright.agents"


class AgentUnavailable(Exception):
    """The agent could not be reached, or gave nothing that could be read: no failure of the agent, and no verdict."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an agent was asked for."""

    model: str = ""
    """What stands behind the colon: `openai:MODEL`."""
    temperature: float | None = None
    base_url: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    """What only this agent knows (`--agent-option NAME=VALUE`)."""

    def data(self) -> dict[str, Any]:
        """Return what was asked for, without what nobody else should read: a password in an address."""
        url = urlsplit(self.base_url)
        host = url.netloc.rpartition("@")[2]
        said = {
            "temperature": self.temperature,
            "base_url": urlunsplit((url.scheme, host, url.path, "", "")),
            **self.more,
        }
        return {name: value for name, value in said.items() if value not in (None, "")}


@dataclass(frozen=True, slots=True)
class Brief:
    """What an actor is told besides the messages."""

    seed: int
    """Of this attempt. The same seed says the same."""
    key: Key | None = None
    """Only for agents that say `sees_key`: calls as this episode's tools are called."""
    task: Task | None = None
    """Only for the same, with what the requester keeps back until they are asked."""


class Actor(Protocol):
    """An agent in one episode."""

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message | Awaitable[Message]:
        """The next message of the assistant. `messages` and `tools` are to be read, not written."""
        ...


class Agent(Protocol):
    """Something that can play episodes."""

    @property
    def name(self) -> str:
        """As records and reports name it: `planner`, `openai:gpt-5`."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides what it says, the seed apart: version, model, temperature, prompts. Never a secret."""
        ...

    @property
    def sees_key(self) -> bool:
        """Whether the agent is given the key. What such an agent scores says nothing of agents."""
        ...

    def begin(self, brief: Brief) -> Actor: ...


def fingerprint(agent: Agent) -> str:
    """Sixteen digits that change when the agent does."""
    return digest({"name": agent.name, **agent.identity})[:16]


def read_usage(actor: Actor) -> Mapping[str, Any]:
    """Tokens and cost of an episode so far, of an actor that counts them (`usage`)."""
    found = getattr(actor, "usage", None)
    return found if isinstance(found, Mapping) else {}


def wait_for_connection(agent: Agent, say: Callable[[str], None]) -> None:
    """Let an agent behind an endpoint connect (`wait_for_connection`) before it plays. Raises AgentUnavailable where it cannot."""
    wait = getattr(agent, "wait_for_connection", None)
    if wait is not None:
        wait(say)


def is_async(agent: Agent) -> bool:
    """Return whether what an agent says has to be awaited (`waits = True`), so that a worker plays many of its episodes at once."""
    return bool(getattr(agent, "waits", False))


def make_agent(spec: str, options: Options | None = None) -> Agent:
    """Make the agent that `NAME` or `NAME:MODEL` stands for."""
    name, _, model = spec.partition(":")
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        raise UsageError(f"no agent is called {name!r}; {suggest(name, found)}")
    given = options or Options()
    make: Callable[[Options], Agent] = found[name].load()
    return make(Options(model or given.model, given.temperature, given.base_url, given.more))
