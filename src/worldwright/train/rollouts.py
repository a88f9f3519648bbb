"""Play hundreds of episodes at once, each in a fork of its world, all by one model: for GRPO and for evaluation.

An episode is the same as in `worldwright rollout` (the same turns, limits and record), so what is played here can be recorded,
replayed and diagnosed like any other. Beside the record stand the tokens, with a mask on those that the model generated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import torch

from worldwright.agents import chat
from worldwright.agents.chat import Message, Tool
from worldwright.agents.protocol import Brief
from worldwright.core.canonical import digest
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, RunningEpisode
from worldwright.rollout.records import Episode, EpisodeKey, Limits
from worldwright.train.batch_decoder import BatchDecoder
from worldwright.train.batch_generator import BatchGenerator, GeneratedTurn
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode
from worldwright.train.settings import RolloutSettings
from worldwright.train.tool_subset import select_tools

NO_TIME_LIMIT = 1e9
THREAD_SWITCH_SECONDS = 0.0005
"""How soon a busy thread lets others have the interpreter, so that the thread of the GPU does not wait for worlds."""
WORLD_PARTS = ("open", "tools", "verify")
"""Parts of a rollout's time that are spent in worlds."""
TIMED_PARTS = (*WORLD_PARTS, "tokenize", "generate")
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class WorldTask:
    """A task of an open world."""

    world: World
    variant: str
    task_id: str

    @property
    def name(self) -> str:
        """A name that is the same on every machine that has the pack."""
        return f"{self.world.digest[:16]}/{self.task_id}"


@dataclass(frozen=True, slots=True)
class PolicyAgent:
    """The model that is trained, as the agent that records name."""

    name: str = "policy"
    identity: Mapping[str, Any] = field(default_factory=dict)
    sees_key: bool = False

    def begin(self, brief: Brief) -> Any:
        return self


@dataclass(frozen=True, slots=True)
class Rollout:
    """An episode that was played by the model."""

    task: WorldTask
    tokens: TokenizedEpisode
    logprobs: tuple[float, ...]
    """Log-probabilities of the response tokens, as they were sampled."""
    episode: Episode
    turns: int
    well_formed_turns: int
    """Turns that were readable calls of existing tools."""
    errors: int
    """Calls that were refused, unreadable ones among them."""

    @property
    def reward(self) -> float | None:
        return self.episode.reward


class RolloutBatch(NamedTuple):
    """Rollouts, and where the time went."""

    rollouts: list[Rollout]
    seconds: float
    seconds_by_part: Mapping[str, float]
    """`open`, `tools` and `verify` in worlds, `tokenize` in texts and tokens, `generate` in the model. With several threads `open`
    and `tools` are the time that the model waited for them."""

    @property
    def world_seconds(self) -> float:
        return sum(self.seconds_by_part[name] for name in WORLD_PARTS)


class RolloutPolicy(NamedTuple):
    """The model of a batch of rollouts, and how it plays."""

    model: Any
    chat_format: ChatFormat
    settings: RolloutSettings
    agent: PolicyAgent = PolicyAgent()
    decoder: BatchDecoder | None = None
    """A decoder to use again, where there is one."""


def play_rollouts(
    policy: RolloutPolicy, tasks: Sequence[WorldTask], seed: int, temperature: float | None = None
) -> RolloutBatch:
    """Play an episode of each task; a task that is listed several times is played several times. The same seed plays the same."""
    begin = perf_counter()
    size, rollouts, seconds = policy.settings.num_parallel_envs, [], dict.fromkeys(TIMED_PARTS, 0.0)
    if temperature is None:
        temperature = policy.settings.temperature
    for first in range(0, len(tasks), size):
        rollouts += _EpisodeBatch(policy, tasks[first : first + size], seed + first, temperature, seconds).play()
    return RolloutBatch(rollouts, perf_counter() - begin, seconds)


