"""Accessibility, checked by axe-core: every kind of page, in every look, light and dark; and none is wider than a narrow screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.app.conftest import Visit
from tests.app.visiting import Visitor
from tests.browser import find_violations
from tests.domains import take_turns
from tests.shared_builds import build

from worldwright import catalogue
from worldwright.app.looks.themes import THEMES, Look
from worldwright.engine.world import World
from worldwright.store.open import world_of

DOMAIN = "enterprise_procurement"
PAGES = (
    "", "system/erp", "list/find_orders", "list/find_orders?limit=50&ordered_on_from=2025-01-01", "list/find_vendors?name=zzzz",
    "open/get_request?requisition=REQ-00001", "open/get_order?purchase_order=nothing", "row/1?at=items.0", "do/place_order",
    "do/raise_request?needed_by=2025-01-01", "list/find_messages?~as=inbox", "handbook", "activity", "nothing",
)  # fmt: skip
LOOKS_IN_TURN = take_turns(*(look.name for look in THEMES), full=2)
OTHERS = {
    "broadband_support": (
        "list/find_visits?~as=calendar",
        "list/find_credits?~as=ledger",
        "list/find_lines",
        "do/open_ticket",
    ),
}


@pytest.fixture(scope="module")
def worlds() -> dict[str, World]:
    return {name: world_of(build(catalogue.load(name), 7, with_tasks=False).pack) for name in (DOMAIN, *OTHERS)}


def dress(visitor: Visitor, look: Look) -> None:
    """Give every system of a session one look."""
    for system in visitor.session.looks:
        if system:
            visitor.session.looks[system] = look


def look_at(page: Page, visitor: Visitor, path: str) -> None:
    page.goto(f"{visitor.server.url}{visitor.path(path)}")


def visit_all(visit: Visit, worlds: dict[str, World], look: Look) -> Iterator[tuple[Visitor, str]]:
    """Every kind of page of a few worlds, dressed in a look."""
    for name, paths in {DOMAIN: PAGES, **OTHERS}.items():
        visitor = visit(world=worlds[name], role="buyer" if name == DOMAIN else "agent")
        dress(visitor, look)
        visitor.get("list/find_orders?limit=2" if name == DOMAIN else "list/find_lines?limit=2")
        refused = visitor.post("do/open_ticket", {"~form": "0", "line": "x", "kind": "y"}) if name != DOMAIN else None
        for path in (*paths, *([refused.path] if refused is not None else ())):
            yield visitor, path


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", LOOKS_IN_TURN)
def test_pages_have_no_serious_findings(
    chromium: Browser, visit: Visit, worlds: dict[str, World], name: str, scheme: Any
) -> None:
    look = next(look for look in THEMES if look.name == name)
    with closing(chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})) as context:
        page = context.new_page()
        found: list[str] = []
        for visitor, path in visit_all(visit, worlds, look):
            look_at(page, visitor, path)
            found += [f"{path}: {one}" for one in find_violations(page)]
        assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_look_has_enough_contrast(chromium: Browser, visit: Visit, worlds: dict[str, World], scheme: Any) -> None:
    with closing(chromium.new_context(color_scheme=scheme)) as context:
        page = context.new_page()
        found: list[str] = []
        for look in THEMES:
            visitor = visit(world=worlds[DOMAIN], role="buyer")
            dress(visitor, look)
            for path in ("list/find_orders", "open/get_request?requisition=REQ-00001", "do/place_order"):
                look_at(page, visitor, path)
                found += [f"{look.name} {path}: {one}" for one in find_violations(page, only=["color-contrast"])]
        assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_a_task_have_no_serious_findings(chromium: Browser, visit: Visit, scheme: Any) -> None:
    with closing(chromium.new_context(color_scheme=scheme)) as context:
        page, visitor = context.new_page(), visit("task_001", face="asking")
        visitor.post("messages", {"~form": "0", "message": "Anything else?"})
        found: list[str] = []
        for path in ("", "request", "messages", "finish", "do/lend"):
            look_at(page, visitor, path)
            found += [f"{path}: {one}" for one in find_violations(page)]
        page.get_by_role("button", name="Look up Member").click()
        page.get_by_role("dialog").get_by_role("link", name="Choose").first.wait_for()
        found += [f"dialog: {one}" for one in find_violations(page)]
        visitor.post("finish", {"~form": "1", "outcome": "done"})
        look_at(page, visitor, "finish")
        found += [f"end: {one}" for one in find_violations(page)]
        assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKS_IN_TURN)
def test_no_page_is_wider_than_a_narrow_screen(
    chromium: Browser, visit: Visit, worlds: dict[str, World], name: str
) -> None:
    look = next(look for look in THEMES if look.name == name)
    with closing(chromium.new_context(viewport={"width": 360, "height": 740})) as context:
        page = context.new_page()
        for visitor, path in visit_all(visit, worlds, look):
            look_at(page, visitor, path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
