"""A gym exported for OpenEnv, and its server running in a process of its own, as a user has both."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from worldwright.adapters.export import export
from worldwright.engine.world import Gym
from worldwright.store.open import open_gym


@pytest.fixture(scope="session")
def gym(gym_folder: Path) -> Gym:
    return open_gym(gym_folder)


@pytest.fixture(scope="session")
def package(gym_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `worldwright export --to openenv` writes."""
    out = tmp_path_factory.mktemp("exported") / "town_library_env"
    export("openenv", str(gym_folder), out)
    return out


@pytest.fixture(scope="session")
def server(package: Path) -> Iterator[str]:
    """The address of the exported server, started as its README says."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "server.app:app", "--port", str(port), "--log-level", "warning"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command, cwd=package, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        said = process.communicate(timeout=20)[0]
    assert "Traceback" not in said, said


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        assert process.poll() is None, process.communicate()[0]
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            assert connection.getresponse().status == 200
            return
        except ConnectionError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("the server did not start")
