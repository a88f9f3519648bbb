"""The store on the screen: what it holds, what is damaged, what was removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.tables import grid, show_pairs
from worldwright.english.nouns import count_noun
from worldwright.store.stats import Stats
from worldwright.store.sweep import SweepResult
from worldwright.store.verify import VerifyResult

PACKS_SHOWN = 20


def megabytes(size: int | None) -> str:
    return "missing" if size is None else f"{size / 1e6:,.1f} MB"


def show_list(
    screen: Console, root: str, references: Sequence[dict[str, Any]], loose: Sequence[dict[str, Any]]
) -> None:
    sizes = {r["digest"]: r["bytes"] or 0 for r in (*references, *loose)}
    screen.print(
        Text(f"{root}: {count_noun(len(sizes), 'pack')}, {megabytes(sum(sizes.values()))} unpacked", "dim"),
        soft_wrap=True,
    )
    rows = [(r["digest"][:12], megabytes(r["bytes"]), r["reference"]) for r in references]
    rows += [(r["digest"][:12], megabytes(r["bytes"]), Text("no reference", "dim")) for r in loose]
    if rows:
        grid(screen, ("digest", "size", "reference"), rows, right={"size"})
    else:
        screen.print("  nothing yet; worldwright generate --domain NAME builds a world")


def show_stats(screen: Console, root: str, found: Stats) -> None:
    screen.print(Text(root, "dim"), soft_wrap=True)
    rows = [
        ("packs", f"{found.packs:,} of {found.families:,} families, {found.untagged:,} without a reference"),
        ("references", f"{found.references:,}"),
        ("blobs", f"{found.blobs:,}, {found.unused_blobs:,} of them needed by no pack"),
        ("on the disk", megabytes(found.bytes)),
        ("if nothing were shared", f"{megabytes(found.bytes_unshared)}{_times(found.bytes_unshared, found.bytes)}"),
        ("unpacked as folders", f"{megabytes(found.bytes_as_folders)}{_times(found.bytes_as_folders, found.bytes)}"),
    ]
    show_pairs(screen, rows)
    if found.shared:
        screen.print()
        shared = [(s.part, f"{s.packs:,}", megabytes(s.saved), f"{s.family} {s.digest[:12]}") for s in found.shared]
        grid(screen, ("shared most", "packs", "saves", "for instance"), shared, right=("packs", "saves"))


def _times(size: int, of: int) -> str:
    return f", {size / of:.1f} times as much" if of else ""


def show_verified(screen: Console, found: VerifyResult) -> None:
    for one in found.damage:
        screen.print(Text.assemble((f"{one.kind} {one.name}", "bold red"), f": {one.problem}"), soft_wrap=True)
    said = f"{count_noun(found.packs, 'pack')} and {count_noun(found.blobs, 'blob')} read: "
    said += f"{len(found.damage):,} damaged" if found.damage else "every one is what its digest says"
    screen.print(Text(said, "bold red" if found.damage else "green"))


def show_swept(screen: Console, found: SweepResult, dry_run: bool) -> None:
    for digest in found.untagged[:PACKS_SHOWN]:
        screen.print(Text(f"  {digest[:12]}  has no reference and is kept", "dim"))
    if len(found.untagged) > PACKS_SHOWN:
        screen.print(Text(f"  and {len(found.untagged) - PACKS_SHOWN:,} more", "dim"))
    verb = "would be removed" if dry_run else "removed"
    what = f"{count_noun(len(found.packs), 'pack')}, {count_noun(found.blobs, 'blob')}, "
    what += f"{count_noun(found.leftovers, 'leftover')} of killed writers"
    screen.print(f"{verb}: {what}, {megabytes(found.bytes)}")
    if found.untagged:
        screen.print(Text("packs without a reference go with --untagged", "dim"))
