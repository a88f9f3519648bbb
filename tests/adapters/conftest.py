"""Worlds for the tests of adapters: a small gym in a folder, as a user has it on disk.

Each folder in here is a framework with an environment of its own (`make adapters-test`); where the framework is not installed,
its tests are left out.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.worlds import text

from worldwright.blueprint.load import load_cached
from worldwright.engine.world import World
from worldwright.factory.build import build
from worldwright.pack.seal import write_pack
from worldwright.store.open import open_world

HERE = Path(__file__).parent
FRAMEWORKS = {"verifiers": "verifiers", "openenv": "openenv", "gymnasium": "gymnasium", "inspect": "inspect_ai"}
"""By folder, the module that has to be there."""


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
def gym_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gym of two variants of the town library, packs in a folder: `open_gym(str(folder))`."""
    folder = tmp_path_factory.mktemp("gym") / "town_library"
    for seed in (7, 8):
        made = build(load_cached(text("town_library"), "town_library.yaml"), seed)
        write_pack(made.pack.files, folder / f"seed_{seed}")
    return folder


@pytest.fixture(scope="session")
def world(gym_folder: Path) -> World:
    return open_world(gym_folder / "seed_7")