class _LiveEpisode:
    """An episode while it is played."""

    def __init__(
        self, policy: RolloutPolicy, task: WorldTask, attempt: int, seed: int, openings: Openings,
        tools: Sequence[Tool] | None = None,
    ) -> None:  # fmt: skip
        """`tools`: those that the prompt lists, where they are known from another episode of the task."""
        how, agent = policy.settings, policy.agent
        key = digest({"place": task.name, "attempt": attempt, "seed": seed, "face": how.face})[:16]
        setting = EpisodeSetup(
            key, EpisodeKey(task.world.digest, task.task_id, attempt), task.world.name, task.variant, how.face, seed,
            digest({"name": agent.name, **agent.identity})[:16],
        )  # fmt: skip
        self.task = task
        self.env = task.world.env(face=how.face)
        limits = Limits(turns=how.max_turns, output=10**9, seconds=NO_TIME_LIMIT)
        self.begun = RunningEpisode(self.env, agent, setting, limits, openings)
        self.messages, offered = next(self.begun.turns)
        if tools is None:
            tools = select_tools(offered, self.env.key(), how.max_tools, task.name) if how.max_tools else offered
        self.tools = tools
        self.tokens = TokenizedEpisode()
        self.logprobs: list[float] = []
        self.turns = self.well_formed_turns = 0
        self.over = False
        self._rollout: Rollout | None = None

    def step(self, turn: GeneratedTurn, message: Message) -> list[Message]:
        """Apply a turn of the model to the world. Return the observation, empty where the episode is over."""
        self.tokens.append_response(turn.token_ids)
        self.logprobs += turn.logprobs
        self.turns += 1
        known = {chat.get_tool_name(tool) for tool in self.tools}
        calls = chat.parse_tool_calls(message)
        self.well_formed_turns += bool(calls) and all(not call.problem and call.name in known for call in calls)
        before = len(self.messages)
        try:
            self.messages, _ = self.begun.turns.send(message)
        except StopIteration:
            self.over = True
            return []
        return list(self.messages[before + 1 :])

    def finish(self) -> Rollout:
        """Verify the episode and close its world, once."""
        if self._rollout is None:
            episode = self.begun.finish()
            self.env.close()
            errors = sum(m["role"] == "tool" and not _is_ok(m) for m in episode.messages)
            self._rollout = Rollout(
                self.task, self.tokens, tuple(self.logprobs), episode, self.turns, self.well_formed_turns, errors
            )
        return self._rollout


def _is_ok(result: Mapping[str, Any]) -> bool:
    payload = chat.read_payload(cast(Message, result))
    return isinstance(payload, Mapping) and bool(payload.get("ok"))


@contextmanager
def _measure(part: str, seconds: dict[str, float]) -> Iterator[None]:
    begin = perf_counter()
    yield
    seconds[part] += perf_counter() - begin


