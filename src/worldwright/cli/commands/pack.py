"""`worldwright pack`: archives, and what the store holds."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.cli.console import Screen
from worldwright.cli.opening import open_named
from worldwright.cli.render import grid
from worldwright.cli.screen import print_json
from worldwright.core.canonical import sha256
from worldwright.core.errors import PackError, UsageError
from worldwright.pack.seal import pack_archive
from worldwright.store.store import Store


@click.group(name="pack")
def command() -> None:
    """Export packs as archives, and list the store."""


@command.command()
@click.argument("pack")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="What was written, as one JSON document.")
def export(pack: str, file: Path, as_json: bool) -> None:
    """Write a pack as one tar file: the same bytes every time. Every command opens it like a folder.

    \b
    Examples:
      worldwright pack export enterprise_procurement procurement.tar
      worldwright pack export out/enterprise_procurement-8f31c2 procurement.tar --json
    """
    opened = open_named(pack)
    data = pack_archive(opened.pack.files)
    was_there = file.exists()
    if was_there and file.read_bytes() != data:
        raise UsageError(f"{file} exists and is something else; choose another name")
    if not was_there:
        _write(file, data)
    if as_json:
        digest = opened.pack.manifest.digest
        print_json(
            {"file": str(file), "bytes": len(data), "sha256": sha256(data), "digest": digest, "was_there": was_there}
        )
    else:
        end = " (already there)" if was_there else ""
        Screen().print(f"{file}: {len(data):,} bytes, sha256 {sha256(data)}{end}", soft_wrap=True)


def _write(file: Path, data: bytes) -> None:
    """Complete when it appears."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, work = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".partial", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as f:
                f.write(data)
            Path(work).chmod(0o644)
            Path(work).replace(file)
        finally:
            Path(work).unlink(missing_ok=True)
    except OSError as e:
        raise PackError(f"{file} cannot be written: {e}") from None


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="References, variants, digests and sizes as one JSON document.")
def list_(as_json: bool) -> None:
    """List what the store holds: references with their variants, and packs without a reference.

    \b
    Examples:
      worldwright pack list
      worldwright pack list --json
    """
    store = Store()
    sizes = {digest: _size(store.pack_path(digest)) for digest in store.digests()}
    references: list[dict[str, Any]] = [
        {"reference": f"{name}:{tag}/{variant}", "digest": digest, "bytes": sizes.get(digest)}
        for name, tag in store.references()
        for variant, digest in store.variants(name, tag).items()
    ]
    loose = sorted(set(sizes) - {r["digest"] for r in references})
    if as_json:
        untagged = [{"digest": d, "bytes": sizes[d]} for d in loose]
        print_json({"store": str(store.root), "references": references, "untagged": untagged})
        return
    screen = Screen()
    screen.print(Text(f"{store.root}: {len(sizes)} packs, {sum(sizes.values()) / 1e6:,.1f} MB", "dim"), soft_wrap=True)
    rows = [(r["digest"][:12], _megabytes(r["bytes"]), r["reference"]) for r in references]
    rows += [(d[:12], _megabytes(sizes[d]), Text("no reference", "dim")) for d in loose]
    if rows:
        grid(screen, ("digest", "size", "reference"), rows, right={"size"})
    else:
        screen.print("  nothing yet; worldwright generate --domain NAME builds a world")


def _size(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())


def _megabytes(size: int | None) -> str:
    return "missing" if size is None else f"{size / 1e6:,.1f} MB"
