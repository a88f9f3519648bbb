"""The same bytes in every process, whatever the hashes are; other walks over another state."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.compiler.graph.drafts import SEED, blueprint_text
from tests.domains import CORE
from tests.worlds import LIBRARY, SMALL

from worldwright.blueprint.load import load_cached
from worldwright.compiler.passes import compile_world
from worldwright.core.canonical import sha256
from worldwright.kinds.database.runtime import Machine

MAKE = """
import sys
from worldwright.blueprint.load import load_text
from worldwright.compiler.passes import compile_world
from worldwright.core.canonical import sha256
from worldwright.kinds.database.runtime import Machine
for stage, draft in compile_world(Machine(load_text(sys.stdin.read())), 7):
    if stage == "graph":
        print(sha256(draft.files["graph.json"]))
        break
"""


@pytest.mark.parametrize("name", [LIBRARY, SMALL, *(pytest.param(n, marks=pytest.mark.slow) for n in CORE)])
def test_two_processes_make_the_same_graph(name: str) -> None:
    found = set()
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", MAKE],
            input=blueprint_text(name),
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout.strip())
    assert len(found) == 1


def test_another_seed_is_another_proof_of_the_same_proposals() -> None:
    machine = Machine(load_cached(blueprint_text(LIBRARY)))
    files = []
    for seed in (SEED, SEED + 1):
        draft = next(d for stage, d in compile_world(machine, seed) if stage == "graph")
        files.append(draft.files["graph.json"])
        assert draft.figures["graph"].startswith("8 nodes, 0 strong, ")
        assert draft.counts["graph_sub_domains"] == 2
    assert sha256(files[0]) != sha256(files[1])
