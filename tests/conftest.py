"""Worlds that many tests look at, built once per process."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from tests.domains import CHOSEN
from tests.effort import EFFORT, FULL, examples
from tests.shared_builds import build
from tests.timing import Meter, Timing, is_slow, runs_today, suite_of

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_file
from worldwright.compiler.build import BuiltWorld
from worldwright.engine.world import World
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.battery.settings import FULL as FULL_BATTERY
from worldwright.pack.seal import write_pack
from worldwright.store.open import world_of

MAIN = "enterprise_procurement"
"""The world of tests that need one that is large."""
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=examples(100))
settings.register_profile("fuzz", print_blob=True, deadline=None, max_examples=examples(100))
settings.load_profile("fuzz" if EFFORT == "fuzz" else "repeatable")

signal.signal(signal.SIGINT, signal.default_int_handler)
"""What is started in the background ignores Ctrl-C, and so would the programs that tests start and stop."""

EXAMPLE = Path(__file__).parent.parent / "examples" / "town_library.yaml"


@pytest.fixture(scope="session")
def library() -> Checked:
    """The small example Blueprint."""
    return load_file(EXAMPLE)


UNTRACED = frozenset(
    {
        "assay",
        "catalogue",
        "factory",
        "graph",
        "model",
        "test_base_onto",
        "test_blueprint_new",
        "test_bulk",
        "test_catalog",
        "test_contrast",
        "variants",
    }
)
"""Folders and files whose tests build worlds by the dozen."""
WORLDS = frozenset({"test_goals", "test_habits", "test_base_onto", "test_derive"})
"""Files whose tests share worlds: one worker builds them once."""


@pytest.fixture(scope="session")
def library_world(library: Checked) -> World:
    return world_of(build(library, 7).pack)


@pytest.fixture(scope="session")
def gym_folder(library: Checked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gym of two variants of the town library, packs in a folder: `open_gym(str(folder))`."""
    folder = tmp_path_factory.mktemp("gym") / "town_library"
    for seed in (7, 8):
        write_pack(build(library, seed).pack.files, folder / f"seed_{seed}")
    return folder


@pytest.fixture(scope="session")
def built() -> Callable[[str], BuiltWorld]:
    """A catalogue world with seed 7: sealed after the battery for many worlds, in CI one of them after the full one."""
    done: dict[str, BuiltWorld] = {}

    def get(name: str) -> BuiltWorld:
        if name not in done:
            with untraced():
                done[name] = build(
                    catalogue.load(name), 7, battery=FULL_BATTERY if FULL and name in CHOSEN[1:2] else BULK
                )
        return done[name]

    return get


@contextmanager
def untraced() -> Iterator[None]:
    """Without coverage: tracing thousands of episodes would double the time and show nothing new.

    pytest-cov's own `no_cover` stops only one of the two measurements that it starts in a worker of pytest-xdist."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Timing())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("untraced") is None:
        return (yield)
    with untraced():
        return (yield)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's store."""
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "home"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of slow tests, a run of a whole folder takes those of this commit, and begins with them.

    Tests that share a world go to one worker, which opens it once; what is slow already is not slowed down by tracing.
    """
    worlds = set(catalogue.names())
    for item in items:
        assert isinstance(item, pytest.Function)
        if is_slow(item.nodeid):
            item.add_marker(pytest.mark.slow)
        name = item.callspec.params.get("name") if hasattr(item, "callspec") else None
        if "built" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group(name if name in worlds else MAIN))
        if item.path.stem in WORLDS or item.path.parent.name == "layers":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        examples = is_hypothesis_test(item.obj)
        if examples or item.get_closest_marker("slow") or UNTRACED & {*item.path.parts, item.path.stem}:
            item.add_marker(pytest.mark.untraced)
    if suite_of(config):
        left = [item for item in items if item.get_closest_marker("slow") and not runs_today(item.nodeid)]
        left = left if len(left) < len(items) else []  # where all are slow and it is nobody's turn
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]
    items.sort(
        key=lambda item: (item.get_closest_marker("slow") is None, item.get_closest_marker("xdist_group") is None)
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser for the tests of this process: Playwright runs once in a thread."""
    from tests.browser import open_chromium

    with open_chromium() as browser:
        yield browser
