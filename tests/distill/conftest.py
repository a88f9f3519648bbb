"""Runs in the town library, played once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.distill.played import Scripted, elsewhere, gold, record, wrong_answer

from worldwright.agents.protocol import Options, make_agent
from worldwright.engine.world import World
from worldwright.rollout.read import Run


@pytest.fixture(scope="session")
def good(library_world: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every task done right."""
    return record(library_world, make_agent("oracle"), tmp_path_factory.mktemp("runs") / "good")


@pytest.fixture(scope="session")
def bad(library_world: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every task done right, and then answered with nothing."""
    return record(library_world, Scripted("hasty", wrong_answer), tmp_path_factory.mktemp("runs") / "bad")


@pytest.fixture(scope="session")
def chance(library_world: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "chance"
    return record(library_world, make_agent("random", Options(more={"calls": "4"})), folder, attempts=3)


@pytest.fixture(scope="session")
def many(good: Run, bad: Run, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Runs in six domains."""
    folder = tmp_path_factory.mktemp("many")
    others = [
        elsewhere(run, folder / f"{name}-{run.folder.name}", name)
        for name in ("museum", "archive", "bookshop", "school", "clinic")
        for run in (good, bad)
    ]
    return [run.folder for run in (good, bad, *others)]


@pytest.fixture(scope="session")
def twice(library_world: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every task done right by another agent, in the same calls."""
    return record(library_world, Scripted("copycat", gold), tmp_path_factory.mktemp("runs") / "twice")
