"""The tools stage: `tools/*.py`, `tools.json` and the handbook. Nothing here depends on the seed, so it is made once."""

from __future__ import annotations

from functools import partial

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml
from worldwright.core.canonical import pretty_json
from worldwright.core.memo import Memo, Slot
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.worlds import get_for_operation
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.tools import tool_source
from worldwright.kinds.database.handbook import render_handbook


def write_tools(draft: Draft) -> Draft:
    """Add every file that follows from the Blueprint alone."""
    files = write_blueprint_files(draft.compiled, draft.memo)
    specs = draft.compiled.specs.values()
    writes = sum(s.mutates for s in specs)
    policies = draft.blueprint.policies.values()
    by_hand = sum(p.enforced == "agent" and p.rule is not None for p in policies)
    figures = (
        f"{len(specs)} tools ({writes} write, {len(specs) - writes} read), {len(policies)} policies "
        f"({by_hand} only in the handbook)"
    )
    counts = {"tools": len(specs), "policies": len(policies), "handbook_policies": by_hand}
    return draft.add("tools", figures, files, counts)


TOOL_SOURCES: Slot[bytes] = Slot("tool sources", max_entries=4096)


def _source(blueprint: Checked, name: str) -> bytes:
    return tool_source(blueprint, name).encode()


def write_blueprint_files(compiled: CompiledWorld, memo: Memo) -> dict[str, bytes]:
    """Write the tools, their list, the handbook and the Blueprint itself."""
    blueprint = compiled.blueprint
    files = {
        f"tools/{name}.py": get_for_operation(memo, TOOL_SOURCES, compiled, name, partial(_source, blueprint, name))
        for name in blueprint.operations
    }
    files["tools.json"] = pretty_json({"tools": [spec.mcp() for spec in compiled.specs.values()]}).encode()
    files["policy.md"] = render_handbook(blueprint).encode()
    files["blueprint.yaml"] = canonical_yaml(blueprint.blueprint).encode()
    return files
