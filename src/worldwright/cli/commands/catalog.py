"""`worldwright catalog`: the domains that ship with Worldwright."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.text import Text

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.load import surface
from worldwright.blueprint.yaml_source import load_yaml
from worldwright.cli.console import Screen, folded, hanging, heading
from worldwright.cli.facts import policy_facts, table_facts
from worldwright.cli.render import grid
from worldwright.cli.screen import print_json
from worldwright.cli.world_view import show_lifecycles, show_policies
from worldwright.core.errors import BlueprintError


@click.command(name="catalog")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON document.")
def command(name: str | None, as_json: bool) -> None:
    """List the domains by category, or show one in detail.

    \b
    Examples:
      worldwright catalog
      worldwright catalog enterprise_procurement
      worldwright catalog --json
    """
    if name is not None:
        checked = catalogue.load(name)
        if as_json:
            print_json(_detail(checked))
        else:
            _show(Screen(), checked)
        return
    domains = [_line(n) for n in catalogue.names()]
    if as_json:
        print_json({"domains": domains})
    else:
        _list(Screen(), domains)


def _line(name: str) -> dict[str, Any]:
    """A domain with its counts, patterns applied but nothing checked: listing has to be quick."""
    try:
        entry = catalogue.entry(name)
        bp = surface(expand_patterns(load_yaml(catalogue.text(name), f"{name}.yaml")))
    except BlueprintError as e:
        return {"name": name, "title": "", "category": "", "summary": "", "counts": {}, "problem": str(e.findings[0])}
    return {
        "name": name,
        "title": entry.title,
        "category": entry.category,
        "summary": " ".join(entry.summary.split()),
        "counts": {"entities": len(bp.entities), "operations": len(bp.operations), "policies": len(bp.policies)},
        "problem": "",
    }


def _list(screen: Screen, domains: list[dict[str, Any]]) -> None:
    screen.print(Text(f"{len(domains)} domains", "dim"))
    for category in sorted({d["category"] for d in domains}):
        screen.print()
        screen.print(Text(category or "without a category", "bold cyan"))
        for d in (d for d in domains if d["category"] == category):
            figures = ", ".join(f"{n} {what}" for what, n in d["counts"].items())
            hanging(screen, Text.assemble((d["name"], "bold"), f"  {d['title']}"), 2)
            hanging(screen, Text(d["problem"], "red") if d["problem"] else Text(d["summary"]), 6)
            hanging(screen, Text(figures, "dim"), 6)
    if domains:
        screen.print()
        screen.print(Text("next", "dim"))
        screen.print(f"  worldwright catalog {domains[0]['name']}")
        screen.print(f"  worldwright generate --domain {domains[0]['name']} --seed 7")


def _detail(checked: Checked) -> dict[str, Any]:
    bp = checked.blueprint
    return {
        "name": bp.blueprint,
        "title": bp.title,
        "category": bp.category,
        "summary": " ".join(bp.summary.split()),
        "digest": checked.digest,
        "clock": checked.schema.now,
        "systems": bp.systems,
        "roles": bp.roles,
        "entities": [asdict(t) | {"rows": checked.schema.entities[t.name].rows} for t in table_facts(checked, {})],
        "operations": [
            {"name": name, "system": o.system, "says": o.says, "roles": list(o.roles)}
            for name, o in checked.operations.items()
        ],
        "policies": [asdict(p) for p in policy_facts(checked)],
        "goals": {name: list(g.asks) for name, g in bp.goals.items()},
        "flows": list(checked.flows),
        "mess": [{"label": m.spec.label, "layer": m.spec.layer, "share": m.spec.share} for m in checked.mess],
    }


def _show(screen: Screen, checked: Checked) -> None:
    bp = checked.blueprint
    screen.print(Text.assemble((bp.title, "bold"), (f"  {bp.category}", "dim")))
    hanging(screen, Text(" ".join(bp.summary.split())), 0)
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
    folded(screen, list(checked.flows), 2)
    heading(screen, "mess", f"{len(checked.mess)} layers")
    folded(screen, [f"{m.spec.label} ({m.spec.layer}, {m.spec.share:.0%})" for m in checked.mess], 2)
    screen.print()
    screen.print(Text("next", "dim"))
    screen.print(f"  worldwright generate --domain {bp.blueprint} --seed 7")
