"""The app in a real browser: with the script and without, by keyboard alone, and whatever one does with the back button."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.app.browser.conftest import OpenPage
from tests.app.test_pages import free_copy, free_member
from tests.app.visiting import Visitor

from worldwright.app.face import AppEpisode
from worldwright.engine.world import World

AN_IMAGE = """
const image = new Image();
image.onload = () => done("reached");
image.onerror = () => done("refused");
image.src = "http://example.com/x.png";
"""
A_SOCKET = """
try {
  const socket = new WebSocket("ws://example.com/");
  socket.onopen = () => done("reached");
  socket.onerror = socket.onclose = () => done("refused");
} catch { done("refused"); }
"""
NO_SCRIPT = {"java_script_enabled": False}


def seen(page: Page) -> list[Any]:
    visitor: Visitor = page.visitor  # type: ignore[attr-defined]
    return visitor.session.seen


def said(page: Page) -> list[str]:
    """What a page logged besides what browsers mention: answers of another status than 200, a date that is none."""
    passed_over = ("Failed to load resource", "does not conform to the required format")
    return [one for one in page.said if not any(known in one for known in passed_over)]  # type: ignore[attr-defined]


def fill_lend(page: Page) -> None:
    visitor: Visitor = page.visitor  # type: ignore[attr-defined]
    page.get_by_label("Member", exact=True).fill(free_member(visitor))
    page.get_by_label("Copy", exact=True).fill(free_copy(visitor))
    page.get_by_label("Days", exact=True).fill("7")


def send(page: Page) -> Any:
    return page.get_by_role("form", name="Lend").get_by_role("button").filter(visible=True).last


@pytest.mark.parametrize("context", [{}, NO_SCRIPT], ids=["script", "no script"])
def test_a_reference_is_looked_up_and_chosen(open_page: OpenPage, context: dict[str, Any]) -> None:
    page = open_page("do/lend", context=context)
    page.get_by_label("Days", exact=True).fill("9")
    page.get_by_label("Member", exact=True).fill("Abigail")
    page.get_by_role("button", name="Look up Member").click()
    area: Any = page.locator("dialog") if not context else page
    area.get_by_role("link", name="Choose").first.click()
    expect(page.get_by_label("Member", exact=True)).to_have_value(seen(page)[0].result.data["items"][0]["id"])
    expect(page.get_by_label("Days", exact=True)).to_have_value("9")
    assert [(one.tool, one.arguments) for one in seen(page)] == [("find_members", {"name": "Abigail"})]
    assert said(page) == []


def test_the_dialog_of_a_look_up_searches_turns_and_closes(open_page: OpenPage) -> None:
    page = open_page("do/lend")
    page.get_by_role("button", name="Look up Member").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", level=1)).to_have_text("Members")
    dialog.get_by_role("link", name="Next").click()
    expect(dialog.get_by_role("status")).to_contain_text("11 to 20")
    dialog.get_by_label("Name", exact=True).fill("a")
    dialog.get_by_role("search").get_by_role("button").filter(visible=True).last.click()
    expect(dialog.get_by_role("status")).not_to_contain_text("11 to 20")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_label("Member", exact=True)).to_be_focused()
    assert [one.arguments for one in seen(page)] == [{}, {"offset": 10}, {"name": "a"}]
    assert said(page) == []


@pytest.mark.parametrize("context", [{}, NO_SCRIPT], ids=["script", "no script"])
def test_rows_are_added_and_removed(open_page: OpenPage, context: dict[str, Any]) -> None:
    page = open_page("do/clear_shelf", context=context, task=None, role="manager")

    def row(number: int) -> Any:
        return (
            page.get_by_role("group", name=f"Copies {number}", exact=True)
            .get_by_role("textbox")
            .or_(page.get_by_role("group", name=f"Copies {number}", exact=True).get_by_role("combobox"))
        )

    for number in (1, 2, 3):
        if number > 1:
            page.get_by_role("button", name="Add a row to Copies").click()
        row(number).first.fill(f"CPY-000{number}")
    page.get_by_role("button", name="Remove Copies 2").click()
    expect(page.locator("fieldset.list .item")).to_have_count(2)
    page.get_by_role("form", name="Clear shelf").get_by_role("button").filter(visible=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clear shelf")
    assert [one.arguments for one in seen(page)] == [{"copies": ["CPY-0001", "CPY-0003"]}]
    assert said(page) == []


def test_a_double_click_sends_once_and_a_reload_repeats_nothing(open_page: OpenPage) -> None:
    page = open_page("do/lend")
    fill_lend(page)
    send(page).dblclick()
    expect(page.get_by_role("status")).to_contain_text("Done")
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Done")
    assert [one.tool for one in seen(page)] == ["lend"]
    page.go_back()
    expect(page.get_by_role("form", name="Lend")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("status")).to_contain_text("Done")
    assert [one.tool for one in seen(page)] == ["lend"]


def test_a_refused_form_keeps_what_was_written_and_is_mended(open_page: OpenPage) -> None:
    page = open_page("do/lend")
    fill_lend(page)
    page.get_by_label("Days", exact=True).fill("many")
    send(page).click()
    expect(page.get_by_role("alert")).to_contain_text("“Days” has to be a whole number")
    days = page.get_by_label("Days", exact=True)
    expect(days).to_have_value("many")
    expect(days).to_have_attribute("aria-invalid", "true")
    days.fill("7")
    send(page).click()
    expect(page.get_by_role("status")).to_contain_text("Done")
    assert [one.result.ok for one in seen(page)] == [False, True]


def test_everything_can_be_reached_and_done_by_keyboard(open_page: OpenPage) -> None:
    """From the skip link through the navigation into a form, and sent with Enter."""
    page = open_page("")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.goto(page.url.partition("#")[0] + "list/find_loans")
    page.keyboard.press("/")
    expect(page.locator("main form[role=search] input").first).to_be_focused()
    page.goto(page.url.replace("list/find_loans", "do/lend"))
    fill_lend(page)
    page.get_by_label("Days", exact=True).press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Done")
    assert [one.tool for one in seen(page)] == ["find_loans", "lend"]


def test_menus_open_with_the_keyboard_and_close_with_escape(open_page: OpenPage) -> None:
    page = open_page("system/desk")
    visitor: Visitor = page.visitor  # type: ignore[attr-defined]
    from worldwright.app.looks.themes import THEMES

    visitor.session.looks["desk"] = next(look for look in THEMES if look.layout == "top")
    page.reload()
    menu = page.locator("nav summary").first
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.locator("nav details").first).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(page.locator("nav details[open]")).to_have_count(0)
    expect(menu).to_be_focused()


def test_hidden_columns_are_shown_by_a_click_and_no_call(open_page: OpenPage, visit: Any) -> None:
    page = open_page("list/find_loans")
    shown = page.get_by_label("Show all")
    if shown.count():
        before = page.locator("th:visible").count()
        shown.check()
        assert page.locator("th:visible").count() > before
    assert len(seen(page)) == 1


def test_nothing_outside_the_server_can_be_reached(chromium: Any, library_world: World) -> None:
    """By the page's own policy, and by the browser that an agent is given."""
    with library_world.open("task_001", face="app") as episode:
        assert isinstance(episode, AppEpisode)
        page = episode.new_page(chromium)
        port = page.url.split(":")[2].split("/")[0]
        beside = (f"http://127.0.0.1:{int(port) + 1}/", f"http://localhost:{port}/", "https://127.0.0.1/")
        for url in ("http://example.com/", *beside):
            tried = page.evaluate("url => fetch(url).then(() => 'reached', () => 'refused')", url)
            assert tried == "refused", url
        for script in (AN_IMAGE, A_SOCKET):
            assert page.evaluate(f"new Promise(done => {{ {script} }})") == "refused"
        with pytest.raises(Exception, match="ERR_FAILED"):
            page.goto("http://example.com/")
        assert episode.calls == 0
    assert page.is_closed()


