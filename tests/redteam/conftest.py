"""One world for every attack: built once, opened once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.redteam.helpers import LIBRARY, MINI, Files, opened
from tests.shared_builds import build

import worldwright
from worldwright.blueprint.load import load_file, load_text
from worldwright.engine.env import Env
from worldwright.engine.world import World
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.pack.seal import write_pack


@pytest.fixture(scope="session")
def files() -> Files:
    """The files of a sealed town library. Never changed: attacks copy."""
    return build(load_file(LIBRARY), 7).pack.files


@pytest.fixture(scope="session")
def folder(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pack on disk. Never changed."""
    path = tmp_path_factory.mktemp("packs") / "library"
    write_pack(files, path)
    return path


@pytest.fixture(scope="session")
def library(folder: Path) -> World:
    return worldwright.open_world(folder)


@pytest.fixture(scope="session")
def lab() -> World:
    return opened(build(load_text(dump_yaml(MINI)), 7).pack.files)


@pytest.fixture
def env(library: World) -> Iterator[Env]:
    """A fresh episode as a manager, who may do everything."""
    made = library.env()
    made.reset(role="manager")
    yield made
    made.close()


@pytest.fixture
def bench(lab: World) -> Iterator[Env]:
    made = lab.env()
    made.reset()
    yield made
    made.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Attacks run without coverage: the limit that ends a hanging one may not interrupt a tracer that holds its lock."""
    for item in items:
        if "redteam" in item.path.parts:
            item.add_marker(pytest.mark.untraced)
