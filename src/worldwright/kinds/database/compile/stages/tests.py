"""The tests stage: a pytest file per tool. It depends on the Blueprint alone, so it is made once per variant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from worldwright.blueprint import checked as c
from worldwright.core.memo import Memo, Slot
from worldwright.kinds.database.compile.arrange.scene_runner import SceneRunner
from worldwright.kinds.database.compile.arrange.search import Case, FoundCases, SceneSearch
from worldwright.kinds.database.compile.arrange.write import CONFTEST, test_file
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.worlds import get_for_operation
from worldwright.kinds.database.compiled_world import CompiledWorld


@dataclass(frozen=True, slots=True)
class TestFiles:
    files: dict[str, bytes]
    tests: int
    guards: int
    unreached: dict[str, tuple[str, ...]]
    """By tool, the guards that no test could be found for."""


def write_tests(draft: Draft) -> Draft:
    """Add the tests of every tool."""
    made = test_files(draft.compiled, draft.memo)
    missed = sum(map(len, made.unreached.values()))
    figures = f"{made.tests} tests, {made.guards - missed} of {made.guards} guards tested on both sides"
    counts = {"tests": made.tests, "guards": made.guards, "guards_untested": missed}
    return draft.add("tests", figures, made.files, counts)


def test_files(compiled: CompiledWorld, memo: Memo) -> TestFiles:
    """Write a test file for every tool."""
    files = {"tests/conftest.py": CONFTEST.encode()}
    total = guards = 0
    unreached = {}
    with LazySceneRunner(compiled) as staged:
        for name in compiled.blueprint.operations:
            text, count, met, missed = get_for_operation(memo, TOOL_TESTS, compiled, name, partial(staged.tests, name))
            files[f"tests/test_{name}.py"] = text
            total += count
            guards += met
            if missed:
                unreached[name] = missed
    return TestFiles(files, total, guards, unreached)


TOOL_TESTS: Slot[tuple[bytes, int, int, tuple[str, ...]]] = Slot("tool tests", max_entries=4096)


class LazySceneRunner:
    """A scene runner that is set up when a test is first looked for: variants that share all tests need none."""

    def __init__(self, compiled: CompiledWorld) -> None:
        self._compiled = compiled
        self._stage: SceneRunner | None = None

    def __enter__(self) -> LazySceneRunner:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stage is not None:
            self._stage.conn.close()

    def tests(self, name: str) -> tuple[bytes, int, int, tuple[str, ...]]:
        """The file of one tool, how many tests it has, how many guards there are, and those without a test."""
        if self._stage is None:
            self._stage = SceneRunner(self._compiled)
        blueprint = self._compiled.blueprint
        found = _search_cases(self._stage, blueprint.operations[name])
        text, count = test_file(blueprint, blueprint.operations[name], found)
        return text.encode(), count, found.guards, found.unreached


def _search_cases(stage: SceneRunner, operation: c.Operation) -> FoundCases:
    if isinstance(operation.read, c.Search):
        return FoundCases((), 0, ())
    if isinstance(operation.read, c.Get):
        scene = SceneSearch(stage, operation).climber.editor.first_scene()
        return FoundCases((Case("works", scene),) if operation.read.where is None else (), 0, ())
    return SceneSearch(stage, operation).search()
