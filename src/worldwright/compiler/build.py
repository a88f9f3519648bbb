"""The whole build of one world, as one pure function: Blueprint and seed in, a sealed pack out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from worldwright.blueprint.checked import Checked
from worldwright.compiler.proof import proven
from worldwright.core.errors import BuildError
from worldwright.engine.contract import Contract
from worldwright.kinds.database.battery.settings import FULL, Reach, battery
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.passes import compile_world
from worldwright.kinds.database.compile.tasks.knobs import Knobs, read_options
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.pack.open import Pack, checked_pack
from worldwright.pack.seal import seal

Progress = Callable[[str, str], None]
BATTERY = "battery"
"""Among the options of a manifest, which one its tasks were proven with; `full` where nothing is said."""


@dataclass(frozen=True, slots=True)
class Built:
    """A sealed world in memory."""

    pack: Pack
    figures: dict[str, str]


_COMPILED: dict[str, CompiledWorld] = {}
MAX_COMPILED = 8


def compiled_of(checked: Checked) -> CompiledWorld:
    """What is compiled from a Blueprint, kept for the next seed of the same variant."""
    found = _COMPILED.get(checked.digest)
    if found is None:
        if len(_COMPILED) >= MAX_COMPILED:
            _COMPILED.pop(next(iter(_COMPILED)))
        found = _COMPILED[checked.digest] = CompiledWorld(checked)
    return found


def build(
    checked: Checked,
    seed: int,
    parent: str = "",
    progress: Progress = lambda stage, figures: None,
    with_tasks: bool = True,
    knobs: Knobs | None = None,
    contract: Contract | None = None,
    reach: Reach = FULL,
) -> Built:
    """Compile, prove and seal. `progress` hears each stage as it ends.

    With a contract, the tools of the world are the contract's, which makes its calls inside. `reach` is the battery that tasks
    are proven with.
    """
    if not 0 <= seed < 2**63:
        raise BuildError(f"seed {seed} is out of range; 0 to 2**63 - 1")
    draft: Draft | None = None
    for stage, draft in compile_world(compiled_of(checked), seed, with_tasks, knobs):
        progress(stage, draft.figures.get(stage, ""))
    assert draft is not None
    assert draft.grown is not None
    held = None
    if contract is not None:
        from worldwright.assay.contracts import kept  # noqa: PLC0415  JSON Schema comes with an extra, and contracts alone need it

        held = kept(contract, Runtime(draft.compiled, draft.grown.data, ""))
        progress("contract", held.figures)
    if draft.made is not None:
        draft = proven(draft, None if held is None else held.contract, reach)
        progress("assay", draft.figures["assay"])
    assert draft.grown is not None
    facts = {
        "name": checked.blueprint.blueprint,
        "kind": checked.blueprint.kind,
        "blueprint": checked.digest,
        "seed": seed,
        "variant": dict(checked.blueprint.variant),
        "axes": dict(checked.blueprint.axes),
        "parent": parent,
        "state": draft.grown.digest,
        "options": _options(draft.knobs, reach) if with_tasks else {"tasks": "none"},
        "counts": dict(draft.counts),
    }
    files = dict(draft.files)
    if held is not None:
        files |= held.files
    pack = checked_pack(seal(files, facts))
    progress("seal", f"{len(pack.files)} files, digest {pack.manifest.digest[:12]}")
    return Built(pack, dict(draft.figures))


def _options(asked: Knobs, reach: Reach) -> dict[str, str]:
    """What was asked of tasks, as a manifest keeps it: only what is not as usual."""
    return asked.options() | ({} if reach.name == FULL.name else {BATTERY: reach.name})


def asked_of_tasks(options: Mapping[str, str]) -> tuple[Knobs, Reach]:
    """The knobs and the battery that a manifest names."""
    knobs = {name: value for name, value in options.items() if name != BATTERY}
    return read_options(knobs), battery(options.get(BATTERY, FULL.name))


def variant_name(checked: Checked, seed: int, options: Mapping[str, str] = MappingProxyType({})) -> str:
    """How a variant is called in a family: `default-7`, `approval_limit-strict-7`, `default-7.tasks-none`."""
    chosen = ".".join(f"{policy}-{name}" for policy, name in sorted(checked.blueprint.variant.items()))
    asked = "".join(f".{name}-{value.replace('..', 'to')}" for name, value in sorted(options.items()))
    return f"{chosen or 'default'}-{seed}{asked}"
