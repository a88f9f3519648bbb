"""Worlds that many tests look at, built once per process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_file
from worldwright.engine.world import World
from worldwright.factory.build import Built, build
from worldwright.store.open import world_of

EXAMPLE = Path(__file__).parent.parent / "examples" / "town_library.yaml"


@pytest.fixture(scope="session")
def library() -> Checked:
    """The small example Blueprint."""
    return load_file(EXAMPLE)


@pytest.fixture(scope="session")
def library_world(library: Checked) -> World:
    return world_of(build(library, 7).pack)


@pytest.fixture(scope="session")
def built(pytestconfig: pytest.Config) -> Callable[[str], Built]:
    """A catalogue world with seed 7, sealed in memory. Tracing thousands of episodes would double the time and show nothing."""
    done: dict[str, Built] = {}
    tracer = getattr(pytestconfig.pluginmanager.getplugin("_cov"), "cov_controller", None)

    def get(name: str) -> Built:
        if name not in done:
            if tracer is not None:
                tracer.pause()
            done[name] = build(catalogue.load(name), 7)
            if tracer is not None:
                tracer.resume()
        return done[name]

    return get


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's store."""
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one large world go to one worker, which builds it once; what is slow already is not slowed down by tracing."""
    worlds = set(catalogue.names())
    for item in items:
        name = getattr(item, "callspec", None) and item.callspec.params.get("name")  # type: ignore[attr-defined]
        if "catalogue" in item.path.parts and name in worlds:
            item.add_marker(pytest.mark.xdist_group(name))
        if item.get_closest_marker("slow") or {"catalogue", "graph"} & set(item.path.parts):
            item.add_marker(pytest.mark.no_cover)
