"""Tables on the screen: grids of words, and rows of a world cut to the width."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, format_value, print_folded

MAX_CELL_CHARS = 26
"""The widest cell of a sample row."""


def grid(
    screen: Console,
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    indent: int = 2,
    right: Collection[str] = (),
) -> None:
    """A table without lines. The last column wraps in its place; columns named in `right` hold numbers."""
    cells = [[Text(escape(c)) if isinstance(c, str) else c for c in row] for row in rows]
    if any(heads):
        cells.insert(0, [Text(h, "dim") for h in heads])
    if not cells:
        return
    widths = [max(row[i].cell_len for row in cells) for i in range(len(heads) - 1)]
    start = indent + sum(widths) + 2 * len(widths)
    for row in cells:
        line = Text(" " * indent)
        for head, cell, width in zip(heads, row, widths, strict=False):
            gap = " " * (width - cell.cell_len)
            line += Text(gap) + cell if head in right else cell + Text(gap)
            line.append("  ")
        for i, part in enumerate(row[-1].wrap(screen, max(24, screen.width - start)) or [Text()]):
            part.rstrip()
            whole = (line if i == 0 else Text(" " * start)) + part
            whole.rstrip()
            screen.print(whole, soft_wrap=True)


def show_pairs(screen: Console, pairs: Iterable[tuple[str, str | Text]], indent: int = 2) -> None:
    """Names and what they stand for, one a line; pairs that say nothing are left out."""
    grid(screen, ("", ""), [(Text(name, "dim"), value) for name, value in pairs if value], indent)


def show_next(screen: Console, *commands: str) -> None:
    """Show what somebody may want to do now."""
    screen.print()
    screen.print(Text("next", "dim"))
    for one in commands:
        screen.print(Text(f"  worldwright {escape(one)}"), soft_wrap=True)


def rows_table(screen: Console, rows: Sequence[Mapping[str, Any]], indent: int = 2, every: bool = False) -> None:
    """Rows under their column names: the columns that fit, or (`every`) all of them in blocks one below the other."""
    if not rows:
        screen.print(Text(" " * indent + "no rows", "dim"))
        return
    names = [n for n in rows[0] if n != "id"]
    first = True
    while names or first:
        block, names = _fit_columns(screen, rows, names, indent)
        if not first:
            screen.print()
        _block(screen, rows, block, indent)
        first = False
        if names and not every:
            print_folded(screen, [f"and {len(names)} more: {names[0]}", *names[1:]], indent, "dim")
            return


def _fit_columns(
    screen: Console, rows: Sequence[Mapping[str, Any]], names: Sequence[str], indent: int
) -> tuple[list[str], list[str]]:
    """Split the columns into those for which there is room beside the id, and the others."""
    used = indent + _width(rows, "id") if "id" in rows[0] else indent
    block: list[str] = []
    for i, name in enumerate(names):
        used += 2 + _width(rows, name)
        if used > screen.width and block:
            return block, list(names[i:])
        block.append(name)
    return block, []


def _width(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    return max(len(name), *(min(MAX_CELL_CHARS, len(_cell(r.get(name)))) for r in rows))


def _cell(value: Any) -> str:
    return (
        escape(json.dumps(value, ensure_ascii=False)) if isinstance(value, (dict, list, tuple)) else format_value(value)
    )


def _block(screen: Console, rows: Sequence[Mapping[str, Any]], block: Sequence[str], indent: int) -> None:
    heads = (["id"] if "id" in rows[0] else []) + list(block)
    widths = [_width(rows, h) for h in heads]
    number = [_numbers([r[h] for r in rows if r.get(h) is not None]) for h in heads]
    screen.print(Text(" " * indent + _line(heads, widths, number), "dim"), no_wrap=True, overflow="ellipsis")
    for row in rows:
        cells = [_cut(_cell(row.get(h))) for h in heads]
        screen.print(Text(" " * indent + _line(cells, widths, number)), no_wrap=True, overflow="ellipsis")


def _numbers(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CELL_CHARS else text[: MAX_CELL_CHARS - 1] + "…"


def _line(cells: Sequence[str], widths: Sequence[int], number: Sequence[bool]) -> str:
    return "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(cells, widths, number, strict=True)).rstrip()


def show_data(screen: Console, data: Any, indent: int = 2) -> None:
    """Show what a tool gave: pages and lists as tables, records as pairs."""
    if isinstance(data, Mapping) and isinstance(data.get("items"), list) and "total" in data:
        rows_table(screen, data["items"], indent)
        following = data.get("next_offset")
        more = "" if following is None else f"; the next ones with offset={following}"
        screen.print(Text(f"{' ' * indent}{len(data['items'])} of {data['total']}{more}", "dim"))
    elif isinstance(data, Mapping):
        _record(screen, data, indent)
    else:
        screen.print(Text(" " * indent + _cell(data)))


def _record(screen: Console, record: Mapping[str, Any], indent: int) -> None:
    print_folded(
        screen, [f"{k}: {format_value(v)}" for k, v in record.items() if not isinstance(v, (Mapping, list))], indent
    )
    for name, value in record.items():
        if isinstance(value, Mapping):
            screen.print(Text(f"{' ' * indent}{name}", "bold"))
            _record(screen, value, indent + 2)
        elif isinstance(value, list):
            screen.print(Text(f"{' ' * indent}{name} ({len(value)})", "bold"))
            if value and all(isinstance(v, Mapping) for v in value):
                rows_table(screen, value, indent + 2)
            elif value:
                print_folded(screen, [_cell(v) for v in value], indent + 2)
