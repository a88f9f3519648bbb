"""`variants` on the screen: a plan in sentences, the axes, the layers, how much built worlds are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.blueprint.checked import Checked
from worldwright.cli.terminal.console import heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.english.nouns import count_noun
from worldwright.variants.axes import AXES, SEED
from worldwright.variants.axis import KINDS
from worldwright.variants.counts import Counts, Coverage
from worldwright.variants.factors import Space
from worldwright.variants.inject import find_applicable_layers, inject
from worldwright.variants.layers import LAYERS
from worldwright.variants.likeness import Likeness
from worldwright.variants.record import Variant

MAX_PAIRS = 20
"""Pairs of worlds that are shown, the most alike first."""
SEEDS = "other people and another past, for the same settings"


def show_plan(
    screen: Console, space: Space, found: Sequence[Variant], counted: Counts, covered: Coverage, asked: int
) -> None:
    bp = space.checked.blueprint
    heading(screen, bp.title, format_counts(counted))
    if bp.layers:
        print_folded(
            screen,
            [
                f"in all of them: {LAYERS[name].phrase}" if not k else LAYERS[name].phrase
                for k, name in enumerate(bp.layers)
            ],
            2,
        )
    for variant in found:
        screen.print(Text(f"  {variant.name}", "bold"), soft_wrap=True)
        print_hanging(screen, Text(variant.says), 4)
    screen.print()
    rows = [
        ("policy-distinct", str(counted.policy_distinct), "sets of policies; each counts once"),
        ("other rows only", str(counted.world_only), "under policies that are counted already"),
        ("other face only", str(counted.surface_only), "the same rows and rules, shown or asked about in another way"),
    ]
    grid(screen, ("", "", ""), rows)
    if covered.possible:
        screen.print()
        text = f"{covered.pairs:,} of {covered.possible:,} pairs of settings are covered ({covered.share:.0%})"
        more = (
            f"; {len(found)} variants could cover {covered.reachable:,}" if covered.reachable < covered.possible else ""
        )
        screen.print(Text(text + more, "dim"))
    if len(found) < asked:
        screen.print(Text(f"there are no more than {len(found)} on these axes; `seed` among them has no end", "yellow"))
    left = [axis for axis, offers in space.offers.items() if not offers]
    if left:
        print_folded(
            screen, ["not varied, because this Blueprint does not allow it soundly: " + left[0], *left[1:]], 0, "dim"
        )


def format_counts(counted: Counts) -> str:
    return (
        f"{count_noun(counted.variants, 'variant')} of {count_noun(counted.families, 'family')}: "
        f"{counted.policy_distinct:,} policy-distinct, "
        f"{counted.world_only:,} with other rows only, {counted.surface_only:,} with another face only"
    )


def show_axes(screen: Console, checked: Checked | None) -> None:
    for axis in list_axes(checked):
        screen.print(Text.assemble((axis["name"], "bold"), (f"  {axis['kind']}: {KINDS[axis['kind']]}", "dim")))
        screen.print(Text(f"  {axis['says']}"))
        rows = [(offer["value"], offer["says"]) for offer in axis.get("offers", ())]
        grid(screen, ("", ""), rows, indent=4)
        if checked is not None and not rows and axis["name"] != SEED:
            screen.print(Text("    this Blueprint does not allow it soundly", "dim"))


def list_axes(checked: Checked | None) -> list[dict[str, Any]]:
    """List every axis, with what a Blueprint may be set to where one is given."""
    out: list[dict[str, Any]] = []
    for axis in AXES.values():
        found: dict[str, Any] = {"name": axis.name, "kind": axis.kind, "says": axis.says}
        if checked is not None:
            found["offers"] = [{"value": s.value, "says": s.says} for s in axis.offers(checked)]
        out.append(found)
    return [*out, {"name": SEED, "kind": "world", "says": SEEDS}]


def show_pairs(screen: Console, worlds: int, pairs: Sequence[tuple[str, str, Likeness]]) -> None:
    near = sum(found.near for _, _, found in pairs)
    said = "no near-duplicates" if not near else f"{near} pairs are near-duplicates"
    heading(screen, count_noun(worlds, "world"), f"{count_noun(len(pairs), 'pair')}, {said}")
    heads = ("rows", "rules", "same gold", "shared", "differ", "", "")
    rows = [
        (
            f"{found.state:.0%}",
            f"{found.rules:.0%}",
            f"{found.gold:.0%}",
            f"{found.shared} of {found.asked}",
            f"{found.differing / found.shared:.0%}" if found.shared else "",
            Text("near", "yellow") if found.near else "",
            f"{one} and {other}",
        )
        for one, other, found in pairs[:MAX_PAIRS]
    ]
    grid(screen, heads, rows, right=heads[:5])
    if len(pairs) > MAX_PAIRS:
        screen.print(Text(f"  and {len(pairs) - MAX_PAIRS:,} pairs that are less alike", "dim"))


def list_layers(checked: Checked | None) -> list[dict[str, Any]]:
    """List every layer. With a Blueprint, whether it can be laid there, and what it would put there or has put there."""
    out: list[dict[str, Any]] = []
    free = () if checked is None else find_applicable_layers(checked)
    for name, layer in LAYERS.items():
        found: dict[str, Any] = {"name": name, "kind": layer.kind, "says": layer.says}
        if checked is not None:
            on = name in checked.blueprint.layers
            bp = inject(checked, [name]).blueprint if name in free else checked.blueprint
            found |= {"offered": name in free, "on": on, "parts": list(bp.layers.get(name, ()))}
        out.append(found)
    return out


def show_layers(screen: Console, checked: Checked | None) -> None:
    for layer in list_layers(checked):
        name = layer["name"].replace("_", " ")
        screen.print(Text.assemble((name, "bold"), (f"  {layer['kind']}: {KINDS[layer['kind']]}", "dim")))
        print_hanging(screen, Text(layer["says"]), 2)
        if checked is not None:
            _show_place(screen, layer)


def _show_place(screen: Console, layer: Mapping[str, Any]) -> None:
    """Show where a layer lies or would lie."""
    if layer["on"] or layer["offered"]:
        print_folded(
            screen, [f"{'is on' if layer['on'] else 'can be laid'}: {layer['parts'][0]}", *layer["parts"][1:]], 4, "dim"
        )
    else:
        screen.print(Text("    does not apply to this Blueprint", "dim"))
