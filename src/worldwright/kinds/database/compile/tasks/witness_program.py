"""A program as a witness: records that are searched for, and some calls for each of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.kinds.database.session import Session
from worldwright.world.records import Call, Result


@dataclass(frozen=True, slots=True)
class Item:
    field: str
    """Of the record at hand, the one whose value is meant."""


@dataclass(frozen=True, slots=True)
class Program:
    """Search, then for each record found some calls; count, add up, and list what was refused."""

    search: str
    filters: Mapping[str, Any]
    steps: tuple[tuple[str, Mapping[str, Any]], ...]
    total: str
    """The field that is added up; empty for none."""
    page: int = 50
    tests: tuple[tuple[str, str, Any], ...] = ()
    """What only a look at the record tells: (field, comparison, value)."""

    def run(self, session: Session) -> tuple[tuple[Call, ...], dict[str, Any]]:
        """Carry it out: the calls it made, and its result."""
        calls: list[Call] = []

        def call(tool: str, arguments: dict[str, Any]) -> Result:
            calls.append(Call(tool, arguments))
            return session.call(tool, arguments)

        items: list[Mapping[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            page = call(self.search, {**self.filters, "limit": self.page, **({"offset": offset} if offset else {})})
            items += page.data["items"]
            offset = page.data["next_offset"]
        handled, left_out, total = [], [], 0.0
        for item in items:
            if not all(_passes(item.get(field), op, value) for field, op, value in self.tests):
                continue
            results = []
            for tool, arguments in self.steps:
                given = {k: item[v.field] if isinstance(v, Item) else v for k, v in arguments.items()}
                results.append(call(tool, given))
                if not results[-1].ok:
                    break
            if results and not results[-1].ok:
                left_out.append(item["id"])
                continue
            handled.append(item["id"])
            total += (item[self.total] or 0) if self.total else 0
        return tuple(calls), self._result(handled, left_out, round(total, 2))

    def _result(self, handled: list[str], left_out: list[str], total: float) -> dict[str, Any]:
        out: dict[str, Any] = {"outcome": "done", "count": len(handled)}
        if self.steps:
            out["left_out"] = left_out
        if self.total:
            out["total"] = total
        return out

    def render(self) -> str:
        """Render the program as a person reads it, and can run it over the tools of an episode."""
        filters = "".join(f", {k}={json.dumps(v)}" for k, v in self.filters.items())
        lines = ["def solve(tools):", "    handled, left_out, total = [], [], 0"]
        lines.append(f'    for item in tools.every("{self.search}"{filters}):')
        for field, op, value in self.tests:
            known = f'item["{field}"] is None or ' if op != "==" else ""
            lines += [f'        if {known}not item["{field}"] {op} {_literal(value)}:', "            continue"]
        for tool, arguments in self.steps:
            given = ", ".join(
                f'{k}=item["{v.field}"]' if isinstance(v, Item) else f"{k}={json.dumps(v)}"
                for k, v in arguments.items()
            )
            lines.append(f'        if not tools.call("{tool}", {given}).ok:')
            lines += ['            left_out.append(item["id"])', "            continue"]
        lines.append('        handled.append(item["id"])')
        if self.total:
            lines.append(f'        total += item["{self.total}"] or 0')
        parts = ['"outcome": "done"', '"count": len(handled)']
        parts += ['"left_out": left_out'] if self.steps else []
        parts += ['"total": round(total, 2)'] if self.total else []
        return "\n".join([*lines, f"    return {{{', '.join(parts)}}}", ""])


def _passes(found: Any, op: str, value: Any) -> bool:
    if op == "==" or found is None:
        return bool(found == value)
    return bool(found >= value if op == ">=" else found <= value)


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, bool) else json.dumps(value)
