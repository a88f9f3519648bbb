"""A tool is one thing with two faces: what the engine runs and what its file in the pack says. They do the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.effort import examples
from tests.random_caller import Caller
from tests.worlds import NAMES, file_runtime, role_of, runtime, take, walks

from worldwright.core.rng import Stream
from worldwright.kinds.database.session import Session
from worldwright.world.records import Result

pytestmark = pytest.mark.xdist_group("views")


def seen(result: Result) -> Any:
    """What a caller is told, but for details: a file refuses with its code and its message."""
    return (
        result.data
        if result.ok
        else (result.error.code, result.error.message, result.error.policy)
        if result.error
        else ()
    )


def compare(name: str, engine: Session, files: Session, caller: Caller, seed: int) -> tuple[str, Result]:
    tool, arguments, result = take(engine, caller, seed)
    other = files.call(tool, arguments)
    assert (other.ok, seen(other)) == (result.ok, seen(result)), f"{name}: {tool} {arguments}"
    assert files.clock == engine.clock
    return tool, result


@pytest.mark.parametrize("name", NAMES)
def test_engine_and_files_do_the_same(name: str) -> None:
    world, by_file = runtime(name), file_runtime(name)
    engine, files = world.session(""), by_file.session("")

    @settings(max_examples=examples(12), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(walks(40))
    def walk(drawn: tuple[int, list[int]]) -> None:
        role = role_of(world, drawn[0])
        engine.reset(role)
        files.reset(role)
        caller = Caller(world, role)
        for seed in drawn[1]:
            compare(name, engine, files, caller, seed)
        assert files.violations() == engine.violations()
        assert files.diff() == engine.diff()
        assert files.digest() == engine.digest()

    walk()
    engine.close()
    files.close()


@pytest.mark.parametrize("name", NAMES)
def test_engine_and_files_do_the_same_on_long_walks(name: str) -> None:
    """Enough calls that most tools that write have succeeded: agreeing on refusals alone would be nothing."""
    world, by_file = runtime(name), file_runtime(name)
    succeeded: Counter[str] = Counter()
    for number, role in enumerate(world.roles):
        engine, files = world.session(role), by_file.session(role)
        caller = Caller(world, role)
        for i in range(250):
            tool, result = compare(name, engine, files, caller, Stream("long", name, number, i).bits())
            succeeded[tool] += result.ok
        assert files.diff() == engine.diff()
        assert files.digest() == engine.digest()
        engine.close()
        files.close()
    writers = {t.name for t in world.tools.values() if t.mutates}
    assert len(writers & set(+succeeded)) >= 0.6 * len(writers), sorted(writers - set(+succeeded))
