"""Every Blueprint that ships: depth, conformance, consistency, its own generated tests."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import shared_builds
from tests.domains import CHOSEN, MANY, take_turns
from tests.state_audit import audit

from worldwright import catalogue
from worldwright.blueprint.certainty import find_certain_guards
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked, Obey, Operation, Require, Set, Statement
from worldwright.blueprint.effects import depends_on_many
from worldwright.blueprint.expr.nodes import Node, free_names
from worldwright.catalogue.standard import MIN_TASKS
from worldwright.compiler.build import BuiltWorld, build
from worldwright.core.memo import Memo
from worldwright.engine import conformance
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.arrange import search
from worldwright.kinds.database.compile.arrange.guards import list_guards
from worldwright.kinds.database.compile.arrange.scene_runner import SceneRunner
from worldwright.kinds.database.compile.stages.tools import test_files as write_test_files
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.kinds.database.compile.worlds import compile_checked
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.pack.seal import write_pack
from worldwright.store.open import world_of

NAMES = CHOSEN
SOME = knobs("medium", {"most": "20"})
MEMO = Memo()


def compiled_of(name: str) -> CompiledWorld:
    return compile_checked(catalogue.load(name), MEMO)


@pytest.mark.parametrize("name", MANY)
def test_is_sealed_and_every_verdict_of_its_battery_was_right(name: str, built: Callable[[str], BuiltWorld]) -> None:
    """Domains whose turn it is have all their tasks, others some of every family."""
    whole = name in NAMES
    pack = built(name).pack if whole else shared_builds.build(catalogue.load(name), 7, knobs=SOME, battery=BULK).pack
    sheet = json.loads(pack.files["datasheet.json"])
    assert sheet["false_accepts"] == sheet["false_rejects"] == 0
    assert len(world_of(pack).tasks) >= (MIN_TASKS if whole else SOME.most * 3 // 4)


@pytest.mark.parametrize("name", NAMES)
def test_depth(name: str, built: Callable[[str], BuiltWorld]) -> None:
    blueprint, counts = catalogue.load(name), built(name).pack.manifest.counts
    assert counts["rows"] >= 1500
    assert counts["past_operations"] >= 700
    assert sum(depends_on_many(blueprint, op) for op in blueprint.operations) >= 5


@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_conformance(name: str, check: Callable[..., list[str]], built: Callable[[str], BuiltWorld]) -> None:
    assert check(world_of(built(name).pack), 3) == []


@pytest.mark.parametrize("name", NAMES)
def test_state_holds_before_mess(name: str) -> None:
    compiled = compiled_of(name)
    grown = grow_state(compiled, 11, mess=False)
    conn = compiled.connect(grown.data)
    assert audit(compiled, conn) == []
    conn.close()


@pytest.mark.parametrize("name", NAMES)
def test_every_inconsistency_is_a_layers(name: str, built: Callable[[str], BuiltWorld]) -> None:
    pack = built(name).pack
    compiled = compiled_of(name)
    conn = compiled.connect(pack.state)
    listed = {(b["entity"], b["id"]) for b in json.loads(pack.files["mess.json"])["blemishes"]}
    stray = [p for p in audit(compiled, conn) if (p.entity, p.id) not in listed]
    conn.close()
    assert stray == []


@pytest.mark.parametrize("name", NAMES)
def test_history_is_mostly_accepted(name: str, built: Callable[[str], BuiltWorld]) -> None:
    """A past in which most steps are refused would be a Blueprint whose flows do not fit its rules."""
    grown = grow_state(compiled_of(name), 7)
    assert sum(grown.past.refused.values()) < 0.35 * sum(grown.past.calls.values())


@pytest.mark.parametrize("name", NAMES)
def test_goals_have_something_to_be_about(name: str, built: Callable[[str], BuiltWorld]) -> None:
    """Nearly every goal's givens can be found in the opening state of any seed."""
    blueprint, compiled = catalogue.load(name), compiled_of(name)
    conn = compiled.connect(built(name).pack.state)
    uow = compiled.unit_of_work(conn)
    uow.now, uow.today = blueprint.schema.now, blueprint.schema.now[:10]
    without = []
    for goal in blueprint.goals.values():
        for variable, condition in goal.where.items():
            test = compiled.evaluator.truth(condition)
            alone = set(goal.given) == {variable} or not _others(condition, goal.given, variable)
            rows = uow.rows(goal.given[variable].entity)
            if alone and not any(test(uow, {"self": row, variable: row}) for row in rows):
                without.append(f"{goal.name}.{variable}")
    conn.close()
    assert len(without) <= 0.15 * len(blueprint.goals), without


