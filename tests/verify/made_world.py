"""A catalogue world with its tasks, made once per process; episodes of it, good and nearly good; and its pack on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from worldwright import catalogue
from worldwright.core.memo import Memo
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.engine.tasks import TaskBook, key_data, task_data
from worldwright.engine.walk import walk
from worldwright.kinds.database.battery.activity import ActivityByRole, RoleActivity
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import CELLS
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.vcode import vcode_source
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.pack.seal import seal, write_pack
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

PROCUREMENT = "enterprise_procurement"
SEED = 7
SKIPPED = ("graph", "tests")
"""Passes that no task needs."""


@dataclass(frozen=True, slots=True)
class Played:
    """One episode to be judged."""

    what: str
    calls: tuple[Call, ...]
    answer: Any
    submitted: bool = True


@dataclass(frozen=True, eq=False)
class MadeWorld:
    name: str
    compiled: CompiledWorld
    runtime: Runtime
    tasks: tuple[tuple[Task, Key], ...]
    digest: str
    files: dict[str, bytes]
    """The pack, as far as a verifier needs it."""

    def env(self) -> Env:
        return Env(self.runtime, self.digest, None, TaskBook(self.files))

    def some(self, many: int) -> tuple[tuple[Task, Key], ...]:
        """Tasks from everywhere in the list, so that every family is among them."""
        return self.tasks[:: max(1, len(self.tasks) // many)]


@cache
def made_world(name: str = PROCUREMENT) -> MadeWorld:
    compiled = compile_blueprint(catalogue.text(name))
    draft = Draft(compiled, SEED, Memo())
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    assert draft.grown is not None
    assert draft.made is not None
    tasks = draft.made.tasks
    files = {"blueprint.yaml": catalogue.text(name).encode(), "state.db": draft.grown.data}
    for task, key in tasks:
        files[f"tasks/{task.id}.json"] = json.dumps(task_data(task)).encode()
        files[f"keys/{task.id}.json"] = json.dumps(key_data(key)).encode()
        files[f"vcode/{file_name(task)}"] = vcode_source(compiled, task, key).encode()
    facts = {
        "name": name, "kind": "database", "blueprint": compiled.blueprint.digest, "seed": SEED, "variant": {}, "parent": "",
        "state": draft.grown.digest, "counts": {},
    }  # fmt: skip
    sealed = seal(files, facts)
    digest = json.loads(sealed["manifest.json"])["digest"]
    return MadeWorld(name, compiled, Runtime(compiled, draft.grown.data, ""), tasks, digest, sealed)


def file_name(task: Task) -> str:
    return f"verify_{task.id.removeprefix('task_')}.py"


def write_world(world: MadeWorld, folder: Path) -> Path:
    """The pack as a folder."""
    write_pack(world.files, folder)
    return folder


# episodes


def play(env: Env, task: Task, played: Played) -> None:
    env.reset(task.id)
    for call in played.calls:
        env.call_tool(call.tool, call.arguments)
    if played.submitted:
        env.submit(played.answer)


def gold(key: Key) -> Played:
    return Played("gold", key.calls, key.answer)


@cache
def activity(world: MadeWorld, role: str) -> RoleActivity:
    return ActivityByRole(Sandbox(world.runtime)).sample(role, 1)


def near_misses(world: MadeWorld, task: Task, key: Key, of_each: int) -> Iterator[Played]:
    """Episodes of the battery: a few of each cell, as the calls that were really made."""
    harness = VerifierHarness(Sandbox(world.runtime), task, key, activity=activity(world, task.role))
    for name, episodes in CELLS:
        if name == "random walks":
            continue
        for trial in islice(episodes(harness), of_each):
            submitted = trial.what != "nothing, not even an answer"
            calls = harness.end(trial.plan, stop=False).played.calls
            yield Played(f"{name}: {trial.what}", calls, trial.answer, submitted)


def random_walk(env: Env, task: Task, seed: int, calls: int, first: Sequence[Call] = ()) -> None:
    """Some calls, then random ones."""
    env.reset(task.id)
    for call in first:
        env.call_tool(call.tool, call.arguments)
    for _ in walk(env, Stream("verify", seed), calls):
        pass
