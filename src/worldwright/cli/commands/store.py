"""`worldwright store`: list, verify, tag and clean up what is stored."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from worldwright.cli import exits
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import json_option
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import StoreError, UsageError

if TYPE_CHECKING:
    from worldwright.store.store import Store

HOUR = 3600.0


@click.group(name="store", cls=NamedCommands)
def command() -> None:
    """Look after the store: what it holds, whether it is sound, names, and what can go."""


@command.command(name="list", short_help="List what the store holds, with digests and sizes.")
@click.argument("reference", required=False)
@json_option("References, variants, digests and sizes as one JSON document.")
def list_(reference: str | None, as_json: bool) -> None:
    """List what the store holds: references with their variants, and packs without a reference. Sizes are those unpacked.

    REFERENCE is a name, or a name and a tag: only these are listed then.

    \b
    Examples:
      worldwright store list
      worldwright store list enterprise_procurement:latest --json
    """
    from worldwright.cli.views.store import show_list
    from worldwright.store.index import read_index
    from worldwright.store.stats import find_tagged
    from worldwright.store.store import Store

    store = Store()
    name, _, tag = (reference or "").partition(":")
    chosen = [r for r in store.list_references() if name in ("", r[0]) and tag in ("", r[1])]
    if reference and not chosen:
        store.variants(name, tag or "latest")
        raise StoreError(f"the store has no {reference}")
    named = [(f"{n}:{t}/{v}", digest) for n, t in chosen for v, digest in store.variants(n, t).items()]
    bare = [] if reference else sorted(set(store.digests()) - find_tagged(store))
    sizes: dict[str, int | None] = {}
    wanted = dict.fromkeys([*(digest for _, digest in named), *bare])
    with Progress(Screen(err=True), "packs", len(wanted)) as progress:
        for digest in wanted:
            sizes[digest] = read_index(store.pack_path(digest)).bytes if digest in store else None
            progress.step()
    references = [{"reference": r, "digest": digest, "bytes": sizes[digest]} for r, digest in named]
    loose = [{"digest": digest, "bytes": sizes[digest]} for digest in bare]
    if as_json:
        print_json({"store": str(store.root), "references": references, "untagged": loose})
    else:
        show_list(Screen(), str(store.root), references, loose)


@command.command(short_help="Count packs, blobs and bytes, and what sharing saves.")
@json_option()
def stats(as_json: bool) -> None:
    """Count packs, families, blobs and bytes: as they are, if nothing were shared, and what shares most.

    \b
    Examples:
      worldwright store stats
      worldwright store stats --json
    """
    from worldwright.cli.views.store import show_stats
    from worldwright.store.stats import count_store as counted
    from worldwright.store.store import Store

    store = Store()
    with Progress(Screen(err=True), "packs", len(store.digests())) as progress:
        found = counted(store, progress.step)
    if as_json:
        print_json({"store": str(store.root), **asdict(found)})
    else:
        show_stats(Screen(), str(store.root), found)


@command.command(short_help="Read everything again and list what is damaged.")
@click.option("--remove", is_flag=True, help="Remove what is damaged, so that building it again puts it back.")
@json_option("What was found, as one JSON document.")
def verify(remove: bool, as_json: bool) -> int:
    """Read every blob and every pack again and list what is damaged. Exit code 1 where something is.

    \b
    Examples:
      worldwright store verify
      worldwright store verify --remove
      worldwright store verify --json
    """
    from worldwright.cli.views.store import show_verified
    from worldwright.store.store import Store
    from worldwright.store.verify import remove as removed
    from worldwright.store.verify import verify as verified

    store = Store()
    total = len(store.digests()) + sum(1 for _ in store.blobs.list_sizes())
    with Progress(Screen(err=True), "blobs and packs", total) as progress:
        found = verified(store, progress.step)
    gone = removed(store, found.damage) if remove else 0
    if as_json:
        print_json({"store": str(store.root), **asdict(found), "removed": gone, "ok": not found.damage})
    else:
        show_verified(Screen(), found)
        if gone:
            Screen().print(f"removed {gone} files; build the packs again to have them back")
    return exits.FAILED if found.damage else exits.OK


@command.command(short_help="Remove what no pack needs.")
@click.option("--untagged", is_flag=True, help="Remove packs without a reference too.")
@click.option(
    "--grace", type=click.FloatRange(0), default=24.0, metavar="HOURS",
    help="What was kept so recently stays, reference or not.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@json_option("What was removed and kept, as one JSON document.")
def gc(untagged: bool, grace: float, dry_run: bool, as_json: bool) -> None:
    """Remove blobs that no pack needs, and what killed writers left. Packs without a reference are listed and kept, unless asked.

    Others may keep packs meanwhile: nothing goes that they rely on.

    \b
    Examples:
      worldwright store gc --dry-run
      worldwright store gc
      worldwright store gc --untagged --grace 1
    """
    from worldwright.cli.views.store import show_swept
    from worldwright.store.store import Store
    from worldwright.store.sweep import sweep

    store = Store()
    total = len(store.digests()) + sum(1 for _ in store.blobs.list_sizes())
    with Progress(Screen(err=True), "packs and blobs", total) as progress:
        found = sweep(store, time.time() - grace * HOUR, untagged, dry_run, progress.step)
    if as_json:
        print_json({"store": str(store.root), "dry_run": dry_run, **asdict(found)})
    else:
        show_swept(Screen(), found, dry_run)


@command.command()
@click.argument("name")
@click.argument("packs", nargs=-1, required=True)
@json_option("The reference and its variants, as one JSON document.")
def tag(name: str, packs: tuple[str, ...], as_json: bool) -> None:
    """Let the reference NAME:TAG have these packs too.

    PACKS are references with all their variants, single variants, or digests. A variant keeps its name. A pack that has none
    is called by its digest, or as you say: NAME:TAG/VARIANT.

    \b
    Examples:
      worldwright store tag enterprise_procurement:v1 enterprise_procurement:latest
      worldwright store tag enterprise_procurement:best enterprise_procurement:latest/default-7
      worldwright store tag enterprise_procurement:latest/default-7 8f31c2
    """
    from worldwright.store.store import Store

    store = Store()
    target, tagged_as, variant = _reference(name)
    found = {v: d for pack in packs for v, d in _variants(store, pack).items()}
    if variant:
        if len(found) != 1:
            raise UsageError(f"{name} is one variant, but {len(found)} packs were named")
        found = {variant: next(iter(found.values()))}
    store.tag_all(target, tagged_as, found)
    if as_json:
        print_json({"reference": f"{target}:{tagged_as}", "variants": store.variants(target, tagged_as)})
    else:
        for called, digest in found.items():
            Screen().print(f"{target}:{tagged_as}/{escape(called)}  {digest[:12]}", soft_wrap=True)


def _reference(text: str) -> tuple[str, str, str]:
    base, _, variant = text.partition("/")
    name, _, tagged_as = base.partition(":")
    return name, tagged_as or "latest", variant


def _variants(store: Store, pack: str) -> dict[str, str]:
    """The packs that are meant, by the name of the variant."""
    name, tagged_as, variant = _reference(pack)
    if (name, tagged_as) in store.list_references():
        there = store.variants(name, tagged_as)
        return there if not variant else {variant: store.find(pack).stem}
    digest = store.find(pack).stem
    called = [v for r in store.list_references() for v, d in store.variants(*r).items() if d == digest]
    return {called[0] if called else digest[:12]: digest}


@command.command(short_help="Remove references; the packs stay.")
@click.argument("names", nargs=-1, required=True)
@json_option("What the references stood for, as one JSON document.")
def untag(names: tuple[str, ...], as_json: bool) -> None:
    """Take references away: NAME:TAG, or one variant of it with NAME:TAG/VARIANT. The packs stay until `gc --untagged`.

    \b
    Examples:
      worldwright store untag enterprise_procurement:v1
      worldwright store untag enterprise_procurement:latest/default-7
    """
    from worldwright.store.store import Store

    store = Store()
    gone: dict[str, str] = {}
    for one in names:
        name, tagged_as, variant = _reference(one)
        found = store.untag(name, tagged_as, variant or None)
        gone |= {f"{name}:{tagged_as}/{v}": digest for v, digest in found.items()}
    if as_json:
        print_json({"untagged": gone})
    else:
        for reference, digest in gone.items():
            Screen().print(f"{escape(reference)} no longer names {digest[:12]}", soft_wrap=True)
