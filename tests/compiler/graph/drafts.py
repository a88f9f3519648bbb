"""Worlds compiled up to their graph, once per process; and a reader of `graph.json` that believes nothing it cannot repeat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from tests.domains import CORE_IN_TURN
from tests.worlds import LIBRARY, SMALL, text

from worldwright.blueprint.siblings import load_cached
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.world.records import Result

NAMES = (LIBRARY, SMALL, *CORE_IN_TURN)
SEED = 7
STRONG_LIBRARY = "library_with_a_strong_edge"

_DROP_TITLE = (
    "  drop_title:\n    in: desk\n    says: Look at a title.\n    by: anyone\n    takes: {title: title}\n"
    "    gives: {name: title.name}\n"
)


def blueprint_text(name: str) -> str:
    """A world's Blueprint; one of them has a tool whose only source is `find_copies`."""
    if name != STRONG_LIBRARY:
        return text(name)
    before = "  waive_fine:\n    in: desk"
    assert text(LIBRARY).count(before) == 1
    return text(LIBRARY).replace(before, _DROP_TITLE + before)


@cache
def drafted(name: str) -> tuple[Runtime, dict[str, Any]]:
    """The world as it stands when its graph is proven, and the graph."""
    compiled = CompiledWorld(load_cached(blueprint_text(name), f"{name}.yaml"))
    for stage, draft in run_stages(COMPILE_STAGES, Draft(compiled, SEED, Memo())):
        if stage == "graph":
            return draft.open_runtime(), json.loads(draft.files["graph.json"])
    raise AssertionError("there is no graph stage")


# repeating what is cited


def strings(value: Any) -> Iterator[str]:
    """Every text in some data."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def argument(arguments: Any, at: str) -> Any:
    """What stands at `lines[0].line`."""
    for step in re.findall(r"[a-z0-9_]+", at):
        if isinstance(arguments, list):
            arguments = arguments[int(step)] if int(step) < len(arguments) else None
        else:
            arguments = arguments.get(step) if isinstance(arguments, Mapping) else None
    return arguments


Cell: TypeAlias = tuple[str, str, str]


class Repeated:
    """A walk of `graph.json`, called again: results, and who last changed each cell before each call."""

    def __init__(self, runtime: Runtime, calls: list[dict[str, Any]]) -> None:
        self.calls = {call["number"]: call for call in calls}
        self.results: dict[int, Result] = {}
        self.before: dict[int, dict[Cell, tuple[int, Any]]] = {}
        self.opening: dict[Cell, Any] = {}
        session: Session | None = None
        known: dict[Cell, tuple[int, Any]] = {}
        for call in calls:
            if session is None:
                session = runtime.session(call["role"])
            elif session.role != call["role"]:
                session = session.fork(call["role"])
            self.before[call["number"]] = known
            self.results[call["number"]] = result = session.call(call["tool"], call["arguments"])
            if result.ok and runtime.compiled.tools[call["tool"]].mutates:
                known = self._noted(session, known, call["number"])

    def _noted(self, session: Session, known: dict[Cell, tuple[int, Any]], number: int) -> dict[Cell, tuple[int, Any]]:
        """Which call left what in each cell, after one more call. A cell that is as in the beginning again was changed too."""
        now: dict[Cell, Any] = {}
        for table, diff in session.diff().items():
            for key, cells in diff.changed.items():
                for column, (opening, after) in cells.items():
                    self.opening[table, key, column] = opening
                    now[table, key, column] = after
            for key, record in diff.added.items():
                for column, value in record.items():
                    self.opening[table, key, column] = "not there yet"
                    now[table, key, column] = value
        found = {cell: now.get(cell, opening) for cell, opening in self.opening.items()}
        held = {cell: known[cell][1] if cell in known else opening for cell, opening in self.opening.items()}
        return {**known, **{cell: (number, value) for cell, value in found.items() if held[cell] != value}}


def problems(runtime: Runtime, graph: dict[str, Any]) -> list[str]:
    """Every edge whose evidence does not hold when the cited walk is made again."""
    walks: dict[int, list[dict[str, Any]]] = {}
    for call in graph["calls"]:
        walks.setdefault(call["walk"], []).append(call)
    repeated = {walk: Repeated(runtime, calls) for walk, calls in walks.items()}
    return [
        f"{e['source']} -> {e['target']} {e['input']}: {p}"
        for e in graph["edges"]
        for p in _edge_problems(e, repeated[e["evidence"]["walk"]])
    ]


def _edge_problems(edge: dict[str, Any], walk: Repeated) -> Iterator[str]:
    v = edge["evidence"]
    produced, consumed = walk.calls[v["produced"]], walk.calls[v["consumed"]]
    if v["produced"] >= v["consumed"]:
        yield "consumed before it was produced"
    if (produced["tool"], consumed["tool"]) != (edge["source"], edge["target"]):
        yield "other tools were called"
    if (produced["role"], consumed["role"]) != (v["produced_by"], v["consumed_by"]):
        yield "somebody else called"
    if not walk.results[v["produced"]].ok or not walk.results[v["consumed"]].ok:
        yield "a call was refused"
    given = argument(consumed["arguments"], v["at"])
    if v["at"].partition("[")[0] != edge["input"]:
        yield "another input"
    if edge["kind"] == "effect":
        if given != v["row"]:
            yield "another row was given"
        cell = (edge["entity"], v["row"], edge["column"])
        if walk.before[v["consumed"]].get(cell) != (v["produced"], v["value"]):
            yield "the cell was not left like that by that call"
        return
    if given != v["value"]:
        yield "another value was given"
    if v["value"] not in set(strings(walk.results[v["produced"]].data)):
        yield "the value was not shown"
    if v["value"] in set(strings(produced["arguments"])):
        yield "the value was sent, not shown"
