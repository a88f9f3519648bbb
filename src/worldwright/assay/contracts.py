"""A contract as a pack has it: mended until every answer that was seen is true to it, with a report of what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.assay.fidelity import (
    Fidelity,
    Status,
    force_statuses,
    measure_fidelity,
    provoke_statuses,
    replace_false_parts,
    walk_contract,
)
from worldwright.core.canonical import pretty_json
from worldwright.engine.contract import CONTRACT, Contract, contract_data, tool_spec
from worldwright.kinds.database.runtime import Runtime

FIDELITY = "fidelity.json"


@dataclass(frozen=True, slots=True)
class MendedContract:
    """What a pack holds of its contract."""

    contract: Contract
    files: dict[str, bytes]
    figures: str


def mend_contract(contract: Contract, runtime: Runtime) -> MendedContract:
    """Walk through the world behind a contract, and mend what its answers get wrong."""
    answers = walk_contract(runtime, contract)
    sound = replace_false_parts(contract, answers)
    seen = measure_fidelity(sound, answers)
    made = [s.call for s in answers if s.result.ok]
    reached = tuple(dict.fromkeys((*seen.reached, *provoke_statuses(runtime, sound, made))))
    rest = [s for s in seen.declared if s not in reached]
    by_fault = force_statuses(runtime, sound, rest)
    tools = [tool_spec(tool, runtime.compiled.specs[tool.operation]).mcp() for tool in sound.tools.values()]
    files = {
        CONTRACT: pretty_json(contract_data(sound)).encode(),
        "tools.json": pretty_json({"tools": tools}).encode(),
        FIDELITY: pretty_json(make_report(seen, reached, by_fault)).encode(),
    }
    figures = (
        f"{seen.called} of {seen.tools} tools answered, {seen.valid} of {seen.answers} answers of the declared form "
        f"({seen.unchecked} without a schema), {len(reached)} of {len(seen.declared)} error statuses, "
        f"{len(by_fault)} more as faults"
    )
    return MendedContract(sound, files, figures)


def make_report(seen: Fidelity, reached: Sequence[Status], by_fault: Sequence[Status]) -> dict[str, object]:
    """Make the report of what was seen, as it lies in a pack."""
    return {
        "tools": seen.tools,
        "called": seen.called,
        "answers": seen.answers,
        "valid": seen.valid,
        "unchecked": seen.unchecked,
        "statuses": {
            "declared": [list(s) for s in sorted(seen.declared)],
            "reached": [list(s) for s in sorted(reached)],
            "by_fault": [list(s) for s in sorted(by_fault)],
        },
        "wrong": dict(sorted(seen.wrong.items())),
    }
