"""Sealed worlds as the battery sees them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.assay.worlds import MAIN, Proved, proved

from worldwright.compiler.build import BuiltWorld


@pytest.fixture(scope="session")
def world(built: Callable[[str], BuiltWorld]) -> Callable[[str], Proved]:
    """A catalogue world with seed 7, opened from its pack."""
    done: dict[str, Proved] = {}

    def get(name: str) -> Proved:
        if name not in done:
            done[name] = proved(built(name).pack)
        return done[name]

    return get


@pytest.fixture(scope="session")
def main(world: Callable[[str], Proved]) -> Proved:
    return world(MAIN)
