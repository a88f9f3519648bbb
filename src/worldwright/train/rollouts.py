"""Episodes by the hundred, each in a fork of its world, all spoken by one model: what GRPO learns from and what evaluations count.

An episode is the same as in `worldwright rollout` (the same turns, limits and record), so what is played here can be written down,
replayed and diagnosed like any other. Beside the record stand the tokens, and which of them the model said.
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
from worldwright.train.board import Board
from worldwright.train.few_tools import few
from worldwright.train.settings import RolloutSettings
from worldwright.train.speak import Choir, Said
from worldwright.train.talk import Line, Talk

FOREVER = 1e9
SOON = 0.0005
"""Seconds after which a busy thread lets others have the interpreter."""
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
    """Of these, by part: `open`, `tools` and `verify` in worlds, `talk` in tokens and texts, `speak` in the model. With several
    threads `open` and `tools` are what the model waited for."""

    @property
    def in_worlds(self) -> float:
        return sum(self.parts[name] for name in IN_WORLDS)


class Stage(NamedTuple):
    """What all episodes of a batch share."""

    model: Any
    talk: Talk
    how: RolloutSettings
    learner: Learner = Learner()
    board: Board | None = None
    """To use again, where there is one."""


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

    def __init__(
        self, stage: Stage, place: Place, attempt: int, seed: int, openings: Openings, tools: Sequence[Tool] | None = None
    ) -> None:  # fmt: skip
        """`tools`: what it is told of, where that is known."""
        how, learner = stage.how, stage.learner
        key = digest({"place": place.name, "attempt": attempt, "seed": seed, "face": how.face})[:16]
        setting = EpisodeSetup(
            key, EpisodeKey(place.world.digest, place.task, attempt), place.world.name, place.variant, how.face, seed,
            digest({"name": learner.name, **learner.identity})[:16],
        )  # fmt: skip
        self.place = place
        self.env = place.world.env(face=how.face)
        limits = Limits(turns=how.turns, output=10**9, seconds=FOREVER)
        self.begun = RunningEpisode(self.env, learner, setting, limits, openings)
        self.messages, offered = next(self.begun.turns)
        if tools is None:
            tools = few(offered, self.env.key(), how.tools, place.name) if how.tools else offered
        self.tools = tools
        self.line = Line()
        self.chances: list[float] = []
        self.turns = self.formed = 0
        self.over = False
        self._judged: Rolled | None = None

    def opening(self) -> tuple[Sequence[Message], Sequence[Tool]]:
        return self.messages[:2], self.tools

    def hear(self, said: Said, message: Message) -> list[Message]:
        """Take a turn of the model into the world. What comes back; nothing where the episode is over."""
        self.line.spoke(said.ids)
        self.chances += said.chances
        self.turns += 1
        known = {chat.get_tool_name(tool) for tool in self.tools}
        asked = chat.parse_tool_calls(message)
        self.formed += bool(asked) and all(not one.problem and one.name in known for one in asked)
        before = len(self.messages)
        try:
            self.messages, _ = self.begun.turns.send(message)
        except StopIteration:
            self.over = True
            return []
        return list(self.messages[before + 1 :])

    def rolled(self) -> Rolled:
        """The episode, judged. Once it is, it stays so."""
        if self._judged is None:
            episode = self.begun.ended()
            self.env.close()
            errors = sum(m["role"] == "tool" and not _went_well(m) for m in episode.messages)
            chances = tuple(self.chances)
            self._judged = Rolled(self.place, self.line, chances, episode, self.turns, self.formed, errors)
        return self._judged


def _went_well(result: Mapping[str, Any]) -> bool:
    found = chat.read_payload(cast(Message, result))
    return isinstance(found, Mapping) and bool(found.get("ok"))


@contextmanager
def _timed(part: str, parts: dict[str, float]) -> Iterator[None]:
    begin = perf_counter()
    yield
    parts[part] += perf_counter() - begin


@contextmanager
def _soon_back() -> Iterator[None]:
    """Whoever waited for the GPU gets the interpreter back soon, though other threads are busy."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SOON)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


