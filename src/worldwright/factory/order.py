"""What a run is asked for, as data, and the jobs that follow from it: the same for the same order, wherever and whenever.

The unit of work is a *place* with all its sets of rules: worlds of one place share their state, so whoever builds one of them has
most of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.core.memo import Memo
from worldwright.core.version import VERSION
from worldwright.factory.sources import Source, load_source
from worldwright.kinds.database.battery.settings import BULK, find_battery
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.variants.axes import AXES, NAMES, complexity, parse_axes, policy
from worldwright.variants.record import Variant
from worldwright.variants.sample import DEFAULT_SIBLINGS, plan_variants

HARDNESS = {profile: setting for setting, profile in complexity.PROFILES.items()}
"""By profile, the setting of its axis; the middle one is as usual."""


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """What is asked of every world, whatever its variant."""

    with_tasks: bool = True
    knobs: tuple[tuple[str, str], ...] = ()
    """Single knobs of its tasks, where its axes do not set them."""
    battery: str = BULK.name
    at_least: str = ""
    """The grade below which a world from evidence is not kept; empty for any."""


@dataclass(frozen=True, slots=True)
class Order:
    """Families, how many variants of each, and on which axes."""

    sources: tuple[Source, ...]
    variants: int
    axes: tuple[str, ...] = ()
    seed: int = 0
    siblings: int = DEFAULT_SIBLINGS
    complexity: str = ""
    """One profile for all; where there is none, the axis varies it."""
    asked: WorldOptions = WorldOptions()

    def __post_init__(self) -> None:
        names = [source.name for source in self.sources]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"two Blueprints are called `{twice[0]}`; a run has each name once")
        if not names:
            raise UsageError("a run has one family at least")
        parse_axes(self.axes)
        if self.complexity and complexity.COMPLEXITY in self.axes:
            raise UsageError("the complexity is either on the axes or the same for all: leave one of the two out")
        knobs("medium", dict(self.asked.knobs))
        find_battery(self.asked.battery)

    def data(self) -> dict[str, object]:
        """Return everything that decides what is built. How it is built, and what it is called, is not among it."""
        return {
            "version": VERSION,
            "families": [source.data() for source in self.sources],
            "variants": self.variants,
            "axes": list(parse_axes(self.axes)),
            "seed": self.seed,
            "siblings": self.siblings,
            "complexity": self.complexity,
            "tasks": self.asked.with_tasks,
            "knobs": [list(pair) for pair in self.asked.knobs],
            "battery": self.asked.battery if self.asked.with_tasks else "",
            **({"at_least": self.asked.at_least} if self.asked.at_least else {}),
        }

    @property
    def digest(self) -> str:
        return digest(self.data())


@dataclass(frozen=True, slots=True)
class Job:
    """A place with its sets of rules, as a worker gets it."""

    source: Source
    variants: tuple[Variant, ...]
    asked: WorldOptions

    def split(self, most: int = 1) -> tuple[Job, ...]:
        """The same, a world at a time, or so many."""
        parts = (self.variants[at : at + most] for at in range(0, len(self.variants), most))
        return tuple(replace(self, variants=part) for part in parts)


def plan_family(order: Order, source: Source, memo: Memo) -> tuple[Variant, ...]:
    """Plan the variants of one family, in the order in which they are built and named."""
    base = load_source(source, memo)
    found = plan_variants(
        base.checked, order.variants, _axes(order, base.contract is not None), order.seed, order.siblings
    )
    fixed = HARDNESS.get(order.complexity, "") if base.checked.goals else ""
    return tuple(_set_complexity(variant, fixed) for variant in found) if fixed else found


def _axes(order: Order, contract: bool) -> tuple[str, ...]:
    """The tools of a world with a contract are the contract's; what is the same for all, or only asked of tasks
    where there are none, is on no axis."""
    left_out = {"tools"} if contract else set()
    if contract and "tools" in order.axes:
        raise UsageError("the tools of this anchor are those of its contract: leave `tools` out of the axes")
    left_out |= {complexity.COMPLEXITY} if order.complexity else set()
    left_out |= set() if order.asked.with_tasks else {axis.name for axis in AXES.values() if not axis.changes_blueprint}
    return tuple(name for name in order.axes or NAMES if name not in left_out)


def _set_complexity(variant: Variant, setting: str) -> Variant:
    says = complexity.SAYS[setting] if variant.says == "as usual" else f"{variant.says}, {complexity.SAYS[setting]}"
    return replace(variant, settings={**variant.settings, complexity.COMPLEXITY: setting}, says=says)


def list_jobs(order: Order, source: Source, variants: Sequence[Variant]) -> Iterator[Job]:
    """Yield what there is to do for some variants of a family: those of one place together, in order."""
    for _, together in groupby(variants, key=_place):
        yield Job(source, tuple(replace(variant, says="") for variant in together), order.asked)


def _place(variant: Variant) -> tuple[int, tuple[tuple[str, str], ...]]:
    return variant.seed, tuple(sorted((k, v) for k, v in variant.settings.items() if k != policy.AXIS.name))
