"""`worldwright blueprint`: check, schema, patterns."""

from __future__ import annotations

from pathlib import Path

import click

from worldwright.blueprint import patterns
from worldwright.blueprint.json_schema import json_schema
from worldwright.blueprint.load import load_file
from worldwright.cli import exits
from worldwright.cli.screen import complain, print_json
from worldwright.core.errors import BlueprintError

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="blueprint")
def command() -> None:
    """Check Blueprints, and print the language's schema and patterns."""


@command.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Findings and counts as one JSON document.")
def check(files: tuple[Path, ...], as_json: bool) -> int:
    """Check Blueprint files: every finding with file, line, and what would be right.

    \b
    Examples:
      worldwright blueprint check my_world.yaml
      worldwright blueprint check --json *.yaml
    """
    out = []
    for file in files:
        try:
            checked = load_file(file)
        except BlueprintError as e:
            out.append({"file": str(file), "ok": False, "findings": [_finding(f) for f in e.findings]})
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


def _finding(f: object) -> dict[str, object]:
    return {name: getattr(f, name) for name in ("line", "path", "message", "hint")}


@command.command()
def schema() -> None:
    """Print the JSON Schema of the language, for editors.

    \b
    Example:
      worldwright blueprint schema > blueprint.schema.json
    """
    print_json(json_schema())


@command.command(name="patterns")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Names, texts and parameter schemas as one JSON document.")
def patterns_(name: str | None, as_json: bool) -> None:
    """List the patterns that `use:` can apply, or show one.

    \b
    Examples:
      worldwright blueprint patterns
      worldwright blueprint patterns ledger
    """
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
