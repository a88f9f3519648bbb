"""What planters work with: a task of a real world, its witness with new ids left open, and calls that can be made in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.arena.planted.script import SUBMIT, Move

from worldwright.arena.diagnose.scene import Scene, Scenes
from worldwright.blueprint.checked import Input
from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.plans import (
    NOTHING,
    NewRow,
    Path,
    fill_new,
    list_broken_rules,
    list_leaves,
    make_call,
    open_new,
)
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.kinds.database.session import Session
from worldwright.world.records import Call


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a call of the witness."""

    call: int
    path: Path
    input: Input
    value: Any


class House:
    """A world with what its planters share."""

    def __init__(self, world: World, mess: bytes | None = None) -> None:
        self.world = world
        self.scenes = Scenes(world, mess)
        self.sandbox = Sandbox(world.runtime)  # type: ignore[arg-type]  # Scenes has checked it

    def stages(self) -> Iterator[Stage]:
        for task in self.world.tasks:
            yield Stage(self, self.scenes(task.id))

    def reads(self, role: str) -> tuple[Call, ...]:
        """Looks that witnesses of a role take, each once."""
        found: dict[str, Call] = {}
        for task in self.world.tasks:
            if task.role == role:
                found |= {repr(c): c for c in self.world.key(task.id).calls if not self.scenes(task.id).mutates(c.tool)}
        return tuple(found.values())

    def writes(self, role: str, but: str) -> tuple[Call, ...]:
        """Changes that witnesses of other tasks of a role make, as far as they need nothing new."""
        out: list[Call] = []
        for task in self.world.tasks:
            if task.role == role and task.id != but:
                stage = Stage(self, self.scenes(task.id))
                out += [
                    stage.gold[i]
                    for i in stage.writes
                    if not any(_new(v) for _, v in list_leaves(stage.gold[i].arguments))
                ]
        return tuple(out)


class Stage:
    """One task."""

    def __init__(self, house: House, scene: Scene) -> None:
        self.house, self.scene = house, scene
        self.task, self.key = scene.task, scene.key
        self.answer: dict[str, Any] = dict(scene.key.answer or {})

    def session(self) -> Session:
        found = self.house.sandbox.start(self.task.role, self.task.actor)
        return found

    @cached_property
    def gold(self) -> tuple[Call, ...]:
        """The witness with ids of its own new rows left open."""
        session, made, out = self.session(), list[dict[str, list[str]]](), []
        for one in self.key.calls:
            out.append(Call(one.tool, open_new(one.arguments, made)))
            made.append(make_call(session, one)[1])
        return tuple(out)

    @cached_property
    def writes(self) -> tuple[int, ...]:
        return tuple(i for i, one in enumerate(self.gold) if self.scene.mutates(one.tool))

    @property
    def reads(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.gold)) if i not in self.writes)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every value that the witness's changes are given, those of new rows apart."""
        operations = self.scene.compiled.blueprint.operations
        return tuple(
            Place(i, path, found, value)
            for i in self.writes
            for path, value in list_leaves(self.gold[i].arguments)
            if not _new(value) and (found := find_input(operations[self.gold[i].tool], path)) is not None
        )

    def played(self, parts: Iterable[tuple[int, Call]]) -> tuple[tuple[Move, ...], bool, tuple[str, ...]]:
        """Calls, each for one of the witness's, with new ids filled in as they come; whether all were taken; rules broken.

        A call that needs a row which was never made is left out: nobody would know its id."""
        session = self.session()
        made: list[dict[str, list[str]]] = [{} for _ in self.gold]
        moves, fine = [], True
        for i, one in parts:
            arguments = fill_new(one.arguments, made)
            if any(value == NOTHING for _, value in list_leaves(arguments)):
                continue
            result, rows = make_call(session, Call(one.tool, arguments))
            fine = fine and result.ok
            made[i] = made[i] or rows
            moves.append(Move(one.tool, arguments))
        return tuple(moves), fine, list_broken_rules(session)

    def parts(self, kept: Sequence[int] | None = None) -> list[tuple[int, Call]]:
        return [(i, self.gold[i]) for i in (range(len(self.gold)) if kept is None else kept)]

    def moves(self, parts: Iterable[tuple[int, Call]]) -> tuple[Move, ...]:
        return self.played(parts)[0]

    def submit(self, **more: Any) -> Move:
        return Move(SUBMIT, {**self.answer, **more})


def _new(value: Any) -> bool:
    return isinstance(value, NewRow)
