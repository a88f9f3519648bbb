"""What has to hold for a call not to be refused: a condition that is false is a refusal, and knowing less never tells otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from tests.compiler.graph.drafts import NAMES, drafted
from tests.random_caller import Caller
from tests.worlds import LIBRARY, text

from worldwright.blueprint.conditions import list_conditions, list_guard_reads, map_written_words
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.partial import UNKNOWN, guess
from worldwright.blueprint.siblings import load_cached
from worldwright.core.rng import Stream
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork

CALLS = 120


@dataclass(frozen=True, slots=True)
class Everything:
    """Somebody who sees the whole state; `blind` cells excepted."""

    compiled: CompiledWorld
    uow: UnitOfWork
    blind: frozenset[tuple[str, str]] = frozenset()

    @property
    def today(self) -> str:
        return self.uow.today

    @property
    def now(self) -> str:
        return self.uow.now

    def record(self, entity: str, key: str) -> Mapping[str, Any]:
        row = self.uow.row(entity, key)
        found = {} if row is None else self.compiled.recorder.record(self.uow, row)
        return {name: value for name, value in found.items() if (entity, name) not in self.blind}

    def children(self, entity: str, column: str, key: str) -> Iterable[str]:
        return [] if (entity, column) in self.blind else [r.id for r in self.uow.children(entity, column, key)]


def keyed(value: Any) -> Any:
    """Rows as their ids, as a caller names them."""
    if isinstance(value, Row):
        return value.id
    if isinstance(value, (list, tuple)):
        return [keyed(v) for v in value]
    return {k: keyed(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", NAMES)
def test_false_is_a_refusal_and_knowing_less_tells_nothing_else(name: str) -> None:
    runtime, _ = drafted(name)
    compiled = runtime.compiled
    blueprint = compiled.blueprint
    tests = {
        tool: [guess(node, blueprint) for node in list_conditions(blueprint, tool)] for tool in blueprint.operations
    }
    told = set()
    for role in runtime.roles or ("",):
        session, caller = runtime.session(role), Caller(runtime, role)
        for seed in range(CALLS):
            stream = Stream("conditions", name, role, seed)
            tool, arguments = caller.call(stream)
            uow = session.unit_of_work()
            try:
                frame = keyed(compiled.tools[tool].reader.read(uow, arguments))
            except Refusal:
                continue
            if uow.actor is not None:
                frame["actor"] = uow.actor.id
            facts = Everything(compiled, uow)
            found = [test(facts, frame) for test in tests[tool]]
            hidden = {(e.name, c) for e in blueprint.schema.entities.values() for c in e.columns if stream.chance(0.4)}
            less = [test(Everything(compiled, uow, frozenset(hidden)), frame) for test in tests[tool]]
            assert all(b is UNKNOWN or bool(a) == bool(b) for a, b in zip(found, less, strict=True) if a is not UNKNOWN)
            assert all(b is UNKNOWN for a, b in zip(found, less, strict=True) if a is UNKNOWN)
            result = session.call(tool, arguments)
            caller.learn(result)
            if blueprint.operations[tool].once is None and any(v is not UNKNOWN and not v for v in found):
                assert not result.ok, f"{tool} {arguments}"
                told.add(tool)
        session.close()
    assert told, "no call was seen through"


def test_conditions_of_the_example() -> None:
    blueprint = load_cached(text(LIBRARY), f"{LIBRARY}.yaml")
    assert ("copy", "copy", "status") in list_guard_reads(blueprint, "lend")
    assert ("member", "member", "blocked") in list_guard_reads(blueprint, "lend")
    assert ("copies", "copy", "status") in list_guard_reads(blueprint, "clear_shelf")
    assert map_written_words(blueprint, "lend")["copy", "status"] == {"lent"}
    assert map_written_words(blueprint, "take_back")["copy", "status"] == {"on_shelf"}


def test_a_guard_after_a_write_of_the_same_cell_says_nothing() -> None:
    blueprint = load_cached(text(LIBRARY), f"{LIBRARY}.yaml")
    moves = [node for node in list_conditions(blueprint, "lend") if isinstance(node, n.InValues)]
    assert [m.item.name for m in moves if isinstance(m.item, n.Field)] == ["status"]
    assert list_conditions(blueprint, "find_loans") == ()
