"""What a change of the bench does to the world: tools, rows, rules, tasks and grade before and after."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from worldwright.author.check import Checkup
from worldwright.blueprint.load import canonical
from worldwright.core.canonical import sha256
from worldwright.world.manifest import STATE

PARTS = ("entities", "policies", "operations", "goals")
"""Parts of a Blueprint whose nodes are compared one by one."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is other than it was."""

    what: str
    """tools, entities, operations, policies, goals, rows, tasks, findings, claims, grade"""
    name: str
    before: str
    after: str


def compare_checkups(before: Checkup, after: Checkup) -> list[Change]:
    """Every difference, in the order in which a person asks for it."""
    return [
        *_compare("grade", _figures(before), _figures(after)),
        *_compare("claims", before.claims, after.claims),
        *(c for part in PARTS for c in _compare(part, _nodes(before, part), _nodes(after, part))),
        *_compare("tools", _tools(before), _tools(after)),
        *_compare("rows", _rows(before), _rows(after)),
        *_compare("tasks", _tasks(before), _tasks(after)),
        *_compare("findings", Counter(f.code for f in before.findings), Counter(f.code for f in after.findings)),
    ]  # fmt: skip


def _compare(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    names = dict.fromkeys((*before, *after))
    return [
        Change(what, n, str(before.get(n, "")), str(after.get(n, ""))) for n in names if before.get(n) != after.get(n)
    ]


def _figures(found: Checkup) -> dict[str, str]:
    shares = {name: str(share) for name, share in found.grade.shares.items()} if found.grade else {}
    return {"grade": found.grade.word if found.grade else "none", **shares}


def _nodes(found: Checkup, part: str) -> dict[str, str]:
    """Nodes by name; what is in them only as a mark, so that a change is seen and not printed whole."""
    nodes = canonical(found.checked.blueprint).get(part, {}) if found.checked else {}
    return {
        name: f"{len(json.dumps(node))} characters, {sha256(json.dumps(node).encode())[:6]}"
        for name, node in nodes.items()
    }


def _tools(found: Checkup) -> dict[str, str]:
    if found.contract is not None:
        return {t.name: f"{t.operation}({', '.join(t.takes)})" for t in found.contract.tools.values()}
    return {name: name for name in found.checked.operations} if found.checked else {}


def _rows(found: Checkup) -> dict[str, int]:
    if found.pack is None or found.checked is None:
        return {}
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.deserialize(found.pack.files[STATE])
        tables = [
            name for (name,) in opened.execute("select name from sqlite_master where type = 'table' order by name")
        ]
        return {
            t: opened.execute(f'select count(*) from "{t}"').fetchone()[0]
            for t in tables
            if t in found.checked.blueprint.entities
        }


def _tasks(found: Checkup) -> dict[str, int]:
    counts = found.pack.manifest.counts if found.pack else {}
    return {name: n for name, n in counts.items() if name.startswith("tasks")}
