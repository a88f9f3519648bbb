"""What one does in the studio, done in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.studio.browser.conftest import OpenStudio
from tests.studio.browser.test_pages import follow
from tests.studio.house import House, Running, Visitor, keep_workshop, running

pytestmark = pytest.mark.slow


def run_of(visitor: Visitor, agent: str = "hasty") -> str:
    """The page of an agent's run."""
    found = re.findall(r'href="(/runs/[0-9a-f]{12})"[^>]*>([^<]*)', visitor.page("/runs"))
    return str(next(path for path, name in found if agent in name))


def test_nobody_comes_in_without_the_token(open_studio: OpenStudio, studio: Running) -> None:
    page = open_studio("/")
    stranger = page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    stranger.goto(studio.url)
    expect(stranger.get_by_role("heading", name="The door is closed")).to_be_visible()
    stranger.context.close()


def test_keys_lead_through_lists_tabs_and_the_search(open_studio: OpenStudio, house: House) -> None:
    page = open_studio(f"/world/{house.digest}/tools")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator(".picked").count() == 1
    name = page.locator(".picked a").first.inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    page.goto(f"/world/{house.digest}/tools")
    page.keyboard.press("]")
    expect(page.locator(".tabs [aria-current]")).not_to_contain_text("Tools")
    page.keyboard.press("/")
    page.keyboard.type("loan limit")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=loan\+limit"))
    expect(page.get_by_role("main")).to_contain_text("loan_limit")


def test_a_table_is_filtered_and_sorted_where_it_stands(open_studio: OpenStudio, house: House) -> None:
    page = open_studio(f"/world/{house.digest}/tasks")
    rows = page.locator("main tbody tr")
    every = rows.count()
    page.keyboard.press("f")
    page.keyboard.type("task_003")
    expect(page.locator("main tbody tr:visible")).to_have_count(1)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("main tbody tr:visible")).to_have_count(every)
    head = page.locator("main th[data-sort] button").first
    head.click()
    head.click()
    first = page.locator("main tbody tr").first.inner_text()
    head.click()
    assert page.locator("main tbody tr").first.inner_text() != first


def test_light_and_dark_are_chosen_and_kept(open_studio: OpenStudio) -> None:
    page = open_studio("/", color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    page.keyboard.press("t")
    assert page.evaluate(background) != before
    page.reload()
    assert page.evaluate(background) != before


def test_the_graph_of_tools_is_explored_by_keyboard(open_studio: OpenStudio, house: House) -> None:
    page = open_studio(f"/world/{house.digest}/graph")
    tool = page.locator("svg [data-tool='lend']")
    tool.focus()
    assert page.locator("svg.looking .near").count() > 1
    box = page.locator("[data-picture] svg").get_attribute("viewBox")
    page.keyboard.press("+")
    assert page.locator("[data-picture] svg").get_attribute("viewBox") != box
    tool.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("lend")


def test_an_episode_is_scrubbed_forked_and_gone_on_with_in_the_app(
    open_studio: OpenStudio, visitor: Visitor, house: House
) -> None:
    """From a failed run of an agent to a task that passes, by hand, in the software of the business."""
    run = run_of(visitor)
    page = open_studio(follow(visitor, f"{run}/episodes", rf"{run}/episodes/[0-9a-f]+"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".scrub output")).to_contain_text("step 1 of")
    assert page.url.endswith("#step-1")
    page.get_by_role("button", name="begin by hand from here").click()
    expect(page).to_have_url(re.compile(r"/play/[0-9a-f]{12}"))
    played = page.url.partition("#")[0]
    page.get_by_role("button", name="Go on in the app").click()
    expect(page).to_have_url(re.compile(r"/app/e/"))
    page.get_by_role("link", name="Lending desk").first.click()
    page.get_by_role("link", name=re.compile("^Members")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Members")
    page.goto(played)
    expect(page.locator(".steps .step")).to_have_count(1)
    expect(page.locator(".steps")).to_contain_text("find_members")


def test_a_task_is_begun_from_its_world_and_answered_in_the_app(open_studio: OpenStudio, house: House) -> None:
    page = open_studio(f"/world/{house.digest}/tasks/1")
    page.get_by_role("link", name="Do it yourself").click()
    page.get_by_role("button", name="Begin in the app").click()
    page.get_by_role("link", name="Finish", exact=True).first.click()
    outcome = page.get_by_label("Outcome", exact=True)
    outcome.select_option(index=1)
    page.get_by_role("button", name=re.compile("Submit|Send|answer", re.I)).filter(visible=True).last.click()
    expect(page.get_by_role("main")).to_contain_text(re.compile("fail", re.I))


def test_two_episodes_and_two_runs_are_compared(open_studio: OpenStudio, visitor: Visitor) -> None:
    page = open_studio("/runs")
    boxes = page.locator("main tbody input[type=checkbox]")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name=re.compile("compare", re.I)).click()
    expect(page).to_have_url(re.compile("/runs/compare"))
    run = run_of(visitor)
    page.goto(f"{run}/episodes")
    boxes = page.locator("main tbody input[type=checkbox]")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name=re.compile("compare|side by side", re.I)).click()
    expect(page).to_have_url(re.compile("/episodes/compare"))


