"""All tasks of a world: candidates of every family, those too much alike left out, each in somebody's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import MappingProxyType

from worldwright.blueprint.model import PersonaSpec
from worldwright.core.memo import Memo
from worldwright.core.rng import Stream
from worldwright.kinds.build_events import TaskFound, Watch, unwatched
from worldwright.kinds.database.compile.tasks.accept import Dropped
from worldwright.kinds.database.compile.tasks.asking import word_request
from worldwright.kinds.database.compile.tasks.candidates import Candidate, make_done, make_refused, tell_request
from worldwright.kinds.database.compile.tasks.chains import HARD_CALLS, Weights, make_chains
from worldwright.kinds.database.compile.tasks.clairvoyance import list_clairvoyance
from worldwright.kinds.database.compile.tasks.contrast import CONTRAST, contrasts
from worldwright.kinds.database.compile.tasks.describe import UNSHOWN, Describer
from worldwright.kinds.database.compile.tasks.disturbing import DISTURBED, OtherWorlds, Repairs, is_disturbed
from worldwright.kinds.database.compile.tasks.filing import FiledRequest
from worldwright.kinds.database.compile.tasks.groups import Binding, list_bindings, number_groups
from worldwright.kinds.database.compile.tasks.instances import RowKey, witness
from worldwright.kinds.database.compile.tasks.knobs import MAX_TASKS, Knobs
from worldwright.kinds.database.compile.tasks.left_out import LeftOut
from worldwright.kinds.database.compile.tasks.programs import make_loops, make_questions
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.single import IF_FORBIDDEN, has_another_way, make_single
from worldwright.kinds.database.compile.tasks.task_records import write_records
from worldwright.kinds.database.compile.tasks.wording import sentence, split_request, word_message
from worldwright.kinds.database.compile.through.solving import REASONS, RECORD, Obstacle, Solver
from worldwright.world.tasks import Key, Requester, Task

MIN_CALLS, MAX_CALLS, MAX_CALLS_IN_LOOPS = 2, 30, 40
"""Calls of a witness: the fewest, the most, and the most where it goes over many rows."""
MAX_PER_BINDING = 2
"""Tasks that share a goal and the rows it is about."""
MIN_RECORDS_FOR_ONE_CALL = 10
"""Records that make an answer worth working out though one call shows them all."""

CLAIRVOYANT = "its key uses what nothing has shown"


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The tasks of a world, and what did not become one."""

    tasks: tuple[tuple[Task, Key], ...]
    dropped: Mapping[str, int]
    """By reason, how many."""
    unsolvable: tuple[Obstacle, ...] = ()
    """Of these, the requests that nobody could carry out with the tools of the contract."""


def make_tasks(
    sandbox: Sandbox,
    seed: int,
    damaged: Mapping[str, Sequence[RowKey]],
    memo: Memo,
    filed: Sequence[FiledRequest] = (),
    asked_for: Knobs | None = None,
    weights: Weights = MappingProxyType({}),
    solver: Solver | None = None,
    watch: Watch = unwatched,
) -> TaskSet:
    """Make every task that the state has room for, within the knobs. With a solver, only those that it finds can be done."""
    knobs = asked_for or Knobs()
    describer = Describer(sandbox, knobs.reference, knobs.phrases, None if solver is None else solver.tells_apart)
    unsolvable: list[Obstacle] = []
    found: list[Candidate] = []
    left_out = LeftOut(watch)
    shapes: set[tuple[str, ...]] = set()
    requests: set[str] = set()
    bindings: Counter[Binding] = Counter()
    repairs = Repairs(sandbox)
    for candidate in _sources(sandbox, describer, seed, damaged, memo, filed, knobs, weights, found):
        if len(found) >= knobs.most < MAX_TASKS:
            break
        if isinstance(candidate, Dropped):
            left_out.add(candidate.reason, candidate.detail)
            if candidate.reason == UNSHOWN:
                unsolvable.append(Obstacle(RECORD, f"nothing shows by what records of {candidate.detail} are called"))
            continue
        goal = candidate.bounds[0].goal
        if not _is_fair(candidate):
            left_out.add("too short or too long", goal)
        elif not knobs.admits(candidate.features):
            left_out.add("outside of the difficulty asked for", goal)
        elif _make_signature(candidate) in shapes or (knobs.contrast and _find_request(candidate) in requests):
            left_out.add("too much like another", goal)
        elif _is_used_up(candidate, bindings, solver is not None):
            left_out.add("enough about the same things", goal)
        elif not repairs.allows(candidate):
            left_out.add(DISTURBED, goal)
        elif knobs.most < MAX_TASKS and _is_enforced(candidate) and not _has_room(found):
            left_out.add("enough of its kind", goal)
        elif (why := _find_obstacle(solver, candidate)) is not None:
            left_out.add(REASONS[why.code], goal)
            unsolvable.append(why)
        else:
            repairs.add(candidate)
            shapes.add(_make_signature(candidate))
            requests.add(_find_request(candidate))
            bindings.update(list_bindings(candidate))
            found.append(candidate)
            watch(TaskFound(candidate.family, goal, tell_request(candidate.asked)))
    found = balance_families(found, MAX_TASKS, left_out)
    personas = sandbox.compiled.blueprint.blueprint.personas
    found = [
        replace(c, features={**c.features, "group": f"g{group}"})
        for c, group in zip(found, number_groups(found), strict=True)
    ]
    turns: Counter[str] = Counter()
    made = tuple(
        _make_task(
            c,
            k,
            seed,
            personas,
            (_find_request(c),) if knobs.contrast else (*c.shape, k),
            None if knobs.contrast else turns,
        )
        for k, c in enumerate(found, start=1)
    )
    tasks = _keep_sound(sandbox, zip(found, made, strict=True), filed, left_out)
    return TaskSet(tasks, dict(sorted(left_out.counts.items())), tuple(unsolvable))


