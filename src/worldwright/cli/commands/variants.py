"""`worldwright variants`: plan variants of a Blueprint and compare built worlds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import PATH, axes_option, json_option, seed_option, siblings_option, text_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress


@click.group(name="variants", cls=NamedCommands)
def command() -> None:
    """Plan variants of a Blueprint, and compare worlds that were built.

    \b
    Examples:
      worldwright variants list --domain enterprise_procurement
      worldwright variants list --domain hotel_booking --variants 20 --axes policy,mess,seed
      worldwright variants axes --domain hotel_booking
      worldwright variants layers --domain hotel_booking
      worldwright variants compare enterprise_procurement:strict enterprise_procurement:lenient
    """


_DOMAIN = click.option("--domain", metavar="NAME", help="A domain of the catalogue, or an anchor.")
_FILE = click.option("--blueprint", "file", metavar="FILE", type=PATH, help="A Blueprint of your own.")
_INJECT = text_option(
    "--inject",
    metavar="NAMES",
    help='Complexity layers that are on in every variant, with commas between: "rate limits, legacy dates".',
)


@command.command(name="list", short_help="Plan variants, each in a sentence; nothing is built.")
@_DOMAIN
@_FILE
@click.option("--variants", "many", type=click.IntRange(1), default=50, help="How many to plan.")
@axes_option
@seed_option("Same seed, same plan.")
@siblings_option
@_INJECT
@json_option()
def list_(
    domain: str | None,
    file: Path | None,
    many: int,
    axes: tuple[str, ...],
    seed: int,
    siblings: int,
    inject: str,
    as_json: bool,
) -> None:
    """List variants of a domain, each in a sentence, with honest counts.

    Nothing is built. Counts separate what changes the rules from what only changes rows, and from what only shows or asks for the
    same in another way.

    \b
    Examples:
      worldwright variants list --domain enterprise_procurement
      worldwright variants list --domain enterprise_procurement --variants 12 --axes policy,season,mess
      worldwright variants list --domain hotel_booking --variants 10 --inject "rate limits, legacy dates"
      worldwright variants list --blueprint my_world.yaml --seed 3 --json
    """
    from worldwright.cli.views.variants import show_plan
    from worldwright.variants.counts import count_variants, measure_coverage
    from worldwright.variants.factors import find_space
    from worldwright.variants.inject import inject as laid
    from worldwright.variants.inject import parse_layers
    from worldwright.variants.sample import plan_variants

    checked, asked = _source(domain, file, axes)
    checked = laid(checked, parse_layers(inject))
    found = plan_variants(checked, many, asked, seed, siblings)
    combined = find_space(checked, asked)
    covered, counted = measure_coverage(combined, found), count_variants(found)
    if not as_json:
        show_plan(Screen(), combined, found, counted, covered, many)
        return
    print_json(
        {
            "family": checked.blueprint.blueprint,
            "digest": checked.digest,
            "axes": list(combined.axes),
            "layers": list(checked.blueprint.layers),
            "counts": counted.data(),
            "coverage": asdict(covered),
            "variants": [{"name": v.name, "digest": v.digest, **v.data()} for v in found],
        }
    )


@command.command(short_help="Show what can vary, and between which values.")
@_DOMAIN
@_FILE
@json_option()
def axes(domain: str | None, file: Path | None, as_json: bool) -> None:
    """Show the axes: what each changes, of what kind it is, and what a domain may be set to.

    \b
    Examples:
      worldwright variants axes
      worldwright variants axes --domain hotel_booking --json
    """
    from worldwright.cli.views.variants import list_axes, show_axes

    checked = None if domain is None and file is None else _source(domain, file, ())[0]
    if as_json:
        print_json({"axes": list_axes(checked)})
    else:
        show_axes(Screen(), checked)


@command.command(short_help="Show the complexity layers and where they apply.")
@_DOMAIN
@_FILE
@json_option()
def layers(domain: str | None, file: Path | None, as_json: bool) -> None:
    """Show the complexity layers: what each does, and with a domain, what it would lie on there.

    `--inject` lays them, by these names.

    \b
    Examples:
      worldwright variants layers
      worldwright variants layers --domain hotel_booking
      worldwright variants layers --blueprint my_world.yaml --json
    """
    from worldwright.cli.views.variants import list_layers, show_layers

    checked = None if domain is None and file is None else _source(domain, file, ())[0]
    if as_json:
        print_json({"layers": list_layers(checked)})
    else:
        show_layers(Screen(), checked)


@command.command(short_help="Measure how much built worlds are alike.")
@click.argument("packs", nargs=-1, required=True)
@json_option()
def compare(packs: tuple[str, ...], as_json: bool) -> None:
    """Compare worlds that were built: rows, rules, and of what both are asked, how often another outcome is right.

    A reference stands for all its variants. Two worlds are near-duplicates where rows and rules are 90% the same, and so are the
    right outcomes of what both are asked.

    \b
    Examples:
      worldwright variants compare enterprise_procurement
      worldwright variants compare worlds/town_library-1c0f2a worlds/town_library-77be01 --json
    """
    from worldwright.cli.views.variants import show_pairs
    from worldwright.store.open import pack_at
    from worldwright.variants.likeness import compare_pairs, fingerprint_pack

    places = {name: place for pack in packs for name, place in _places(pack).items()}
    if len(places) < 2:
        raise click.UsageError("name two packs at least, or a reference that has several variants")
    worlds = {}
    with Progress(Screen(err=True), "worlds", len(places)) as progress:
        for name, place in places.items():
            worlds[name] = fingerprint_pack(pack_at(place).files)
            progress.step(name)
    pairs = compare_pairs(worlds)
    if as_json:
        listed: list[dict[str, Any]] = [{"one": a, "other": b, **found.data()} for a, b, found in pairs]
        print_json({"worlds": list(worlds), "pairs": listed, "near": sum(p["near"] for p in listed)})
    else:
        show_pairs(Screen(), len(worlds), pairs)


def _places(named: str) -> dict[str, Path]:
    """The packs behind a name: a folder of packs, one pack, or a reference with all its variants or one of them."""
    from worldwright.facts.opened import place_of
    from worldwright.store.open import find_gym_packs

    if not Path(named).exists() and "/" in named:
        return {named: place_of(named)}
    found = find_gym_packs(named)
    return found if Path(named).exists() else {f"{named}/{variant}": place for variant, place in found.items()}


def _source(domain: str | None, file: Path | None, asked: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """The Blueprint, and the axes on which it may vary: the tools of an anchor with a contract are the contract's."""
    from worldwright.cli.inputs.blueprint import source
    from worldwright.core.errors import UsageError
    from worldwright.variants.axes import NAMES, parse_axes

    if (domain is None) == (file is None):
        raise click.UsageError("name what to vary: --domain NAME or --blueprint FILE")
    checked, contract, _ = source(domain, file)
    parse_axes(asked)
    if contract is None:
        return checked, asked
    if "tools" in asked:
        raise UsageError("the tools of this anchor are those of its contract: leave `tools` out of the axes")
    return checked, asked or tuple(name for name in NAMES if name != "tools")
