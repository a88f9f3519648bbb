"""Worlds to run, built once per process; and the same worlds with every tool run from its file."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from hypothesis import strategies as st
from tests.domains import CORE_IN_TURN
from tests.random_caller import Caller
from tests.shared_builds import build
from tests.statement_world import STATEMENTS

from worldwright import catalogue
from worldwright.blueprint.siblings import load_cached
from worldwright.core.rng import Stream
from worldwright.kinds.database import tool_runtime
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.pack.open import Pack
from worldwright.pack.sides import is_world_file
from worldwright.world.manifest import MANIFEST
from worldwright.world.records import Result

LIBRARY = "town_library"
EXAMPLE = Path(__file__).parents[1] / "examples" / f"{LIBRARY}.yaml"
SMALL = "statement_world"
NAMES = (LIBRARY, SMALL, *CORE_IN_TURN)
SEED = 7


def text(name: str) -> str:
    if name == SMALL:
        return STATEMENTS
    return EXAMPLE.read_text(encoding="utf-8") if name == LIBRARY else catalogue.text(name)


@cache
def pack(name: str) -> Pack:
    return build(load_cached(text(name), f"{name}.yaml"), SEED, with_tasks=False).pack


@cache
def runtime(name: str) -> Runtime:
    """The world as the engine runs it."""
    return Runtime(compile_blueprint(pack(name).blueprint), pack(name).state, "")


@cache
def file_runtime(name: str) -> Runtime:
    """The same world with each tool as its file in the pack says it; the session around it is the engine's own."""
    return runtime_of_files(pack(name))


def runtime_of_files(made: Pack) -> Runtime:
    folder = Path(tempfile.mkdtemp(prefix="tools-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for path, data in made.files.items():
        if path.startswith("tools/"):
            (folder / Path(path).name).write_bytes(data)
    engine = compile_blueprint(made.blueprint)
    compiled = CompiledWorld(engine.blueprint)
    units: dict[int, tuple[UnitOfWork, tool_runtime.ToolContext]] = {}

    def through(tool: str) -> Callable[[UnitOfWork, dict[str, Any]], Any]:
        def perform(uow: UnitOfWork, frame: dict[str, Any]) -> Any:
            _, outer = units.setdefault(id(uow), (uow, tool_runtime.ToolContext(engine, uow, folder)))
            return outer.perform(tool, frame)

        return perform

    for tool in compiled.tools.values():
        tool.perform = through(tool.name)
    return Runtime(compiled, made.state, "")


# walks

seeds = st.integers(0, 2**32 - 1)


def walks(longest: int) -> st.SearchStrategy[tuple[int, list[int]]]:
    """Who acts, and a seed for each call; mostly long, and shrunk by leaving calls out."""
    lengths = st.sampled_from((1, longest // 4, longest // 2, longest, longest))
    return st.tuples(st.integers(0, 9), lengths.flatmap(lambda n: st.lists(seeds, min_size=n, max_size=n)))


def role_of(world: Runtime, number: int) -> str:
    return world.roles[number % len(world.roles)] if world.roles else ""


class Called(Protocol):
    """A session, or the agent's face of one."""

    @property
    def call(self) -> Callable[[str, dict[str, Any]], Result]: ...


def take(session: Called, caller: Caller, seed: int) -> tuple[str, dict[str, Any], Result]:
    """One random call."""
    tool, arguments = caller.call(Stream("call", seed))
    result = session.call(tool, arguments)
    caller.learn(result)
    return tool, arguments, result


def drop_grader_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Keep the files of a pack that may lie where an agent is: all that the world runs on, and nothing that judges."""
    return {path: data for path, data in files.items() if path == MANIFEST or is_world_file(path)}
