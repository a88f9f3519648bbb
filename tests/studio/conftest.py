"""One furnished house and one server for all tests of the studio; tests that change something furnish their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.studio.house import House, Running, Visitor, furnish, running


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return furnish(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="session")
def studio(house: House) -> Iterator[Running]:
    with running(house) as found:
        yield found


@pytest.fixture(scope="session")
def visitor(studio: Running) -> Iterator[Visitor]:
    made = studio.visitor()
    yield made
    made.client.close()
