"""The world that is measured: one of the catalogue, with a plain read and a plain write added to its tools.

Tools of a real business embed other records, compute fields and keep policies, each as many as its business needs. What
the engine itself costs is seen on the plainest tools there can be, so these two are added to the text of the Blueprint.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from worldwright import catalogue
from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits
from worldwright.engine.world import World
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.pack.seal import write_pack
from worldwright.store.open import open_world

READ, WRITE = "benchmark_get", "benchmark_set"
SEED = 7
MANY = Limits(calls=10_000_000)


@dataclass(frozen=True, slots=True)
class Plain:
    """The rows and the text field that the added tools read and write."""

    entity: str
    field: str
    system: str
    columns: tuple[str, ...]

    @property
    def select(self) -> str:
        columns = ", ".join(f'"{c}"' for c in self.columns)
        return f'SELECT {columns} FROM "{self.entity}" WHERE id = ?'

    @property
    def update(self) -> str:
        return f'UPDATE "{self.entity}" SET "{self.field}" = ? WHERE id = ?'


def plain_target(compiled: CompiledWorld) -> Plain:
    """The entity with most base rows that has a text field on which nothing else depends."""
    schema = compiled.blueprint.schema
    watched = {name for watch in compiled.watches for name in watch.entities}
    best: tuple[int, int, Plain] | None = None
    for entity in schema.entities.values():
        bound = {name for group in entity.unique for name in group}
        bound |= {name for kept in compiled.kept.get(entity.name, ()) for name in kept.reads}
        free = [
            c.name
            for c in entity.stored
            if c.type.kind == "text" and c.source == "given" and not c.state and c.name not in bound
        ]
        if not free or entity.name in watched:
            continue
        computed = sum(not c.stored for c in entity.columns.values())
        names = ("id", *(c.name for c in entity.stored))
        if best is None or (-computed, entity.rows) > best[:2]:
            best = (-computed, entity.rows, Plain(entity.name, free[-1], entity.system, names))
    if best is None:
        raise SystemExit("this Blueprint has no entity with a free text field to measure on")
    return best[2]


def with_plain_tools(text: str, plain: Plain) -> str:
    """The Blueprint's text with the two tools added."""
    tools = f"""operations:
  {READ}:
    in: {plain.system}
    says: One record, and nothing with it.
    by: anyone
    get: {plain.entity}

  {WRITE}:
    in: {plain.system}
    says: Change one field of one record.
    by: anyone
    takes: {{{plain.entity}: {plain.entity}, new_value: text}}
    does:
      - set: {{{plain.entity}.{plain.field}: new_value}}
    gives: {plain.entity}

"""
    out, found = re.subn(r"^operations:\n", lambda m: tools, text, count=1, flags=re.MULTILINE)
    if not found:
        raise SystemExit("this Blueprint has no `operations:` to add to")
    return out


def with_span(text: str, days: int) -> str:
    """The Blueprint's text with another length of history."""
    out, found = re.subn(r"^  spans: \d+ days$", f"  spans: {days} days", text, count=1, flags=re.MULTILINE)
    if not found:
        raise SystemExit("this Blueprint has no `spans:` to change")
    return out


def span_for(domain: str, rows: int) -> int:
    """How many days of history give a world of about so many rows."""
    checked = catalogue.load(domain)
    whole = build(checked, SEED).pack.manifest.counts["rows"]
    base = sum(e.rows for e in checked.schema.entities.values())
    return max(1, round(checked.span_days * (rows - base) / (whole - base)))


class Subject:
    """A world on disk and open, with everything that both sides of a comparison need."""

    def __init__(self, domain: str, folder: Path) -> None:
        text = catalogue.text(domain)
        self.plain = plain_target(CompiledWorld(load_text(text, f"{domain}.yaml")))
        built = build(load_text(with_plain_tools(text, self.plain), f"{domain}.yaml"), SEED, with_tasks=False)
        self.path = folder / domain
        write_pack(built.pack.files, self.path)
        self.world: World = open_world(self.path)
        self.state = built.pack.state
        conn = self.connect()
        self.tables: list[str] = [r[0] for r in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.ids: list[str] = [
            r[0] for r in conn.execute(f'SELECT id FROM "{self.plain.entity}" ORDER BY id').fetchall()
        ]
        self.rows = sum(conn.execute(f'SELECT COUNT(*) FROM "{t}"').fetchall()[0][0] for t in self.tables)
        conn.close()

    def connect(self) -> sqlite3.Connection:
        """The same state in a bare in-memory database that commits by itself."""
        conn = sqlite3.connect(":memory:", isolation_level=None)
        conn.deserialize(self.state)
        return conn

    def env(self) -> Env:
        env = self.world.env(MANY)
        env.reset()
        return env

    def keys(self, number: int, many: int) -> list[str]:
        """`many` ids, others in every round."""
        return [self.ids[(number * many + i) % len(self.ids)] for i in range(many)]

    def reads(self, number: int, many: int) -> list[dict[str, Any]]:
        return [{self.plain.entity: key} for key in self.keys(number, many)]

    def writes(self, number: int, many: int) -> list[dict[str, Any]]:
        """Arguments that change a row every time, however often."""
        return [
            {self.plain.entity: key, "new_value": f"note {number} {i}"} for i, key in enumerate(self.keys(number, many))
        ]


def called(env: Env, tool: str, arguments: list[dict[str, Any]]) -> float:
    """Seconds per call."""
    call = env.call_tool
    begin = perf_counter()
    for given in arguments:
        call(tool, given)
    return (perf_counter() - begin) / len(arguments)


def proven(env: Env, tool: str, arguments: dict[str, Any]) -> None:
    """A benchmark of calls that are refused would be a fine figure and a lie."""
    result = env.call_tool(tool, arguments)
    if not result.ok:
        raise SystemExit(f"{tool}{arguments} was refused: {result.error}")
