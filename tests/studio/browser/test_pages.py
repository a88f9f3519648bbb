"""Every sort of page in a real browser: light and dark, wide and narrow, checked by axe, with nothing in the console."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page
from tests.browser import find_violations
from tests.studio.browser.conftest import OpenStudio
from tests.studio.house import House, Visitor
from tests.studio.test_pages import ROOMS, WORLD

NARROW, WIDE = {"width": 380, "height": 800}, {"width": 1360, "height": 900}
CONTEXTS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": WIDE},
    "dark": {"color_scheme": "dark", "viewport": WIDE},
    "narrow": {"viewport": NARROW},
}
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def follow(visitor: Visitor, page: str, pattern: str) -> str:
    """Where the first link of a page that fits leads."""
    found = re.search(rf'href="({pattern})"', visitor.page(page))
    assert found is not None, f"no link {pattern} on {page}"
    return str(urljoin(page, found[1].replace("&amp;", "&")))


def list_pages(visitor: Visitor, house: House) -> Iterator[str]:
    """A page of every sort."""
    yield from ROOMS
    yield from (f"/world/{house.digest}{part}" for part in WORLD)
    yield f"/play/new?world={house.digest}&task=task_001"
    run = follow(visitor, "/runs", r"/runs/[0-9a-f]{12}")
    yield run
    yield follow(visitor, f"{run}/episodes", rf"{run}/episodes/[0-9a-f]+")
    yield f"{run}/episodes"
    arena = follow(visitor, "/arenas", r"/arenas/[0-9a-f]{12}")
    yield arena
    yield follow(visitor, "/trainings", r"/trainings/[0-9a-f]{12}")
    bench = follow(visitor, "/benches", r"/benches/[^\"/?]+")
    yield bench
    yield from (f"{bench}/{part}" for part in ("claims", "findings", "operations", "files"))


@pytest.mark.slow
@pytest.mark.parametrize("look", CONTEXTS)
def test_every_sort_of_page_is_sound(open_studio: OpenStudio, visitor: Visitor, house: House, look: str) -> None:
    page: Page = open_studio("/", **CONTEXTS[look])
    wrong: list[str] = []
    for path in list_pages(visitor, house):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, path
        if look == "narrow":
            over = page.evaluate(TOO_WIDE)
            wrong += [f"{path}: {over} pixels too wide"] if over > 0 else []
        else:
            wrong += [f"{path}: {one}" for one in find_violations(page)]
    assert wrong == []
    assert page.said == []  # type: ignore[attr-defined]
