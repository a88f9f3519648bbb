"""What a tool answered, as a page shows it: a refusal, rows that were found, a record, or anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.facts.values import format_json, format_value

MAX_ITEMS_SHOWN, MAX_COLUMNS_SHOWN, MAX_IDS_SHOWN, MAX_SUMMARY_CHARS = 25, 14, 6, 140


@dataclass(frozen=True, slots=True)
class Answer:
    kind: str
    """refused, found, record, ok, text or none"""
    summary: str = ""
    lines: tuple[str, ...] = ()
    """More of it, folded."""
    code: str = ""
    """Of a refusal."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Records that were found, as a table."""


def show_answer(value: Any) -> Answer:
    """Show what came back of a call: `{"ok": true, "data": ...}` or `{"ok": false, "error": ...}`, or whatever it is."""
    if value is None:
        return Answer("none")
    if not isinstance(value, Mapping) or not isinstance(value.get("ok"), bool):
        return Answer("text", value if isinstance(value, str) else format_json(value))
    if not value["ok"]:
        error = value.get("error")
        if not isinstance(error, Mapping):
            return Answer("refused", format_json(error), code="refused")
        details = error.get("details")
        return Answer(
            "refused",
            str(error.get("message", "")),
            (format_json(details),) if details else (),
            str(error.get("code", "")),
        )
    return _show_data(value.get("data"))


def _list_columns(items: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns of records that say something of one of them."""
    names = dict.fromkeys(name for item in items for name, value in item.items() if value is not None)
    return tuple(names)[:MAX_COLUMNS_SHOWN]


def _list_rows(items: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_spell(item.get(name)) for name in columns) for item in items[:MAX_ITEMS_SHOWN])


def _spell(value: Any) -> str:
    return format_json(value) if isinstance(value, (list, Mapping)) else format_value(value)


def _show_data(data: Any) -> Answer:
    if data is None:
        return Answer("ok", "ok")
    items = data.get("items") if isinstance(data, Mapping) else None
    if isinstance(items, list) and "total" in data:
        ids = [str(item["id"]) for item in items if isinstance(item, Mapping) and "id" in item]
        more = ", …" if len(ids) > MAX_IDS_SHOWN else ""
        named = f": {', '.join(ids[:MAX_IDS_SHOWN])}{more}" if ids else ""
        said = f"{len(items)} of {data['total']} found{named}"
        if items and all(isinstance(item, Mapping) for item in items):
            columns = _list_columns(items)
            return Answer("found", said, columns=columns, rows=_list_rows(items, columns))
        return Answer("found", said, tuple(map(format_json, items[:MAX_ITEMS_SHOWN])))
    text = format_json(data)
    if len(text) <= MAX_SUMMARY_CHARS:
        return Answer("record", text)
    return Answer("record", f"{text[:MAX_SUMMARY_CHARS]}…", (text,))
