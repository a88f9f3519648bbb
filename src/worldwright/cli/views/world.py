"""`inspect` on the screen: a whole world, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import GENERAL_CODES, effects
from worldwright.cli.terminal.console import escape, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid, rows_table, show_pairs
from worldwright.cli.views.lifecycle import draw
from worldwright.facts.tool import format_signature
from worldwright.facts.world import MessFacts, PolicyFacts, TableFacts, WorldFacts
from worldwright.world.records import ToolSpec


def show_header(screen: Console, world: WorldFacts, short: bool = False) -> None:
    if short:
        figures = f"  {world.name}, seed {world.seed}, digest {world.digest[:12]}"
        screen.print(Text.assemble((escape(world.title), "bold"), (figures, "dim")))
        return
    screen.print(Text.assemble((escape(world.title), "bold"), (f"  {escape(world.category)}", "dim")))
    if world.summary:
        print_hanging(screen, Text(escape(world.summary)), 0)
    screen.print()
    variant = ", ".join(f"{name}={value}" for name, value in {**world.variant, **world.axes}.items()) or "default"
    pairs = [
        ("name", world.name),
        ("digest", world.digest),
        ("seed", str(world.seed)),
        ("variant", variant),
        ("clock", f"{world.clock}, book currency {world.currency}"),
        ("roles", ", ".join(world.roles)),
    ]
    if world.parent:
        pairs.insert(4, ("parent", world.parent))
    show_pairs(screen, pairs, 0)


def show_tables(screen: Console, tables: Sequence[TableFacts], systems: Mapping[str, str]) -> None:
    heading(screen, "tables", f"{len(tables)} tables, {sum(t.rows for t in tables):,} rows")
    for system, says in systems.items():
        kept = [t for t in tables if t.system == system]
        if kept:
            _system(screen, system, says, f"{sum(t.rows for t in kept):,} rows")
            rows = [(t.name, f"{t.rows:,}", t.key, t.says or f"from {t.origin}") for t in kept]
            grid(screen, ("table", "rows", "ids", ""), rows, indent=4, right={"rows"})


def _system(screen: Console, system: str, says: str, figures: str = "") -> None:
    end = f"  {figures}" if figures else ""
    screen.print(Text.assemble("  ", (system, "bold"), (f"  {escape(says)}", "dim"), (end, "dim")))


def show_lifecycles(screen: Console, tables: Sequence[TableFacts]) -> None:
    living = [t for t in tables if t.lifecycle]
    if not living:
        return
    heading(screen, "lifecycles", "a row starts on the left; [ends] are in brackets")
    width = max(len(t.name) for t in living) + 2
    for t in living:
        lines = draw(t.lifecycle, screen.width - width - 2)
        for i, line in enumerate(lines):
            print_hanging(screen, Text.assemble((f"{t.name if i == 0 else '':<{width}}", "bold"), line), 2)


def show_tools(
    screen: Console,
    checked: Checked,
    tools: Sequence[ToolSpec],
    systems: Mapping[str, str],
    operations: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Show the tools; `operations` are what tools of other names stand for."""
    writes = sum(t.mutates for t in tools)
    heading(screen, "tools", f"{len(tools)} tools, {writes} write, {len(tools) - writes} read")
    print_hanging(screen, Text(f"optional? list[]; any tool may also answer {', '.join(GENERAL_CODES)}", "dim"), 2)
    for system, says in systems.items():
        offered = [t for t in tools if t.system == system]
        if offered:
            _system(screen, system, says)
        for t in offered:
            show_tool_line(screen, t, effects(checked, operations.get(t.name, t.name)).codes if t.mutates else ())


def show_tool_line(screen: Console, tool: ToolSpec, codes: Sequence[str] = (), indent: int = 4) -> None:
    """Show one tool in a few lines: who, what it takes, how it may refuse."""
    kind = ("write", "yellow") if tool.mutates else ("read ", "green")
    who = ", ".join(tool.roles) or "anyone"
    screen.print(Text.assemble(" " * indent, (f"{tool.name:<22}  ", "bold"), kind, (f"  {who}", "dim")))
    print_folded(screen, format_signature(tool) or ["takes nothing"], indent + 4)
    own = [c for c in codes if c not in GENERAL_CODES]
    if own:
        print_folded(screen, own, indent + 4, "red", mark="")


def show_policies(screen: Console, policies: Sequence[PolicyFacts], full: bool = False) -> None:
    by_hand = sum(p.enforced == "handbook" for p in policies)
    heading(screen, "policies", f"{len(policies)} policies, {by_hand} enforced only by the handbook")
    width = max((len(p.name) for p in policies), default=0) + 2
    for p in policies:
        mark = {
            "handbook": ("handbook only", "magenta"),
            "tool": (f"tool refuses with {p.code}", "green"),
            "exemption": ("exemption", "cyan"),
        }[p.enforced]
        chosen = f"  variant {p.chosen}" if p.chosen != "default" else ""
        screen.print(Text.assemble("  ", (f"{p.name:<{width}}", "bold"), mark, (chosen, "yellow")))
        print_hanging(screen, Text(escape(p.says)), 6)
        if p.beats:
            print_folded(screen, [f"comes before {p.beats[0]}", *p.beats[1:]], 6, "cyan")
        if p.beaten_by:
            print_folded(screen, [f"gives way to {p.beaten_by[0]}", *p.beaten_by[1:]], 6, "cyan")
        if full:
            _policy_details(screen, p)


def _policy_details(screen: Console, p: PolicyFacts) -> None:
    pairs = [
        ("about", ", ".join(f"{k}: {t}" for k, t in p.about.items())),
        ("when", p.when),
        ("rule", p.rule),
        ("parameters", ", ".join(f"{k} = {v}" for k, v in p.parameters.items())),
        ("variants", ", ".join(p.variants)),
        ("asked by", ", ".join(p.tools)),
        ("cases", str(p.cases)),
        ("from", p.origin),
    ]
    show_pairs(screen, pairs, 6)
    screen.print()


def show_mess(screen: Console, mess: Sequence[MessFacts]) -> None:
    if mess:
        total = sum(m.count for m in mess)
        heading(screen, "mess", f"{len(mess)} layers, {total:,} cells and rows, all listed in mess.json")
        rows = [(m.label, m.layer, f"{m.count:,}", ", ".join(m.where)) for m in mess]
        grid(screen, ("label", "layer", "count", "where"), rows, right={"count"})


def show_samples(screen: Console, samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    heading(screen, "rows", "a few of them; `--table NAME` shows more")
    for i, (name, rows) in enumerate(samples.items()):
        if i:
            screen.print()
        screen.print(Text(f"  {name}", "bold"))
        rows_table(screen, rows, 4)
