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
from worldwright.compiler.tasks.knobs import PROFILES, Knobs, knobs
from worldwright.core.errors import StoreError
from worldwright.core.names import nearest
from worldwright.engine.contract import Contract, read_contract
from worldwright.factory.build import build, machine_of, variant_name
from worldwright.store.anchors import Anchors
from worldwright.store.store import Store

SHIPPED = "catalogue/"
"""Before a name: the domain that ships, where an anchor has the same name."""

_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")


def _tag(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not _TAG.match(value):
        raise click.BadParameter("a tag is letters, digits, _ . and -", ctx, param)
    return value


def _variants(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    return _pairs(ctx, param, values, "policy=name")


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    return _pairs(ctx, param, values, "name=range, for instance writes=2..6")


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...], form: str) -> dict[str, str]:
    out = {}
    for value in values:
        name, mark, chosen = value.partition("=")
        if not (name and mark and chosen):
            raise click.BadParameter(f"{value!r} is not {form}", ctx, param)
        out[name] = chosen
    return out


@click.command(name="generate")
@click.option("--domain", metavar="NAME", help="A domain of the catalogue, or an anchor.")
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
@click.option(
    "--tasks/--no-tasks",
    "with_tasks",
    default=True,
    show_default=True,
    help="Make tasks from the goals and prove them.",
)
@click.option(
    "--complexity",
    type=click.Choice(tuple(PROFILES)),
    default="medium",
    show_default=True,
    help="How hard the tasks may be, and how things are referred to in them.",
)
@click.option(
    "--knob",
    "settings",
    multiple=True,
    metavar="NAME=RANGE",
    callback=_settings,
    help="One measure of difficulty: writes=2..6, joins=1.., reference=id.",
)
@click.option("--tag", default="latest", show_default=True, callback=_tag, help="The tag in the store.")
@click.option("--json", "as_json", is_flag=True, help="What was built and where, as one JSON document.")
def command(
    domain: str | None,
    file: Path | None,
    seed: int,
    variant: dict[str, str],
    out: Path | None,
    with_tasks: bool,
    complexity: str,
    settings: dict[str, str],
    tag: str,
    as_json: bool,
) -> None:
    """Build a world and keep it in the store.

    The world depends on the Blueprint, the variant, the seed and what is asked of its tasks, and on nothing else: built
    anywhere, at any time, it has the same digest. Without tasks it is ready sooner. Stages go to standard error.

    \b
    Examples:
      worldwright generate --domain enterprise_procurement --seed 7
      worldwright generate --domain enterprise_procurement --variant two_quotes=strict
      worldwright generate --blueprint my_world.yaml --out worlds --json
      worldwright generate --domain enterprise_procurement --complexity high --knob writes=2..6
      worldwright generate --domain retail_returns --no-tasks --tag bare
      worldwright generate --domain my_anchor               (after `worldwright upload --name my_anchor ...`)
    """
    if (domain is None) == (file is None):
        raise click.UsageError("name what to build: --domain NAME or --blueprint FILE")
    asked_for = knobs(complexity, settings)
    if not with_tasks and asked_for != Knobs():
        raise click.UsageError("--no-tasks leaves nothing for --complexity and --knob to say")
    base, contract, lock = _source(domain, file)
    checked, parent = _chosen(base, variant)
    with Stages(Screen(err=True)) as stages:
        pack = build(checked, seed, lock or parent, stages, with_tasks, asked_for, contract).pack
    store, name, called = Store(), pack.manifest.name, variant_name(checked, seed, pack.manifest.options)
    place = store.put(pack.files, pack.manifest)
    store.tag(name, tag, called, pack.manifest.digest)
    folder, was_there = keep_in_folder(pack, out) if out is not None else (None, False)
    document: dict[str, Any] = {
        "name": name,
        "title": checked.blueprint.title,
        "digest": pack.manifest.digest,
        "seed": seed,
        "variant": pack.manifest.variant,
        "parent": pack.manifest.parent,
        "options": pack.manifest.options,
        "reference": f"{name}:{tag}/{called}",
        "path": str(place),
        "folder": None if folder is None else str(folder),
        "folder_was_there": was_there,
        "tasks": pack.manifest.counts.get("tasks", 0),
        "counts": pack.manifest.counts,
        "stages": stages.heard,
    }
    if as_json:
        print_json(document)
    else:
        _say(Screen(), document)


def _source(domain: str | None, file: Path | None) -> tuple[Checked, Contract | None, str]:
    """The Blueprint, the contract over it, and the digest of the lock it comes from; the last two only for an anchor."""
    if domain is not None and domain.startswith(SHIPPED):
        return catalogue.load(domain.removeprefix(SHIPPED)), None, ""
    if domain is not None:
        held = Anchors().world(domain)
        if held is None:
            return _shipped(domain), None, ""
        checked = load_text(held.blueprint, f"{held.name}.yaml")
        contract = None if held.contract is None else read_contract(held.contract, machine_of(checked).specs)
        return checked, contract, held.lock
    assert file is not None
    if not file.is_file():
        raise StoreError(f"there is no file {file}")
    return load_file(file), None, ""


def _shipped(domain: str) -> Checked:
    known = (*catalogue.names(), *Anchors().names())
    if domain not in catalogue.names():
        raise StoreError(f"neither catalogue nor anchors have a domain `{domain}`; {nearest(domain, known)}")
    return catalogue.load(domain)


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
    for verb in ("inspect", *(("task list",) if built["tasks"] else ()), "play", "rebuild"):
        screen.print(Text(f"  worldwright {verb} {built['reference']}"), soft_wrap=True)
