"""One task for a reviewer: its key in words, on the screen and as one document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from worldwright.cli.terminal.console import Screen, heading
from worldwright.cli.views.task import (
    show_accepted,
    show_battery,
    show_calls,
    show_program,
    show_provenance,
    show_rules,
    show_wanted,
)
from worldwright.engine.shown_key import show_key as name_calls
from worldwright.engine.tasks import key_data, task_data
from worldwright.facts.datasheet import Counts, read_datasheet
from worldwright.facts.key import accepted_facts, rule_facts, wanted_facts
from worldwright.facts.opened import OpenedPack
from worldwright.facts.task import person_of
from worldwright.world.tasks import Key, Task


def show_key(screen: Screen, opened: OpenedPack, task: Task) -> None:
    key = opened.world.key(task.id)
    writes = frozenset(name for name, t in opened.world.runtime.tools.items() if t.mutates)
    shown = name_calls(opened.world.contract, key)
    pairs = zip(key.calls, shown.calls, strict=True)
    writing = frozenset(outside.tool for inside, outside in pairs if inside.tool in writes)
    show_calls(screen, shown.calls, writing, key.answer)
    show_wanted(screen, wanted_facts(opened, key))
    show_accepted(screen, accepted_facts(opened, key))
    show_rules(screen, rule_facts(opened, key))
    show_provenance(screen, shown.provenance)
    show_program(screen, key)
    cells = _find_cells(opened, task)
    if cells:
        show_battery(screen, cells)
    file = _vcode(opened, task)
    if file:
        heading(screen, "verifier", f"as a file to read and to run: {file}")


def _find_cells(opened: OpenedPack, task: Task) -> dict[str, Counts]:
    """Return what the pack's own datasheet says of the task."""
    sheet = read_datasheet(opened.pack)
    return dict(sheet.tasks.get(task.id, {})) if sheet is not None else {}


def _vcode(opened: OpenedPack, task: Task) -> str:
    file = f"vcode/verify_{task.id.removeprefix('task_')}.py"
    return file if file in opened.pack.files else ""


def world_data(opened: OpenedPack) -> dict[str, Any]:
    return {"world": {"name": opened.world.name, "digest": opened.world.digest}}


def task_document(opened: OpenedPack, task: Task, with_key: bool) -> dict[str, Any]:
    out = {**world_data(opened), "task": {**task_data(task), "person": person_of(opened, task)}}
    if with_key:
        out["key"] = _key(opened, task, opened.world.key(task.id))
    return out


def _key(opened: OpenedPack, task: Task, key: Key) -> dict[str, Any]:
    return {
        **key_data(key),
        "goals": [asdict(w) for w in wanted_facts(opened, key)],
        "end_states": [[asdict(row) for row in rows] for rows in accepted_facts(opened, key)],
        "rules": [asdict(r) for r in rule_facts(opened, key)],
        "battery": {name: c.model_dump() for name, c in _find_cells(opened, task).items()},
        "vcode": _vcode(opened, task),
    }
