"""All tasks of a world: candidates of every family, those too much alike left out, each in somebody's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from worldwright.blueprint.model import PersonaSpec
from worldwright.compiler.tasks.accept import Dropped
from worldwright.compiler.tasks.asking import asked
from worldwright.compiler.tasks.candidates import Candidate, done
from worldwright.compiler.tasks.chains import Weights, chained_goals
from worldwright.compiler.tasks.describe import Describer
from worldwright.compiler.tasks.filing import FiledRequest
from worldwright.compiler.tasks.ground import Ground
from worldwright.compiler.tasks.instances import At, witness
from worldwright.compiler.tasks.knobs import Knobs
from worldwright.compiler.tasks.programs import programs
from worldwright.compiler.tasks.single import single_goals
from worldwright.compiler.tasks.wording import in_pieces, told
from worldwright.compiler.tasks.written import written
from worldwright.core.rng import Stream
from worldwright.world.tasks import Key, Task

MOST = 60
"""Tasks of one world."""
SHORTEST, LONGEST, LOOPS = 2, 15, 40
"""Calls of a witness: the fewest, the most, and the most where it goes over many rows."""
MANY = 10
"""Records that make an answer worth working out though one call shows them all."""


@dataclass(frozen=True, slots=True)
class Made:
    """The tasks of a world, and what did not become one."""

    tasks: tuple[tuple[Task, Key], ...]
    dropped: Mapping[str, int]
    """By reason, how many."""


def make_tasks(
    ground: Ground,
    seed: int,
    damaged: Mapping[str, Sequence[At]],
    filed: Sequence[FiledRequest] = (),
    asked_for: Knobs | None = None,
    weights: Weights = MappingProxyType({}),
) -> Made:
    """Every task that the state has room for, within the knobs."""
    knobs = asked_for or Knobs()
    describer = Describer(ground, knobs.reference, knobs.phrases)
    found: list[Candidate] = []
    dropped: Counter[str] = Counter()
    shapes: set[tuple[str, ...]] = set()
    for candidate in _candidates(ground, describer, seed, damaged, filed, knobs, weights):
        if isinstance(candidate, Dropped):
            dropped[candidate.reason] += 1
        elif not _fair(candidate):
            dropped["too short or too long"] += 1
        elif not knobs.admits(candidate.features):
            dropped["outside of the difficulty asked for"] += 1
        elif _signature(candidate) in shapes:
            dropped["too much like another"] += 1
        else:
            shapes.add(_signature(candidate))
            found.append(candidate)
    found = balanced(found, MOST, dropped)
    personas = ground.machine.blueprint.blueprint.personas
    tasks = tuple(_numbered(c, k, seed, personas) for k, c in enumerate(found, start=1))
    return Made(tasks, dict(sorted(dropped.items())))


def _candidates(
    ground: Ground,
    describer: Describer,
    seed: int,
    damaged: Mapping[str, Sequence[At]],
    filed: Sequence[FiledRequest],
    knobs: Knobs,
    weights: Weights,
) -> Iterator[Candidate | Dropped]:
    yield from single_goals(ground, describer, seed, damaged)
    for request in filed:
        yield _from_filed(ground, describer, request, seed)
    if knobs.longest > 1:
        yield from chained_goals(ground, describer, seed, damaged, knobs.longest, weights)
    yield from programs(ground, describer, seed)


def balanced(found: Sequence[Candidate], most: int, dropped: Counter[str]) -> list[Candidate]:
    """No more than `most`: where there are more, the family that has most gives up its last one with a single end state.

    And of the policy tasks, half at least rest on the handbook: what tools enforce, trying finds out.
    """
    kept = list(found)
    while len(kept) > most:
        sizes = Counter(c.family for c in kept)
        spare = [c for c in kept if not c.choices] or kept
        largest = max((c.family for c in spare), key=lambda family: (sizes[family], family))
        kept.remove([c for c in spare if c.family == largest][-1])
        dropped["enough of its kind"] += 1
    enforced = [c for c in kept if c.family == "policy" and not c.handbook]
    by_hand = sum(c.family == "policy" and c.handbook for c in kept)
    for candidate in enforced[by_hand:]:
        kept.remove(candidate)
        dropped["enough of its kind"] += 1
    return kept


def _fair(candidate: Candidate) -> bool:
    """Two calls at least, or one that shows many records to work something out from; and no more than can be made by hand."""
    items = candidate.features["items"]
    least = 1 if items >= MANY and not candidate.plan else SHORTEST
    return least <= len(candidate.calls) <= (LOOPS if items > 1 else LONGEST)


def _signature(candidate: Candidate) -> tuple[str, ...]:
    """What two tasks share that are copies of each other: goals and sides, and the tools of the witness."""
    return (*candidate.shape, *(call.tool for call in candidate.plan))


def _from_filed(ground: Ground, describer: Describer, request: FiledRequest, seed: int) -> Candidate | Dropped:
    """A task whose request is in the world: somebody only points to it."""
    bound = request.attempt.bound
    files = ground.machine.blueprint.goals[bound.goal].files
    assert files is not None
    path = (seed, "filed", bound.goal)
    again = witness(ground, bound, path)
    if again is None or not again.clean:
        return Dropped("a filed request cannot be carried out", bound.goal)
    ground.start(bound.role, bound.actor)
    rows = {**bound.rows, request.name: request.at}
    words = asked(ground, describer, Stream(*path).pick(describer.ways(files.asks)), rows, bound.said, 0)
    if words is None:
        return Dropped("not unique", bound.goal)
    return done(ground, "walk", ("filed", bound.goal), (bound,), again.plan, (words,), path, record=True)


def _numbered(candidate: Candidate, k: int, seed: int, personas: Mapping[str, PersonaSpec]) -> tuple[Task, Key]:
    name = f"task_{k:03d}"
    stream = Stream(seed, "words", *candidate.shape, k)
    who = stream.pick(tuple(personas)) if personas else ""
    filed = candidate.shape[0] == "filed"
    form = "ticket" if filed else ("mail" if stream.chance(0.25) else "message")
    text = told([a.text for a in candidate.asked], candidate.closing, personas.get(who), form, stream)
    pieces = in_pieces(
        candidate.asked, candidate.closing, personas.get(who), form, Stream(seed, "pieces", *candidate.shape, k)
    )
    return written(candidate, name, text, pieces, who, form)
