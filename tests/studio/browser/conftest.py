"""Pages of the studio in Chromium, let in by the address that it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.studio.house import Running

OpenStudio = Callable[..., Page]


@pytest.fixture
def open_studio(chromium: Browser, studio: Running) -> Iterator[OpenStudio]:
    """Opens a path of the studio in a context of its own. What pages log, and what they ask elsewhere for, is in `page.said`."""
    contexts = []

    def open_page(path: str = "/", house: Running | None = None, **context: Any) -> Page:
        own = house or studio
        contexts.append(chromium.new_context(base_url=own.url, **context))
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda one: said.append(f"asks {one.url}") if not one.url.startswith(own.url) else None)
        page.said = said  # type: ignore[attr-defined]
        page.goto(own.studio.access.url)
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
