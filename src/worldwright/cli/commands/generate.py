"""`worldwright generate`: build a world, or thousands, and keep them in the store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.cli import exits
from worldwright.cli.inputs.blueprint import source
from worldwright.cli.jobs.images import check_base, image_options, make_images
from worldwright.cli.jobs.many_worlds import TASKS, ManyAsked, Wanted, build_many_worlds, many_options
from worldwright.cli.jobs.outputs import check_store, check_writable, keep_in_folder
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.stages import Stages
from worldwright.cli.terminal.tables import grid
from worldwright.compiler.build import build, variant_name
from worldwright.factory.order import WorldOptions
from worldwright.kinds.database.battery.settings import BATTERIES, BULK, FULL
from worldwright.kinds.database.compile.tasks.knobs import PROFILES, knobs
from worldwright.store.store import Store
from worldwright.variants.inject import inject as inject_layers
from worldwright.variants.inject import parse_layers

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
@click.option("--domain", "domains", multiple=True, metavar="NAME", help="A domain of the catalogue, or an anchor.")
@click.option(
    "--blueprint",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A Blueprint of your own.",
)
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
    show_default="medium, and of many worlds all three",
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
@click.option(
    "--tasks-per-world", "most", type=click.IntRange(1), metavar="N", help="Tasks at most; 12 of many worlds."
)
@click.option(
    "--battery",
    type=click.Choice(tuple(BATTERIES)),
    show_default="full, and bulk of many worlds",
    help="How long verifiers are tried before they are sealed.",
)
@click.option("--inject", default="", metavar="LAYERS", help="Lay these over it: 'partial refunds, legacy dates'.")
@click.option("--tag", default="latest", show_default=True, callback=_tag, help="The tag in the store.")
@many_options
@image_options
@click.option("--json", "as_json", is_flag=True, help="What was built and where, as one JSON document.")
def command(
    domains: tuple[str, ...],
    files: tuple[Path, ...],
    seed: int,
    variant: dict[str, str],
    out: Path | None,
    with_tasks: bool,
    complexity: str | None,
    settings: dict[str, str],
    most: int | None,
    battery: str | None,
    inject: str,
    tag: str,
    many: ManyAsked,
    image: Path | None,
    base_image: str,
    wheels: Path | None,
    as_json: bool,
) -> int:
    """Build a world, or many, and keep them in the store.

    A world depends on the Blueprint, the variant, the seed and what is asked of its tasks, and on nothing else: built
    anywhere, at any time, it has the same digest. Without tasks it is ready sooner. Stages go to standard error.

    With --variants, many worlds of each family are built at once. A run that was stopped in any way, by Ctrl-C or by force, goes
    on when the same command is given again.

    \b
    Examples:
      worldwright generate --domain enterprise_procurement --seed 7
      worldwright generate --domain enterprise_procurement --variant two_quotes=strict
      worldwright generate --blueprint my_world.yaml --out worlds --json
      worldwright generate --domain enterprise_procurement --complexity high --knob writes=2..6
      worldwright generate --domain retail_returns --no-tasks --tag bare
      worldwright generate --domain retail_returns --inject "partial refunds, legacy dates"
      worldwright generate --domain retail_returns --image images --base python.tar
      worldwright generate --domain my_anchor               (after `worldwright upload --name my_anchor ...`)
      worldwright generate --domain hotel_booking --variants 50 --axes policy,mess,seed
      worldwright generate --all --variants 800 --workers 2 --tag big
      worldwright generate --all --variants 800 --dry-run
    """
    named = len(domains) + len(files)
    if not many.every and not (named and not (domains and files)):
        raise click.UsageError("name what to build: --domain NAME or --blueprint FILE, or --all with --variants N")
    check_base(image, base_image)
    check_store()
    check_writable(out, image)
    settings |= {} if most is None else {"most": str(most)}
    if not with_tasks and (settings or complexity or battery):
        raise click.UsageError(
            "--no-tasks leaves nothing for --complexity, --knob, --tasks-per-world and --battery to say"
        )
    if many.wanted(named):
        if variant:
            raise click.UsageError("--variant is about one world: of many, --axes policy varies the rules")
        knobs(complexity or "medium", settings)
        asked = WorldOptions(
            with_tasks,
            tuple(sorted({"most": str(TASKS), **settings}.items())) if with_tasks else (),
            battery or BULK.name,
        )
        return build_many_worlds(
            many,
            Wanted(domains, files, seed, complexity or "", asked, inject, tag, out, image, base_image, wheels, as_json),
        )
    many.check_one()
    asked_for = knobs(complexity or "medium", settings)
    base, contract, lock = source(*((domains[0], None) if domains else (None, files[0])))
    checked, parent = _chosen(base, variant, inject)
    with Stages(Screen(err=True)) as stages:
        pack = build(
            checked, seed, lock or parent, stages, with_tasks, asked_for, contract, BATTERIES[battery or FULL.name]
        ).pack
    store, name, called = Store(), pack.manifest.name, variant_name(checked, seed, pack.manifest.options)
    place = store.put(pack.files, pack.manifest)
    store.tag(name, tag, called, pack.manifest.digest)
    folder, was_there = keep_in_folder(pack, out) if out is not None else (None, False)
    images = None if image is None else make_images([(called, pack)], image, base_image, wheels)
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
        "images": images,
        "tasks": pack.manifest.counts.get("tasks", 0),
        "counts": pack.manifest.counts,
        "stages": stages.heard,
    }
    if as_json:
        print_json(document)
    else:
        _say(Screen(), document)
    return exits.OK


def _chosen(found: Checked, variant: dict[str, str], layers: str) -> tuple[Checked, str]:
    """The variant with its layers, checked again, and the digest of the Blueprint it was made from (empty for that one itself)."""
    base = inject_layers(found, parse_layers(layers))
    checked, parent = _varied(base, variant)
    return checked, found.digest if base is not found else parent


def _varied(base: Checked, variant: dict[str, str]) -> tuple[Checked, str]:
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
    if built["images"] is not None:
        rows.append(("image", f"oci:{built['images']['worlds']}:{built['images']['images'][0]['tag']}"))
    grid(screen, ("", ""), [(Text(k, "dim"), Text(v, overflow="fold")) for k, v in rows])
    screen.print()
    screen.print(Text("next", "dim"))
    for verb in ("inspect", *(("task list",) if built["tasks"] else ()), "play", "rebuild"):
        screen.print(Text(f"  worldwright {verb} {built['reference']}"), soft_wrap=True)
