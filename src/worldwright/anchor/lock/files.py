"""What an anchor keeps for an author: the evidence as numbered text, and its operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from worldwright.anchor.binding.draft import bind_draft, number_claims, select_claims
from worldwright.anchor.binding.records import count_claims
from worldwright.anchor.evidence import Claim, Evidence, Operation
from worldwright.anchor.lock.records import Domain
from worldwright.anchor.sheets import sheet_text
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.core.canonical import pretty_json
from worldwright.engine.contract import Contract

OPERATIONS, EVIDENCE = "operations.json", "evidence"
_OPERATIONS: TypeAdapter[tuple[Operation, ...]] = TypeAdapter(tuple[Operation, ...])


def write_files(evidence: Evidence) -> dict[str, str]:
    """Every file by its path."""
    out = {OPERATIONS: write_operations(evidence.operations)}
    for sheet in evidence.sheets:
        name, number = f"{EVIDENCE}/{sheet_name(sheet.file)}", 2
        while name in out:
            name, number = f"{EVIDENCE}/{sheet_name(f'{sheet.file}-{number}')}", number + 1
        out[name] = sheet_text(sheet)
    return out


def sheet_name(file: str) -> str:
    """The name of the file that holds an input as numbered text."""
    return (re.sub(r"[^A-Za-z0-9._-]+", "_", file).strip("._") or "file") + ".txt"


def claims_of_world(
    claims: Sequence[Claim], operations: Sequence[Operation], contract: Contract | None
) -> tuple[Claim, ...]:
    """The claims that concern a world: what is said of its tools, and all that is said of no tool in particular."""
    own = [o for o in operations if contract is None or o.name in contract.tools]
    others = [o for o in operations if contract is not None and o.name not in contract.tools]
    return select_claims(claims, own, others)


def count_evidence(domain: Domain, evidence: Evidence) -> Domain:
    """A world with what became of the claims written into its Blueprint, where its grade is worked out from it."""
    claims = claims_of_world(evidence.claims, evidence.operations, domain.contract)
    checked = load_text(domain.blueprint, f"{domain.name}.yaml")
    counts = count_claims(bind_draft(number_claims(claims), checked, domain.contract, evidence.operations))
    text = canonical_yaml(checked.blueprint.model_copy(update={"evidence": counts}))
    return replace(domain, blueprint=text, claims=counts)


def write_operations(operations: Sequence[Operation]) -> str:
    return pretty_json(_OPERATIONS.dump_python(tuple(operations), mode="json"))


def read_operations(text: str) -> tuple[Operation, ...]:
    """Operations as they were written. Raises `pydantic.ValidationError`."""
    return _OPERATIONS.validate_json(text)
