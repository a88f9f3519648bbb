"""Worlds with one layer of the state on them, made once."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache
from typing import Any

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.core.memo import Memo
from worldwright.kinds.database.battery.layers import layers_data
from worldwright.kinds.database.builder import start_draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages
from worldwright.kinds.database.compile.state.build import GrownState
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.variants.inject import inject
from worldwright.world.tasks import Key, Task

FEW = knobs("medium", {"most": "20", "contrast": "6"})
SEED = 7


@dataclass(frozen=True)
class World:
    checked: Checked
    grown: GrownState
    tasks: tuple[tuple[Task, Key], ...]
    runtime: Runtime

    @property
    def handbook(self) -> str:
        return render_handbook(self.checked)

    def session(self) -> Session:
        roles = self.checked.schema.roles
        return self.runtime.session(roles[0] if roles else "")

    def rows(self, entity: str) -> list[dict[str, Any]]:
        """The rows as they are kept."""
        conn = sqlite3.connect(":memory:")
        conn.deserialize(self.grown.data)
        found = conn.execute(f'SELECT * FROM "{entity}" ORDER BY id')
        names = [d[0] for d in found.description]
        return [dict(zip(names, values, strict=True)) for values in found.fetchall()]

    def shown(self, tool: str, **arguments: Any) -> dict[str, dict[str, Any]]:
        """By id, every record that a search gives, to somebody who may use it."""
        roles = self.checked.operations[tool].roles
        session = self.runtime.session(roles[0] if roles else next(iter(self.checked.schema.roles), ""))
        out: dict[str, dict[str, Any]] = {}
        offset: int | None = 0
        while offset is not None:
            result = session.call(tool, {**arguments, "limit": 50, "offset": offset})
            assert result.ok, result.error
            out |= {one["id"]: one for one in result.data["items"]}
            offset = result.data["next_offset"]
        return out

    def met(self, layer: str) -> list[str]:
        """The tasks that meet the layer."""
        found = layers_data(Sandbox(self.runtime), self.tasks, self.grown.messed_rows)
        return list(found[layer]["tasks"])

    def searches(self, entity: str, column: str) -> list[str]:
        """Searches that need nothing and show a column."""
        out = []
        for name, op in self.checked.blueprint.operations.items():
            if op.search == entity and not op.needs and op.where is None and (not op.shows or column in op.shows):
                out.append(name)
        return out


@cache
def world(domain: str, *layers: str) -> World:
    checked = inject(catalogue.load(domain), layers)
    for _, draft in run_stages(COMPILE_STAGES, start_draft(checked, SEED, Memo(), knobs=FEW)):  # noqa: B007  the last one is wanted
        pass
    assert draft.made is not None
    return World(checked, draft.state, draft.made.tasks, draft.open_runtime())


def spoken_of(found: World, entity: str) -> set[str]:
    """Rows of a kind that tasks are about."""
    out = set()
    for _, key in found.tasks:
        for use in key.expects.get("goals", ()):
            given = found.checked.goals[use["goal"]].given
            out |= {at["id"] for name, at in use["rows"].items() if "id" in at and given[name].entity == entity}
    return out
