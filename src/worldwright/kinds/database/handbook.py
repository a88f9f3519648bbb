"""The handbook: what an agent may read of the rules of a world, rendered from the policies of this variant."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked, Policy
from worldwright.core.names import words


def handbook(blueprint: Checked) -> str:
    """`policy.md`."""
    bp = blueprint.blueprint
    lines = [f"# {bp.title}: handbook", ""]
    if bp.summary:
        lines += [bp.summary.strip(), ""]
    lines += ["## Systems", ""]
    lines += [f"- **{name}**: {says}" for name, says in bp.systems.items()]
    if bp.roles:
        lines += ["", "## Roles", ""]
        lines += [f"- **{words(name)}**: {says}" for name, says in bp.roles.items()]
    lines += ["", "## Rules", ""]
    lines += ["Some of these the systems enforce themselves. All of them bind you.", ""]
    lines += [_rule(p, blueprint) for p in blueprint.policies.values()]
    moves = [e for e in blueprint.schema.entities.values() if e.lifecycle]
    if moves:
        lines += ["", "## How things move", ""]
    for entity in moves:
        arrows = [f"{a} to {', '.join(b)}" for a, b in entity.lifecycle.items() if b]
        lines.append(f"- **{words(entity.name)}** starts as {next(iter(entity.lifecycle))}; {'; '.join(arrows)}.")
    if blueprint.always:
        lines += ["", "## What always holds", ""]
        lines += [f"- {i.says}" for i in blueprint.always.values()]
    return "\n".join(lines) + "\n"


def _rule(policy: Policy, blueprint: Checked) -> str:
    text = f"- **{words(policy.name)}**: {policy.says}"
    if policy.beats:
        names = " and ".join(words(b) for b in policy.beats)
        text += f" (Comes before: {names}.)"
    return text
