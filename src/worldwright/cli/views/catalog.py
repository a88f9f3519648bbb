"""`catalog` and `blueprint preview` on the screen: the plan as a tree, one domain, what was found, what was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.depth import Depth, measure_depth
from worldwright.catalogue.search import Hit
from worldwright.catalogue.standard import FAMILIES
from worldwright.catalogue.taxonomy import Category, Part
from worldwright.cli.terminal.console import escape, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid, rows_table, show_next
from worldwright.cli.views.world import show_lifecycles, show_policies
from worldwright.factory.preview import GoalPreview, Preview
from worldwright.facts.world import policy_facts, table_facts

if TYPE_CHECKING:
    from worldwright.factory.catalogue_bench import DomainResult

MAX_NEAREST = 10


def show_tree(screen: Console, tree: Sequence[Category]) -> None:
    parts = [p for c in tree for p in c.parts]
    filled, domains = sum(bool(p.domains) for p in parts), sum(len(p.domains) for p in parts)
    figures = f"{domains} domains in {len(tree)} categories; {filled} of {len(parts)} parts have one, the rest are open"
    root = Tree(Text(figures, "dim"), guide_style="dim")
    for category in tree:
        branch = root.add(Text.assemble((category.name, "bold cyan"), (f"  {len(category.domains)}", "dim")))
        for part in category.parts:
            _part(branch, part)
    screen.print(root)
    first = next((d for c in tree for d in c.domains), "")
    if first:
        show_next(screen, f"catalog show {first}", 'catalog search "refund"', f"generate --domain {first} --seed 7")


def _part(branch: Tree, part: Part) -> None:
    if not part.domains:
        branch.add(Text(f"{part.name}  open", "dim"))
    for name in part.domains:
        entry = catalogue.read_entry(name)
        branch.add(Text.assemble(part.name, "  ", (name, "bold"), (f"  {entry.title}", "dim")))


def show_hits(screen: Console, query: str, hits: Sequence[Hit]) -> None:
    if not hits:
        screen.print(f"no domain speaks of {query!r}; `worldwright catalog` lists them all")
        return
    screen.print(Text(f"{len(hits)} domains", "dim"))
    for hit in hits:
        entry = catalogue.read_entry(hit.domain)
        screen.print()
        print_hanging(
            screen, Text.assemble((hit.domain, "bold"), f"  {entry.title}", (f"  {entry.category}", "dim")), 0
        )
        for place in hit.places:
            where = " ".join(w for w in (place.section, place.name) if w)
            print_hanging(screen, Text.assemble((where, "cyan"), f"  {place.text[:200]}"), 2)


def show_domain(screen: Console, checked: Checked) -> None:
    bp = checked.blueprint
    screen.print(Text.assemble((bp.title, "bold"), (f"  {bp.category}", "dim")))
    print_hanging(screen, Text(" ".join(bp.summary.split())), 0)
    show_depth(screen, measure_depth(checked))
    heading(screen, "roles")
    grid(screen, ("", ""), list(bp.roles.items()))
    tables = table_facts(checked, {})
    heading(screen, "entities", f"{len(tables)} in {len(bp.systems)} systems")
    for system, says in bp.systems.items():
        screen.print(Text.assemble("  ", (system, "bold"), (f"  {says}", "dim")))
        grid(screen, ("", ""), [(t.name, t.says) for t in tables if t.system == system], indent=4)
    show_lifecycles(screen, tables)
    heading(screen, "operations", str(len(checked.operations)))
    grid(screen, ("", ""), [(o.name, o.says) for o in checked.operations.values()])
    policies = policy_facts(checked)
    show_policies(screen, policies)
    heading(screen, "variants", "generate --variant POLICY=NAME")
    grid(screen, ("", ""), [(p.name, ", ".join(p.variants)) for p in policies if len(p.variants) > 1])
    heading(screen, "goals", f"{len(checked.goals)}: what people ask for")
    grid(screen, ("", ""), [(name, g.asks[0]) for name, g in bp.goals.items()])
    heading(screen, "history", f"{checked.span_days} days lived by {len(checked.flows)} flows")
    print_folded(screen, list(checked.flows), 2)
    heading(screen, "mess", f"{len(checked.mess)} layers")
    print_folded(screen, [f"{m.spec.label} ({m.spec.layer}, {m.spec.share:.0%})" for m in checked.mess], 2)
    show_next(screen, f"generate --domain {bp.blueprint} --seed 7")


def show_depth(screen: Console, found: Depth) -> None:
    """Show what a Blueprint has, in a few lines."""
    heading(screen, "depth")
    rows = [
        ("not CRUD", f"{found.business} of {found.operations} operations ({found.business_share:.0%}) have a business guard or "
                     f"touch several rows; {found.writing} change something"),
        ("rules", f"{found.policies} policies: {found.tool_rules} the tools keep, {found.agent_rules} only the handbook; "
                  f"{found.conflicts} beat others"),
        ("state", f"{found.entities} entities in {found.systems} systems, {found.lifecycles} lifecycles, "
                  f"{found.balances} quantities kept in balance"),
        ("past", f"{found.flows} flows, {found.seasonal} with a season; {found.mess} layers of mess"),
        ("asked", f"{found.goals} goals, {found.filed} of them filed in the world"),
    ]  # fmt: skip
    grid(screen, ("", ""), rows)


def show_pairs(screen: Console, pairs: Sequence[tuple[float, str, str]], every: bool) -> None:
    names = sorted({name for _, a, b in pairs for name in (a, b)})
    if not pairs:
        screen.print("there is nothing to compare")
        return
    near, one, other = pairs[0]
    screen.print(
        f"nearest of {len(names)} domains: {one} and {other}, {near:.2f} apart (0 a copy, 1 nothing in common)"
    )
    heading(screen, "pairs", "the nearest first")
    shown = pairs if every else pairs[:MAX_NEAREST]
    grid(screen, ("distance", "", ""), [(f"{d:.3f}", a, b) for d, a, b in shown], right={"distance"})
    if len(shown) < len(pairs):
        screen.print(Text(f"  and {len(pairs) - len(shown)} more (--all)", "dim"))
    heading(screen, "each", "the nearest of every domain")
    nearest = {name: min((d, b if a == name else a) for d, a, b in pairs if name in (a, b)) for name in names}
    grid(
        screen, ("", "distance", ""), [(name, f"{d:.3f}", to) for name, (d, to) in nearest.items()], right={"distance"}
    )


def show_rows(screen: Console, rows: Sequence[DomainResult]) -> None:
    heads = ("domain", "s", "rows", "tools", "not CRUD", "rules", "tasks", "families", "episodes", "tests", "")
    cells = [
        (
            r.name, f"{r.seconds:.0f}", f"{r.rows:,}", str(r.tools), f"{r.business_share:.0%}", str(r.policies), str(r.tasks),
            "/".join(str(r.families.get(f, 0)) for f in FAMILIES), f"{r.episodes:,}", f"{r.tests_passed}/{r.tests}",
            Text("✓", "green") if r.ok else Text("✗", "red"),
        )
        for r in rows
    ]  # fmt: skip
    grid(screen, heads, cells, 0, right={h for h in heads if h not in ("domain", "")})
    screen.print(Text(f"families: {'/'.join(FAMILIES)}", "dim"))
    for r in rows:
        for problem in r.problems:
            print_hanging(screen, Text.assemble((f"{r.name}  ", "bold"), (problem, "red")), 0)
    good, tasks = sum(r.ok for r in rows), sum(r.tasks for r in rows)
    episodes, wrong = sum(r.episodes for r in rows), sum(r.wrong for r in rows)
    screen.print()
    print_hanging(screen, Text(f"{good} of {len(rows)} domains went through everything; {tasks:,} tasks, {wrong} of {episodes:,} "
                         f"episodes judged wrongly, {sum(r.seconds for r in rows):,.0f} s of work"), 0)  # fmt: skip


def show_preview(
    screen: Console,
    checked: Checked,
    found: Preview,
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    counts: Mapping[str, int],
) -> None:
    bp = checked.blueprint
    screen.print(Text.assemble((escape(bp.title), "bold"), (f"  {escape(bp.category)}", "dim")))
    show_depth(screen, found.depth)
    heading(screen, "tables", f"{len(counts)} tables, {sum(counts.values()):,} rows")
    for table, rows in samples.items():
        screen.print(Text.assemble("  ", (table, "bold"), (f"  {counts[table]:,} rows", "dim")))
        rows_table(screen, rows, 4)
    if found.refused:
        heading(
            screen,
            "refused in the past",
            "steps of flows that a rule stopped; many of one kind mean a flow that does not fit",
        )
        often = sorted(found.refused.items(), key=lambda item: -item[1])[:8]
        grid(screen, ("", ""), [(f"{count}", what) for what, count in often], right={""})
    if found.goals:
        heading(screen, "goals", "rows each could be about: with everything in order, and where a rule forbids it")
        grid(screen, ("goal", "possible", "forbidden by"), [_goal(g) for g in found.goals], right={"possible"})
    if found.tasks:
        heading(screen, "tasks", found.figures.get("tasks", ""))
        for task in found.tasks:
            screen.print(Text(f"  {task.family}", "cyan"))
            print_hanging(screen, Text(escape(task.instruction)), 4)
    for reason, count in found.dropped.items():
        screen.print(Text(f"  {count} candidates for tasks left out: {reason}", "dim"))
    heading(screen, "what the catalogue would still ask for")
    grid(screen, ("",), [(line,) for line in found.lacking] or [("nothing",)])


def _goal(look: GoalPreview) -> tuple[str, str, str | Text]:
    forbidden = ", ".join(f"{rule} ({count})" for rule, count in look.forbidden.items())
    failing = "; ".join(f"{count} fail: {escape(why)[:90]}" for why, count in look.failing.items())
    if not failing:
        return look.name, str(look.possible), forbidden
    return look.name, str(look.possible), Text.assemble(forbidden, "  " if forbidden else "", (failing, "yellow"))
