"""What is known of a task before anybody tries it: what its witness writes, what ends are accepted, what is out of date.

A scene is worked out once and serves every episode of its task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.checked import Input
from worldwright.core.errors import UsageError
from worldwright.engine.world import World
from worldwright.kinds.database.compile.tasks.plans import Path, list_leaves
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.verify.patterns import Accepted
from worldwright.kinds.database.verify.verifier import specification
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

OUTDATED = frozenset({"stale", "drift"})
"""Mess that leaves an old value where a record shows a new one elsewhere."""
MESS = "mess.json"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a call."""

    path: Path
    value: Any
    input: Input | None
    demanded: bool
    """Whether another value is wrong; elsewhere it is one good choice of several."""
    made: bool
    """Whether it is the id of a row that the witness makes itself."""

    @property
    def entity(self) -> str:
        return self.input.type.entity if self.input is not None and self.input.type.kind == "ref" else ""


@dataclass(frozen=True, slots=True)
class GoldWrite:
    """One change that the witness makes, or one wait."""

    tool: str
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A task, seen from the controller's side."""

    task: Task
    key: Key
    compiled: CompiledWorld
    writes: tuple[GoldWrite, ...]
    accepts: tuple[Accepted, ...]
    answer: Mapping[str, Any]
    """The parts of the answer that must be there."""
    outdated: frozenset[tuple[str, str]]
    """(what an outdated place shows, what is true)."""
    copies: Mapping[str, str]
    """By the id of a duplicate, the record that counts."""

    @property
    def refuses(self) -> bool:
        return self.key.expects.get("outcome") == "refused"

    @property
    def rule(self) -> str:
        """The rule that forbids what is asked, where one does."""
        return str(self.key.expects.get("answer", {}).get("rule", {}).get("is") or "")

    @property
    def forbidden_calls(self) -> tuple[Call, ...]:
        return tuple(Call(c["tool"], c["arguments"]) for c in self.key.expects.get("forbidden", ()))

    def mutates(self, tool: str) -> bool:
        found = self.compiled.tools.get(tool)
        return found is not None and found.mutates

    def waits(self, tool: str) -> bool:
        found = self.compiled.tools.get(tool)
        return found is not None and found.waits is not None


class Scenes:
    """The scenes of one world, made when they are asked for."""

    def __init__(self, world: World, mess: bytes | None = None) -> None:
        if not isinstance(world.runtime, Runtime):
            raise UsageError(f"{world.name} is no database world: its episodes cannot be diagnosed")
        self.world = world
        self._compiled = world.runtime.compiled
        self._outdated, self._copies = _read_mess(mess)
        self._known: dict[str, Scene] = {}

    def __call__(self, task: str) -> Scene:
        if task not in self._known:
            self._known[task] = self._make_scene(task)
        return self._known[task]

    def _make_scene(self, ref: str) -> Scene:
        task, key = self.world.book.task(ref), self.world.key(ref)
        spec = specification(self._compiled, key.expects)
        answer = {name: value for name, value in dict(key.answer or {}).items() if value is not None}
        return Scene(
            task, key, self._compiled, self._writes(task, key), spec.accepts, answer, self._outdated, self._copies
        )

    def _writes(self, task: Task, key: Key) -> tuple[GoldWrite, ...]:
        """The witness's changes, played once to know which ids are its own."""
        free = {(p.get("call"), p.get("argument")) for p in key.provenance if str(p.get("from")).startswith("nothing ")}
        session = self.world.runtime.session(task.role, task.actor)
        made: set[str] = set()
        out: list[GoldWrite] = []
        for at, call in enumerate(key.calls, start=1):
            tool = self._compiled.tools.get(call.tool)
            if tool is not None and tool.mutates:
                operation = self._compiled.blueprint.operations[call.tool]
                number = f"{at} {call.tool}"
                found = tuple(
                    Leaf(path, value, find_input(operation, path), (number, ".".join(map(str, path))) not in free, value in made)
                    for path, value in list_leaves(call.arguments)
                )  # fmt: skip
                out.append(GoldWrite(call.tool, found))
            session.call(call.tool, call.arguments)
            made |= {key for table in session.own_diff_since_last().values() for key in table.added}
        session.close()
        return tuple(out)


def _read_mess(mess: bytes | None) -> tuple[frozenset[tuple[str, str]], dict[str, str]]:
    found: Iterable[Mapping[str, Any]] = json.loads(mess)["blemishes"] if mess else ()
    outdated, copies = set(), {}
    for one in found:
        if one["layer"] in OUTDATED and one["column"]:
            outdated.add((str(one["after"]), str(one["before"])))
        elif one["layer"] == "duplicate" and isinstance(one["before"], str):
            copies[str(one["id"])] = one["before"]
    return frozenset(outdated), copies
