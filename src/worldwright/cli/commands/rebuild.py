"""`worldwright rebuild`: build a pack again and compare it file by file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.inputs.options import FOLDER, json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.stages import Stages, build_stages
from worldwright.cli.terminal.tables import grid

if TYPE_CHECKING:
    from worldwright.cli.jobs.rebuild import RebuildResult


@click.command(name="rebuild")
@click.argument("pack")
@click.option("--out", metavar="DIR", type=FOLDER, help="Write the rebuilt pack in DIR too.")
@json_option("The comparison as one JSON document.")
def command(pack: str, out: Path | None, as_json: bool) -> int:
    """Build a pack again from its own Blueprint, seed, parent and options, and compare digests file by file.

    Exit code 0 when it is the same world, 1 when it is not.

    \b
    Examples:
      worldwright rebuild enterprise_procurement
      worldwright rebuild out/enterprise_procurement-8f31c2 --out again
      worldwright rebuild enterprise_procurement --json
    """
    from worldwright.cli.jobs.outputs import check_writable, keep_in_folder
    from worldwright.cli.jobs.rebuild import rebuild
    from worldwright.facts.opened import open_named

    check_writable(out)
    opened = open_named(pack)
    order = build_stages(opened.pack.manifest.options != {"tasks": "none"}, opened.world.contract is not None)
    with Stages(Screen(err=True), order) as stages:
        found = rebuild(opened.pack, stages.hear)
    folder = keep_in_folder(found.pack, out)[0] if out is not None else None
    if as_json:
        print_json(
            {
                "same": found.same,
                "digest": opened.pack.manifest.digest,
                "rebuilt": found.pack.manifest.digest,
                "files": found.compared,
                "differing": [{"file": file, "how": how} for file, how in found.differing],
                "folder": None if folder is None else str(folder),
            }
        )
    else:
        _say(Screen(), opened.pack.manifest.digest, found, folder)
    return exits.OK if found.same else exits.FAILED


def _say(screen: Screen, digest: str, found: RebuildResult, folder: Path | None) -> None:
    again = found.pack.manifest.digest
    if found.same:
        how = "bit for bit" if not found.differing else "with the same content"
        screen.print(Text.assemble(("rebuilt ", "green"), (how, "bold green"), f": {found.compared} files"))
        screen.print(Text(f"digest {digest}"), soft_wrap=True)
    else:
        screen.print(Text(f"another world: {len(found.differing)} of {found.compared} files differ", "bold red"))
        grid(screen, ("", ""), [(Text("pack", "dim"), digest), (Text("rebuilt", "dim"), again)])
    grid(screen, ("", ""), found.differing)
    if folder is not None:
        screen.print(Text(f"written to {folder}"), soft_wrap=True)
