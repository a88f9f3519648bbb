"""`worldwright export`: write a gym as a package for another framework."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from worldwright.adapters.export import TARGETS, export
from worldwright.cli.inputs.options import PATH, json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.core.canonical import sha256


@click.command(name="export")
@click.option("--gym", required=True, metavar="NAME[:TAG]", help="A reference in the store, or a folder of packs.")
@click.option("--to", "target", required=True, type=click.Choice(tuple(TARGETS)), help="The framework.")
@click.option("--out", required=True, type=PATH, metavar="DIR", help="The folder that is written.")
@click.option("--force", is_flag=True, help="Replace what an earlier export wrote there.")
@json_option("The files that were written, as one JSON document.")
def command(gym: str, target: str, out: Path, force: bool, as_json: bool) -> None:
    """Write a gym as a package that a framework installs: its worlds, what the framework asks for around them, and a README.

    The same gym gives the same bytes. Nothing of the framework has to be installed here. The package holds the keys of its
    tasks, because grading happens where it is installed: it belongs on the trainer's side.

    \b
    Examples:
      worldwright export --gym town_library --to verifiers --out town-library-verifiers
      worldwright export --gym enterprise_procurement:v1 --to openenv --out procurement-openenv
      worldwright export --gym packs/ --to verifiers --out dist --force --json
      worldwright export --gym motor_claims:big --to verl --out claims-verl
    """
    from worldwright.cli.jobs.outputs import check_writable

    check_writable(out)
    files = export(target, gym, out, replace=force)
    if as_json:
        named = [(path, path.read_bytes()) for path in files]
        print_json(
            {
                "to": target,
                "gym": gym,
                "folder": str(out),
                "files": [
                    {"path": path.relative_to(out).as_posix(), "bytes": len(data), "sha256": sha256(data)}
                    for path, data in named
                ],
            }
        )
        return
    screen = Screen()
    screen.print(Text(str(out), "bold"), soft_wrap=True)
    for path in files:
        screen.print(f"  {path.relative_to(out)}  {path.stat().st_size:,} bytes", soft_wrap=True)
    screen.print(Text(f"  what to do with it: {out / 'README.md'}", "dim"), soft_wrap=True)
