"""The handbook: what an agent may read of the rules of a world, rendered from the policies of this variant."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked, Policy
from worldwright.blueprint.service import describe_service
from worldwright.core.names import to_words

BINDING = (
    "Some of these the systems enforce themselves. All of them bind you. What a rule forbids is forbidden as things stand: nothing "
    "is set right first to get round it, unless the request or a rule asks for that."
)
CONVENTIONS = (
    "Figures and days are meant like this. At least, at most, or more, or less, up to, until, within, from and through take in the "
    "figure or the day itself; more than, over, less than, fewer than, under, before and after do not. The last so many days begin "
    "with the day so many days before today, and today is one of them. An absence takes in its first and its last day."
)
"""How the sentences of policies are to be read; the deciding cases of every policy in the catalogue were held against it."""


def render_handbook(blueprint: Checked) -> str:
    """Render `policy.md`."""
    bp = blueprint.blueprint
    lines = [f"# {bp.title}: handbook", ""]
    if bp.summary:
        lines += [bp.summary.strip(), ""]
    lines += ["## Systems", ""]
    lines += [f"- **{name}**: {says}" for name, says in bp.systems.items()]
    if bp.roles:
        lines += ["", "## Roles", ""]
        lines += [f"- **{to_words(name)}**: {says}" for name, says in bp.roles.items()]
    lines += ["", "## Rules", ""]
    lines += [BINDING, "", CONVENTIONS, ""]
    lines += [_rule(p) for p in blueprint.policies.values()]
    notes = dict(bp.notes) | {n: t.says for n, t in blueprint.terms.items() if t.says and n not in bp.notes}
    if notes:
        lines += ["", "## Reading the records", ""]
        lines += [f"- **{to_words(name)}**: {says}" for name, says in notes.items()]
    if blueprint.schema.holidays:
        days = ", ".join(sorted(blueprint.schema.holidays))
        lines += ["", f"Business days are Monday to Friday without holidays: {days}."]
    moves = [e for e in blueprint.schema.entities.values() if e.lifecycle]
    if moves:
        lines += ["", "## How things move", ""]
    for entity in moves:
        arrows = [f"{a} to {', '.join(b)}" for a, b in entity.lifecycle.items() if b]
        lines.append(f"- **{to_words(entity.name)}** starts as {next(iter(entity.lifecycle))}; {'; '.join(arrows)}.")
    if blueprint.always:
        lines += ["", "## What always holds", ""]
        lines += [f"- {i.says}" for i in blueprint.always.values()]
    if blueprint.reactions:
        lines += ["", "## What others do", ""]
        lines += [f"- {reaction.says}" for reaction in blueprint.reactions]
    if bp.service:
        lines += ["", "## When systems are busy", ""]
        lines += [describe_service(name, spec) for name, spec in bp.service.items()]
    return "\n".join(lines) + "\n"


def _rule(policy: Policy) -> str:
    text = f"- **{to_words(policy.name)}**: {policy.says}"
    if policy.beats:
        text += f" (Comes before: {_names(policy.beats)}.)"
    if policy.behind:
        text += f" (Comes after: {_names(policy.behind)}. Where both apply, this one gives way.)"
    return text


def _names(policies: tuple[str, ...]) -> str:
    return " and ".join(map(to_words, policies))
