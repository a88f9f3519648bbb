"""Work over a cluster: the same outcomes as from processes of this machine, whatever happens to the machines."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.ray.conftest import ROOT, Joiner, NodeMaker
from tests.ray.works import parcel, square, where, world

from worldwright.core.cluster import VersionMismatch, map_on_ray
from worldwright.core.errors import UsageError
from worldwright.core.pool import WorkerDied, map_in_processes

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster


def test_a_ray_of_its_own_has_the_outcomes_of_the_pool() -> None:
    items = range(10, 22)
    ours = {o.item: o for o in map_in_processes(square, items, 2)}
    found = {o.item: o for o in map_on_ray(square, items, "local", 2)}
    assert sorted(found) == list(items)
    assert {n: o.result for n, o in found.items()} == {n: o.result for n, o in ours.items()}
    assert {n: repr(o.error) for n, o in found.items() if n != 17} == {
        n: repr(o.error) for n, o in ours.items() if n != 17
    }
    assert isinstance(found[13].error, UsageError)
    assert isinstance(found[17].error, WorkerDied)


def test_items_are_taken_as_they_are_needed(cluster: Cluster, node: NodeMaker) -> None:
    node()
    taken = []

    def items() -> Iterator[int]:
        for n in range(1_000):
            taken.append(n)
            yield n

    outcomes = map_on_ray(parcel, items(), cluster.address)
    assert next(outcomes).result == parcel(0)
    outcomes.close()  # type: ignore[attr-defined]
    assert len(taken) < 10


def test_a_node_that_dies_loses_nothing_and_changes_nothing(cluster: Cluster, node: NodeMaker) -> None:
    seeds = range(16)
    ours = dict(mapped_pairs(map_in_processes(world, seeds, 2)))
    nodes = [node(), node()]
    found = {}
    for outcome in map_on_ray(world, seeds, cluster.address):
        assert outcome.error is None
        assert outcome.item not in found
        found[outcome.item] = outcome.result
        if len(found) == 4:
            cluster.remove_node(nodes[0], allow_graceful=False)
    assert found == ours


def mapped_pairs(outcomes: object) -> Iterator[tuple[int, object]]:
    yield from ((o.item, o.result) for o in outcomes)  # type: ignore[attr-defined]


def test_results_that_died_with_their_node_are_made_again(cluster: Cluster, node: NodeMaker) -> None:
    """They had ended, and nobody had fetched them."""
    nodes = [node(), node()]
    outcomes = map_on_ray(parcel, range(40), cluster.address)
    found = {o.item: o.result for o in (next(outcomes) for _ in range(3))}
    time.sleep(1)  # what is in flight ends, and its results wait
    cluster.remove_node(nodes[0], allow_graceful=False)
    for outcome in outcomes:
        assert outcome.error is None
        assert outcome.item not in found
        found[outcome.item] = outcome.result
    assert found == {n: n.to_bytes(4) * 100_000 for n in range(40)}


def test_the_code_goes_to_machines_that_do_not_have_it(cluster: Cluster, joined: Joiner, bare: Path) -> None:
    no_worldwright = subprocess.run(
        [bare, "-c", "import worldwright"], capture_output=True, text=True, env={}, check=False
    )
    assert "No module named 'worldwright'" in no_worldwright.stderr
    joined(bare)
    (outcome,) = map_on_ray(where, [0], cluster.address)
    assert outcome.error is None
    assert "py_modules" in str(outcome.result)


def test_a_machine_with_another_version_ends_the_run(
    cluster: Cluster, joined: Joiner, bare: Path, tmp_path: Path
) -> None:
    """Where whoever calls has connected before and chosen what the machines run."""
    import ray
    import worldwright.core

    shutil.copytree(Path(worldwright.core.__file__).parent, tmp_path / "worldwright" / "core")
    (tmp_path / "worldwright" / "__init__.py").touch()
    (tmp_path / "worldwright" / "core" / "version.py").write_text('VERSION = "0.0.9"\n')
    joined(bare, path=tmp_path)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        with pytest.raises(VersionMismatch, match=r"worldwright 0\.0\.9 .* install the same on every machine"):
            list(map_on_ray(abs, range(3), "auto"))
        assert ray.is_initialized()
    finally:
        ray.shutdown()


DRIVER = """
import sys
from tests.ray.works import long
from worldwright.core.cluster import map_on_ray
for o in map_on_ray(long, [(sys.argv[1], n) for n in range(8)], sys.argv[2], 2):
    print(o.result, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("place", ["local", "cluster"])
def test_whoever_is_stopped_leaves_nothing_running(
    place: str, how: signal.Signals, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if place == "cluster":
        address = request.getfixturevalue("cluster").address
        for _ in range(2):
            request.getfixturevalue("node")()
    else:
        address = place
    ours = how == signal.SIGINT  # after a SIGKILL, agents of a local Ray may look for it for a minute before they end
    mark = f"STOPPED={tmp_path}" if ours else "\n"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "STOPPED": str(tmp_path)}
    command = [sys.executable, "-c", DRIVER, str(tmp_path), address]
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as driver:
        assert driver.stdout is not None
        assert {driver.stdout.readline(), driver.stdout.readline()} == {b"0\n", b"1\n"}
        if how == signal.SIGINT:
            os.killpg(driver.pid, how)  # as from a keyboard
        else:
            driver.send_signal(how)
        assert driver.wait(30) != 0
    doing = {int(f.name) for f in tmp_path.iterdir()}
    assert doing
    until = time.monotonic() + 20
    while (
        left := [pid for pid in processes() if pid in doing or mark in environment(pid)]
    ) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left


def processes() -> list[int]:
    """Everything that runs in here, but for what has ended and was not yet asked how."""
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and environment(int(p.name))]


def environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "Connection refused"),
        ("nowhere", "Invalid address"),
        ("ray://127.0.0.1:1", r"ray\[client\]"),
    ],
)
def test_a_cluster_that_is_not_there_is_said_at_once(address: str, said: str) -> None:
    since = time.monotonic()
    with pytest.raises(UsageError, match=rf"no Ray at '{address}': .*{said}.*the address is `local`"):
        list(map_on_ray(abs, range(3), address))
    assert time.monotonic() - since < 15
