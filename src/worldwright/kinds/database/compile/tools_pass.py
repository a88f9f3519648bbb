"""The tools pass: `tools/*.py`, `tools.json` and the handbook. Nothing here depends on the seed, so it is made once."""

from __future__ import annotations

from functools import lru_cache, partial

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical_yaml
from worldwright.core.canonical import pretty_json
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.known import Known
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.tools import tool_source
from worldwright.kinds.database.handbook import handbook


def tools(draft: Draft) -> Draft:
    files = derived_files(draft.compiled)
    specs = draft.compiled.specs.values()
    writes = sum(s.mutates for s in specs)
    policies = draft.blueprint.policies.values()
    by_hand = sum(p.enforced == "agent" and p.rule is not None for p in policies)
    figures = (
        f"{len(specs)} tools ({writes} write, {len(specs) - writes} read), {len(policies)} policies "
        f"({by_hand} only in the handbook)"
    )
    counts = {"tools": len(specs), "policies": len(policies), "handbook_policies": by_hand}
    return draft.adding("tools", figures, files, counts)


_SOURCES: Known[bytes] = Known()


def _source(blueprint: Checked, name: str) -> bytes:
    return tool_source(blueprint, name).encode()


@lru_cache(maxsize=16)
def derived_files(compiled: CompiledWorld) -> dict[str, bytes]:
    """Every file that follows from the Blueprint alone."""
    blueprint = compiled.blueprint
    files = {
        f"tools/{name}.py": _SOURCES.of(blueprint, name, partial(_source, blueprint, name))
        for name in blueprint.operations
    }
    files["tools.json"] = pretty_json({"tools": [spec.mcp() for spec in compiled.specs.values()]}).encode()
    files["policy.md"] = handbook(blueprint).encode()
    files["blueprint.yaml"] = canonical_yaml(blueprint.blueprint).encode()
    return files
