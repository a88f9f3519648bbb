"""Episodes by the hundred, each in a fork of its world, all spoken by one model: what GRPO learns from and what evaluations count.

An episode is the same as in `worldwright rollout` (the same turns, limits and record), so what is played here can be written down,
replayed and diagnosed like any other. Beside the record stand the tokens, and which of them the model said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import torch

from worldwright.agents import chat
from worldwright.agents.chat import Message, Tool
from worldwright.agents.protocol import Brief
from worldwright.core.canonical import digest
from worldwright.engine.world import World
from worldwright.rollout.episode import Begun, Openings, Setting
from worldwright.rollout.records import Episode, Limits, Spot
from worldwright.train.few_tools import few
from worldwright.train.settings import RolloutSettings
from worldwright.train.speak import Choir, Said
from worldwright.train.talk import Line, Talk

FOREVER = 1e9
IN_WORLDS = ("open", "tools", "verify")
PARTS = (*IN_WORLDS, "talk", "speak")
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an episode is played: a task of a world that is open."""

    world: World
    variant: str
    task: str

    @property
    def name(self) -> str:
        """The same on every machine that has the pack."""
        return f"{self.world.digest[:16]}/{self.task}"


@dataclass(frozen=True, slots=True)
class Learner:
    """Who plays, as records name it."""

    name: str = "policy"
    identity: Mapping[str, Any] = field(default_factory=dict)
    sees_key: bool = False

    def begin(self, brief: Brief) -> Any:
        return self


@dataclass(frozen=True, slots=True)
class Rolled:
    """An episode that was played."""

    place: Place
    line: Line
    chances: tuple[float, ...]
    """Log-probabilities of the said tokens, as they were drawn."""
    episode: Episode
    turns: int
    formed: int
    """Turns that were calls which could be read, of tools that there are."""
    errors: int
    """Calls that were refused, unreadable ones among them."""

    @property
    def reward(self) -> float | None:
        return self.episode.reward


class Played(NamedTuple):
    """Episodes, and where the time went."""

    rolled: list[Rolled]
    seconds: float
    parts: Mapping[str, float]
    """Of these, by part: `open`, `tools` and `verify` in worlds, `talk` in tokens and texts, `speak` in the model."""

    @property
    def in_worlds(self) -> float:
        return sum(self.parts[name] for name in IN_WORLDS)


class Stage(NamedTuple):
    """What all episodes of a batch share."""

    model: Any
    talk: Talk
    how: RolloutSettings
    learner: Learner = Learner()


def roll(stage: Stage, places: Sequence[Place], seed: int, temperature: float | None = None) -> Played:
    """Play an episode at each place; a place that is named several times is played several times. The same seed plays the same."""
    begin = perf_counter()
    width, out, parts = stage.how.width, [], dict.fromkeys(PARTS, 0.0)
    heat = stage.how.temperature if temperature is None else temperature
    for first in range(0, len(places), width):
        wave = _Wave(stage, places[first : first + width], seed + first, heat, parts)
        out += wave.played()
    return Played(out, perf_counter() - begin, parts)