def _is_used_up(candidate: Candidate, bindings: Mapping[Binding, int], narrow: bool) -> bool:
    """Return whether enough is asked about the same things already. Where tools of others leave few ways to pick records
    (`narrow`), what is asked for many at once is new while one of them is."""
    used = [bindings[binding] >= MAX_PER_BINDING for binding in list_bindings(candidate)]
    return bool(used) and all(used) if narrow and candidate.family == "program" else any(used)


def _find_obstacle(solver: Solver | None, candidate: Candidate) -> Obstacle | None:
    """Find why a candidate cannot be done with the tools of a contract; None where it can, or there is none."""
    if solver is None:
        return None
    asked = "\n".join((tell_request(candidate.asked), *candidate.closing))
    return solver.find_obstacle(*write_records(candidate, "task_000", asked, (), "", "message"))


def _keep_sound(
    sandbox: Sandbox,
    made: Iterable[tuple[Candidate, tuple[Task, Key]]],
    filed: Sequence[FiledRequest],
    left_out: LeftOut,
) -> tuple[tuple[Task, Key], ...]:
    """Keep the tasks whose keys rest on nothing but what is shown, and on nothing that is there for another task."""
    kept = []
    with closing(OtherWorlds(sandbox, {request.attempt.bound.goal: request.wrote for request in filed})) as worlds:
        for candidate, (task, key) in made:
            own = candidate.shape[1] if candidate.shape[0] == "filed" else ""
            if list_clairvoyance(sandbox, task, key):
                left_out.add(CLAIRVOYANT, candidate.bounds[0].goal, after_all=True)
            elif is_disturbed(worlds, task, key, own):
                left_out.add(DISTURBED, candidate.bounds[0].goal, after_all=True)
            else:
                kept.append((task, key))
    return tuple(kept)


def _sources(
    sandbox: Sandbox,
    describer: Describer,
    seed: int,
    damaged: Mapping[str, Sequence[RowKey]],
    memo: Memo,
    filed: Sequence[FiledRequest],
    knobs: Knobs,
    weights: Weights,
    found: Sequence[Candidate],
) -> Iterator[Candidate | Dropped]:
    """Candidates kind by kind; where only some are wanted, kinds and goals take turns, beginning anywhere."""
    own = _derive_own_seed(sandbox, seed) if knobs.contrast else seed
    few = knobs.most < MAX_TASKS
    goals: Sequence[str] = tuple(sandbox.goals)
    operations: Sequence[str] = tuple(sandbox.compiled.blueprint.operations)
    if few:
        goals, operations = Stream(own, "goals").shuffled(goals), Stream(own, "operations").shuffled(operations)
    one = [make_single(sandbox, describer, own, damaged, name) for name in goals]
    asked_otherwise = contrasts(sandbox, describer, seed, damaged, knobs.contrast, memo) if knobs.contrast else iter(())
    in_the_world = (_make_filed(sandbox, describer, request, seed) for request in filed)
    able: dict[str, int] = {}
    if not few:
        one = [_note_able(candidates, able) for candidates in one]
    several = make_chains(sandbox, describer, own, damaged, knobs.longest, weights, goals, None if few else able, found)
    walks = several if knobs.longest > 1 else iter(())
    programs = make_loops(sandbox, describer, own, goals), make_questions(sandbox, describer, own, operations)
    if not few:
        return chain(asked_otherwise, *one, in_the_world, walks, *programs)
    return rotate_sources(
        (asked_otherwise, rotate_sources(one), walks, asked_otherwise, rotate_sources(programs), in_the_world)
    )


