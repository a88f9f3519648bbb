"""One world from a Blueprint, a variant and a seed into the store, or many."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.text import Text

from worldwright.assay.grade import GRADE, read_grade
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.cli import exits
from worldwright.cli.inputs.blueprint import source
from worldwright.cli.jobs.images import check_base, make_images
from worldwright.cli.jobs.many_worlds import DEFAULT_TASKS, GenerateOptions, build_many_worlds
from worldwright.cli.jobs.outputs import check_store, check_writable, keep_in_folder
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.stages import Stages, build_stages
from worldwright.cli.terminal.tables import show_next, show_pairs
from worldwright.cli.views.author import show_grade
from worldwright.compiler.build import build, check_grade, name_variant
from worldwright.core.errors import BuildError
from worldwright.factory.build_log import DONE, record_build
from worldwright.factory.order import WorldOptions
from worldwright.kinds.build_events import BuildEvent
from worldwright.kinds.database.battery.settings import BATTERIES, BULK, FULL
from worldwright.kinds.database.compile.tasks.knobs import Knobs, knobs
from worldwright.pack.open import Pack
from worldwright.store.store import Store
from worldwright.variants.inject import inject as inject_layers
from worldwright.variants.inject import parse_layers


def run_generate(options: GenerateOptions) -> int:
    """Build one world and keep it, or many."""
    many, settings, battery = options.many, dict(options.settings), options.battery
    named = len(options.domains) + len(options.files)
    if not many.every and not (named and not (options.domains and options.files)):
        raise click.UsageError("name what to build: --domain NAME or --blueprint FILE, or --all with --variants N")
    check_base(options.image, options.base_image)
    check_store()
    check_writable(options.out, options.image, options.events and options.events.parent)
    settings |= {} if options.most is None else {"most": str(options.most)}
    if not options.with_tasks and (settings or options.complexity or battery):
        raise click.UsageError(
            "--no-tasks leaves nothing for --complexity, --knob, --tasks-per-world and --battery to say"
        )
    if not many.asks_for_many(named):
        many.check_one()
        return _build_one(options, knobs(options.complexity or "medium", settings))
    if options.variant:
        raise click.UsageError("--variant is about one world: of many, --axes policy varies the rules")
    knobs(options.complexity or "medium", settings)
    chosen = tuple(sorted({"most": str(DEFAULT_TASKS), **settings}.items())) if options.with_tasks else ()
    asked = WorldOptions(options.with_tasks, chosen, battery or BULK.name, options.at_least or "")
    with record_build(options.events, {"many": True}) as log:
        return build_many_worlds(options, asked, log)


def _build_one(options: GenerateOptions, asked_for: Knobs) -> int:
    base, contract, lock = source(*((options.domains[0], None) if options.domains else (None, options.files[0])))
    checked, parent = _choose_variant(base, options.variant, options.inject)
    order = build_stages(options.with_tasks, contract is not None)
    about = {
        "name": checked.blueprint.blueprint,
        "title": checked.blueprint.title,
        "seed": options.seed,
        "stages": order,
    }
    with record_build(options.events, about) as log, Stages(Screen(err=True), order) as stages:

        def hear(event: BuildEvent) -> None:
            stages.hear(event)
            log.hear(event)

        battery = BATTERIES[options.battery or FULL.name]
        built = build(checked, options.seed, lock or parent, hear, options.with_tasks, asked_for, contract, battery)
        if why := check_grade(built, options.at_least or ""):
            raise BuildError(f"{why}. Nothing was kept")
        document = _keep(options, checked, built.pack) | {"stages": stages.heard}
        log.end(DONE, **{name: document[name] for name in ("name", "digest", "reference", "tasks", "grade")})
    if options.as_json:
        print_json(document)
    else:
        _say(Screen(), document)
    return exits.OK


def _keep(options: GenerateOptions, checked: Checked, pack: Pack) -> dict[str, Any]:
    """Keep a pack in the store, and in folders and images where those are asked for; where it is now, as a document."""
    store, name, called = Store(), pack.manifest.name, name_variant(checked, options.seed, pack.manifest.options)
    place = store.put(pack.files, pack.manifest)
    store.tag(name, options.tag, called, pack.manifest.digest)
    folder, was_there = keep_in_folder(pack, options.out) if options.out is not None else (None, False)
    image = options.image
    images = None if image is None else make_images([(called, pack)], image, options.base_image, options.wheels)
    return {
        "name": name,
        "title": checked.blueprint.title,
        "digest": pack.manifest.digest,
        "seed": options.seed,
        "variant": pack.manifest.variant,
        "parent": pack.manifest.parent,
        "options": pack.manifest.options,
        "reference": f"{name}:{options.tag}/{called}",
        "path": str(place),
        "folder": None if folder is None else str(folder),
        "folder_was_there": was_there,
        "images": images,
        "tasks": pack.manifest.counts.get("tasks", 0),
        "counts": pack.manifest.counts,
        "grade": json.loads(pack.files[GRADE]) if GRADE in pack.files else None,
    }


def _choose_variant(found: Checked, variant: dict[str, str], layers: str) -> tuple[Checked, str]:
    """Lay the layers and set the variant, checked again; return it with the digest of what it was made from, if it is another."""
    base = inject_layers(found, parse_layers(layers))
    checked, parent = _set_variant(base, variant)
    return checked, found.digest if base is not found else parent


def _set_variant(base: Checked, variant: dict[str, str]) -> tuple[Checked, str]:
    asked = {**base.blueprint.variant, **variant}
    if asked == base.blueprint.variant:
        return base, ""
    checked = _reload(base, asked)
    named = {policy: name for policy, name in asked.items() if name != "default"}
    if named == base.blueprint.variant:
        return base, ""
    return (checked if named == asked else _reload(base, named)), base.digest


def _reload(base: Checked, variant: dict[str, str]) -> Checked:
    text = canonical_yaml(base.blueprint.model_copy(update={"variant": variant}))
    return load_text(text, f"{base.blueprint.blueprint} with its variant")


def _say(screen: Screen, built: dict[str, Any]) -> None:
    screen.print()
    rows = [("digest", built["digest"]), ("reference", built["reference"]), ("store", built["path"])]
    if built["folder"] is not None:
        rows.append(("folder", built["folder"] + (" (already there)" if built["folder_was_there"] else "")))
    if built["images"] is not None:
        rows.append(("image", f"oci:{built['images']['worlds']}:{built['images']['images'][0]['tag']}"))
    if built["grade"] is not None:
        show_grade(screen, read_grade(built["grade"]))
    show_pairs(screen, [(name, Text(value, overflow="fold")) for name, value in rows])
    verbs = ("inspect", *(("task list",) if built["tasks"] else ()), "play", "rebuild")
    show_next(screen, *(f"{verb} {built['reference']}" for verb in verbs))
