"""`worldwright blueprint`: begin, check and preview a Blueprint of your own."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import click

from worldwright.cli import exits
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import FILE, json_option, seed_option, text_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import complain, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import BlueprintError, UsageError

BLUEPRINT = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="blueprint", cls=NamedCommands)
def command() -> None:
    """Begin, check and preview Blueprints of your own; print the language's schema and patterns."""


@command.command(short_help="Check Blueprint files: every mistake with its line.")
@click.argument("files", nargs=-1, required=True, type=BLUEPRINT)
@json_option("Findings and counts as one JSON document.")
def check(files: tuple[Path, ...], as_json: bool) -> int:
    """Check Blueprint files: every finding with file, line, and what would be right.

    \b
    Examples:
      worldwright blueprint check my_world.yaml
      worldwright blueprint check --json *.yaml
    """
    from worldwright.blueprint.load import load_file

    out = []
    for file in files:
        try:
            checked = load_file(file)
        except BlueprintError as e:
            out.append(
                {
                    "file": str(file),
                    "ok": False,
                    "findings": [
                        {name: getattr(f, name) for name in ("line", "path", "message", "hint")} for f in e.findings
                    ],
                }
            )
            if not as_json:
                complain(str(e))
                complain(f"{file}: {len(e.findings)} finding{'s' if len(e.findings) != 1 else ''}")
            continue
        counts = {
            "entities": len(checked.schema.entities),
            "operations": len(checked.operations),
            "policies": len(checked.policies),
            "goals": len(checked.goals),
        }
        out.append({"file": str(file), "ok": True, "digest": checked.digest, "counts": counts, "findings": []})
        if not as_json:
            click.echo(f"{file}: ok, " + ", ".join(f"{v} {k}" for k, v in counts.items()))
    if as_json:
        print_json({"files": out})
    return exits.OK if all(f["ok"] for f in out) else exits.FAILED


@command.command(short_help="Begin a Blueprint with a small business that builds.")
@click.argument("name")
@click.option("--category", metavar="TEXT", required=True, help="CATEGORY / PART, as `worldwright catalog` lists them.")
@text_option("--title", metavar="TEXT", help="What people call the business; made of the name where left out.")
@click.option("--out", type=FILE, help="Where to; NAME.yaml by default.")
def new(name: str, category: str, title: str, out: Path | None) -> None:
    """Begin a Blueprint: a small business that checks and builds, with remarks on what to put in its place.

    \b
    Examples:
      worldwright blueprint new sea_freight --category "Logistics / Freight forwarding"
      worldwright blueprint new underwriting --category Underwriting --title "Marine underwriting" --out mine.yaml
    """
    from worldwright.catalogue.scaffold import find_part, write_scaffold
    from worldwright.cli.jobs.outputs import write_text

    target = out or Path(f"{name}.yaml")
    text = write_scaffold(name, find_part(category), title)
    if target.exists():
        raise UsageError(f"{target} is there already; name another file with --out")
    write_text(target, text)
    click.echo(f"{target}: a small business to start from")
    click.echo(f"next\n  worldwright blueprint check {target}\n  worldwright blueprint preview {target}")


