"""Searching for scenes: one where an operation succeeds, and for each guard one just on either side of its boundary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.kinds.database.compile.arrange.climb import MAX_SUGGESTIONS, Climber
from worldwright.kinds.database.compile.arrange.edits import Edits, SetField
from worldwright.kinds.database.compile.arrange.guards import entrances, find_condition, list_guards, name
from worldwright.kinds.database.compile.arrange.scene_rows import Key, find_loose_rows, remove_rows
from worldwright.kinds.database.compile.arrange.scene_runner import Scene, SceneRunner, Trial
from worldwright.kinds.database.compile.arrange.suggest import Suggester

MAX_RUNS = 240
"""Scenes tried for one operation at most, and half as many for each of its guards."""
MAX_DEPTH = 14
WIDTHS = (6, MAX_SUGGESTIONS)
"""Suggestions followed at each step towards a refusal: few at first, then all."""
MAX_EDGE_SCENES = 5
"""Ways tried to put a comparison at its edge."""


@dataclass(frozen=True, slots=True)
class Case:
    """A scene and what happens in it."""

    title: str
    scene: Scene
    code: str = ""
    """The error; empty for success."""
    policy: str = ""
    broken: tuple[str, ...] = ()
    """Handbook rules broken on the way."""


@dataclass(frozen=True, slots=True)
class FoundCases:
    """What the search found for one operation."""

    cases: tuple[Case, ...]
    guards: int
    unreached: tuple[str, ...]
    """Guards for which no scene was found."""


class SceneSearch:
    """Searches scenes for one operation."""

    def __init__(self, stage: SceneRunner, operation: c.Operation) -> None:
        self.stage = stage
        self.operation = operation
        self.blueprint = stage.compiled.blueprint
        self.schema = self.blueprint.schema
        self.climber = Climber(stage, operation)
        self.suggester = self.climber.suggester
        self._timely = Suggester(self.suggester.sight, operation, clock=True)

    def search(self) -> FoundCases:
        self.climber.budget = MAX_RUNS
        happy = self.climber.climb(self.climber.editor.first_scene(), MAX_DEPTH, lambda trial: True)
        found = list_guards(self.blueprint, self.operation)
        if happy is None:
            return FoundCases((), len(found), tuple(map(name, found)))
        scene, trial = self._obey_handbook(*happy)
        cases = [Case("works", scene, broken=trial.broken)]
        unreached = []
        for guard in found:
            self.climber.budget = MAX_RUNS // 2
            seen = list(self._find_both_sides(scene, trial, guard))
            cases += seen
            if not seen:
                unreached.append(name(guard))
        return FoundCases(tuple(_make_distinct(cases)), len(found), tuple(unreached))

    def _obey_handbook(self, scene: Scene, trial: Trial) -> tuple[Scene, Trial]:
        """Edit a scene that succeeds so that it breaks no more of the handbook than it has to."""
        for s in walk_statements(self.operation.body):
            test = find_condition(s) if id(s) in trial.broken_at else None
            if test is not None:
                for edited in self._edit_condition(scene, s, test, True):
                    better = self.climber.run(edited)
                    if better is not None and better.ok and set(better.broken) < set(trial.broken):
                        scene, trial = edited, better
                        break
        return self._drop_loose_rows(scene, trial)

    def _drop_loose_rows(self, scene: Scene, trial: Trial) -> tuple[Scene, Trial]:
        """Drop rows that were given on the way and turned out not to matter."""
        best, gone = (scene, trial), frozenset[Key]()
        for end in find_loose_rows(self.schema, self.operation, scene):
            less = remove_rows(self.schema, self.operation, scene, gone | end)
            same = self.climber.run(less) if less is not None else None
            if less is None or same is None or not same.ok:
                continue
            if (same.seen, same.broken) == (trial.seen, trial.broken):
                best, gone = (less, same), gone | end
        return best

    # guards

    def _find_both_sides(self, scene: Scene, trial: Trial, guard: c.Statement) -> Iterator[Case]:
        """Yield the guard refusing, and where there is such a thing, the guard passed exactly at its edge."""
        base = self._reach(scene, trial, guard)
        failing = self._fail(*base, guard) if base is not None else None
        failing = failing or self._find_tried(guard)
        if failing is None:
            return
        yield failing
        # From the refusal a step back is the edge; else from where it passed, a step towards it.
        edge = self._edge(failing.scene, guard)
        if edge is None and base is not None:
            edge = self._edge(base[0], guard)
        if edge is not None:
            yield edge

    def _reach(self, scene: Scene, trial: Trial, guard: c.Statement) -> tuple[Scene, Trial] | None:
        """Find a scene that succeeds and passes through the guard."""
        if id(guard) in trial.seen:
            return scene, trial
        around = entrances(self.operation.body, guard)
        inside = [id(s) for s, _, _ in around[1:]] + [id(guard)]
        closed = [way for way in zip(around, inside, strict=True) if way[1] not in trial.seen]
        if not closed or id(closed[0][0][0]) not in trial.seen:
            return None
        (s, test, want), following = closed[0]
        for edited in self._edit_condition(scene, s, test, want):
            found = self.climber.climb(edited, 4, lambda t: following in t.seen)
            further = self._reach(*found, guard) if found is not None else None
            if further is not None:
                return further
        return None

    def _find_tried(self, guard: c.Statement) -> Case | None:
        """Find a scene that was tried for another reason and happens to be refused by this guard."""
        found = (self._judge(guard, scene, trial) for scene, trial in self.climber.tried.items())
        return next((case for case in found if case is not None), None)

    def _fail(self, scene: Scene, trial: Trial, guard: c.Statement) -> Case | None:
        """A scene that differs a little and is refused by exactly this guard."""
        already = self._judge(guard, scene, trial)
        if already is not None:
            return already
        for suggester in self._suggesters(guard):
            level: list[Scene] = []
            for edited in self._edit_against(scene, guard, suggester, 4 * MAX_SUGGESTIONS):
                following = self.climber.run(edited)
                case = self._judge(guard, edited, following) if following is not None else None
                if case is not None or following is None:
                    return case
                level.append(edited)
            for width in WIDTHS:
                for edited in level:
                    case = self._find_refusal(edited, guard, 3, width)
                    if case is not None:
                        return case
        return None

    def _suggesters(self, guard: c.Statement) -> Iterator[Suggester]:
        """The plain one; then, where the guard looks at the clock, one that may change the time."""
        yield self.suggester
        test = find_condition(guard)
        if test is not None and self.suggester.sight.meanings.depends_on_time(test):
            yield self._timely

    def _edit_condition(self, scene: Scene, s: c.Statement, test: n.Node, want: bool) -> Iterator[Scene]:
        """Yield the scene with edits under which a condition might be as wanted when the statement is reached."""
        for frame in self.stage.views(self.operation, scene, s):
            yield from self.climber.edit(scene, self.suggester.make(test, want, frame))

    def _edit_against(
        self, scene: Scene, guard: c.Statement, suggester: Suggester, width: int = MAX_SUGGESTIONS
    ) -> Iterator[Scene]:
        """Yield the scene with edits under which the guard might refuse."""
        test = find_condition(guard)
        for frame in self.stage.views(self.operation, scene, guard):
            if test is not None:
                yield from self.climber.edit(scene, suggester.make(test, False, frame), width)
            elif isinstance(guard, c.Set):
                yield from self.climber.edit(scene, self._suggest_bad_moves(guard, frame), width)

    def _find_refusal(self, scene: Scene, guard: c.Statement, depth: int, width: int) -> Case | None:
        """Find a scene in which this guard refuses, getting past other refusals that stand in the way."""
        trial = self.climber.run(scene)
        if trial is None:
            return None
        case = self._judge(guard, scene, trial)
        if case is not None or depth == 0 or trial.at is guard:
            return case
        for edited in list(islice(self._step_on(scene, trial, guard), width)):
            case = self._find_refusal(edited, guard, depth - 1, width)
            if case is not None:
                return case
        return None

    def _step_on(self, scene: Scene, trial: Trial, guard: c.Statement) -> Iterator[Scene]:
        """Yield scenes past what refuses instead; where nothing does, a step further towards the guard's refusal."""
        if not trial.ok:
            return self.climber.get_past(scene)
        if isinstance(guard, c.Set) or id(guard) not in trial.seen:
            return iter(())
        return self._edit_against(scene, guard, self.suggester)

    def _judge(self, guard: c.Statement, scene: Scene, trial: Trial) -> Case | None:
        title = f"refuses {_slug(name(guard))}"
        if isinstance(guard, c.Obey) and self.blueprint.policies[guard.policy].enforced == "agent":
            if trial.ok and id(guard) in trial.broken_at:
                return Case(f"lets_happen {_slug(guard.policy)}", scene, broken=trial.broken)
            return None
        if trial.ok or trial.at is not guard or trial.code == "INVARIANT":
            return None
        if isinstance(guard, c.Set) and trial.code != "INVALID_STATE":
            return None
        return Case(title, scene, trial.code, trial.policy or "")

    def _suggest_bad_moves(self, guard: c.Set, frame: Frame) -> Iterator[Edits]:
        """Suggest the row in a state from which it cannot go there, or the same row as one that was moved before."""
        entity, sight = self.schema.entities[guard.row.type.entity], self.suggester.sight
        row = sight.row(guard.row, frame)
        if row is None:
            return
        wanted = next((sight.value(v, frame) for k, v in guard.values if k == entity.state_field), None)
        for state, following in entity.lifecycle.items():
            if wanted not in following:
                yield (SetField(row.entity, row.id, entity.state_field, state),)
        for before in takewhile(lambda s: s is not guard, walk_statements(self.operation.body)):
            if isinstance(before, c.Set) and before.row.type == guard.row.type and before.row != guard.row:
                known = n.free_names(before.row) <= {"actor", *frame}
                other = sight.row(before.row, frame) if known else None
                if other is not None:
                    yield from self.suggester.assign(guard.row, other.id, frame)
                    yield from self.suggester.assign(before.row, row.id, frame)

    def _edge(self, scene: Scene, guard: c.Statement) -> Case | None:
        """The guard passed exactly at its boundary: one step further and it refuses."""
        test = find_condition(guard)
        if test is None or isinstance(guard, c.Find):
            return None
        for suggester in self._suggesters(guard):
            for comparison, want in self._comparisons(test, True):
                frame = next(self.stage.views(self.operation, scene, guard))
                there = list(self.climber.edit(scene, suggester.edge(comparison, want, frame), MAX_EDGE_SCENES))
                for edited in there if self._refuses(scene, guard) else [scene, *there]:
                    found = self.climber.climb(edited, 1, lambda t: id(guard) in t.seen, 0)
                    if found is None or self._judge(guard, *found) is not None:
                        continue
                    if self._steps_over(found[0], guard, suggester, comparison, want):
                        return Case(f"allows_at_the_edge {_slug(name(guard))}", found[0], broken=found[1].broken)
        return None

    def _steps_over(
        self, scene: Scene, guard: c.Statement, suggester: Suggester, comparison: n.Compare, want: bool
    ) -> bool:
        """Return whether a comparison is at its edge in a scene, and the guard refuses where it goes over."""
        frame = next(self.stage.views(self.operation, scene, guard))
        if not suggester.is_at_edge(comparison, want, frame):
            return False
        beyond = self.climber.edit(scene, suggester.edge(comparison, not want, frame), MAX_EDGE_SCENES)
        return any(self._refuses(over, guard) for over in beyond)

    def _refuses(self, scene: Scene, guard: c.Statement) -> bool:
        trial = self.climber.run(scene)
        return trial is not None and self._judge(guard, scene, trial) is not None

    def _comparisons(self, node: n.Node, want: bool, depth: int = 0) -> Iterator[tuple[n.Compare, bool]]:
        """The orderings that a condition is made of, each with how it is when the guard passes because of it."""
        body = self.suggester.inlined(node) if depth < 8 else None
        if body is not None:
            yield from self._comparisons(body, want, depth + 1)
        elif isinstance(node, (n.And, n.Or)):
            for item in node.items:
                yield from self._comparisons(item, want, depth + 1)
        elif isinstance(node, n.Not):
            yield from self._comparisons(node.item, not want, depth + 1)
        elif isinstance(node, n.Compare) and node.op not in ("==", "!="):
            yield node, want


def _slug(text: str) -> str:
    out = "".join(ch if ch.isalnum() else "_" for ch in text.lower())
    while "__" in out:
        out = out.replace("__", "_")
    return out.strip("_")[:70].rstrip("_")


def _make_distinct(cases: list[Case]) -> Iterator[Case]:
    """Give cases titles of their own; the same scene is told once."""
    titles: dict[str, int] = {}
    scenes: set[tuple[Scene, str]] = set()
    for case in cases:
        if (case.scene, case.code) in scenes:
            continue
        scenes.add((case.scene, case.code))
        count = titles[case.title] = titles.get(case.title, 0) + 1
        yield case if count == 1 else replace(case, title=f"{case.title} {count}")
