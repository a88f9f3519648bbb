"""Planted failures: the oracle corrupted in a known way, in real worlds. Diagnosis is held against them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.arena.planted.kinds import PLANTERS
from tests.arena.planted.script import Player
from tests.arena.planted.stage import House

from worldwright.arena.diagnose import diagnose, records
from worldwright.arena.diagnose.evidence import is_answer_check
from worldwright.rollout.records import Episode

CLEAN = frozenset({records.WRONG_ENTITY, records.WRONG_VALUE, records.MISSED_STEP, records.COLLATERAL, records.STALE})
"""Classes whose plants break no rule of the handbook: one that does is a missed policy, whatever led to it."""
IN_STATE = frozenset({records.WRONG_ENTITY, records.WRONG_VALUE, records.MISSED_STEP})
"""Classes whose plants end in a wrong state: where the choice was open, only the answer is another one."""
READABLE = frozenset({records.WRONG_VALUE, records.STALE})
"""Classes whose plants are calls that tools can read."""


@dataclass(frozen=True, slots=True)
class Planted:
    """An episode that failed in the way it was meant to."""

    kind: str
    episode: Episode


@dataclass(frozen=True, slots=True)
class Score:
    """How plants of one class were diagnosed."""

    kind: str
    planted: int
    right: int
    taken_for: tuple[tuple[str, int], ...]
    """Other classes, and how often."""

    @property
    def share(self) -> float:
        return self.right / self.planted if self.planted else 0.0


def plants(house: House, each: int | None = None, kinds: Iterable[str] = tuple(PLANTERS)) -> Iterator[Planted]:
    """Failures of every class in every task of a world, at most `each` of a class in one task.

    What passes after all, or is another class by its definition (a rule broken on the way), is left out: it is no plant."""
    player = Player(house.world)
    for stage in house.stages():
        for kind in kinds:
            number = 0
            for script in PLANTERS[kind](stage):
                episode = player.play(stage.task.id, script, number)
                if episode.status == "fail" and _as_meant(kind, episode):
                    number += 1
                    yield Planted(kind, episode)
                if number == each:
                    break
    player.close()


def _as_meant(kind: str, episode: Episode) -> bool:
    if kind in CLEAN and episode.broken_rules:
        return False
    if kind in IN_STATE and all(a["ok"] for a in episode.verdict["assertions"] if not is_answer_check(a["name"])):
        return False
    return kind not in READABLE or not any('"INVALID_ARGUMENT"' in (m.get("content") or "") for m in episode.messages)


def scored(house: House, planted: Iterable[Planted]) -> tuple[Score, ...]:
    """Each class with how many of its plants were diagnosed as what they are."""
    found: dict[str, Counter[str]] = {}
    for one in planted:
        diagnosis = diagnose(one.episode, house.scenes(one.episode.task))
        found.setdefault(one.kind, Counter())["" if diagnosis is None else diagnosis.kind] += 1
    return tuple(
        Score(
            kind,
            found[kind].total(),
            found[kind][kind],
            tuple((k, n) for k, n in found[kind].most_common() if k != kind),
        )
        for kind in PLANTERS
        if kind in found
    )
