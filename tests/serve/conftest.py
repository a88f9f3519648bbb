"""One server for the tests that change nothing about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.serve.http_server import Server, started

from worldwright.engine.world import Gym
from worldwright.store.open import open_gym


@pytest.fixture(scope="session")
def gym(gym_folder: Path) -> Gym:
    """What the server serves, in this process."""
    return open_gym(str(gym_folder))


@pytest.fixture(scope="session")
def server(gym_folder: Path) -> Iterator[Server]:
    with started(gym_folder, "--workers", "2") as found:
        yield found


@pytest.fixture
def client(server: Server) -> Iterator[httpx2.Client]:
    with server.client() as found:
        yield found
