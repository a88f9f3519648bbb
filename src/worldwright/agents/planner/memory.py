"""What the planner has seen: every record that a result held, by id, with the latest of each field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.agents.planner.toolbox import Op, Toolbox

ID = re.compile(r"^([A-Z][A-Z0-9]*)-\d+$")
MAX_NESTING = 8
Row = Mapping[str, Any]


def kind_of(value: object) -> str:
    """The letters of an id; empty for what is no id."""
    found = ID.match(value) if isinstance(value, str) else None
    return found[1] if found else ""


class Memory:
    """Records by id. A record inside another is kept as one of its own, and as the other's field."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self.since: dict[str, int] = {}
        """How many writes had been made when a record was last seen."""

    def learn(self, data: Any, writes: int = 0, depth: int = 0) -> None:
        if depth > MAX_NESTING:
            return
        if isinstance(data, Mapping):
            key = data.get("id")
            if kind_of(key):
                self.rows.setdefault(str(key), {}).update({str(k): v for k, v in data.items()})
                self.since[str(key)] = writes
            for value in data.values():
                self.learn(value, writes, depth + 1)
        elif isinstance(data, list):
            for value in data:
                self.learn(value, writes, depth + 1)

    def row(self, key: str) -> dict[str, Any]:
        return self.rows.get(key, {})

    def list_keys(self, kind: str) -> list[str]:
        return [key for key in self.rows if kind_of(key) == kind]


def items_of(data: Any) -> list[Row]:
    """The rows of a search's result."""
    if isinstance(data, Mapping):
        data = next((data[k] for k in ("items", "results", "rows", "data") if isinstance(data.get(k), list)), None)
    return [one for one in data if isinstance(one, Mapping)] if isinstance(data, list) else []


def learn_search(tools: Toolbox, op: Op, data: Any) -> None:
    """Learn which kind a search gives, where its result shows it."""
    rows = items_of(data)
    kind = kind_of(rows[0].get("id")) if rows else ""
    if kind and op.searches:
        tools.learn(op.name, kind)


def flatten(row: Row, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield every plain value of a record with the path of its field: `guest name`, `lines quantity`."""
    for name, value in row.items():
        here = f"{path} {name}".strip()
        if isinstance(value, Mapping) and depth < MAX_NESTING:
            yield from flatten(value, here, depth + 1)
        elif isinstance(value, list) and depth < MAX_NESTING:
            for one in value:
                if isinstance(one, Mapping):
                    yield from flatten(one, here, depth + 1)
        elif isinstance(value, (str, int, float, bool)):
            yield here, value


def list_own_values(row: Row) -> Iterator[tuple[str, Any]]:
    """Yield the plain values of a record itself, and of the records that it names, but not of its lists."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{name} {k}", v) for k, v in value.items() if isinstance(v, (str, int, float, bool)))
        elif isinstance(value, (str, int, float, bool)):
            yield str(name), value
