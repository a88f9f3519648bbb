"""The stages of tools: `tools/*.py`, `tools.json` and the handbook, and a pytest file per tool. None depends on the seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml
from worldwright.core.canonical import pretty_json
from worldwright.core.memo import Memo, Slot
from worldwright.kinds.database.compile.arrange.scene_runner import SceneRunner
from worldwright.kinds.database.compile.arrange.search import Case, FoundCases, SceneSearch
from worldwright.kinds.database.compile.arrange.write import CONFTEST, test_file
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.worlds import get_for_operation
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.tools import tool_source
from worldwright.kinds.database.handbook import render_handbook


def write_tools(draft: Draft) -> Draft:
    """Add every file that follows from the Blueprint alone."""
    files = write_blueprint_files(draft.compiled, draft.memo)
    specs = draft.compiled.specs.values()
    writes = sum(s.mutates for s in specs)
    policies = draft.blueprint.policies.values()
    by_hand = sum(p.enforced == "agent" and p.rule is not None for p in policies)
    figures = (
        f"{len(specs)} tools ({writes} write, {len(specs) - writes} read), {len(policies)} policies "
        f"({by_hand} only in the handbook)"
    )
    counts = {"tools": len(specs), "policies": len(policies), "handbook_policies": by_hand}
    return draft.add("tools", figures, files, counts)


TOOL_SOURCES: Slot[bytes] = Slot("tool sources", max_entries=4096)


def _source(blueprint: Checked, name: str) -> bytes:
    return tool_source(blueprint, name).encode()


def write_blueprint_files(compiled: CompiledWorld, memo: Memo) -> dict[str, bytes]:
    """Write the tools, their list, the handbook and the Blueprint itself."""
    blueprint = compiled.blueprint
    files = {
        f"tools/{name}.py": get_for_operation(memo, TOOL_SOURCES, compiled, name, partial(_source, blueprint, name))
        for name in blueprint.operations
    }
    files["tools.json"] = pretty_json({"tools": [spec.mcp() for spec in compiled.specs.values()]}).encode()
    files["policy.md"] = render_handbook(blueprint).encode()
    files["blueprint.yaml"] = canonical_yaml(blueprint.blueprint).encode()
    return files


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
