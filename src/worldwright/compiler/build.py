"""The whole build of one world, as one function: Blueprint and seed in, a sealed pack out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.compiler.pipeline import BATTERY, stages_of
from worldwright.core.errors import BuildError
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds import builder
from worldwright.kinds.database.battery.settings import FULL, BatterySettings, find_battery
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import run_stages
from worldwright.kinds.database.compile.tasks.knobs import Knobs, read_options
from worldwright.pack.open import Pack

Progress = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Built:
    """A sealed world in memory."""

    pack: Pack
    figures: dict[str, str]


def build(
    checked: Checked,
    seed: int,
    parent: str = "",
    progress: Progress = lambda stage, figures: None,
    with_tasks: bool = True,
    knobs: Knobs | None = None,
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    memo: Memo | None = None,
) -> Built:
    """Compile, prove and seal. `progress` hears each stage as it ends.

    With a contract, the tools of the world are the contract's, which makes its calls inside. `battery` is what tasks
    are proven with. Builds that are given the same `memo` share what is the same for all of them.
    """
    if not 0 <= seed < 2**63:
        raise BuildError(f"seed {seed} is out of range; 0 to 2**63 - 1")
    kind = checked.blueprint.kind
    draft: Draft = builder(kind).start_draft(
        checked, seed, memo or Memo(), with_tasks=with_tasks, knobs=knobs or Knobs(), battery=battery, contract=contract,
        parent=parent,
    )  # fmt: skip
    for stage, fuller in run_stages(stages_of(kind), draft):
        draft = fuller
        progress(stage, draft.figures[stage])
    assert draft.pack is not None
    return Built(draft.pack, dict(draft.figures))


def asked_of_tasks(options: Mapping[str, str]) -> tuple[Knobs, BatterySettings]:
    """The knobs and the battery that a manifest names."""
    knobs = {name: value for name, value in options.items() if name != BATTERY}
    return read_options(knobs), find_battery(options.get(BATTERY, FULL.name))


def variant_name(checked: Checked, seed: int, options: Mapping[str, str] = MappingProxyType({})) -> str:
    """How a variant is called in a family: `default-7`, `approval_limit-strict-7`, `default-7.tasks-none`."""
    chosen = ".".join(f"{policy}-{name}" for policy, name in sorted(checked.blueprint.variant.items()))
    asked = "".join(f".{name}-{value.replace('..', 'to')}" for name, value in sorted(options.items()))
    return f"{chosen or 'default'}-{seed}{asked}"
