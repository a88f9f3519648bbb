"""Other walks over another state. That two processes make the same graph is in tests/engine/test_determinism.py."""

from __future__ import annotations

from tests.compiler.graph.drafts import SEED, blueprint_text
from tests.worlds import LIBRARY

from worldwright.blueprint.siblings import load_cached
from worldwright.core.canonical import sha256
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages
from worldwright.kinds.database.compiled_world import CompiledWorld


def test_another_seed_is_another_proof_of_the_same_proposals() -> None:
    compiled = CompiledWorld(load_cached(blueprint_text(LIBRARY)))
    files = []
    for seed in (SEED, SEED + 1):
        draft = next(d for stage, d in run_stages(COMPILE_STAGES, Draft(compiled, seed, Memo())) if stage == "graph")
        files.append(draft.files["graph.json"])
        assert draft.figures["graph"].startswith("8 tools in ")
        assert draft.counts["graph_sub_domains"] == 2
    assert sha256(files[0]) != sha256(files[1])
