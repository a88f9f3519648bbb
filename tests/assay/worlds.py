"""Worlds with their tasks, opened from a pack for the battery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.domains import CORE_IN_TURN

from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.pack.open import Pack
from worldwright.store.open import world_of
from worldwright.world.tasks import Key, Task

NAMES = CORE_IN_TURN
MAIN = "enterprise_procurement"


@dataclass(frozen=True, slots=True)
class Proved:
    """A sealed world and every task of it."""

    sandbox: Sandbox
    tasks: tuple[tuple[Task, Key], ...]
    files: dict[str, Any]


def proved(pack: Pack) -> Proved:
    world = world_of(pack)
    tasks = tuple((task, world.key(task.id)) for task in world.tasks)
    return Proved(Sandbox(Runtime(compile_blueprint(pack.blueprint), pack.state, "")), tasks, dict(pack.files))
