"""A caller that tries everything: ids from the state and from what results showed, values that the schemas allow, some nonsense."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from worldwright.core.days import add_days, add_hours
from worldwright.core.rng import Stream
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.state import connect
from worldwright.world.records import Result, ToolSpec

ID = re.compile(r"[A-Z][A-Z0-9]{0,11}-(?=[0-9]{2,}\Z)")
PREFIX = re.compile(r"\^([A-Z][A-Z0-9]{0,11}-)\[0-9\]")
TEXTS = ("urgent", "Müller & Söhne", 'it\'s "late"', "a\nb", "{x}", "名", "e", "", "x" * 300)
NONSENSE: tuple[Any, ...] = (
    None,
    "",
    "nothing",
    -1,
    0,
    10**30,
    1.005,
    True,
    [],
    {},
    [None],
    {"id": "X-1"},
    "X-00001",
    9e14,
    1e18,
)
RECENT = 10


class Caller:
    """Draws calls. Each is made from a stream of its own, so that leaving one out changes only what is known."""

    def __init__(self, runtime: Runtime, role: str) -> None:
        self.tools = [t for t in runtime.tools.values() if not t.roles or role in t.roles]
        self.others = [t for t in runtime.tools.values() if t not in self.tools]
        self.clock = runtime.opening_clock
        self.known, self.near = _neighbours(runtime)
        self.chosen: list[str] = []
        self.recent: dict[str, list[str]] = {}
        self.amounts: list[float] = [1, 10, 99.99]

    def learn(self, result: Result) -> None:
        """Remember ids and amounts, the newest last."""
        todo = [result.data]
        while todo:
            item = todo.pop(0)
            if isinstance(item, Mapping):
                todo.extend(item.values())
            elif isinstance(item, list):
                todo.extend(item[:5])
            elif isinstance(item, str) and (m := ID.match(item)):
                self.recent.setdefault(m[0], []).append(item)
                del self.recent[m[0]][:-RECENT]
            elif isinstance(item, float) and item > 0:
                self.amounts = [*self.amounts[-RECENT:], item]

    def call(self, s: Stream) -> tuple[str, dict[str, Any]]:
        if self.others and s.chance(0.03):
            tool = s.pick(self.others)
        else:
            tool = s.weighted(self.tools, [3.0 if t.mutates else 1.0 for t in self.tools])
        return tool.name, self.arguments(s, tool)

    def arguments(self, s: Stream, tool: ToolSpec) -> dict[str, Any]:
        self.chosen = []
        out = self.parts(s, tool.input_schema)
        if s.chance(0.02):
            out[s.pick(("nonsense", "id", *out))] = s.pick(NONSENSE)
        return out

    def parts(self, s: Stream, schema: Mapping[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, part in schema["properties"].items():
            if name in schema["required"]:
                if not s.chance(0.01):
                    out[name] = self.value(s, part)
            elif s.chance(0.3):
                out[name] = None if s.chance(0.1) else self.value(s, part)
        return out

    def value(self, s: Stream, schema: Mapping[str, Any]) -> Any:
        if s.chance(0.01):
            return s.pick(NONSENSE)
        if "enum" in schema:
            return s.pick(schema["enum"])
        match schema["type"]:
            case "integer":
                low = int(schema.get("minimum", 0))
                return s.skewed(low, int(min(schema.get("maximum", low + 30), low + 30)))
            case "number":
                return self.amount(s, schema)
            case "boolean":
                return s.chance(0.5)
            case "array":
                low, high = int(schema.get("minItems", 0)), int(schema.get("maxItems", 3))
                return [self.value(s, schema["items"]) for _ in range(s.between(low, min(high, low + 2)))]
            case "object":
                return self.parts(s, schema)
        return self.text(s, schema)

    def amount(self, s: Stream, schema: Mapping[str, Any]) -> float:
        low, high = schema.get("minimum", 0), schema.get("maximum", 3000)
        if s.chance(0.4):
            return float(min(max(s.pick(self.amounts), low), high))
        return float(round(low + (high - low) * s.uniform() ** 3, 2))

    def key(self, s: Stream, prefix: str) -> str:
        """An id: near those already chosen for this call, seen of late, or any."""
        near = [key for other in self.chosen for key in self.near.get(other, {}).get(prefix, ())]
        if near and s.chance(0.6):
            return s.pick(near)
        recent, known = self.recent.get(prefix, []), self.known.get(prefix, [])
        if recent and s.chance(0.5):
            return s.pick(recent)
        if known and s.chance(0.95):
            return s.pick(known[-40:]) if s.chance(0.4) else s.pick(known)
        return f"{prefix}9999999"

    def text(self, s: Stream, schema: Mapping[str, Any]) -> str:
        if m := PREFIX.match(schema.get("pattern", "")):
            self.chosen.append(self.key(s, m[1]))
            return self.chosen[-1]
        match schema.get("format"):
            case "date":
                return add_days(self.clock[:10], s.between(-40, 40)) or ""
            case "date-time":
                return add_hours(self.clock, s.between(-900, 900)) or ""
        low, high = int(schema.get("minLength", 0)), int(schema.get("maxLength", 1000))
        return s.pick([t for t in TEXTS if low <= len(t) <= high] or ["x" * low])


@cache
def _neighbours(runtime: Runtime) -> tuple[dict[str, list[str]], dict[str, dict[str, list[str]]]]:
    """Every id of the opening state by prefix; for each id those it refers to or is referred to by, one or two steps off."""
    conn = connect(runtime.state)
    entities = runtime.compiled.blueprint.schema.entities
    known: dict[str, list[str]] = {}
    step: dict[str, set[str]] = {}
    for e in entities.values():
        columns = ", ".join(f'"{c}"' for c in ("id", *(r.name for r in e.refs)))
        rows = conn.execute(f'SELECT {columns} FROM "{e.name}" ORDER BY id').fetchall()
        known[e.key.prefix] = [row[0] for row in rows]
        for key, *others in rows:
            for other in filter(None, others):
                step.setdefault(key, set()).add(other)
                step.setdefault(other, set()).add(key)
    conn.close()
    near: dict[str, dict[str, list[str]]] = {}
    for key, firsts in step.items():
        seconds = {k for first in firsts if len(step[first]) < 20 for k in step[first]}
        for other in sorted(firsts | seconds - {key}):
            m = ID.match(other)
            if m:
                near.setdefault(key, {}).setdefault(m[0], []).append(other)
    return known, near
