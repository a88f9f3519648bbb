"""`worldwright pack`: write a pack as an archive or as a folder."""

from __future__ import annotations

from pathlib import Path

import click

from worldwright.cli.commands.store import list_
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import FILE, FOLDER, json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.core.canonical import sha256
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import replace_file


@click.group(name="pack", cls=NamedCommands)
def command() -> None:
    """Write packs as archives and as folders, and list the store."""


@command.command()
@click.argument("pack")
@click.argument("file", type=FILE)
@json_option("What was written, as one JSON document.")
def export(pack: str, file: Path, as_json: bool) -> None:
    """Write a pack as one tar file: the same bytes every time. Every command opens it like a folder.

    \b
    Examples:
      worldwright pack export enterprise_procurement procurement.tar
      worldwright pack export out/enterprise_procurement-8f31c2 procurement.tar --json
    """
    from worldwright.facts.opened import open_named
    from worldwright.pack.seal import pack_archive

    opened = open_named(pack)
    data = pack_archive(opened.pack.files)
    was_there = file.exists()
    if was_there and file.read_bytes() != data:
        raise UsageError(f"{file} exists and is something else; choose another name")
    if not was_there:
        with replace_file(file) as out:
            out.write(data)
    if as_json:
        digest = opened.pack.manifest.digest
        print_json(
            {"file": str(file), "bytes": len(data), "sha256": sha256(data), "digest": digest, "was_there": was_there}
        )
    else:
        end = " (already there)" if was_there else ""
        Screen().print(f"{file}: {len(data):,} bytes, sha256 {sha256(data)}{end}", soft_wrap=True)


@command.command(short_help="Write a pack as a folder.")
@click.argument("pack")
@click.argument("folder", type=FOLDER)
@json_option("What was written, as one JSON document.")
def unpack(pack: str, folder: Path, as_json: bool) -> None:
    """Write a pack as a folder inside FOLDER, named after the world and its digest, to be looked at.

    \b
    Examples:
      worldwright pack unpack enterprise_procurement out
      worldwright pack unpack procurement.tar out --json
    """
    from worldwright.cli.jobs.outputs import keep_in_folder
    from worldwright.facts.opened import open_named

    opened = open_named(pack)
    place, was_there = keep_in_folder(opened.pack, folder)
    if as_json:
        print_json({"folder": str(place), "digest": opened.pack.manifest.digest, "was_there": was_there})
    else:
        Screen().print(f"{place}{' (already there)' if was_there else ''}", soft_wrap=True)


command.add_command(list_)