def test_two_agents_in_one_browser_do_not_see_each_other(chromium: Any, library_world: World) -> None:
    with library_world.open("task_001", face="app") as one, library_world.open("task_001", face="app") as other:
        first, second = one.new_page(chromium), other.new_page(chromium)
        first.get_by_role("link", name="Desk").or_(first.get_by_role("link", name="Lending desk")).first.click()
        second.get_by_role("link", name="Handbook").first.click()
        expect(second.get_by_role("heading", level=1)).to_contain_text("handbook")
        assert first.context is not second.context
        assert first.url.split("/")[4] != second.url.split("/")[4]


def test_hostile_text_runs_nothing(open_page: OpenPage, visit: Any) -> None:
    from tests.app.test_hostile import blueprint, pages
    from tests.shared_builds import build

    from worldwright.blueprint.load import load_text
    from worldwright.store.open import world_of

    visitor = visit(world=world_of(build(load_text(blueprint()), 7, with_tasks=False).pack))
    page = open_page("list/find_things?limit=50", visitor=visitor)
    for path in pages():
        page.goto(f"{visitor.server.url}{visitor.path(path)}")
        page.wait_for_load_state()
        width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert width <= 0, (path, width)
    page.goto(f"{visitor.server.url}{visitor.path('do/rename')}")
    page.get_by_role("button", name="Look up Thing").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="Choose").first).to_be_visible()
    assert said(page) == []
