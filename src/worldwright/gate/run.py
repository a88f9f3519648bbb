"""A gate as it is made: attempts are chosen, played and counted, until there are enough or somebody stops it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from worldwright.agents.protocol import AgentUnavailable
from worldwright.core.errors import UsageError
from worldwright.gate import results
from worldwright.gate.band import Band
from worldwright.gate.records import ADAPTIVE, FIXED, GateAgent, GateResult, Terms
from worldwright.gate.sampling import Count, batch_of, choose, is_decided, spread_evenly
from worldwright.rollout.records import EpisodeKey

Heard = Callable[[EpisodeKey, bool | None], None]
"""Told of each attempt as it ends: whether it passed, or None where something else than the agent ended it."""
Play = Callable[[Sequence[EpisodeKey], Heard], None]
"""Plays attempts, in any order."""
MAX_ROUNDS = 3
"""How often an attempt is begun that something else than the agent ended."""
MAX_ERRORS_IN_A_ROW = 16
"""So many attempts in a row that something else ended: the agent is not to be reached, and the rest is not begun."""
SAVE_SECONDS = 2.0
"""Seconds between two times that the counts are written down while attempts go on."""


@dataclass(frozen=True, slots=True)
class GatedWorld:
    """A world whose tasks are gated."""

    digest: str
    domain: str
    variant: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for."""

    band: Band = field(default_factory=Band)
    adaptive: bool = False
    budget: int = 0
    """With `adaptive`: attempts in all, those of earlier runs included. 0 for as many as the fixed gate would take."""
    fresh: bool = False
    """Attempts of earlier runs do not count."""


class Gate:
    """The counts of a gate, kept on disk as they grow."""

    def __init__(self, subjects: Sequence[GatedWorld], who: GateAgent, terms: Terms, order: Order) -> None:
        self.subjects, self.who, self.terms, self.order = tuple(subjects), who, terms, order
        self._made: dict[str, dict[str, dict[int, bool]]] = {s.digest: self._load_earlier(s) for s in self.subjects}
        self.reused = sum(len(self._made[s.digest].get(t, ())) for s in self.subjects for t in s.tasks)
        self._silent = 0
        self._changed = {s.digest for s in self.subjects}
        self._saved = time.monotonic()

    def _load_earlier(self, subject: GatedWorld) -> dict[str, dict[int, bool]]:
        found = None if self.order.fresh else results.load(subject.digest, self.who.id)
        if found is None:
            return {}
        if found.terms != self.terms:
            raise UsageError(
                f"{self.who.name} has gated {subject.domain} under other terms ({_name_differing(found.terms, self.terms)}), and "
                "the two cannot be counted together: take the same terms, or begin again with --fresh"
            )
        return {task: dict(made) for task, made in found.attempts.items()}

    @property
    def tasks(self) -> list[tuple[str, str]]:
        return [(s.digest, t) for s in self.subjects for t in s.tasks]

    @property
    def budget(self) -> int:
        """Attempts in all."""
        return (self.order.adaptive and self.order.budget) or self.order.band.runs * len(self.tasks)

    def list_attempts(self, task: tuple[str, str]) -> Mapping[int, bool]:
        return self._made[task[0]].get(task[1], {})

    def counts(self) -> dict[tuple[str, str], Count]:
        return {key: Count(sum(self.list_attempts(key).values()), len(self.list_attempts(key))) for key in self.tasks}

    def record(self, spot: EpisodeKey, passed: bool | None) -> None:
        if passed is not None:
            self._made[spot.world].setdefault(spot.task, {})[spot.attempt] = passed
            self._changed.add(spot.world)
        self._silent = self._silent + 1 if passed is None else 0
        if self._silent == MAX_ERRORS_IN_A_ROW:
            raise AgentUnavailable(f"{MAX_ERRORS_IN_A_ROW} attempts in a row have no verdict")
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def summarise(self) -> tuple[GateResult, ...]:
        method = ADAPTIVE if self.order.adaptive else FIXED
        made = {world: {task: dict(found) for task, found in tasks.items()} for world, tasks in self._made.items()}
        return tuple(
            GateResult(s.digest, s.domain, s.variant, self.who, self.terms, self.order.band, method, made[s.digest])
            for s in self.subjects
        )

    def save(self) -> None:
        """Write down the worlds that have changed. One that nobody has tried has no gate."""
        for one in self.summarise():
            if one.attempts and one.world in self._changed:
                results.save(one)
        self._changed.clear()
        self._saved = time.monotonic()


def run(gate: Gate, play: Play) -> int:
    """Play what is missing; what was played is kept, however this ends. Gives how many attempts, or with `adaptive` how many tasks,
    are left without a verdict because the agent could not be reached."""
    try:
        (_adaptive if gate.order.adaptive else _fixed)(gate, play)
    except AgentUnavailable:
        return _count_undecided(gate) if gate.order.adaptive else len(_list_missing(gate))
    finally:
        gate.save()
    return 0 if gate.order.adaptive else len(_list_missing(gate))


def _fixed(gate: Gate, play: Play) -> None:
    for _ in range(MAX_ROUNDS):
        missing = _list_missing(gate)
        if not missing:
            return
        play(missing, gate.record)


def _list_missing(gate: Gate) -> list[EpisodeKey]:
    """List the attempts that are missing, one world after the other: a worker keeps few of them open."""
    every = [
        EpisodeKey(s.digest, task, number)
        for s in gate.subjects
        for task, number in spread_evenly(s.tasks, gate.order.band.runs)
    ]
    return [spot for spot in every if spot.attempt not in gate.list_attempts((spot.world, spot.task))]


def _adaptive(gate: Gate, play: Play) -> None:
    """Batch after batch, until the budget is spent or every task is decided."""
    while True:
        counts = gate.counts()
        left = gate.budget - sum(count.n for count in counts.values())
        chosen = set(choose(counts, gate.order.band, min(batch_of(len(counts)), left)) if left > 0 else [])
        if not chosen:
            return
        play(
            [EpisodeKey(*key, _next_attempt(gate.list_attempts(key))) for key in gate.tasks if key in chosen],
            gate.record,
        )


def _count_undecided(gate: Gate) -> int:
    return sum(not is_decided(count, gate.order.band) for count in gate.counts().values())


def _next_attempt(known: Mapping[int, bool]) -> int:
    """Return the first number that has no attempt."""
    return next(number for number in range(1, len(known) + 2) if number not in known)


def _name_differing(one: Terms, other: Terms) -> str:
    a, b = one.data(), other.data()
    return ", ".join(f"{name} {a[name]}, not {b[name]}" for name in a if a[name] != b[name])