def _others(condition: object, given: object, variable: str) -> bool:
    assert isinstance(condition, Node)
    assert isinstance(given, dict)
    return bool(free_names(condition) & (set(given) - {variable}))


@pytest.mark.slow
@pytest.mark.parametrize("name", take_turns(*CHOSEN))
def test_generated_files(name: str, built: Callable[[str], BuiltWorld], tmp_path: Path) -> None:
    """Tools are formatted Python that a linter likes; the pack's own tests pass by themselves."""
    files = built(name).pack.files
    for path, data in files.items():
        if path.endswith(".py"):
            ast.parse(data)
            assert max(map(len, data.decode().splitlines())) <= 240, path
    pack = tmp_path / "pack"
    write_pack(files, pack)
    lint = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "E9,F", str(pack / "tools"), str(pack / "tests")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert lint.returncode == 0, lint.stdout
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(pack / "tests"), "-q", "-p", "no:cacheprovider", "-p", "no:cov", "--no-header",
         "-c", "/dev/null", "--rootdir", str(pack)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("name", CHOSEN)
def test_every_guard_is_tested(name: str) -> None:
    assert write_test_files(compiled_of(name), MEMO).unreached == {}


@pytest.mark.parametrize("name", CHOSEN)
def test_what_counts_as_no_guard_never_refuses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same search, set on the guards that are said to be certain, finds no scene for any of them."""

    def certain_ones(blueprint: Checked, operation: Operation) -> list[Statement]:
        sure, real = find_certain_guards(blueprint, operation), list_guards(blueprint, operation)
        body = enumerate(walk_statements(operation.body))
        said: list[Statement] = [s for i, s in body if i in sure and isinstance(s, (Set, Require, Obey))]
        assert not any(s is r for s in said for r in real)
        return said

    monkeypatch.setattr(search, "list_guards", certain_ones)
    compiled = compiled_of(name)
    stage = SceneRunner(compiled)
    found = [search.SceneSearch(stage, op).search() for op in compiled.blueprint.operations.values() if op.read is None]
    assert sum(f.guards for f in found) > 0
    assert all(len(f.unreached) == f.guards for f in found)


@pytest.mark.parametrize("name", NAMES)
def test_tools_json_is_an_mcp_list(name: str, built: Callable[[str], BuiltWorld]) -> None:
    tools = json.loads(built(name).pack.files["tools.json"])["tools"]
    for tool in tools:
        assert {"name", "description", "inputSchema", "outputSchema", "annotations"} <= tool.keys()
        assert tool["inputSchema"]["type"] == "object"
        assert set(tool["inputSchema"]["required"]) <= tool["inputSchema"]["properties"].keys()
        assert all(p.get("description") for k, p in tool["inputSchema"]["properties"].items() if p.get("pattern")), (
            tool["name"]
        )


@pytest.mark.parametrize("name", take_turns(*CHOSEN))
def test_rebuilds_to_the_same_digest(name: str, built: Callable[[str], BuiltWorld]) -> None:
    bare = [build(catalogue.load(name), 7, with_tasks=False).pack.manifest for _ in range(2)]
    assert bare[0].digest == bare[1].digest
    assert bare[0].blueprint == built(name).pack.manifest.blueprint
