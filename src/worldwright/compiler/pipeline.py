"""Every stage from a checked Blueprint to a sealed pack, as one tuple."""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds import builder
from worldwright.kinds.database.battery.settings import FULL
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import Stage
from worldwright.pack.open import checked_pack
from worldwright.pack.seal import seal

BATTERY = "battery"
"""Among the options of a manifest, the battery that its tasks were proven with; `full` where nothing is said."""


def stages_of(kind: str) -> tuple[Stage, ...]:
    """Every stage of the build of a world of this kind: `tools`, `situations`, `state`, `requests`, `graph`, `tasks`, `tests`,
    `contract`, `assay`, `seal`."""
    own = builder(kind)
    return (*own.COMPILE_STAGES, Stage("contract", check_contract), own.PROOF_STAGE, Stage("seal", seal_draft))


def check_contract(draft: Draft) -> Draft:
    """Hold the world against its contract, where it has one."""
    if draft.contract is None:
        return draft
    from worldwright.assay.contracts import mend_contract  # noqa: PLC0415  JSON Schema comes with an extra, and contracts alone need it

    mended = mend_contract(draft.contract, draft.open_runtime())
    return replace(draft.add("contract", mended.figures, mended.files), contract=mended.contract)


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
        "options": _options(draft) if draft.with_tasks else {"tasks": "none"},
        "counts": dict(draft.counts),
    }
    pack = checked_pack(seal(dict(draft.files), facts))
    return replace(draft.add("seal", f"{len(pack.files)} files, digest {pack.manifest.digest[:12]}"), pack=pack)


def _options(draft: Draft) -> dict[str, str]:
    """What was asked of tasks, as a manifest keeps it: only what is not as usual."""
    battery = draft.battery.name
    return draft.knobs.options() | ({} if battery == FULL.name else {BATTERY: battery})
