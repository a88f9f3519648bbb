"""Climbing: from a scene in which an operation is refused to one in which it gets as far as wanted, refusal by refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import BOOL
from worldwright.kinds.database.compile.arrange.edits import Edits, SetField
from worldwright.kinds.database.compile.arrange.guards import condition
from worldwright.kinds.database.compile.arrange.scenes import SceneEditor
from worldwright.kinds.database.compile.arrange.sight import Sight
from worldwright.kinds.database.compile.arrange.stage import Scene, Stage, Trial
from worldwright.kinds.database.compile.arrange.suggest import Suggester

WIDTH = 14
"""Suggestions tried at each refusal."""
ASIDE = 4

Goal = Callable[[Trial], bool]


class Climber:
    """Tries scenes of one operation, so many at most."""

    def __init__(self, stage: Stage, operation: c.Operation) -> None:
        self.stage = stage
        self.operation = operation
        self.schema = stage.compiled.blueprint.schema
        self.suggester = Suggester(Sight(stage, operation), operation)
        self.editor = SceneEditor(self.schema, operation)
        self.budget = 0
        self.tried: dict[Scene, Trial] = {}

    def run(self, scene: Scene) -> Trial | None:
        """What comes of a scene; none where enough has been tried."""
        trial = self.tried.get(scene)
        if trial is None and self.budget > 0:
            self.budget -= 1
            trial = self.tried[scene] = self.stage.run(self.operation, scene)
        return trial

    def climb(self, scene: Scene, depth: int, goal: Goal, aside: int = 3) -> tuple[Scene, Trial] | None:
        """From a scene to one that succeeds and meets the goal; `aside` steps may be taken that change no refusal yet."""
        trial = self.run(scene)
        if trial is None or trial.ok:
            return (scene, trial) if trial is not None and goal(trial) else None
        if depth == 0:
            return None
        level: list[Scene] = []
        for edited in self.past(scene):
            following = self.run(edited)
            if following is None:
                return None
            if following.ok or _further(following, trial):
                found = self.climb(edited, depth - 1, goal, aside)
                if found is not None:
                    return found
            elif following.at is trial.at:
                level.append(edited)
        for edited in level[:ASIDE] if aside else ():
            found = self.climb(edited, depth - 1, goal, aside - 1)
            if found is not None:
                return found
        return None

    def past(self, scene: Scene) -> Iterator[Scene]:
        """Scenes that might get past the refusal of this one."""
        trial = self.stage.after(self.operation, scene)
        return self.edited(scene, self._past_invariant(trial) if trial.code == "INVARIANT" else self._past(trial))

    def edited(self, scene: Scene, options: Iterator[Edits], width: int = WIDTH) -> Iterator[Scene]:
        """Other scenes, by each of the first suggestions that can be followed; none of them twice."""
        seen = {scene}
        for edits in list(islice(options, width)):
            out = self.editor.apply(scene, edits)
            if out is not None and out not in seen:
                seen.add(out)
                yield out

    # suggestions

    def _past(self, trial: Trial) -> Iterator[Edits]:
        if isinstance(trial.at, c.Set):
            yield from self._past_move(trial.at, trial.frame)
        elif isinstance(trial.at, (c.Require, c.Obey, c.Find)):
            test = condition(trial.at)
            assert test is not None
            yield from self.suggester.make(test, True, trial.frame)

    def _past_move(self, s: c.Set, frame: Frame) -> Iterator[Edits]:
        entity = self.schema.entities[s.row.type.entity]
        row = self.suggester.sight.row(s.row, frame)
        if row is None:
            yield from self.suggester.make(n.IsNone(BOOL, s.row), False, frame)
            return
        for name, node in s.values:
            value = self.suggester.sight.value(node, frame)
            if name == entity.state_field:
                for state, following in entity.lifecycle.items():
                    if value in following:
                        yield (SetField(row.entity, row.id, name, state),)
            elif value is None and not entity.columns[name].optional:
                yield from self.suggester.make(n.IsNone(BOOL, node), False, frame)

    def _past_invariant(self, trial: Trial) -> Iterator[Edits]:
        """An invariant is broken by what the operation leaves behind."""
        invariant = self.stage.compiled.blueprint.always[(trial.details or {}).get("invariant", "")]
        rows = [{}] if not invariant.each else [{"self": r} for r in self.stage.uow.rows(invariant.each)]
        for f in rows:
            if not self.suggester.sight.value(invariant.holds, f):
                yield from self.suggester.make(invariant.holds, True, f)


def _further(trial: Trial, before: Trial) -> bool:
    return trial.steps > before.steps or (trial.steps == before.steps and trial.at is not before.at)