def test_a_failure_class_leads_to_its_episodes_in_two_clicks(open_studio: OpenStudio, visitor: Visitor) -> None:
    page = open_studio(follow(visitor, "/arenas", r"/arenas/[0-9a-f]{12}"))
    page.locator("main svg a[href*='failures'], main a[href*='failures']").first.click()
    page.locator("main a[href*='/episodes/']").first.click()
    expect(page.get_by_role("heading", name=re.compile("Verdict"))).to_be_visible()


def test_a_training_is_followed_while_it_goes_on(open_studio: OpenStudio, visitor: Visitor, house: House) -> None:
    path = follow(visitor, "/trainings", r"/trainings/[0-9a-f]{12}")
    page = open_studio(path)
    before = page.get_by_role("main").inner_text()
    metrics = house.here / "runs" / "training" / "metrics.jsonl"
    kept = metrics.read_text()
    try:
        with metrics.open("a") as file:
            file.write('{"stage": "grpo", "step": 12, "reward": 0.9, "solved": 0.9}\n')
        expect(page.get_by_role("main")).not_to_have_text(before, timeout=15_000)
    finally:
        metrics.write_text(kept)


@pytest.fixture
def own(tmp_path: Path, house: House) -> Iterator[Running]:
    """A studio of one's own, to start builds in."""
    home, here = tmp_path / "home", tmp_path / "here"
    here.mkdir()
    keep_workshop(home)
    with running(House(home, here, house.digest)) as found:
        yield found


def test_a_build_is_started_and_watched_to_its_end(open_studio: OpenStudio, own: Running) -> None:
    page: Page = open_studio("/builds/new?domain=hotel_booking", house=own)
    page.get_by_label(re.compile("tasks", re.I)).filter(visible=True).first.uncheck()
    page.get_by_role("button", name=re.compile("build|start", re.I)).filter(visible=True).last.click()
    expect(page).to_have_url(re.compile(r"/builds/[^/]+$"))
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"rows", re.I), timeout=60_000)
    expect(page.locator(".mark.done").first).to_be_visible(timeout=120_000)
    expect(page.get_by_role("link", name="Open the world")).to_be_visible()
    page.reload()
    expect(page.locator(".mark.done").first).to_be_visible()
    page.get_by_role("link", name="Open the world").click()
    expect(page.get_by_role("main")).to_contain_text("Rows")


def test_a_claim_is_answered_beside_its_evidence(open_studio: OpenStudio, visitor: Visitor) -> None:
    bench = follow(visitor, "/benches", r"/benches/[^\"/?]+")
    page = open_studio(f"{bench}/claims")
    card = page.locator(".claim").first
    card.hover()
    expect(page.locator("mark.at").first).to_be_visible()
    card.locator("select[name=is]").select_option(index=2)
    chosen = card.locator("select[name=is]").input_value()
    card.locator("textarea, input[name=why]").first.fill("said in a browser")
    card.get_by_role("button").last.click()
    expect(page.locator(".claim").first.locator("select[name=is]")).to_have_value(chosen)


def test_what_an_operation_does_is_confirmed(open_studio: OpenStudio, visitor: Visitor) -> None:
    bench = follow(visitor, "/benches", r"/benches/[^\"/?]+")
    page = open_studio(f"{bench}/operations")
    expect(page.get_by_role("main")).to_contain_text("not looked at")
    page.get_by_role("button", name=re.compile("^yes", re.I)).first.click()
    expect(page.get_by_role("main")).to_contain_text("confirmed")