def _note_able(candidates: Iterable[Candidate | Dropped], able: dict[str, int]) -> Iterator[Candidate | Dropped]:
    """Yield the candidates of a goal, and note the calls of one that can be done."""
    for candidate in candidates:
        if isinstance(candidate, Candidate) and candidate.outcome == "done":
            able.setdefault(candidate.bounds[0].goal, len(candidate.calls))
        yield candidate


def rotate_sources(sources: Iterable[Iterator[Candidate | Dropped]]) -> Iterator[Candidate | Dropped]:
    """Yield a candidate of each in turn, with what was dropped on the way to it."""
    waiting = list(sources)
    while waiting:
        for source in tuple(waiting):
            for found in source:
                yield found
                if isinstance(found, Candidate):
                    break
            else:
                waiting.remove(source)


def _derive_own_seed(sandbox: Sandbox, seed: int) -> int:
    """Derive the seed of what only one variant is asked: requests that end alike under all rules are not asked twice."""
    variant = sandbox.compiled.blueprint.blueprint.variant
    return Stream(seed, "own", *(f"{k}={v}" for k, v in sorted(variant.items()))).bits() >> 1 if variant else seed


def balance_families(found: Sequence[Candidate], most: int, left_out: LeftOut) -> list[Candidate]:
    """Keep no more than `most`: where there are more, the family that has most gives up one with a single end state that is not
    hard, of the goals that it asks for most often the easiest.

    And of the policy tasks, half at least rest on the handbook: what tools enforce, trying finds out.
    """
    kept = list(found)
    while len(kept) > most:
        sizes = Counter(c.family for c in kept)
        spare = [c for c in kept if not c.choices] or kept
        largest = max((c.family for c in spare), key=lambda family: (sizes[family], family))
        goals, endings = Counter(c.bounds[0].goal for c in kept), Counter(filter(None, map(_find_ending, kept)))
        rank = partial(_rank_to_keep, goals, endings)
        least = min(reversed([c for c in spare if c.family == largest]), key=rank)
        kept.remove(least)
        left_out.add("enough of its kind", least.bounds[0].goal, after_all=True)
    enforced = [c for c in kept if _is_enforced(c)]
    by_hand = sum(c.family == "policy" and c.handbook for c in kept)
    for candidate in enforced[by_hand:]:
        kept.remove(candidate)
        left_out.add("enough of its kind", candidate.bounds[0].goal, after_all=True)
    return kept


def _rank_to_keep(
    goals: Mapping[str, int], endings: Mapping[tuple[str, ...], int], candidate: Candidate
) -> tuple[bool, bool, bool, int, int]:
    """Rank how much a world would lose with a candidate: what tells rules apart, the only task of an ending and what is hard is
    kept longest, then goals that few others ask for, then what takes more calls."""
    calls, ending = len(candidate.calls), _find_ending(candidate)
    only = bool(ending) and endings[ending] == 1
    return candidate.shape[0] == CONTRAST, only, calls >= HARD_CALLS, -goals[candidate.bounds[0].goal], calls


def _find_ending(candidate: Candidate) -> tuple[str, ...]:
    """What is done, for a task on whose way time passes; empty for any other."""
    return (
        candidate.shape if candidate.family == "walk" and candidate.shape[0] == "done" and candidate.shape[2:] else ()
    )


def _is_enforced(candidate: Candidate) -> bool:
    """Return whether it is a policy task whose rule the tools enforce."""
    return candidate.family == "policy" and not candidate.handbook


def _has_room(found: Sequence[Candidate]) -> bool:
    """Return whether there is room for one more of those, beside the ones that rest on the handbook."""
    return sum(map(_is_enforced, found)) < sum(c.family == "policy" and c.handbook for c in found)


def _is_fair(candidate: Candidate) -> bool:
    """Return whether a task has two calls at least, or one: where it shows many records to work something out from, or where
    the handbook decides. And no more than can be made by hand."""
    items = candidate.features["items"]
    least = (
        1 if (items >= MIN_RECORDS_FOR_ONE_CALL and not candidate.plan) or candidate.shape[0] == CONTRAST else MIN_CALLS
    )
    return least <= len(candidate.calls) <= (MAX_CALLS_IN_LOOPS if items > 1 else MAX_CALLS)