class _Wave:
    """Episodes that are played at once."""

    def __init__(
        self, stage: Stage, places: Sequence[Place], seed: int, temperature: float, parts: dict[str, float]
    ) -> None:
        self._stage, self._temperature, self._seed, self._parts = stage, temperature, seed, parts
        self._openings: Openings = {}
        counts: dict[str, int] = {}
        self._places: list[tuple[Place, int]] = []
        """With the number of the attempt at each."""
        for place in places:
            counts[place.name] = counts.get(place.name, 0) + 1
            self._places.append((place, counts[place.name]))
        self._pool = ThreadPoolExecutor(stage.how.workers) if stage.how.workers > 1 else None
        self._opened: dict[int, _One] = {}
        self._opening: dict[int, Future[_One]] = {}

    def _each(self, part: str, work: Callable[[A], B], given: Iterable[A]) -> list[B]:
        """Work in worlds, by as many threads as were asked for."""
        with _timed(part, self._parts):
            return list(map(work, given) if self._pool is None else self._pool.map(work, given))

    def played(self) -> list[Rolled]:
        with ExitStack() as held:
            if self._pool is not None:
                held.enter_context(self._pool)
                held.enter_context(_soon_back())
            self._play()
            return self._each("verify", lambda at: self._one(at).rolled(), range(len(self._places)))

    def _begin(self) -> dict[int, list[int]]:
        """What each is told first, where it has room for it.

        One at each place is opened now; with threads the others are opened while the model reads."""
        first: dict[str, int] = {}
        alike = [first.setdefault(place.name, at) for at, (place, _) in enumerate(self._places)]
        self._opened.update(zip(first.values(), self._each("open", self._open, first.values()), strict=True))
        with _timed("talk", self._parts):
            ids = {at: self._stage.talk.opening(*self._opened[at].opening()) for at in first.values()}
        fits = {at: self._takes(self._opened[at], told) for at, told in ids.items()}
        for at, like in enumerate(alike):
            if at == like:
                continue
            given = at, self._opened[like].tools, ids[like]
            if self._pool is not None:
                self._opening[at] = self._pool.submit(self._open, *given)
            else:
                with _timed("open", self._parts):
                    self._opened[at] = self._open(*given)
        return {at: ids[like] for at, like in enumerate(alike) if fits[like]}

    def _open(self, at: int, tools: Sequence[Tool] | None = None, ids: Sequence[int] = ()) -> _One:
        one = _One(self._stage, *self._places[at], self._seed, self._openings, tools)
        if ids:
            self._takes(one, ids)
        return one

    def _one(self, at: int) -> _One:
        """An episode, once it is open."""
        if at not in self._opened:
            self._opened[at] = self._opening[at].result()
        return self._opened[at]

    def _play(self) -> None:
        talk, told = self._stage.talk, self._begin()
        if not told:
            return
        device = next(self._stage.model.parameters()).device
        drawing = torch.Generator(device=device).manual_seed(self._seed)
        with _timed("speak", self._parts):
            choir = Choir(self._stage.model, talk, told, drawing, self._temperature, self._stage.board)
        while choir.speaking:
            back = self._turn(choir) if self._pool is None else self._turn_by_threads(choir, self._pool)
            told = {at: ids for at, ids in back.items() if ids is not None and self._takes(self._one(at), ids)}
            with _timed("speak", self._parts):
                choir.feed(told)

    def _turn(self, choir: Choir) -> dict[int, list[int] | None]:
        """Everybody's turn, then what the worlds say to it: tokens, or nothing where an episode is over."""
        with _timed("speak", self._parts):
            said = choir.turn(self._stage.how.turn_tokens)
        return {at: self._answered(at, words, self._parts) for at, words in said.items()}

    def _turn_by_threads(self, choir: Choir, pool: ThreadPoolExecutor) -> dict[int, list[int] | None]:
        """The same, but worlds answer whoever has spoken while others still speak. What they are waited for counts as tools."""
        asked: dict[int, Future[list[int] | None]] = {}

        def heard(at: int, words: Said) -> None:
            asked[at] = pool.submit(self._answered, at, words, dict.fromkeys(PARTS, 0.0))

        with _timed("speak", self._parts):
            choir.turn(self._stage.how.turn_tokens, heard)
        with _timed("tools", self._parts):
            return {at: one.result() for at, one in asked.items()}

    def _answered(self, at: int, words: Said, parts: dict[str, float]) -> list[int] | None:
        """Take what was said into the world. What comes back, as tokens; nothing where the episode is over."""
        one, talk = self._one(at), self._stage.talk
        with _timed("talk", parts):
            message = talk.read(talk.text(words.ids))
        with _timed("tools", parts):
            back = one.hear(words, message)
        if one.over:
            with _timed("verify", parts):
                one.rolled()
            return None
        with _timed("talk", parts):
            return talk.back(back, words.ended)

    def _takes(self, one: _One, ids: Sequence[int]) -> bool:
        """Take what is told into the line; where it leaves no room to answer, the episode ends here."""
        how = self._stage.how
        if len(one.line.ids) + len(ids) + how.turn_tokens > how.context:
            one.begun.out_of_room()
            one.over = True
        else:
            one.line.told(ids)
        return not one.over