@contextmanager
def _switch_threads_often() -> Iterator[None]:
    """Shorten the interpreter's switch interval, so that the thread which waited for the GPU continues soon."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


class _EpisodeBatch:
    """Episodes that are played in parallel."""

    def __init__(
        self, policy: RolloutPolicy, tasks: Sequence[WorldTask], seed: int, temperature: float, seconds: dict[str, float]
    ) -> None:  # fmt: skip
        self._policy, self._format, self._how = policy, policy.chat_format, policy.settings
        self._temperature, self._seed, self._seconds = temperature, seed, seconds
        self._openings = Openings()
        attempts: dict[str, int] = {}
        self._tasks: list[tuple[WorldTask, int]] = []
        """Each task with the number of the attempt at it."""
        for task in tasks:
            attempts[task.name] = attempts.get(task.name, 0) + 1
            self._tasks.append((task, attempts[task.name]))
        self._pool = ThreadPoolExecutor(self._how.workers) if self._how.workers > 1 else None
        self._open_episodes: dict[int, _LiveEpisode] = {}
        self._opening: dict[int, Future[_LiveEpisode]] = {}

    def _map(self, part: str, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Apply work in worlds to all items, in threads where there are several."""
        with _measure(part, self._seconds):
            return list(map(work, items) if self._pool is None else self._pool.map(work, items))

    def play(self) -> list[Rollout]:
        with ExitStack() as stack:
            if self._pool is not None:
                stack.enter_context(self._pool)
                stack.enter_context(_switch_threads_often())
            self._run_turns()
            return self._map("verify", lambda at: self._get_episode(at).finish(), range(len(self._tasks)))

    def _begin_episodes(self) -> dict[int, list[int]]:
        """Open the episodes. Return the prompts of those that have room for one.

        One episode of each task is opened now; with threads the others are opened while the model reads."""
        first: dict[str, int] = {}
        leaders = [first.setdefault(task.name, at) for at, (task, _) in enumerate(self._tasks)]
        self._open_episodes.update(
            zip(first.values(), self._map("open", self._open_episode, first.values()), strict=True)
        )
        with _measure("tokenize", self._seconds):
            opened = {at: self._open_episodes[at] for at in first.values()}
            prompts = {at: self._format.encode_prompt(one.messages[:2], one.tools) for at, one in opened.items()}
        fits = {at: self._append_context(self._open_episodes[at], prompt) for at, prompt in prompts.items()}
        for at, leader in enumerate(leaders):
            if at == leader:
                continue
            given = at, self._open_episodes[leader].tools, prompts[leader]
            if self._pool is not None:
                self._opening[at] = self._pool.submit(self._open_episode, *given)
            else:
                with _measure("open", self._seconds):
                    self._open_episodes[at] = self._open_episode(*given)
        return {at: prompts[leader] for at, leader in enumerate(leaders) if fits[leader]}

    def _open_episode(self, at: int, tools: Sequence[Tool] | None = None, prompt: Sequence[int] = ()) -> _LiveEpisode:
        episode = _LiveEpisode(self._policy, *self._tasks[at], self._seed, self._openings, tools)
        if prompt:
            self._append_context(episode, prompt)
        return episode

    def _get_episode(self, at: int) -> _LiveEpisode:
        """Return an episode, waiting until it is open."""
        if at not in self._open_episodes:
            self._open_episodes[at] = self._opening[at].result()
        return self._open_episodes[at]

    def _run_turns(self) -> None:
        prompts = self._begin_episodes()
        if not prompts:
            return
        model = self._policy.model
        random = torch.Generator(device=next(model.parameters()).device).manual_seed(self._seed)
        with _measure("generate", self._seconds):
            generator = BatchGenerator(model, self._format, prompts, random, self._temperature, self._policy.decoder)
        while generator.active:
            observed = self._play_turn(generator, self._pool) if self._pool else self._play_turn_in_order(generator)
            with _measure("generate", self._seconds):
                generator.append_observations(
                    {
                        at: tokens for at, tokens in observed.items()
                        if tokens is not None and self._append_context(self._get_episode(at), tokens)
                    }
                )  # fmt: skip

    def _play_turn_in_order(self, generator: BatchGenerator) -> dict[int, list[int] | None]:
        """Generate all turns, then apply them. Return the tokens of each observation, None where the episode is over."""
        with _measure("generate", self._seconds):
            turns = generator.generate_turns(self._how.max_turn_tokens)
        return {at: self._step_world(at, turn, self._seconds) for at, turn in turns.items()}

    def _play_turn(self, generator: BatchGenerator, pool: ThreadPoolExecutor) -> dict[int, list[int] | None]:
        """The same, but worlds answer finished turns while others are generated. The time that they are waited for is `tools`."""
        answers: dict[int, Future[list[int] | None]] = {}

        def submit(at: int, turn: GeneratedTurn) -> None:
            answers[at] = pool.submit(self._step_world, at, turn, dict.fromkeys(TIMED_PARTS, 0.0))

        with _measure("generate", self._seconds):
            generator.generate_turns(self._how.max_turn_tokens, submit)
        with _measure("tools", self._seconds):
            return {at: answer.result() for at, answer in answers.items()}

    def _step_world(self, at: int, turn: GeneratedTurn, seconds: dict[str, float]) -> list[int] | None:
        """Apply a turn to its world. Return the tokens of the observation, None where the episode is over."""
        episode = self._get_episode(at)
        with _measure("tokenize", seconds):
            message = self._format.parse_response(self._format.decode(turn.token_ids))
        with _measure("tools", seconds):
            observation = episode.step(turn, message)
        if episode.over:
            with _measure("verify", seconds):
                episode.finish()
            return None
        with _measure("tokenize", seconds):
            return self._format.encode_observation(observation, turn.ended)

    def _append_context(self, episode: _LiveEpisode, tokens: Sequence[int]) -> bool:
        """Append a prompt or an observation; an episode without room for a turn after it ends. Return whether it goes on."""
        if len(episode.tokens.token_ids) + len(tokens) + self._how.max_turn_tokens > self._how.max_context_tokens:
            episode.begun.stop_for_context()
            episode.over = True
        else:
            episode.tokens.append_context(tokens)
        return not episode.over
