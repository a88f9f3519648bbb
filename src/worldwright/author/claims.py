"""Findings on claims: what was left open, what is bound to nothing with force, and what was read otherwise than it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from worldwright.anchor.binding.figures import find_contradiction, find_missing_figures
from worldwright.anchor.binding.records import BOUND, ELSEWHERE, NOT_BUSINESS, ClaimRow
from worldwright.anchor.binding.targets import Target, find_target
from worldwright.author.records import Bench, Finding
from worldwright.blueprint.checked import Checked

ASSUMED = "assum"
"""What the source of a rule begins with that somebody made up on purpose: `assumed`, `assumption: common practice`."""


def judge_claims(bench: Bench, checked: Checked | None) -> Iterator[Finding]:
    """Every finding on the claims; on what they are bound to only where the Blueprint can be read."""
    said, offered = _join_statements(bench.claims), _list_offered(bench)
    for row in bench.claims:
        place = f"claims.yaml#{row.id}"
        if not row.is_:
            if row.business:
                yield Finding("claim_open", place, f"{row.at}: {row.says[:300]}")
        elif row.is_ == ELSEWHERE:
            tool = next((name for name, at in offered.items() if row.at == at or row.at.startswith(f"{at}/")), "")
            if tool and row.guess in ("business", ""):
                yield Finding("claim_open", place, f"contract.yaml offers `{tool}`: {row.says[:300]}")
        elif row.is_ == BOUND:
            yield from _judge_bound(row, place, checked, said) if checked is not None else ()
        elif not row.why.strip():
            yield Finding("claim_why", place, f"`{row.is_}` without a reason: {row.says[:200]}")
        elif row.is_ == NOT_BUSINESS and row.guess == "business":
            yield Finding("claim_overruled", place, f"{row.says[:200]} ({row.why[:120]})")
    if checked is not None:
        yield from _judge_sources(bench.claims, checked)


def _list_offered(bench: Bench) -> dict[str, str]:
    """The tools that the contract offers, with where the evidence describes them."""
    named = set(re.findall(r"^([^\s#:]+):", bench.contract, re.MULTILINE))
    return {o.name: str(o.source) for o in bench.operations if o.name in named and o.source is not None}


def _join_statements(claims: Sequence[ClaimRow]) -> dict[str, str]:
    """By what claims are bound to, all that they say of it: a table of rates has a claim for each of its rows."""
    out: dict[str, str] = {}
    for row in claims:
        for reference in row.to if row.is_ == BOUND else ():
            out[reference] = f"{out.get(reference, '')} {row.says}"
    return out


def _judge_bound(row: ClaimRow, place: str, checked: Checked, said: Mapping[str, str]) -> Iterator[Finding]:
    if not row.to:
        yield Finding("claim_target", place, "bound to nothing: `to` is missing")
    targets: list[Target] = []
    for reference in row.to:
        found = find_target(reference, checked)
        if isinstance(found, str):
            yield Finding("claim_target", place, found)
        else:
            targets.append(found)
    if not targets:
        return
    idle = [t for t in targets if t.idle]
    if len(idle) == len(targets):
        yield Finding("claim_idle", place, "; ".join(f"{t.kind}:{t.name}: {t.idle}" for t in idle))
    lost = find_missing_figures(row.says, "\n".join(f"{t.text}\n{t.says}" for t in targets))
    if lost:
        named = ", ".join(str(f) for f in lost[:4])
        yield Finding(
            "claim_figure", place, f'{named} of "{row.says[:160]}" stands nowhere in {", ".join(row.to)[:120]}'
        )
        return
    for target in targets:
        alone = target.kind == "policy" and len(targets) == 1
        differs = find_contradiction(row.says, target.says, said[row.to[0]]) if alone else ""
        if differs:
            yield Finding("claim_words", place, f'{differs}: "{target.says[:160]}" ({target.kind}:{target.name})')


def _judge_sources(claims: Sequence[ClaimRow], checked: Checked) -> Iterator[Finding]:
    """Rules that come from nowhere: neither their own source nor a claim says where they stand."""
    named = {reference for row in claims if row.is_ == BOUND for reference in row.to}
    files = {row.at.partition("#")[0] for row in claims}
    for name, spec in checked.blueprint.policies.items():
        if f"policy:{name}" not in named and not _says_where(spec.source, files):
            yield Finding(
                "rule_unsourced", f"blueprint.yaml#policies.{name}", f"nothing says where `{name}` comes from"
            )


def _says_where(source: str, files: Collection[str]) -> bool:
    return source.startswith(ASSUMED) or source.partition("#")[0] in files
