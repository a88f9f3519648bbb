"""Pages of sessions in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page
from tests.app.conftest import Visit
from tests.app.visiting import Visitor

OpenPage = Callable[..., Page]


def _note_dialog(dialog: Dialog, said: list[str]) -> None:
    said.append(f"dialog: {dialog.message}")
    dialog.dismiss()


@pytest.fixture
def open_page(chromium: Browser, visit: Visit) -> Iterator[OpenPage]:
    """Opens a session in a context of its own: the page stands at its start. What the page logs is in `page.said`."""
    contexts = []

    def open_session(
        path: str = "", visitor: Visitor | None = None, context: dict[str, Any] | None = None, **options: Any
    ) -> Page:
        one = visitor or visit(**({"task": "task_001"} | options))
        contexts.append(chromium.new_context(**(context or {})))
        page = contexts[-1].new_page()
        page.set_default_timeout(15_000)
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: _note_dialog(dialog, said))
        page.said = said  # type: ignore[attr-defined]
        page.visitor = one  # type: ignore[attr-defined]
        page.goto(f"{one.server.url}{one.path(path)}")
        return page

    yield open_session
    for context in contexts:
        context.close()
