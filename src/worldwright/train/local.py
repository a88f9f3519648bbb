"""The agent `local:FOLDER`: a model on this machine, as `worldwright train` writes it.

A trained model is rolled out, gated, put into the arena and evolved like any other agent, and nothing has to be served. It uses the
chat format of the run beside its folder (`run.yaml`), or the one that options name. Episodes that wait at the same time are
generated in one batch, each with a seed of its own.
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
from worldwright.core.canonical import digest, hash_file
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.core.rng import Stream
from worldwright.train.settings import RUN_FILE, Settings, parse_settings, read_settings

if TYPE_CHECKING:
    from worldwright.train.inference_server import InferenceServer

VERSION = 1
DEFAULT_TEMPERATURE = 1.0
OPTION_SETTINGS = {
    "chat-format": "chat_format.style",
    "max-context-tokens": "rollout.max_context_tokens",
    "max-turn-tokens": "rollout.max_turn_tokens",
    "device": "device",
    "precision": "precision",
}
"""The options of the agent, and the settings that they set."""
MODEL_FILES = ("*.safetensors", "*.bin", "config.json", "tokenizer*", "*.jinja")
"""The files that decide what a model generates: weights, shape, tokenizer, chat template."""


def make(options: Options) -> Agent:
    """Create the agent of a model on this machine: `local:FOLDER`."""
    if not options.model:
        raise UsageError("name the model: local:FOLDER")
    if not find_spec("torch") or not find_spec("transformers"):
        raise UsageError("playing a model needs torch and transformers: pip install 'worldwright[train]'")
    folder = Path(options.model)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} holds no model: a folder with config.json, as `worldwright train` writes OUT/model")
    temperature = DEFAULT_TEMPERATURE if options.temperature is None else options.temperature
    return LocalAgent(folder, _merge_settings(folder, options.more), temperature)


def _merge_settings(folder: Path, options: Mapping[str, str]) -> Settings:
    """Merge the chat format and limits of the run that the model comes from with the options."""
    beside = folder.parent / RUN_FILE
    run = read_settings(beside) if beside.is_file() else {}
    data: dict[str, Any] = {"model": str(folder), "gyms": ["any"], "chat_format": run.get("chat_format", {})}
    limits = ("max_context_tokens", "max_turn_tokens")
    data["rollout"] = {name: value for name, value in run.get("rollout", {}).items() if name in limits}
    for name, value in options.items():
        option = name.replace("_", "-")
        if option not in OPTION_SETTINGS:
            raise UsageError(f"local has no option {name!r}; {suggest(name, OPTION_SETTINGS)}")
        section, _, setting = OPTION_SETTINGS[option].rpartition(".")
        (data.setdefault(section, {}) if section else data)[setting] = value
    return parse_settings(data, f"local:{folder}")


@dataclass(frozen=True)
class LocalAgent:
    """An agent that loads its model with the first episode, so it can be sent to other processes."""

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
            "version": VERSION, "weights": _hash_model(self.folder), "chat_format": self.settings.chat_format.model_dump(),
            "temperature": self.temperature, "max_context_tokens": how.max_context_tokens,
            "max_turn_tokens": how.max_turn_tokens,
        }  # fmt: skip

    def begin(self, brief: Brief) -> LocalActor:
        return LocalActor(self, brief.seed)


class LocalActor:
    """The model's side of one episode."""

    def __init__(self, agent: LocalAgent, seed: int) -> None:
        self._agent, self._seed = agent, seed
        self._token_ids: list[int] = []
        self._encoded_messages = 0
        """Messages that are part of the tokens."""
        self._ended = True
        self._turns = self._prompt_tokens = self._completion_tokens = 0

    @property
    def usage(self) -> Mapping[str, Any]:
        return {
            "prompt_tokens": self._prompt_tokens,
            "completion_tokens": self._completion_tokens,
            "requests": self._turns,
        }

    async def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        agent, how = self._agent, self._agent.settings.rollout
        server = _load_server(agent)
        chat_format = server.chat_format
        if self._token_ids:
            observed = messages[self._encoded_messages + 1 :]  # the first of the new messages is the model's own
            new = chat_format.encode_observation(observed, self._ended)
        else:
            new = chat_format.encode_prompt(messages, tools)
        if len(self._token_ids) + len(new) + how.max_turn_tokens > how.max_context_tokens:
            if not self._token_ids:
                raise AgentUnavailable(
                    f"the prompt does not fit: {len(new)} tokens and {how.max_turn_tokens} for a turn, with a context of "
                    f"{how.max_context_tokens}"
                )
            return make_text_message("")  # the context is full: the model can say nothing more
        self._token_ids += new
        self._encoded_messages = len(messages)
        self._turns += 1
        self._prompt_tokens += len(self._token_ids)
        seed = Stream("turn", self._seed, self._turns).below(2**62)
        turn = await server.generate_turn(self._token_ids, seed, agent.temperature)
        self._token_ids += turn.token_ids
        self._completion_tokens += len(turn.token_ids)
        self._ended = turn.ended
        return chat_format.parse_response(chat_format.decode(turn.token_ids))


@lru_cache(maxsize=1)
def _load_server(agent: LocalAgent) -> InferenceServer:
    """Load the model, once for each process."""
    from worldwright.train.inference_server import InferenceServer  # noqa: PLC0415 - torch, and only once an episode is played

    return InferenceServer(agent.settings)


def _hash_model(folder: Path) -> str:
    """Hash everything that the model is made of, to sixteen digits."""
    paths = sorted(path for pattern in MODEL_FILES for path in folder.glob(pattern))
    return digest([[path.name, hash_file(path)] for path in paths])[:16]
