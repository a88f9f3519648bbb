"""The whole build of one world: its stages as one tuple, and one function from Blueprint and seed to a sealed pack."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

from worldwright.assay.grade import GRADE, reaches
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import BuildError
from worldwright.core.memo import Memo
from worldwright.engine.contract import Contract
from worldwright.kinds import builder
from worldwright.kinds.build_events import Watch, unwatched
from worldwright.kinds.database.battery.settings import FULL, BatterySettings, find_battery
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import Stage, run_stages
from worldwright.kinds.database.compile.tasks.knobs import MAX_TASKS, Knobs, read_options
from worldwright.pack.open import Pack, check_pack
from worldwright.pack.seal import seal

BATTERY = "battery"
"""Among the options of a manifest, the battery that its tasks were proven with; `full` where nothing is said."""


def list_stages(kind: str) -> tuple[Stage, ...]:
    """List every stage of the build of a world of this kind: `tools`, `situations`, `state`, `requests`, `graph`, `contract`,
    `tasks`, `tests`, `assay`, `grade`, `seal`. The contract comes before the tasks: these must be doable with its tools."""
    own = builder(kind)
    at = next(k for k, stage in enumerate(own.COMPILE_STAGES) if stage.name == "tasks")
    proof = (own.PROOF_STAGE, Stage("grade", grade_draft, of_tasks=True), Stage("seal", seal_draft))
    return (*own.COMPILE_STAGES[:at], Stage("contract", check_contract), *own.COMPILE_STAGES[at:], *proof)


def check_contract(draft: Draft) -> Draft:
    """Hold the world against its contract, where it has one."""
    if draft.contract is None:
        return draft
    from worldwright.assay.contracts import mend_contract  # noqa: PLC0415  JSON Schema comes with an extra, and contracts alone need it

    mended = mend_contract(draft.contract, draft.open_runtime())
    return replace(draft.add("contract", mended.figures, mended.files), contract=mended.contract)


def grade_draft(draft: Draft) -> Draft:
    """Say how much of a world is real, where it was made from evidence."""
    if not draft.blueprint.blueprint.evidence:
        return draft
    from worldwright.assay.world_grade import describe_grade, grade_built_world, write_grade  # noqa: PLC0415  only for such worlds

    asked = min(1.0, draft.knobs.most / MAX_TASKS)
    grade = grade_built_world(draft.compiled, draft.state.data, draft.contract, draft.counts, asked)
    return draft.add("grade", f"{grade.word}; {describe_grade(grade.data())[0]}", write_grade(grade))


def check_grade(built: BuiltWorld, least: str) -> str:
    """Say why a world does not have the grade that is asked for at least; empty where it has, or was not made from evidence."""
    word = built.pack.manifest.grade
    if not least or not word or reaches(word, least):
        return ""
    lacking = json.loads(built.pack.files[GRADE])["lacking"]
    return f"{built.pack.manifest.name} is {word}, and at least {least} is asked for: {'; '.join(lacking)}"


def seal_draft(draft: Draft) -> Draft:
    """Seal what the stages before have made."""
    blueprint = draft.blueprint.blueprint
    facts = {
        "name": blueprint.blueprint,
        "kind": blueprint.kind,
        "blueprint": draft.blueprint.digest,
        "seed": draft.seed,
        "variant": dict(blueprint.variant),
        "axes": dict(blueprint.axes),
        "parent": draft.parent,
        "state": draft.state.digest,
        "options": _list_options(draft) if draft.with_tasks else {"tasks": "none"},
        "grade": json.loads(draft.files[GRADE])["grade"] if GRADE in draft.files else "",
        "counts": dict(draft.counts),
    }
    pack = check_pack(seal(dict(draft.files), facts))
    return replace(draft.add("seal", f"{len(pack.files)} files, digest {pack.manifest.digest[:12]}"), pack=pack)


def _list_options(draft: Draft) -> dict[str, str]:
    """Return what was asked of tasks, as a manifest keeps it: only what is not as usual."""
    battery = draft.battery.name
    return draft.knobs.options() | ({} if battery == FULL.name else {BATTERY: battery})


@dataclass(frozen=True, slots=True)
class BuiltWorld:
    """A sealed world in memory."""

    pack: Pack
    figures: dict[str, str]


def build(
    checked: Checked,
    seed: int,
    parent: str = "",
    watch: Watch = unwatched,
    with_tasks: bool = True,
    knobs: Knobs | None = None,
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
    memo: Memo | None = None,
) -> BuiltWorld:
    """Compile, prove and seal. `watch` hears how it goes on.

    With a contract, the tools of the world are the contract's, which makes its calls inside. `battery` is what tasks
    are proven with. Builds that are given the same `memo` share what is the same for all of them.
    """
    if not 0 <= seed < 2**63:
        raise BuildError(f"seed {seed} is out of range; 0 to 2**63 - 1")
    kind = checked.blueprint.kind
    draft: Draft = builder(kind).start_draft(
        checked, seed, memo or Memo(), with_tasks=with_tasks, knobs=knobs or Knobs(), battery=battery, contract=contract,
        parent=parent, watch=watch,
    )  # fmt: skip
    with _pause_collection():
        for _, fuller in run_stages(list_stages(kind), draft):
            draft = fuller
    assert draft.pack is not None
    return BuiltWorld(draft.pack, dict(draft.figures))


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Look for no garbage meanwhile: a build makes millions of small things that die by themselves, and hardly a circle."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def read_task_options(options: Mapping[str, str]) -> tuple[Knobs, BatterySettings]:
    """Read the knobs and the battery that a manifest names."""
    knobs = {name: value for name, value in options.items() if name != BATTERY}
    return read_options(knobs), find_battery(options.get(BATTERY, FULL.name))


def name_variant(checked: Checked, seed: int, options: Mapping[str, str] = MappingProxyType({})) -> str:
    """Name a variant in its family: `default-7`, `approval_limit-strict-7`, `default-7.tasks-none`."""
    chosen = ".".join(f"{policy}-{name}" for policy, name in sorted(checked.blueprint.variant.items()))
    asked = "".join(f".{name}-{value.replace('..', 'to')}" for name, value in sorted(options.items()))
    return f"{chosen or 'default'}-{seed}{asked}"
