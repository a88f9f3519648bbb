"""Every page: it is there, it loads nothing from elsewhere, and its numbers lead to what they count."""

from __future__ import annotations

import re
from collections import deque
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from tests.studio.house import TASKS, House, Visitor, strip

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
SHAPES = re.compile(r"(?<=/)([0-9a-f]{64}|[0-9a-f]{12,20}|task_\d+|[A-Z]+-\d+)(?=/|$|\?)")
"""What tells pages of one sort apart: digests, ids."""
MAX_OF_A_SHAPE = 3


class Page(HTMLParser):
    """A page as it stands: its links, and everything that a policy would forbid."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if len(found) != len(attrs):
            self.wrong.append(f"<{tag}> has an attribute twice")
        self.wrong += [f"<{tag} {name}>" for name in found if name.startswith("on") or name in ("style", "srcdoc")]
        for name in ("href", "src", "action", "formaction", "xlink:href"):
            value = found.get(name)
            if value is not None and not value.startswith(("/", "#", "?")):
                self.wrong.append(f"<{tag} {name}={value[:60]!r}>")
        if tag in ("style", "iframe", "object", "embed", "base") or (
            tag == "script" and not (found.get("src") or "").startswith("/static/")
        ):
            self.wrong.append(f"<{tag}>")
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag in ("p", "li", "tr", "td", "option") or self._open[-1:] in (["p"], ["li"]):
            while self._open and self._open.pop() != tag:
                pass
        else:
            self.wrong.append(f"</{tag}> closes nothing")


ROOMS = ("/", "/builds", "/builds/new", "/benches", "/runs", "/arenas", "/trainings", "/play", "/search?q=library")


@pytest.mark.parametrize("path", ROOMS)
def test_every_room_has_a_page(visitor: Visitor, path: str) -> None:
    page = Page(visitor.page(path))
    assert page.wrong == []


WORLD = ("", "/tables", "/tables/loan", "/entities", "/tools", "/tools/lend", "/graph", "/rules", "/rules/loan_limit", "/tasks",
         "/tasks/1", "/proof", "/handbook", "/files", "/files?path=blueprint.yaml")  # fmt: skip


@pytest.mark.parametrize("part", WORLD)
def test_every_part_of_a_world_has_a_page(visitor: Visitor, house: House, part: str) -> None:
    page = Page(visitor.page(f"/world/{house.digest}{part}"))
    assert page.wrong == []
    assert len(set(page.ids)) == len(page.ids)


def _shape(address: str) -> str:
    path = urlsplit(address).path
    return SHAPES.sub("*", path) + ("?" if urlsplit(address).query else "")


@pytest.mark.slow
def test_every_link_leads_somewhere(visitor: Visitor) -> None:
    """From the shelf along all links, a few pages of each sort."""
    seen: dict[str, int] = {}
    waiting, met, anchors = deque(["/"]), {"/"}, 0
    while waiting:
        here = waiting.popleft()
        page = Page(visitor.page(here))
        assert page.wrong == [], here
        assert len(set(page.ids)) == len(page.ids), (here, [i for i in page.ids if page.ids.count(i) > 1])
        for link in page.links:
            whole = urljoin(here, link)
            address, _, _ = whole.partition("#")
            if link.startswith("#") and link != "#":
                anchors += 1
                assert link[1:] in page.ids, (here, link)
            shape = _shape(address)
            if address not in met and seen.get(shape, 0) < MAX_OF_A_SHAPE and not address.endswith("report.html"):
                seen[shape] = seen.get(shape, 0) + 1
                met.add(address)
                waiting.append(address)
    assert len(seen) > 40
    assert len(met) > 90
    assert anchors > 10


def test_the_shelf_says_what_there_is(visitor: Visitor) -> None:
    said = visitor.words("/")
    assert "Worlds 2" in said
    assert "Anchors 1" in said
    assert "Catalogue 26" in said
    assert "3 packs in the store" not in said
    assert "2 packs in the store take" in said


def test_a_gym_lists_its_variants(visitor: Visitor) -> None:
    said = visitor.words("/worlds/town_library/both")
    assert "2 variants" in said
    assert "default-7" in said
    assert "bare-7" in said


def count_rows(words: str, of: str = "") -> int:
    """How many rows a page of a table says that it shows."""
    said = re.search(rf"([\d,]+) rows?{of}", words)
    assert said
    return int(said[1].replace(",", ""))


def test_rows_are_searched_chosen_and_sorted(visitor: Visitor, house: House) -> None:
    root = f"/world/{house.digest}/tables/loan"
    every = visitor.words(root)
    chosen = visitor.words(root, where="status:out")
    total, out = count_rows(every), count_rows(chosen, " of")
    assert 0 < out < total
    ids = re.findall(r"LN-\d+", visitor.words(root, sort="-due_on"))
    assert ids[:5] != re.findall(r"LN-\d+", every)[:5]
    assert "0 rows of" in visitor.words(root, q="no such thing anywhere")
    last = visitor.page(root, page="2")
    assert "page 2 of" in strip(last)


def test_a_row_leads_to_what_refers_to_it(visitor: Visitor, house: House) -> None:
    page = visitor.page(f"/world/{house.digest}/tables/member/MEM-0001")
    assert f"/world/{house.digest}/tables/loan?where=member%3AMEM-0001" in page


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/world/" + "0" * 64, 404),
        ("/runs/000000000000", 404),
        ("/catalogue/no_such", 404),
        ("/runs/compare", 400),
        ("/episodes/compare", 400),
        ("/builds/none", 404),
    ],
)
def test_what_is_not_there_is_said(visitor: Visitor, path: str, status: int) -> None:
    answer = visitor.get(path)
    assert answer.status_code == status
    assert "back to the shelf" in strip(answer.text)


def test_search_finds_in_every_room(visitor: Visitor, house: House) -> None:
    visitor.page(f"/world/{house.digest}")
    assert "tool of" in visitor.words("/search", q="lend")
    assert "bench" in visitor.words("/search", q="library")
    assert "anchor workshop" in visitor.words("/search", q="workshop")
    assert "Hotel" in visitor.words("/search", q="hotel") or "hotel" in visitor.words("/search", q="hotel")


def test_tasks_are_counted_by_family(visitor: Visitor, house: House) -> None:
    assert f"Tasks {TASKS}" in visitor.words(f"/world/{house.digest}")