def _make_signature(candidate: Candidate) -> tuple[str, ...]:
    """Return what two tasks share that are copies of each other: goals and sides, and the tools of the witness; of a walk the
    goals, in whatever order."""
    if candidate.shape[0] == "chain":
        return "chain", *sorted(candidate.shape[1:])
    return (*candidate.shape, *(call.tool for call in candidate.plan))


def _make_filed(sandbox: Sandbox, describer: Describer, request: FiledRequest, seed: int) -> Candidate | Dropped:
    """Make a task whose request is in the world: somebody only points to it."""
    bound = request.attempt.bound
    files = sandbox.compiled.blueprint.goals[bound.goal].files
    assert files is not None
    path = (seed, "filed", bound.goal)
    again = witness(sandbox, bound, path)
    if again is None or not (again.clean or again.forbidden_by):
        return Dropped("a filed request cannot be carried out", bound.goal)
    if not again.clean and has_another_way(sandbox, again, path):
        return Dropped("can be done another way", bound.goal)
    sandbox.start(bound.role, bound.actor)
    rows = {**bound.rows, request.name: request.at}
    words = word_request(sandbox, describer, Stream(*path).pick(describer.list_ways(files.asks)), rows, bound.said, 0)
    if words is None:
        return Dropped(describer.unnamed, bound.goal)
    weighs = sandbox.goals[bound.goal].weighs_rules
    shape, closing = ("filed", bound.goal), () if weighs else (Stream(*path, "closing").pick(IF_FORBIDDEN),)
    if again.clean:
        done = make_done(sandbox, "walk", shape, (bound,), again.plan, (words,), path, closing, record=True)
        return done if isinstance(done, Dropped) else _add_filed_words(sandbox, done, request.at)
    return make_refused(sandbox, shape, bound, again.plan, again.played.made, again.forbidden_by, (words,), closing)


def _add_filed_words(sandbox: Sandbox, candidate: Candidate, at: tuple[str, str]) -> Candidate:
    """Add what the filed request says to what texts may say."""
    row = next((r for r in sandbox.opening(at[0]) if r.id == at[1]), None)
    if "words" not in candidate.expects or row is None:
        return candidate
    words = [candidate.expects["words"], *(value for value in row.values[1:] if isinstance(value, str))]
    return replace(candidate, expects={**candidate.expects, "words": "\n".join(filter(None, words))})


def _find_request(candidate: Candidate) -> str:
    """Return what is asked, whatever comes of it."""
    bounds = [(b.goal, b.role, b.actor, sorted(b.rows.items()), sorted(b.said.items())) for b in candidate.bounds]
    return repr((candidate.shape if candidate.family == "program" else (), bounds))


def _make_task(
    candidate: Candidate,
    k: int,
    seed: int,
    personas: Mapping[str, PersonaSpec],
    voice: Sequence[str | int],
    turns: Counter[str] | None,
) -> tuple[Task, Key]:
    """Make the task and its key; `voice` names the stream that decides who asks, and how. `turns` counts how often each persona has
    asked; None where words must not depend on what else is asked."""
    name = f"task_{k:03d}"
    stream = Stream(seed, "words", *voice)
    who = stream.pick(tuple(personas)) if personas else ""
    filed = candidate.shape[0] == "filed"
    form = "ticket" if filed else ("mail" if stream.chance(0.25) else "message")
    turn = None if turns is None else turns[who]
    text = word_message(candidate.asked, candidate.closing, personas.get(who), form, stream, turn)
    if turns is not None:
        turns[who] += 1
    pieces = split_request(candidate.asked, candidate.closing, personas.get(who), form, Stream(seed, "pieces", *voice))
    return write_records(candidate, name, text, pieces, who, form, _make_requester(candidate, personas.get(who)))


def _make_requester(candidate: Candidate, persona: PersonaSpec | None) -> Requester | None:
    """Who answers for the first thing that is asked. What they do themselves is left to the agent where the witness does it
    otherwise: for another row, or in another part of the request."""
    asked = candidate.asked[0] if candidate.asked else None
    voice, patience = ("plain", 0) if persona is None else (persona.voice, persona.patience)
    if asked is None or not (asked.facts or asked.acts):
        return Requester(voice, (), patience=patience) if patience else None
    able = [(act.tool, act.arguments) for act in asked.acts]
    hands = {act.tool for act in asked.acts}
    covered = all((call.tool, call.arguments) in able for call in candidate.calls if call.tool in hands)
    changes = tuple(map(sentence, asked.changes))
    return Requester(voice, asked.facts, asked.acts if covered else (), changes, patience)