@command.command(short_help="Look at the world that a Blueprint would become.")
@click.argument("file", type=BLUEPRINT)
@seed_option("Same seed, same world.", default=7)
@click.option("--rows", "number", type=click.IntRange(0, 50), default=2, help="Rows of each table.")
@click.option("--tasks", "most", type=click.IntRange(0, 60), default=8, help="Tasks; none is quicker.")
@click.option("--handbook", is_flag=True, help="Print the handbook that agents get, and nothing else.")
@json_option()
def preview(file: Path, seed: int, number: int, most: int, handbook: bool, as_json: bool) -> None:
    """Look at the world that a Blueprint would become: tables, rows, goals, tasks, and what the catalogue would still ask for.

    Nothing is proven and nothing is kept; `worldwright generate --blueprint FILE` does that.

    \b
    Examples:
      worldwright blueprint preview my_world.yaml
      worldwright blueprint preview my_world.yaml --tasks 0 --rows 5
      worldwright blueprint preview my_world.yaml --handbook
    """
    from worldwright.blueprint.load import load_file
    from worldwright.cli.views.catalog import show_preview
    from worldwright.factory.preview import make_preview as look
    from worldwright.factory.preview import rotate_families
    from worldwright.facts.rows import counts_of, samples_of

    checked = load_file(file)
    stages = Screen(err=True)
    with Progress(stages, "stages", 8 if most else 5) as progress:
        found = look(checked, seed, most > 0 and not handbook, progress.step)
    if handbook:
        click.echo(found.handbook)
        return
    counts = counts_of(found.runtime)
    samples = {table: samples_of(found.runtime, table, number) for table in counts if number}
    found = replace(found, tasks=rotate_families(found.tasks)[:most])
    if not as_json:
        show_preview(Screen(), checked, found, samples, counts)
        return
    print_json(
        {
            "depth": asdict(found.depth),
            "lacking": list(found.lacking),
            "figures": dict(found.figures),
            "refused": dict(found.refused),
            "tables": {table: {"rows": count, "samples": samples.get(table, [])} for table, count in counts.items()},
            "goals": [asdict(g) for g in found.goals],
            "tasks": [{"family": t.family, "instruction": t.instruction} for t in found.tasks],
            "dropped": dict(found.dropped),
            "handbook": found.handbook,
        }
    )


@command.command(short_help="Hold each rule's sentence against what the code decides.")
@click.argument("name")
@click.option("--policy", "only", metavar="POLICY", multiple=True, help="Only this policy; may be repeated.")
@json_option("Policies, bounds and cases as one JSON document.")
def rules(name: str, only: tuple[str, ...], as_json: bool) -> int:
    """Show each policy's sentence with the cases that decide it, for somebody who did not write it.

    NAME is a Blueprint file or a domain of the catalogue. Around every bound there is a case below, at and above it; where a word,
    a flag or a none changes the verdict, what each does. Exit code 1 where a bound is reached by no case.

    \b
    Examples:
      worldwright blueprint rules it_service_desk
      worldwright blueprint rules my_world.yaml --policy loan_limit
      worldwright blueprint rules hotel_booking --json
    """
    from worldwright.blueprint.deciding.cases import decide_policy
    from worldwright.cli.inputs.blueprint import source
    from worldwright.core.names import suggest
    from worldwright.facts.rules import describe_rules, write_rules

    file = Path(name)
    checked, _, _ = source(None, file) if file.is_file() else source(name, None)
    unknown = [p for p in only if p not in checked.policies]
    if unknown:
        raise UsageError(f"{name} has no policy `{unknown[0]}`; {suggest(unknown[0], checked.policies)}")
    found = [decide_policy(checked, policy) for policy in only or checked.policies]
    if as_json:
        print_json({"blueprint": checked.blueprint.blueprint, "policies": [describe_rules(p) for p in found]})
    else:
        click.echo(write_rules(checked.blueprint.title, found))
    return exits.FAILED if any(p.unreached for p in found) else exits.OK


@command.command()
def schema() -> None:
    """Print the JSON Schema of the language, for editors.

    \b
    Example:
      worldwright blueprint schema > blueprint.schema.json
    """
    from worldwright.blueprint.json_schema import json_schema

    print_json(json_schema())


@command.command(name="patterns")
@click.argument("name", required=False)
@json_option("Names, texts and parameter schemas as one JSON document.")
def patterns_(name: str | None, as_json: bool) -> None:
    """List the patterns that `use:` can apply, or show one.

    \b
    Examples:
      worldwright blueprint patterns
      worldwright blueprint patterns ledger
    """
    from worldwright.blueprint import patterns

    if name is not None and name not in patterns.names():
        raise click.UsageError(f"no pattern is called {name}; there are {', '.join(patterns.names())}")
    chosen = [patterns.get(p) for p in patterns.names() if name in (None, p)]
    if as_json:
        print_json(
            [{"name": p.name, "says": p.says, "doc": p.doc, "parameters": p.params.model_json_schema()} for p in chosen]
        )
        return
    for p in chosen:
        click.echo(p.doc + "\n" if name else f"{p.name:16} {p.says}")
