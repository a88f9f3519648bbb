"""`inspect --table` and `inspect --tool`: one part of a world in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from worldwright.blueprint.checked import Checked, Get, Operation, Search
from worldwright.blueprint.effects import Effects, Guard, Write, effects
from worldwright.cli.terminal.console import escape, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid, rows_table
from worldwright.cli.views.lifecycle import draw
from worldwright.facts.tool import example_call, list_arguments
from worldwright.facts.world import ColumnFacts, TableFacts
from worldwright.world.records import ToolSpec


def show_table(screen: Console, table: TableFacts, rows: Sequence[Mapping[str, Any]]) -> None:
    screen.print()
    figures = f"  {table.system}, {table.rows:,} rows, ids {table.key}"
    screen.print(Text.assemble((table.name, "bold"), (figures, "dim")))
    if table.says:
        print_hanging(screen, Text(escape(table.says)), 0)
    heading(screen, "columns", "sort is how two states are compared on a column")
    grid(screen, ("column", "sort", "type"), [(c.name, c.sort, _type(c)) for c in table.columns])
    if table.lifecycle:
        heading(screen, "lifecycle", f"of {table.state_column}; [ends] are in brackets")
        for line in draw(table.lifecycle, screen.width - 2):
            print_hanging(screen, Text(line), 2)
    for parts in table.unique:
        screen.print(Text(f"  no two rows share {' and '.join(parts)}", "dim"))
    if table.ways_back:
        heading(screen, "ways back")
        grid(screen, ("", ""), [(f"{table.name}.{name}", f"rows of {way}") for name, way in table.ways_back.items()])
    if rows:
        heading(screen, "rows", f"{len(rows)} of {table.rows:,}")
        rows_table(screen, rows, every=True)


def _type(column: ColumnFacts) -> Text:
    out = Text(escape(column.type) + ("?" if column.optional else ""))
    if column.rule:
        out.append(f"  {'=' if column.source == 'kept' else 'computed'} {escape(column.rule)}", "cyan")
    if column.says:
        out.append(f"  {escape(column.says)}", "dim")
    return out


def show_tool(screen: Console, checked: Checked, tool: ToolSpec, name: str, source: str) -> None:
    """Show a tool in full; `name` is the operation behind it."""
    operation, found = checked.operations[name], effects(checked, name)
    kind = "writes" if tool.mutates else "reads"
    screen.print()
    who = ", ".join(tool.roles) or "anyone"
    screen.print(Text.assemble((tool.name, "bold"), (f"  {tool.system}, {kind}, for {who}", "dim")))
    print_hanging(screen, Text(escape(operation.says)), 0)
    heading(screen, "arguments")
    show_arguments(screen, tool)
    heading(screen, "effects")
    grid(screen, ("", ""), _effects(operation, found))
    heading(screen, "refuses with")
    print_folded(screen, found.codes or ("nothing",), 2, "red", mark="")
    if found.guards:
        screen.print()
        grid(screen, ("code", "unless"), [_guard(checked, g) for g in dict.fromkeys(found.guards)])
    if source:
        heading(screen, "source", f"tools/{name}.py")
        show_source(screen, source)


def show_arguments(screen: Console, tool: ToolSpec) -> None:
    rows = [
        (
            name,
            Text(needed, "yellow" if needed == "required" else "dim"),
            Text.assemble(escape(kind), (f"  {escape(says)}" if says else "", "dim")),
        )
        for name, kind, needed, says in list_arguments(tool.input_schema)
    ]
    if rows:
        grid(screen, ("argument", "", "type"), rows)
    print_hanging(screen, Text(f"call {example_call(tool)}", "dim"), 2)


def _guard(checked: Checked, guard: Guard) -> tuple[Text, Text]:
    by_hand = guard.policy != "" and checked.policies[guard.policy].enforced == "agent"
    code = Text("handbook", "magenta") if by_hand else Text(guard.code, "red")
    says = Text.assemble((f"{guard.policy}  " if guard.policy else "", "cyan"), escape(guard.text))
    if not guard.must:
        says.append("  (not on every way through)", "dim")
    return code, says


def _effects(operation: Operation, found: Effects) -> list[tuple[Text, str]]:
    reads: dict[str, list[str]] = {}
    for entity, column in found.reads:
        reads.setdefault(entity, []).append(column)
    match operation.read:
        case Search() as search:
            columns = dict.fromkeys(f.column for f in search.filters)
            looks = f"searches {search.entity}" + (f" by {', '.join(columns)}" if columns else "")
        case Get() as get:
            looks = f"one {get.entity}" + (f" with {', '.join(e.name for e in get.embeds)}" if get.embeds else "")
        case _:
            looks = "; ".join(f"{e}: {', '.join(cs)}" for e, cs in reads.items())
    parts = [
        ("must", "yellow", _format_writes([w for w in found.writes if w.must])),
        ("may", "yellow", _format_writes([w for w in found.writes if not w.must and not w.derived])),
        ("follows", "cyan", _format_writes([w for w in found.writes if w.derived])),
        ("reads", "green", looks),
    ]
    return [(Text(title, style), text) for title, style, text in parts if text]


def _format_writes(writes: Sequence[Write]) -> str:
    """Format `add quote; set requisition: status`, each table once per verb."""
    out: dict[tuple[str, str], list[str]] = {}
    for w in writes:
        columns = out.setdefault((w.verb, w.entity), [])
        columns += [c for c in w.columns if w.verb == "set" and c not in columns]
    return "; ".join(f"{verb} {entity}" + (f": {', '.join(cs)}" if cs else "") for (verb, entity), cs in out.items())


def show_source(screen: Console, source: str) -> None:
    """Python, coloured where there are colours."""
    code = escape(source, lines=True)
    if screen.is_terminal:
        screen.print(Syntax(code, "python", theme="ansi_dark", background_color="default", word_wrap=True))
    else:
        screen.print(Text(code), soft_wrap=True)
