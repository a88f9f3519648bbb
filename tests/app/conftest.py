"""One server for the tests of the app, and visitors of the town library in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.app.visiting import Visitor

from worldwright.app import AppServer
from worldwright.engine.world import World

Visit = Callable[..., Visitor]


@pytest.fixture(scope="session")
def app_server() -> Iterator[AppServer]:
    server = AppServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def visit(app_server: AppServer, library_world: World) -> Iterator[Visit]:
    """Opens sessions, of the town library unless another world is given."""
    opened: list[Visitor] = []

    def open_session(task: str | int | None = None, world: World | None = None, **options: object) -> Visitor:
        session = app_server.sessions.open(world or library_world, task, **options)  # type: ignore[arg-type]
        opened.append(Visitor(app_server, session))
        return opened[-1]

    yield open_session
    for visitor in opened:
        app_server.sessions.close(visitor.session)
