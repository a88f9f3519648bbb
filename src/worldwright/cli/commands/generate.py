"""`worldwright generate`: from a Blueprint and a seed to a sealed world."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_file, load_text
from worldwright.cli.console import Screen
from worldwright.cli.keep import keep_in_folder
from worldwright.cli.render import grid
from worldwright.cli.screen import print_json
from worldwright.cli.stages import Stages
from worldwright.core.errors import StoreError
from worldwright.factory.build import build, variant_name
from worldwright.store.store import Store

_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")


def _tag(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not _TAG.match(value):
        raise click.BadParameter("a tag is letters, digits, _ . and -", ctx, param)
    return value


def _variants(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    out = {}
    for value in values:
        policy, mark, name = value.partition("=")
        if not (policy and mark and name):
            raise click.BadParameter(f"{value!r} is not policy=name", ctx, param)
        out[policy] = name
    return out


@click.command(name="generate")
@click.option("--domain", metavar="NAME", help="A domain of the catalogue (`worldwright catalog`).")
@click.option("--blueprint", "file", metavar="FILE", type=click.Path(path_type=Path), help="A Blueprint of your own.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Same seed, same world.")
@click.option(
    "--variant",
    "variant",
    multiple=True,
    metavar="POLICY=NAME",
    callback=_variants,
    help="Named parameters of a policy.",
)
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Also write it as a folder in DIR."
)
@click.option("--tag", default="latest", show_default=True, callback=_tag, help="The tag in the store.")
@click.option("--json", "as_json", is_flag=True, help="What was built and where, as one JSON document.")
def command(
    domain: str | None, file: Path | None, seed: int, variant: dict[str, str], out: Path | None, tag: str, as_json: bool
) -> None:
    """Build a world and keep it in the store.

    The world depends on the Blueprint, the variant and the seed, and on nothing else: built anywhere, at any time, it
    has the same digest. Stages go to standard error.

    \b
    Examples:
      worldwright generate --domain enterprise_procurement --seed 7
      worldwright generate --domain enterprise_procurement --variant two_quotes=strict
      worldwright generate --blueprint my_world.yaml --out worlds --json
    """
    if (domain is None) == (file is None):
        raise click.UsageError("name what to build: --domain NAME or --blueprint FILE")
    checked, parent = _chosen(_source(domain, file), variant)
    stages = Stages(Screen(err=True))
    pack = build(checked, seed, parent, stages).pack
    store, name, called = Store(), pack.manifest.name, variant_name(checked, seed)
    place = store.put(pack.files, pack.manifest)
    store.tag(name, tag, called, pack.manifest.digest)
    folder, was_there = keep_in_folder(pack, out) if out is not None else (None, False)
    document: dict[str, Any] = {
        "name": name,
        "title": checked.blueprint.title,
        "digest": pack.manifest.digest,
        "seed": seed,
        "variant": pack.manifest.variant,
        "parent": parent,
        "reference": f"{name}:{tag}/{called}",
        "path": str(place),
        "folder": None if folder is None else str(folder),
        "folder_was_there": was_there,
        "counts": pack.manifest.counts,
        "stages": stages.heard,
    }
    if as_json:
        print_json(document)
    else:
        _say(Screen(), document)


def _source(domain: str | None, file: Path | None) -> Checked:
    if domain is not None:
        return catalogue.load(domain)
    assert file is not None
    if not file.is_file():
        raise StoreError(f"there is no file {file}")
    return load_file(file)


def _chosen(base: Checked, variant: dict[str, str]) -> tuple[Checked, str]:
    """The variant, checked again, and the digest of the Blueprint it was made from (empty for that one itself)."""
    asked = {**base.blueprint.variant, **variant}
    if asked == base.blueprint.variant:
        return base, ""
    checked = _with(base, asked)
    named = {policy: name for policy, name in asked.items() if name != "default"}
    if named == base.blueprint.variant:
        return base, ""
    return (checked if named == asked else _with(base, named)), base.digest


def _with(base: Checked, variant: dict[str, str]) -> Checked:
    text = canonical_yaml(base.blueprint.model_copy(update={"variant": variant}))
    return load_text(text, f"{base.blueprint.blueprint} with its variant")


def _say(screen: Screen, built: dict[str, Any]) -> None:
    screen.print()
    rows = [("digest", built["digest"]), ("reference", built["reference"]), ("store", built["path"])]
    if built["folder"] is not None:
        rows.append(("folder", built["folder"] + (" (already there)" if built["folder_was_there"] else "")))
    grid(screen, ("", ""), [(Text(k, "dim"), Text(v, overflow="fold")) for k, v in rows])
    screen.print()
    screen.print(Text("next", "dim"))
    for verb in ("inspect", "play", "rebuild"):
        screen.print(Text(f"  worldwright {verb} {built['reference']}"), soft_wrap=True)
