"""The same Blueprint with other named parameters for its policies, without checking again what they cannot change.

Types, operations, goals and history are the same whatever the policies say; only the policies are worked out anew. An exemption
that is taken out of the handbook must not be spoken of anywhere else: where its name stands, everything is checked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.rules import Rules, check_policies, is_off
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical, check_again, compute_digest
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.reach import map_sibling_reads
from worldwright.blueprint.source import Document

_ELSEWHERE = ("entities", "terms", "operations", "always", "goals", "history", "mess")


def choose_parameters(checked: Checked, variant: Mapping[str, str]) -> Checked:
    """The Blueprint under these named parameters, all other policies as usual; a BlueprintError where there is no such name."""
    named = {policy: name for policy, name in variant.items() if name != "default"}
    if named == checked.blueprint.variant:
        return checked
    bp = checked.blueprint.model_copy(update={"variant": named})
    where = f"{bp.blueprint} with its variant"
    changed = {p for p in bp.policies if is_off(bp, p) or is_off(checked.blueprint, p)} if bp.policies else set()
    if changed & find_mentioned(bp, changed):
        return check_again(bp, where, checked)
    report = Reporter(Document(where, {}, {}))
    policies = check_policies(Rules(bp, checked.schema, checked), report)
    report.stop_if_any()
    found = replace(checked, blueprint=bp, policies=policies, digest=compute_digest(bp))
    return replace(found, schema=replace(found.schema, beside=map_sibling_reads(found)))


def find_mentioned(bp: Blueprint, policies: set[str]) -> set[str]:
    """Find the policies whose names stand somewhere outside of the policies themselves."""
    if not policies:
        return set()
    data = canonical(bp)
    text = json.dumps([data.get(part) for part in _ELSEWHERE], ensure_ascii=False)
    return {policy for policy in policies if re.search(rf"\b{re.escape(policy)}\b", text)}
