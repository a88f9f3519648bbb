"""A model in a folder as an agent: `local:runs/first/model`. So what was trained is rolled out, gated, put into the arena and
evolved like any other agent, and nothing has to be served.

Conversations are written as the run beside the folder wrote them (`run.yaml`), or as options say. Episodes that wait at the same
time are spoken together: the model reads all conversations at once, and each draws from a seed of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldwright.agents.chat import Message, Tool, make_text_message
from worldwright.agents.protocol import Agent, AgentUnavailable, Brief, Options
from worldwright.core.canonical import digest, file_sha256
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.core.rng import Stream
from worldwright.train.settings import RUN, Settings, read_settings, settings_of

if TYPE_CHECKING:
    from worldwright.train.voice import Voice

VERSION = 1
HEAT = 1.0
TAKEN = {
    "form": "talk.form",
    "context": "rollout.context",
    "turn-tokens": "rollout.turn_tokens",
    "device": "device",
    "precision": "precision",
}
"""Options, and the settings that they are."""
FILES = ("*.safetensors", "*.bin", "config.json", "tokenizer*", "*.jinja")
"""What decides what a model says: its weights, its shape, its tokens, its chat template."""


def make(options: Options) -> Agent:
    """A model of this machine: `local:FOLDER`."""
    if not options.model:
        raise UsageError("say which model: local:FOLDER")
    if not find_spec("torch") or not find_spec("transformers"):
        raise UsageError("playing a model needs torch and transformers: pip install worldwright[train]")
    folder = Path(options.model)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} holds no model: a folder with config.json, as `worldwright train` writes OUT/model")
    heat = HEAT if options.temperature is None else options.temperature
    return Local(folder, _settings(folder, options.more), heat)


def _settings(folder: Path, more: Mapping[str, str]) -> Settings:
    """Those of the run that the model comes from, as far as they say how it talks, and then the options."""
    beside = folder.parent / RUN
    run = read_settings(beside) if beside.is_file() else {}
    data: dict[str, Any] = {"model": str(folder), "gyms": ["any"], "talk": run.get("talk", {})}
    data["rollout"] = {
        name: value for name, value in run.get("rollout", {}).items() if name in ("context", "turn_tokens")
    }
    for name, value in more.items():
        if name.replace("_", "-") not in TAKEN:
            raise UsageError(f"local has no option {name!r}; {nearest(name, TAKEN)}")
        part, _, last = TAKEN[name.replace("_", "-")].rpartition(".")
        (data.setdefault(part, {}) if part else data)[last] = value
    return settings_of(data, f"local:{folder}")


@dataclass(frozen=True)
class Local:
    """The agent. It loads nothing before the first episode, so it can be handed to other processes."""

    folder: Path
    settings: Settings
    temperature: float
    sees_key = False
    waits = True

    @property
    def name(self) -> str:
        return f"local:{self.folder}"

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        how = self.settings.rollout
        return {
            "version": VERSION, "weights": _weights(self.folder), "talk": self.settings.talk.model_dump(),
            "temperature": self.temperature, "context": how.context, "turn_tokens": how.turn_tokens,
        }  # fmt: skip

    def begin(self, brief: Brief) -> Speaker:
        return Speaker(self, brief.seed)


class Speaker:
    """One episode's conversation with it."""

    def __init__(self, agent: Local, seed: int) -> None:
        self._agent, self._seed = agent, seed
        self._ids: list[int] = []
        self._heard = 0
        """Messages that are in the ids."""
        self._ended = True
        self._turns = self._read = self._written = 0

    @property
    def usage(self) -> Mapping[str, Any]:
        return {"prompt_tokens": self._read, "completion_tokens": self._written, "requests": self._turns}

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        agent, how = self._agent, self._agent.settings.rollout
        voice = _voice(agent)
        back = messages[self._heard + 1 :]  # the first of the new messages is what it said itself
        new = voice.talk.back(back, self._ended) if self._ids else voice.talk.opening(messages, tools)
        if len(self._ids) + len(new) + how.turn_tokens > how.context:
            if not self._ids:
                raise AgentUnavailable(
                    f"the model cannot read what an episode begins with: {len(new)} tokens of {how.context}"
                )
            return make_text_message("")  # it has talked until nothing more fits, and has nothing more to say
        self._ids += new
        self._heard = len(messages)
        self._turns += 1
        self._read += len(self._ids)
        words = await voice.said(self._ids, Stream("turn", self._seed, self._turns).below(2**62), agent.temperature)
        self._ids += words.ids
        self._written += len(words.ids)
        self._ended = words.ended
        return voice.talk.read(voice.talk.text(words.ids))


@lru_cache(maxsize=1)
def _voice(agent: Local) -> Voice:
    """The model, once for each process."""
    from worldwright.train.voice import Voice  # noqa: PLC0415 - torch, and only once an episode is played

    return Voice(agent.settings)


def _weights(folder: Path) -> str:
    """Sixteen digits of everything that the model is made of."""
    names = sorted(path for kind in FILES for path in folder.glob(kind))
    return digest([[path.name, file_sha256(path)] for path in names])[:16]
