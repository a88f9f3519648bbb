"""`worldwright generate --ray`: nodes are killed or do not see the store, and the worlds are those of the pool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.ray.conftest import ROOT, Joiner, NodeMaker
from tests.ray.works import names

from worldwright.core.cluster import map_on_ray

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

LIBRARY = str(ROOT / "examples" / "town_library.yaml")
ASKED = ("generate", "--blueprint", LIBRARY, "--variants", "8", "--siblings", "2", "--tasks-per-world", "3", "--json")


def generate(home: Path, *more: str) -> subprocess.Popen[str]:
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "worldwright", *ASKED, *more],
        env={**os.environ, "WORLDWRIGHT_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def digests(document: dict[str, Any]) -> dict[str, str]:
    return {world["variant"]: world["digest"] for world in document["worlds"]}


def lines(home: Path) -> int:
    """Worlds in the journal so far."""
    return sum(file.read_bytes().count(b"\n") for file in home.glob("runs/*/journal.jsonl"))


@pytest.fixture(scope="session")
def by_processes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return ended(generate(tmp_path_factory.mktemp("pool") / "home", "--workers", "2"))


def test_a_node_that_is_killed_changes_nothing(
    cluster: Cluster, node: NodeMaker, by_processes: dict[str, Any], tmp_path: Path
) -> None:
    nodes = [node(), node()]
    run = generate(tmp_path / "home", "--ray", cluster.address)
    until = time.monotonic() + 100
    while lines(tmp_path / "home") < 2 and run.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    before = lines(tmp_path / "home")
    cluster.remove_node(nodes[0], allow_graceful=False)
    document = ended(run)
    assert 2 <= before < 8
    assert digests(document) == digests(by_processes)
    assert document["failed"] == []
    assert lines(tmp_path / "home") == 8


def test_a_machine_that_does_not_see_the_store_sends_worlds_back(
    cluster: Cluster, joined: Joiner, by_processes: dict[str, Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    joined(bwrap, "--dev-bind", "/", "/", "--tmpfs", str(home), sys.executable)
    (home / "here").touch()
    assert [o.result for o in map_on_ray(names, [str(home)], cluster.address)] == [[]]
    document = ended(generate(home, "--ray", cluster.address))
    assert digests(document) == digests(by_processes)
    checked = subprocess.run(
        [sys.executable, "-m", "worldwright", "store", "verify", "--json"],
        env={**os.environ, "WORLDWRIGHT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
