"""Independent cases: what somebody may see who writes them, and whether the rules agree with what they wrote."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from worldwright.anchor.binding.records import BOUND, ClaimRow
from worldwright.author.records import Bench, Finding
from worldwright.blueprint.check import check
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.load import canonical, compute_digest, validate_document
from worldwright.blueprint.schema import Column
from worldwright.blueprint.source import Document, load_yaml
from worldwright.core.errors import BlueprintError, UsageError
from worldwright.core.names import suggest
from worldwright.formats.strict_yaml import dump_yaml

_AT_CASE = re.compile(r"policies\W+(\w+)\W+cases\W+(\d+)")
DISAGREES = "the rule says otherwise"
HOW = """
Write cases for each policy from the statements alone; you are not shown the rule. Each case is a small situation:

    - allowed: {NAME.FIELD: VALUE, ...}       the statements allow it
    - forbidden: {NAME.FIELD: VALUE, ...}     the statements forbid it
    - applies: {...} / not: {...}             for an exemption: it holds, or does not

NAME is one of the names of the policy; follow references with more dots (`order.customer.blocked: true`). One row in two
places has the same made-up name in both (`order.customer: ann, actor: ann`); rows with other names, or only with equal fields,
are other rows. Rows that belong to a row are lists (`member.loans: [{status: out}, {status: returned}]`), rows of a whole table too
(`holiday: []`); `today: 2025-06-16` or `now: 2025-06-16T09:00:00Z` sets the clock. Give every field that a reader of the
statements would look at. Write at least one allowed and one forbidden case, and one on each side of every limit.
"""


def write_brief(bench: Bench, checked: Checked, policies: Sequence[str]) -> str:
    """What a writer of independent cases may see: the statements, the names and the schema; not the rules."""
    for policy in policies:
        if policy not in checked.policies:
            raise UsageError(f"there is no policy `{policy[:60]}`; {suggest(policy, checked.policies)}")
    actor = checked.blueprint.actor
    today = f"today is {checked.blueprint.now[:10]}{f'; `actor` is a {actor.entity}' if actor else ''}"
    each = [_brief_policy(bench, checked, policy) for policy in policies]
    named = ", ".join(f"`{policy}`" for policy in policies)
    return "\n".join([f"# Cases for {named}", HOW, *each, "## Schema", dump_yaml(_schema(checked)), today, ""])


def _brief_policy(bench: Bench, checked: Checked, policy: str) -> str:
    beating = [name for name, other in checked.policies.items() if policy in other.beats]
    said = [f"- {row.says} ({row.at})" for row in bench.claims if _concerns(row, (policy,))]
    said += [f"- Exception: {row.says} ({row.at})" for row in bench.claims if _concerns(row, beating)]
    about = ", ".join(f"{name}: {kind}" for name, kind in checked.policies[policy].takes.items())
    names = f"Names: {about or 'none; the actor and the clock alone'}"
    return "\n".join([f"## `{policy}`", "What the evidence says:", *(said or ["(no claim is bound to it)"]), names, ""])


def list_bound_rules(bench: Bench, checked: Checked) -> list[str]:
    """The policies that a claim is bound to."""
    bound = {r.removeprefix("policy:") for row in bench.claims if row.is_ == BOUND for r in row.to}
    return [name for name in checked.policies if name in bound]


def list_uncovered(bench: Bench, checked: Checked) -> list[str]:
    """Those that nobody else has written cases for."""
    covered = {row.policy for row in bench.cases if row.cases}
    return [name for name in list_bound_rules(bench, checked) if name not in covered]


def count_cased(bench: Bench, checked: Checked, found: Iterable[Finding]) -> dict[str, int]:
    """How many policies a claim is bound to, and how many of them agree with all cases that somebody else wrote. `found` is what
    was found in the cases."""
    bound, denied = list_bound_rules(bench, checked), {f.place.partition("#")[2].rpartition(".")[0] for f in found}
    return {"bound_rules": len(bound), "cased_rules": len({*bound} - {*list_uncovered(bench, checked)} - denied)}


def _concerns(row: ClaimRow, policies: Sequence[str]) -> bool:
    return row.is_ == BOUND and any(f"policy:{name}" in row.to for name in policies)


def _schema(checked: Checked) -> dict[str, Any]:
    """Entities with the types of their fields, what a field that is given says of itself, and the lists that lead to their parts;
    nothing of how values are made."""
    out: dict[str, Any] = {}
    for name, entity in checked.schema.entities.items():
        fields = {c.name: _describe(c) for c in entity.columns.values()}
        lists = {way: f"list of {found.entity}" for way, found in entity.ways.items()}
        out[name] = {**fields, **lists}
    return out


def _describe(column: Column) -> str:
    says = "" if column.source in ("kept", "computed") else column.says
    return f"{column.type}{'?' if column.optional else ''}{f' ({says})' if says else ''}"


def judge_cases(bench: Bench, checked: Checked, text: str) -> Iterator[Finding]:
    """Policies bound to a claim without cases by somebody else, and cases that a rule does not agree with."""
    for name in list_uncovered(bench, checked):
        yield Finding("cases_missing", f"blueprint.yaml#policies.{name}", f"nobody else has written cases for `{name}`")
    for number, row in enumerate(bench.cases):
        if row.policy not in checked.policies:
            hint = suggest(row.policy, checked.policies)
            yield Finding("case_unclear", f"cases.yaml#{number}", f"there is no policy `{row.policy[:60]}`; {hint}")
    known = [row for row in bench.cases if row.policy in checked.policies]
    yield from _run(Bench("", "", "", "", (), tuple(known)), text)


def _run(bench: Bench, text: str) -> Iterator[Finding]:
    """Run the cases beside the rules' own; each that the checker refuses is a finding."""
    if not bench.cases:
        return
    document = expand_patterns(load_yaml(text, "blueprint.yaml"))
    data = copy.deepcopy(canonical(validate_document(document)))
    origin: dict[tuple[str, int], tuple[int, int]] = {}
    """By policy and place among all its cases, the row that a case is of and its place there."""
    for name, spec in data.get("policies", {}).items():
        own = [(number, case) for number, row in enumerate(bench.cases) if row.policy == name for case in row.cases]
        before = len(spec.get("cases", ()))
        spec["cases"] = [*spec.get("cases", ()), *(case for _, case in own)]
        origin |= {(name, before + i): (number, i) for i, (number, _) in enumerate(own)}
    for problem in _problems(Document("cases.yaml", data, {})):
        found = _AT_CASE.search(problem.path)
        if found is None or (found[1], int(found[2])) not in origin:
            continue
        policy, (number, index) = found[1], origin[found[1], int(found[2])]
        row, code = bench.cases[number], "case_disagrees" if DISAGREES in problem.message else "case_unclear"
        case = row.cases[index]
        yield Finding(
            code,
            f"cases.yaml#{policy}.{index}",
            f"{problem.message}: {str(case)[:300]} (by {row.by or 'somebody'})",
            problem.hint,
        )


def _problems(document: Document) -> list[Any]:
    try:
        blueprint = validate_document(document)
        check(blueprint, document, compute_digest(blueprint))
    except BlueprintError as e:
        return list(e.findings)
    return []
