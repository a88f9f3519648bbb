"""The tests pass: a pytest file per tool. It depends on the Blueprint alone, so it is made once per variant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from worldwright.blueprint import checked as c
from worldwright.compiler.arrange.search import Arranger, Case, Found
from worldwright.compiler.arrange.stage import Stage
from worldwright.compiler.arrange.write import CONFTEST, test_file
from worldwright.compiler.draft import Draft
from worldwright.kinds.database.runtime import Machine


@dataclass(frozen=True, slots=True)
class TestFiles:
    files: dict[str, bytes]
    tests: int
    guards: int
    unreached: dict[str, tuple[str, ...]]
    """By tool, the guards that no test could be found for."""


def tests(draft: Draft) -> Draft:
    made = test_files(draft.machine)
    missed = sum(map(len, made.unreached.values()))
    figures = f"{made.tests} tests, {made.guards - missed} of {made.guards} guards on both sides"
    counts = {"tests": made.tests, "guards": made.guards, "guards_untested": missed}
    return draft.adding("tests", figures, made.files, counts)


@lru_cache(maxsize=16)
def test_files(machine: Machine) -> TestFiles:
    blueprint = machine.blueprint
    stage = Stage(machine)
    files = {"tests/conftest.py": CONFTEST.encode()}
    total = guards = 0
    unreached = {}
    for name, operation in blueprint.operations.items():
        found = _found(stage, operation)
        text, count = test_file(blueprint, operation, found)
        files[f"tests/test_{name}.py"] = text.encode()
        total += count
        guards += found.guards
        if found.unreached:
            unreached[name] = found.unreached
    stage.conn.close()
    return TestFiles(files, total, guards, unreached)


def _found(stage: Stage, operation: c.Operation) -> Found:
    if isinstance(operation.read, c.Search):
        return Found((), 0, ())
    if isinstance(operation.read, c.Get):
        scene = Arranger(stage, operation).climber.editor.first_scene()
        return Found((Case("works", scene),) if operation.read.where is None else (), 0, ())
    return Arranger(stage, operation).search()
