"""The battery: a tuple of cells and a loop. Each cell says what its episodes must score; the sheet counts what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from worldwright.kinds.database.battery.cells import (
    answers,
    extras,
    gold,
    idle,
    mistakes,
    omissions,
    orders,
    others,
    reads,
    refusals,
    repeats,
    rules,
    siblings,
    texts,
    walks,
)  # fmt: skip
from worldwright.kinds.database.battery.cells.walks import Walked
from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.kinds.database.battery.settings import FULL, Reach
from worldwright.kinds.database.battery.writes import Write, writes
from worldwright.kinds.database.compile.before import before
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.plans import Plan
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Key, Task


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the tasks of a role share."""

    walked: tuple[Walked, ...]
    writes: tuple[Write, ...]
    """Some of each tool, to be added to a witness."""


@dataclass(frozen=True, slots=True)
class Count:
    """One cell for one task."""

    accepted: int
    """Episodes that had to pass and did."""
    rejected: int
    """Episodes that had to fail and did."""
    false_accepts: int
    false_rejects: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The battery's word on one task."""

    task: str
    cells: Mapping[str, Count]
    wrong: tuple[str, ...]
    """What was judged wrongly, by cell."""
    missed: tuple[Plan, ...] = ()
    """Plans that were rejected and should not have been."""

    @property
    def holds(self) -> bool:
        return not self.wrong

    @property
    def episodes(self) -> int:
        return sum(c.accepted + c.rejected + c.false_accepts + c.false_rejects for c in self.cells.values())


CELLS: tuple[tuple[str, Callable[[Bench, Surroundings], Iterator[Trial]]], ...] = (
    ("gold", lambda b, s: gold.episodes(b)),
    ("extra reads", lambda b, s: reads.episodes(b)),
    ("another order", lambda b, s: orders.episodes(b)),
    ("other values and ways", lambda b, s: others.episodes(b)),
    ("a call repeated", lambda b, s: repeats.episodes(b)),
    ("recovered errors", lambda b, s: mistakes.episodes(b)),
    ("idle", lambda b, s: idle.episodes(b)),
    ("another answer", lambda b, s: answers.episodes(b)),
    ("a write left out", lambda b, s: omissions.episodes(b)),
    ("nearest sibling", lambda b, s: siblings.episodes(b)),
    ("one write more", lambda b, s: extras.episodes(b, s.writes)),
    ("rules broken", lambda b, s: rules.episodes(b)),
    ("refusing and not refusing", lambda b, s: refusals.episodes(b)),
    ("texts", lambda b, s: texts.episodes(b)),
    ("random walks", lambda b, s: walks.episodes(b, s.walked)),
)


def surroundings(ground: Ground, role: str, number: int = FULL.walks) -> Surroundings:
    """Random walks of a role, and the writes they found possible."""
    walked = walks.walks(ground, role, number)
    return Surroundings(walked, writes(ground, role, (call for walk in walked for call in walk.writes)))


class Around:
    """The surroundings of each role of a world, worked out when they are first asked for."""

    def __init__(self, ground: Ground, reach: Reach = FULL) -> None:
        self._ground = default_ground(ground) if reach.shared else ground
        self._reach = reach
        self._known: dict[tuple[str, int], Surroundings] = _SHARED.setdefault(self._ground, {}) if reach.shared else {}

    def __call__(self, role: str) -> Surroundings:
        key = (role, self._reach.walks)
        if key not in self._known:
            self._known[key] = surroundings(self._ground, *key)
        return self._known[key]


_SHARED: WeakKeyDictionary[Ground, dict[tuple[str, int], Surroundings]] = WeakKeyDictionary()
_DEFAULT: dict[tuple[str, bytes], Ground] = {}


def default_ground(ground: Ground) -> Ground:
    """The same state under the default rules: one for all policy variants that are built one after the other."""
    usual = before(ground.compiled)
    key = (usual.blueprint.digest, ground.runtime.state)
    if key not in _DEFAULT:
        _DEFAULT.clear()
        _DEFAULT[key] = Ground(Runtime(usual, ground.runtime.state, ""))
    return _DEFAULT[key]


def sheet(bench: Bench, around: Surroundings, only: Iterable[str] = ()) -> Sheet:
    """Run the battery over one task."""
    wanted = set(only)
    cells: dict[str, Count] = {}
    wrong: list[str] = []
    missed: list[Plan] = []
    for name, episodes in CELLS:
        if wanted and name not in wanted:
            continue
        found = list(episodes(bench, around))
        cells[name] = _counted(found)
        wrong += [f"{name}: {_told(t)}" for t in found if not t.right]
        missed += [t.plan for t in found if t.wanted and not t.right]
    return Sheet(bench.task.id, cells, tuple(wrong), tuple(missed))


def _counted(found: Sequence[Trial]) -> Count:
    return Count(
        sum(t.wanted and t.right for t in found),
        sum(not t.wanted and t.right for t in found),
        sum(not t.wanted and not t.right for t in found),
        sum(t.wanted and not t.right for t in found),
    )


def _told(trial: Trial) -> str:
    failed = next((a for a in trial.verdict.assertions if not a.ok), None)
    why = "" if failed is None else f" ({failed.name}: expected {failed.expected}, found {failed.found})"
    return f"{trial.what} {'was rejected' if trial.wanted else 'was accepted'}{why}"


def sheets(ground: Ground, tasks: Sequence[tuple[Task, Key]], reach: Reach = FULL) -> Iterator[Sheet]:
    """The battery over all tasks of a world, walks shared by those of one role."""
    around = Around(ground, reach)
    for task, key in tasks:
        yield sheet(Bench(ground, task, key, reach=reach), around(task.role))
