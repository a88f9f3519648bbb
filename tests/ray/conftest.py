"""A real Ray cluster of several nodes on this machine, in a network of its own (`make ray-test`).

Ray opens its ports on the machine's own address whatever it is told, so these tests run only where nothing but loopback is there.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOON = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 300, "health_check_failure_threshold": 3}
"""When a node is taken for dead: after a second, where Ray gives it half a minute."""
NodeMaker = Callable[..., Any]
Joiner = Callable[..., None]


def why_not() -> str:
    """What these tests lack; empty where nothing."""
    if find_spec("ray") is None:
        return "Ray is not installed"
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        return "there is more of a network than loopback"
    return ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What Ray warns of is not ours to mend."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            if (why := why_not()) and not os.environ.get("WORLDWRIGHT_CI"):
                item.add_marker(pytest.mark.skip(reason=f"{why}: make ray-test"))


@pytest.fixture(scope="session", autouse=True)
def alone() -> None:
    if why := why_not():
        pytest.fail(f"{why}, and in CI that may not be: make ray-test")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A head that does no work itself. Its nodes find the functions of these tests, and the Worldwright of this environment."""
    from ray.cluster_utils import Cluster

    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "error", "PYTHONPATH": str(ROOT)}
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": SOON}
    made = Cluster(initialize_head=True, head_node_args=head)
    yield made
    made.shutdown()


@pytest.fixture
def node(cluster: Cluster) -> Iterator[NodeMaker]:
    """Makes a node with one CPU, which goes when the test ends."""
    made = []

    def more() -> Any:
        made.append(cluster.add_node(num_cpus=1))
        return made[-1]

    yield more
    for one in made:
        if one in cluster.worker_nodes:
            cluster.remove_node(one, allow_graceful=False)


@pytest.fixture
def joined(cluster: Cluster) -> Iterator[Joiner]:
    """Joins a node with one CPU that another Python runs, named by a command."""
    import ray

    started: list[subprocess.Popen[bytes]] = []

    def join(*python: str | Path, path: Path = ROOT) -> None:
        start = ("-m", "ray.scripts.scripts", "start", f"--address={cluster.address}", "--num-cpus=1", "--block")
        env = {**os.environ, "PYTHONPATH": str(path)}
        started.append(subprocess.Popen([*map(str, python), *start], env=env, stdout=subprocess.DEVNULL))
        ray.init(address=cluster.address, log_to_driver=False)
        until = time.monotonic() + 60
        while not ray.cluster_resources().get("CPU") and time.monotonic() < until:
            assert started[-1].poll() is None
            time.sleep(0.1)
        ray.shutdown()

    yield join
    for process in started:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has every library of this environment, and no Worldwright."""
    import venv

    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(next(p for p in sys.path if p.endswith("site-packages")) + "\n")
    return folder / "bin" / "python"
