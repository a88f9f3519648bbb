"""Many worlds by one command: the order that its options mean, and the run with its progress."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from worldwright import catalogue
from worldwright.cli import exits
from worldwright.cli.inputs.blueprint import SHIPPED, family
from worldwright.cli.inputs.many_worlds import ManyWorldsOptions
from worldwright.cli.jobs.images import make_images
from worldwright.cli.jobs.outputs import keep_in_folder
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import complain, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.many_worlds import RunProgress, show_many, show_order
from worldwright.core.errors import UsageError
from worldwright.core.memo import Memo
from worldwright.core.pool import map_in_processes
from worldwright.factory.build_log import DONE, ORDER, STOPPED, BuildLog
from worldwright.factory.journal import folder_of, read_rows
from worldwright.factory.many import Fan, build_many
from worldwright.factory.order import Order, WorldOptions, list_jobs, plan_family
from worldwright.factory.sources import Source, add_layers
from worldwright.store.store import Store
from worldwright.variants.counts import count_variants
from worldwright.variants.inject import parse_layers

DEFAULT_TASKS = 12
"""Tasks of a world of many, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """What `worldwright generate` was told."""

    domains: tuple[str, ...]
    files: tuple[Path, ...]
    seed: int
    variant: dict[str, str]
    out: Path | None
    with_tasks: bool
    complexity: str | None
    settings: dict[str, str]
    most: int | None
    battery: str | None
    at_least: str | None
    inject: str
    tag: str
    many: ManyWorldsOptions
    image: Path | None
    base_image: str
    wheels: Path | None
    events: Path | None
    as_json: bool


def build_many_worlds(options: GenerateOptions, worlds: WorldOptions, log: BuildLog) -> int:
    """Build them, or show what would be built; the exit code."""
    many, store, screen = options.many, Store(), Screen(err=True)
    order = _order(options, worlds)
    if many.dry_run:
        return _show_plan(order, store, options.as_json)
    log.write(ORDER, {"run": str(folder_of(store.root, order))})
    watching = RunProgress(screen, log)
    try:
        with watching, _interrupt_on_term():
            done = build_many(order, store, options.tag, _fan(many), watching, many.fresh)
    except KeyboardInterrupt:
        log.end(STOPPED, there=watching.there, total=watching.total)
        complain(
            f"stopped: {watching.there:,} of {watching.total:,} worlds are kept and named. The same command goes on from there"
        )
        return exits.INTERRUPTED
    done |= _hand_out(store, order, options)
    log.end(DONE, there=done["there"], failed=len(done["failed"]), references=done["references"])
    if options.as_json:
        print_json(done)
    else:
        show_many(Screen(), done)
    return exits.FAILED if done["failed"] else exits.OK


def _fan(many: ManyWorldsOptions) -> Fan:
    if many.ray:
        from worldwright.core.cluster import map_on_ray  # an extra

        return partial(map_on_ray, address=many.ray, workers=many.workers or 0)
    return partial(map_in_processes, workers=many.workers or len(os.sched_getaffinity(0)))


def _order(options: GenerateOptions, worlds: WorldOptions) -> Order:
    many = options.many
    if many.every and (options.domains or options.files):
        raise click.UsageError("--all is every domain of the catalogue: leave --domain and --blueprint out")
    named = [f"{SHIPPED}{name}" for name in catalogue.names()] if many.every else options.domains
    sources = (*(family(name, None) for name in named), *(family(None, file) for file in options.files))
    layers = parse_layers(options.inject)
    if layers:
        laid = []
        with Progress(Screen(err=True), "families checked for layers", len(sources)) as progress:
            for source in sources:
                laid.append(add_layers(source, layers, strict=len(sources) == 1))
                progress.step(source.name)
        sources = tuple(laid)
        _check_laid(sources, layers)
    return Order(sources, many.variants or 1, many.axes, options.seed, many.siblings, options.complexity or "", worlds)


def _check_laid(sources: tuple[Source, ...], layers: tuple[str, ...]) -> None:
    for layer in layers:
        if not any(layer in source.layers for source in sources):
            raise UsageError(f"layer `{layer}` applies to none of these")


def _show_plan(order: Order, store: Store, as_json: bool) -> int:
    memo = Memo()
    plans = {}
    with Progress(Screen(err=True), "families planned", len(order.sources)) as progress:
        for source in order.sources:
            plans[source.name] = plan_family(order, source, memo)
            progress.step(source.name)
    there = read_rows(folder_of(store.root, order))
    document = {
        "order": order.digest,
        "run": str(folder_of(store.root, order)),
        "asked": order.data(),
        "there": sum(row.ok and row.digest in store for row in there.values()),
        "counts": count_variants(variant for found in plans.values() for variant in found).data(),
        "families": {
            source.name: {
                "variants": len(plans[source.name]),
                "jobs": sum(1 for _ in list_jobs(order, source, plans[source.name])),
                "layers": list(source.layers),
            }
            for source in order.sources
        },
    }
    if as_json:
        print_json(document)
    else:
        show_order(Screen(), document)
    return exits.OK


def _hand_out(store: Store, order: Order, options: GenerateOptions) -> dict[str, Any]:
    """Packs as folders and as images, where those were asked for."""
    rows = [row for row in read_rows(folder_of(store.root, order)).values() if row.ok]
    rows.sort(key=lambda row: (row.family, row.variant))
    out: dict[str, Any] = {}
    if options.out is not None:
        with Progress(Screen(err=True), "folders", len(rows)) as progress:
            for row in rows:
                keep_in_folder(store.pack(row.digest), options.out)
                progress.step()
        out["folder"] = str(options.out)
    if options.image is not None and rows:
        several = len(order.sources) > 1
        packs = ((f"{row.family}.{row.variant}" if several else row.variant, store.pack(row.digest)) for row in rows)
        out["images"] = make_images(packs, options.image, options.base_image, options.wheels, len(rows))
    return out


@contextmanager
def _interrupt_on_term() -> Iterator[None]:
    """Treat SIGTERM, which a scheduler sends before it kills, like Ctrl-C."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
