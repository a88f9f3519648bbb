"""Tests of adapters, over a small gym in a folder as a user has it on disk (`gym_folder`).

Each folder in here is a framework with an environment of its own (`make adapters-test`); where the framework is not installed,
its tests are left out.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from worldwright.engine.world import World
from worldwright.store.open import open_world

HERE = Path(__file__).parent
FRAMEWORKS = {"verifiers": "verifiers", "openenv": "openenv", "gymnasium": "gymnasium", "inspect": "inspect_ai"}
"""By folder, the module that has to be there."""
FRAMEWORKS |= {"browsergym": "browsergym"}
FRAMEWORKS |= {"fastmcp": "fastmcp", "mcp1": "httpx_sse"}
"""Clients of our own servers. `mcp` itself is in the main environment, in its second generation, which needs no `httpx_sse`."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without its environment a framework is left out; what it warns of is not ours to mend."""
    for item in items:
        folder = item.path.parent.name
        if HERE in item.path.parents and folder in FRAMEWORKS:
            item.add_marker(pytest.mark.filterwarnings("default"))
            if find_spec(FRAMEWORKS[folder]) is None:
                item.add_marker(pytest.mark.skip(reason=f"needs {folder}: make adapters-test ADAPTERS={folder}"))


@pytest.fixture(scope="session")
def world(gym_folder: Path) -> World:
    return open_world(gym_folder / "seed_7")
