"""Searching for scenes: one where an operation succeeds, and for each guard one just on either side of its boundary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import BOOL
from worldwright.compiler.arrange.edits import Edits, SetField
from worldwright.compiler.arrange.scenes import SceneEditor
from worldwright.compiler.arrange.stage import Scene, Stage, Trial
from worldwright.compiler.arrange.suggest import Suggester

RUNS = 240
"""Scenes tried for one operation at most."""
MAX_ROWS = 36
"""Rows of a scene at most: a test with more is not read by anybody."""
WIDTH = 14
"""Suggestions tried at each refusal."""
DEPTH = 14
ASIDE = 4


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
class Found:
    """What the search found for one operation."""

    cases: tuple[Case, ...]
    guards: int
    unreached: tuple[str, ...]
    """Guards for which no scene was found."""


class Arranger:
    """Searches scenes for one operation."""

    def __init__(self, stage: Stage, operation: c.Operation) -> None:
        self.stage = stage
        self.operation = operation
        self.machine = stage.machine
        self.schema = stage.machine.blueprint.schema
        self.suggester = Suggester(stage, operation)
        self.editor = SceneEditor(self.schema, operation)
        self._budget = RUNS
        self._last = Scene((), "", ())

    def search(self) -> Found:
        happy = self._climb(self.editor.first_scene(), DEPTH)
        guards = [s for s in walk_statements(self.operation.body) if self._is_guard(s)]
        if happy is None:
            return Found((), len(guards), tuple(self._name(g) for g in guards))
        scene, trial = happy
        cases = [Case("works", scene, broken=trial.broken)]
        unreached = []
        for guard in guards:
            self._budget = RUNS // 2
            found = self._reach(scene, guard)
            if found is None:
                unreached.append(self._name(guard))
                continue
            base, seen = found
            failing = self._fail(base, seen, guard)
            if failing is None:
                if not isinstance(guard, c.Set):
                    unreached.append(self._name(guard))
                continue
            cases.append(failing)
            edge = self._edge(base, seen, guard)
            if edge is not None:
                cases.append(edge)
        return Found(tuple(_distinct(cases)), len(guards), tuple(unreached))

    # climbing to success

    def _run(self, scene: Scene) -> Trial | None:
        if self._budget <= 0:
            return None
        self._budget -= 1
        return self.stage.run(self.operation, scene)

    def _climb(self, scene: Scene, depth: int, aside: int = 3) -> tuple[Scene, Trial] | None:
        """From a scene to one that succeeds, refusal by refusal; `aside` steps may be taken that change no refusal yet."""
        trial = self._run(scene)
        if trial is None or trial.ok:
            return None if trial is None else (scene, trial)
        if depth == 0:
            return None
        level: list[Scene] = []
        for edited in self._tries(scene, trial):
            following = self._run(edited)
            if following is None:
                return None
            if following.ok:
                return edited, following
            if following.steps > trial.steps or (following.steps == trial.steps and following.at is not trial.at):
                found = self._climb(edited, depth - 1, aside)
                if found is not None:
                    return found
            elif following.at is trial.at:
                level.append(edited)
        for edited in level[:ASIDE] if aside else ():
            found = self._climb(edited, depth - 1, aside - 1)
            if found is not None:
                return found
        return None

    def _tries(self, scene: Scene, trial: Trial) -> Iterator[Scene]:
        """Scenes that might get past the refusal."""
        self._last = scene
        self.stage.set_up(scene)
        options = list(islice(self._past(trial), WIDTH))
        for edits in options:
            edited = self._edited(scene, edits)
            if edited is not None:
                yield edited

    def _edited(self, scene: Scene, edits: Edits) -> Scene | None:
        out = self.editor.apply(scene, edits)
        if out is None or len(out.rows) > MAX_ROWS:
            return None
        self._last = out
        return out

    def _past(self, trial: Trial) -> Iterator[Edits]:
        frame = self._fresh(trial.frame)
        if trial.code == "INVARIANT":
            yield from self._past_invariant(trial, frame)
            return
        match trial.at:
            case c.Require(test=test):
                yield from self.suggester.make(test, True, frame)
            case c.Obey() as obey:
                yield from self.suggester.make(n.Obeys(BOOL, obey.policy, obey.args), True, frame)
            case c.Find() as find:
                yield from self.suggester.make(_exists(find), True, frame)
            case c.Set() as s:
                yield from self._past_move(s, frame)
            case c.Run() | c.When() | c.Each():
                return

    def _past_move(self, s: c.Set, frame: Frame) -> Iterator[Edits]:
        entity = self.schema.entities[s.row.type.entity]
        row = self.suggester.row(s.row, frame)
        if row is None:
            yield from self.suggester.make(n.IsNone(BOOL, s.row), False, frame)
            return
        for name, node in s.values:
            if name == entity.state_field:
                wanted = self.suggester.value(node, frame)
                for state, following in entity.lifecycle.items():
                    if wanted in following:
                        yield (SetField(row.entity, row.id, name, state),)
            elif not entity.columns[name].optional and self.suggester.value(node, frame) is None:
                yield from self.suggester.make(n.IsNone(BOOL, node), False, frame)

    def _past_invariant(self, trial: Trial, frame: Frame) -> Iterator[Edits]:
        name = (trial.details or {}).get("invariant", "")
        invariant = self.machine.blueprint.always[name]
        self.stage.run(self.operation, self._last)
        rows = [{}] if not invariant.each else [{"self": r} for r in self.stage.desk.rows(invariant.each)]
        for f in rows:
            if not self.suggester.value(invariant.holds, f):
                yield from self.suggester.make(invariant.holds, True, f)

    def _fresh(self, frame: Frame) -> Frame:
        """The names of a refusal with rows as they are on the newly set-up stage (those that the scene has)."""
        out: Frame = {}
        for name, value in frame.items():
            out[name] = self._fresh_value(value)
        return out

    def _fresh_value(self, value: Any) -> Any:
        if hasattr(value, "entity") and hasattr(value, "id"):
            return self.stage.desk.row(value.entity, value.id) or value
        if isinstance(value, dict):
            return {k: self._fresh_value(v) for k, v in value.items()}
        return [self._fresh_value(v) for v in value] if isinstance(value, list) else value

    # guards

    def _is_guard(self, s: c.Statement) -> bool:
        if isinstance(s, c.Set):
            entity = self.schema.entities[s.row.type.entity]
            return any(name == entity.state_field for name, _ in s.values)
        return isinstance(s, (c.Require, c.Obey)) or (isinstance(s, c.Find) and bool(s.code))

    def _name(self, s: c.Statement) -> str:
        match s:
            case c.Require():
                return f"{s.code}: {s.text}"
            case c.Obey():
                return f"policy {s.policy}"
            case c.Find():
                return f"{s.code}: find {s.name}"
            case c.Set():
                return f"INVALID_STATE: {s.row.type.entity} moves"
        return type(s).__name__

    def _reach(self, scene: Scene, guard: c.Statement) -> tuple[Scene, Frame] | None:
        """A scene that succeeds and passes through the guard, with the names in scope there."""
        trial = self._run(scene)
        if trial is None:
            return None
        if id(guard) in trial.seen:
            return scene, trial.seen[id(guard)][1]
        for branch in (s for s in walk_statements(self.operation.body) if isinstance(s, c.When)):
            wanted = guard in tuple(walk_statements(branch.do))
            if id(branch) not in trial.seen or not (wanted or guard in tuple(walk_statements(branch.otherwise))):
                continue
            self.stage.set_up(scene)
            frame = self._fresh(trial.seen[id(branch)][1])
            for edits in islice(self.suggester.make(branch.test, wanted, frame), WIDTH):
                edited = self._edited(scene, edits)
                found = self._climb(edited, 4) if edited is not None else None
                if found is not None and id(guard) in found[1].seen:
                    return found[0], found[1].seen[id(guard)][1]
        return None

    def _condition(self, guard: c.Statement) -> n.Node | None:
        match guard:
            case c.Require(test=test):
                return test
            case c.Obey():
                return n.Obeys(BOOL, guard.policy, guard.args)
            case c.Find():
                return _exists(guard)
        return None

    def _fail(self, scene: Scene, frame: Frame, guard: c.Statement) -> Case | None:
        """A scene that differs a little and is refused by exactly this guard."""
        self.stage.set_up(scene)
        fresh = self._fresh(frame)
        condition = self._condition(guard)
        options = self._bad_moves(guard, fresh) if condition is None else self.suggester.make(condition, False, fresh)
        for edits in list(islice(options, 4 * WIDTH)):
            edited = self._edited(scene, edits)
            case = self._refused_there(edited, guard, 3) if edited is not None else None
            if case is not None:
                return case
        return None

    def _refused_there(self, scene: Scene, guard: c.Statement, depth: int) -> Case | None:
        """A scene in which this guard refuses, getting past other refusals that stand in the way."""
        trial = self._run(scene)
        if trial is None:
            return None
        case = self._judged(guard, scene, trial)
        if case is not None or depth == 0 or trial.at is guard:
            return case
        for edited in list(islice(self._again(scene, trial, guard) if trial.ok else self._tries(scene, trial), 6)):
            case = self._refused_there(edited, guard, depth - 1)
            if case is not None:
                return case
        return None

    def _again(self, scene: Scene, trial: Trial, guard: c.Statement) -> Iterator[Scene]:
        """Scenes from one where the guard still holds, taken a step further towards its refusal."""
        condition = self._condition(guard)
        if condition is None or id(guard) not in trial.seen:
            return
        self.stage.set_up(scene)
        frame = self._fresh(trial.seen[id(guard)][1])
        for edits in list(islice(self.suggester.make(condition, False, frame), WIDTH)):
            edited = self._edited(scene, edits)
            if edited is not None and edited != scene:
                yield edited

    def _judged(self, guard: c.Statement, scene: Scene, trial: Trial) -> Case | None:
        title = f"refuses {_slug(self._name(guard))}"
        if isinstance(guard, c.Obey) and self.machine.blueprint.policies[guard.policy].enforced == "agent":
            if trial.ok and guard.policy in trial.broken:
                return Case(f"lets_happen {_slug(guard.policy)}", scene, broken=trial.broken)
            return None
        if not trial.ok and trial.at is guard and trial.code != "INVARIANT":
            return Case(title, scene, trial.code, trial.policy or "")
        return None

    def _bad_moves(self, guard: c.Statement, frame: Frame) -> Iterator[Edits]:
        assert isinstance(guard, c.Set)
        entity = self.schema.entities[guard.row.type.entity]
        row = self.suggester.row(guard.row, frame)
        if row is None:
            return
        wanted = next((self.suggester.value(v, frame) for k, v in guard.values if k == entity.state_field), None)
        for state, following in entity.lifecycle.items():
            if wanted not in following:
                yield (SetField(row.entity, row.id, entity.state_field, state),)

    def _edge(self, scene: Scene, frame: Frame, guard: c.Statement) -> Case | None:
        """The same guard passed exactly at its boundary."""
        condition = self._condition(guard)
        if condition is None or isinstance(guard, c.Find):
            return None
        self.stage.set_up(scene)
        fresh = self._fresh(frame)
        for edits in list(islice(self._boundaries(condition, fresh), WIDTH)):
            edited = self._edited(scene, edits)
            trial = self._run(edited) if edited is not None else None
            if edited is not None and trial is not None and trial.ok and id(guard) in trial.seen:
                agent = isinstance(guard, c.Obey) and guard.policy in trial.broken
                if not agent:
                    return Case(f"allows_at_the_edge {_slug(self._name(guard))}", edited, broken=trial.broken)
        return None

    def _boundaries(self, node: n.Node, frame: Frame, depth: int = 0) -> Iterator[Edits]:
        """Edits that put an ordering comparison inside the condition exactly on its boundary."""
        body = self.suggester.inlined(node) if depth < 8 else None
        if body is not None:
            yield from self._boundaries(body, frame, depth + 1)
        elif isinstance(node, (n.And, n.Or)):
            for item in node.items:
                yield from self._boundaries(item, frame, depth + 1)
        elif isinstance(node, n.Not):
            yield from self._boundaries(node.item, frame, depth + 1)
        elif isinstance(node, n.Compare) and node.op not in ("==", "!="):
            yield from islice(self.suggester.make(node, True, frame), 4)


def _exists(find: c.Find) -> n.Aggregate:
    return n.Aggregate(BOOL, "exists", find.name, find.rows, find.where, n.TRUE)


def _slug(text: str) -> str:
    out = "".join(ch if ch.isalnum() else "_" for ch in text.lower())
    while "__" in out:
        out = out.replace("__", "_")
    return out.strip("_")[:70].rstrip("_")


def _distinct(cases: list[Case]) -> Iterator[Case]:
    """Cases with titles of their own; the same scene is told once."""
    titles: dict[str, int] = {}
    scenes: set[tuple[Scene, str]] = set()
    for case in cases:
        if (case.scene, case.code) in scenes:
            continue
        scenes.add((case.scene, case.code))
        count = titles[case.title] = titles.get(case.title, 0) + 1
        yield case if count == 1 else replace(case, title=f"{case.title} {count}")
