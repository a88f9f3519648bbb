"""Many worlds by one command: options that say which, and the run with its progress.

For a command that builds:

    @many_options
    def command(..., many: ManyAsked) -> None:
        if many.wanted(domains, files):
            return build_many_worlds(...)
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

import click

from worldwright import catalogue
from worldwright.cli import exits
from worldwright.cli.inputs.blueprint import SHIPPED, family
from worldwright.cli.jobs.images import make_images
from worldwright.cli.jobs.outputs import keep_in_folder
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import complain, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.many_worlds import Watching, show_many, show_order
from worldwright.core.errors import UsageError
from worldwright.core.memo import Memo
from worldwright.core.pool import mapped
from worldwright.factory.journal import folder_of, read_rows
from worldwright.factory.many import Fan, build_many
from worldwright.factory.order import Order, WorldOptions, jobs, plan_variants
from worldwright.factory.sources import Source, with_layers
from worldwright.store.store import Store
from worldwright.variants.counts import count_variants
from worldwright.variants.inject import parse_layers
from worldwright.variants.sample import MAX_RULE_SETS, SIBLINGS
from worldwright.variants.sample import MAX_VARIANTS as MOST_VARIANTS

F = TypeVar("F", bound=Callable[..., Any])
TASKS = 12
"""Tasks of a world of many, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ManyAsked:
    """What a command was told of many worlds."""

    every: bool
    variants: int | None
    axes: tuple[str, ...]
    siblings: int
    workers: int | None
    ray: str
    fresh: bool
    dry_run: bool

    def wanted(self, named: int) -> bool:
        """Whether more than one world is asked for, or one in the way of many."""
        return self.every or self.variants is not None or named > 1

    def check_one(self) -> None:
        """Of one world, nothing is asked that only many have."""
        said = {
            "--axes": self.axes,
            "--ray": self.ray,
            "--workers": self.workers,
            "--fresh": self.fresh,
            "--dry-run": self.dry_run,
        }
        if idle := [option for option, value in said.items() if value]:
            raise click.UsageError(f"{idle[0]} is about many worlds: say how many with --variants N")


def _axes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


_OPTIONS = (
    click.option("--all", "every", is_flag=True, help="Every domain of the catalogue."),
    click.option(
        "--variants", type=click.IntRange(1, MOST_VARIANTS), metavar="N", help="So many worlds of each, spread over the axes."
    ),
    click.option("--axes", metavar="NAMES", default="", callback=_axes, help="What varies, with commas between; all if left out."),
    click.option(
        "--siblings", type=click.IntRange(1, MAX_RULE_SETS), default=SIBLINGS, show_default=True,
        help="Sets of rules for one state.",
    ),
    click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Processes that build; one per core if left out."),
    click.option("--ray", metavar="ADDRESS", default="", help="Build on a Ray cluster: auto, local, or host:port."),
    click.option("--fresh", is_flag=True, help="Build everything again, also what a run of the same order has built."),
    click.option("--dry-run", is_flag=True, help="Show the plan and its counts, and build nothing."),
)  # fmt: skip


def many_options(command: F) -> F:
    """Options for many worlds, given to the command as one record `many`."""
    names = [field.name for field in fields(ManyAsked)]

    @wraps(command)
    def told(**given: Any) -> Any:
        many = ManyAsked(**{name: given.pop(name) for name in names})
        return command(**given, many=many)

    out: Any = told
    for option in reversed(_OPTIONS):
        out = option(out)
    return out  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Everything else that a run needs to be told."""

    domains: tuple[str, ...]
    files: tuple[Path, ...]
    seed: int
    complexity: str
    asked: WorldOptions
    inject: str
    tag: str
    out: Path | None
    image: Path | None
    base_image: str
    wheels: Path | None
    as_json: bool


def build_many_worlds(many: ManyAsked, wanted: Wanted) -> int:
    """Build them, or show what would be built; the exit code."""
    order, store, screen = _order(many, wanted), Store(), Screen(err=True)
    if many.dry_run:
        return _shown_only(order, store, wanted.as_json)
    watching = Watching(screen)
    try:
        with watching, _stopped_by_term():
            done = build_many(order, store, wanted.tag, _fan(many), watching, many.fresh)
    except KeyboardInterrupt:
        complain(
            f"stopped: {watching.there:,} of {watching.total:,} worlds are kept and named. The same command goes on from there"
        )
        return exits.INTERRUPTED
    done |= _handed_out(store, order, wanted)
    if wanted.as_json:
        print_json(done)
    else:
        show_many(Screen(), done)
    return exits.FAILED if done["failed"] else exits.OK


def _fan(many: ManyAsked) -> Fan:
    if many.ray:
        from worldwright.core.cluster import mapped_on_ray  # an extra

        return partial(mapped_on_ray, address=many.ray, workers=many.workers or 0)
    return partial(mapped, workers=many.workers or len(os.sched_getaffinity(0)))


def _order(many: ManyAsked, wanted: Wanted) -> Order:
    if many.every and (wanted.domains or wanted.files):
        raise click.UsageError("--all is every domain of the catalogue: leave --domain and --blueprint out")
    named = [f"{SHIPPED}{name}" for name in catalogue.names()] if many.every else wanted.domains
    sources = (*(family(name, None) for name in named), *(family(None, file) for file in wanted.files))
    layers = parse_layers(wanted.inject)
    if layers:
        sources = tuple(with_layers(source, layers, strict=len(sources) == 1) for source in sources)
        _check_laid(sources, layers)
    return Order(sources, many.variants or 1, many.axes, wanted.seed, many.siblings, wanted.complexity, wanted.asked)


def _check_laid(sources: tuple[Source, ...], layers: tuple[str, ...]) -> None:
    for layer in layers:
        if not any(layer in source.layers for source in sources):
            raise UsageError(f"layer `{layer}` applies to none of these")


def _shown_only(order: Order, store: Store, as_json: bool) -> int:
    memo = Memo()
    plans = {source.name: plan_variants(order, source, memo) for source in order.sources}
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
                "jobs": sum(1 for _ in jobs(order, source, plans[source.name])),
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


def _handed_out(store: Store, order: Order, wanted: Wanted) -> dict[str, Any]:
    """Packs as folders and as images, where those were asked for."""
    rows = [row for row in read_rows(folder_of(store.root, order)).values() if row.ok]
    rows.sort(key=lambda row: (row.family, row.variant))
    out: dict[str, Any] = {}
    if wanted.out is not None:
        with Progress(Screen(err=True), "folders", len(rows)) as progress:
            for row in rows:
                keep_in_folder(store.pack(row.digest), wanted.out)
                progress.step()
        out["folder"] = str(wanted.out)
    if wanted.image is not None and rows:
        several = len(order.sources) > 1
        packs = ((f"{row.family}.{row.variant}" if several else row.variant, store.pack(row.digest)) for row in rows)
        out["images"] = make_images(packs, wanted.image, wanted.base_image, wanted.wheels, len(rows))
    return out


@contextmanager
def _stopped_by_term() -> Iterator[None]:
    """What a scheduler sends before it kills is as good as Ctrl-C."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