class _One:
    """An episode while it is played."""

    def __init__(self, stage: Stage, place: Place, attempt: int, seed: int, openings: Openings) -> None:
        how, learner = stage.how, stage.learner
        key = digest({"place": place.name, "attempt": attempt, "seed": seed, "face": how.face})[:16]
        setting = Setting(
            key, Spot(place.world.digest, place.task, attempt), place.world.name, place.variant, how.face, seed,
            digest({"name": learner.name, **learner.identity})[:16],
        )  # fmt: skip
        self.place = place
        self.env = place.world.env(face=how.face)
        limits = Limits(turns=how.turns, output=10**9, seconds=FOREVER)
        self.begun = Begun(self.env, learner, setting, limits, openings)
        self.messages, offered = next(self.begun.turns)
        self.tools = few(offered, self.env.key(), how.tools, place.name) if how.tools else offered
        self.line = Line()
        self.chances: list[float] = []
        self.turns = self.formed = 0
        self.over = False

    def opening(self) -> tuple[Sequence[Message], Sequence[Tool]]:
        return self.messages[:2], self.tools

    def hear(self, said: Said, message: Message) -> list[Message]:
        """Take a turn of the model into the world. What comes back; nothing where the episode is over."""
        self.line.spoke(said.ids)
        self.chances += said.chances
        self.turns += 1
        known = {chat.name_of(tool) for tool in self.tools}
        asked = chat.asked_for(message)
        self.formed += bool(asked) and all(not one.problem and one.name in known for one in asked)
        before = len(self.messages)
        try:
            self.messages, _ = self.begun.turns.send(message)
        except StopIteration:
            self.over = True
            return []
        return list(self.messages[before + 1 :])

    def rolled(self) -> Rolled:
        episode = self.begun.ended()
        self.env.close()
        errors = sum(m["role"] == "tool" and not _went_well(m) for m in episode.messages)
        return Rolled(self.place, self.line, tuple(self.chances), episode, self.turns, self.formed, errors)


def _went_well(result: Mapping[str, Any]) -> bool:
    found = chat.payload(cast(Message, result))
    return isinstance(found, Mapping) and bool(found.get("ok"))


class _Wave:
    """Episodes that are played at once."""

    def __init__(
        self, stage: Stage, places: Sequence[Place], seed: int, temperature: float, parts: dict[str, float]
    ) -> None:
        self._stage, self._temperature, self._seed, self._parts = stage, temperature, seed, parts
        openings: Openings = {}
        counts: dict[str, int] = {}
        attempts = []
        for place in places:
            counts[place.name] = counts.get(place.name, 0) + 1
            attempts.append(counts[place.name])
        self._pool = ThreadPoolExecutor(stage.how.workers) if stage.how.workers > 1 else None
        made = zip(places, attempts, strict=True)
        self._ones = self._each("open", lambda pair: _One(stage, pair[0], pair[1], seed, openings), made)

    def _each(self, part: str, work: Callable[[A], B], given: Iterable[A]) -> list[B]:
        """Work in worlds, by as many threads as were asked for."""
        with self._timed(part):
            return list(map(work, given) if self._pool is None else self._pool.map(work, given))

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        begin = perf_counter()
        yield
        self._parts[part] += perf_counter() - begin

    def played(self) -> list[Rolled]:
        try:
            self._play()
            return self._each("verify", _One.rolled, self._ones)
        finally:
            if self._pool is not None:
                self._pool.shutdown()

    def _play(self) -> None:
        talk, how = self._stage.talk, self._stage.how
        told: dict[int, list[int]] = {}
        with self._timed("talk"):
            for at, one in enumerate(self._ones):
                self._tell(at, talk.opening(*one.opening()), told)
        if not told:
            return
        device = next(self._stage.model.parameters()).device
        drawing = torch.Generator(device=device).manual_seed(self._seed)
        with self._timed("speak"):
            choir = Choir(self._stage.model, talk, told, drawing, self._temperature)
        while told:
            with self._timed("speak"):
                said = choir.turn(told, how.turn_tokens)
            with self._timed("talk"):
                heard = [(self._ones[at], words, talk.read(talk.text(words.ids))) for at, words in said.items()]
            back = self._each("tools", lambda one: one[0].hear(one[1], one[2]), heard)
            told = {}
            with self._timed("talk"):
                for (at, words), messages in zip(said.items(), back, strict=True):
                    if not self._ones[at].over:
                        self._tell(at, talk.back(messages, words.ended), told)
            with self._timed("speak"):
                choir.feed(told)

    def _tell(self, at: int, ids: list[int], told: dict[int, list[int]]) -> None:
        """Take what is told into the line; where it leaves no room to answer, the episode ends here."""
        one, how = self._ones[at], self._stage.how
        if len(one.line.ids) + len(ids) + how.turn_tokens > how.context:
            one.begun.out_of_room()
            one.over = True
        else:
            one.line.told(ids)
            told[at] = ids
