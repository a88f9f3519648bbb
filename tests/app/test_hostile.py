"""Hostile text in every field: it is shown as text, wherever it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from tests.app.conftest import Visit
from tests.app.visiting import Visitor
from tests.shared_builds import build

from worldwright.blueprint.load import load_text
from worldwright.engine.world import World
from worldwright.store.open import world_of

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><b>{{7*7}}{% raw %}</b>&lt;"
TURNED = "\u202eevil\u202c \u2066x\u2069 مرحبا <i>"
LONG = "w" * 10_000
LINES = "one\n\ntwo\ttab\r three \x0b x"
NASTY = (MARKUP, LONG, "مرحبا <i>")
"""What a Blueprint may hold. Characters that turn the line around it may not: these come in through a form."""
SHAPES = (
    "javascript:alert(1)",
    "http://evil.example/?q=",
    "../../../etc/passwd",
    "`backticks` and __dunder__ ${x} %s {0}",
)


def blueprint() -> str:
    rows = [
        {"name": f"{n} {text}", "subject": text, "body": text, "price": 1.5} for n, text in enumerate((*NASTY, *SHAPES))
    ]
    return f"""
blueprint: hostile
title: {json.dumps("Shop <script>alert(3)</script>")}
summary: {json.dumps(MARKUP)}
now: 2025-06-16T09:00:00Z
currency: EUR
systems: {{shop: {json.dumps("the <b>shop</b> " + MARKUP)}}}
roles: {{}}
entities:
  thing:
    in: shop
    says: {json.dumps(MARKUP)}
    key: TH-###
    rows: {len(rows)}
    seeds: {json.dumps(rows)}
    called: ["{{name}}"]
    fields:
      name: {{type: text, says: {json.dumps(MARKUP)}}}
      subject: text
      body: text
      price: money
      seen_on: date ~ today
  part:
    in: shop
    key: PT-###
    rows: 8
    fields:
      thing: thing as parts ~ any(t for t in thing)
      note: text ~ {json.dumps(json.dumps(MARKUP))}
policies:
  nasty:
    about: {{t: thing}}
    rule: t.price >= 0
    says: {json.dumps("No price is below zero " + MARKUP.replace("{", "").replace("}", ""))}
    cases:
      - allowed: {{t.price: 1}}
      - forbidden: {{t.price: -1}}
operations:
  rename:
    in: shop
    says: {json.dumps("Rename it " + MARKUP)}
    by: anyone
    takes:
      thing: thing
      name: {{type: text, min: 1, says: {json.dumps(MARKUP)}}}
      note: text?
    does:
      - require: name != 'no'
        else: NOT_THAT
        says: "Not {{name}} {{thing.name}}"
      - obey: {{nasty: {{t: thing}}}}
      - set: {{thing.name: name}}
    gives: thing
  find_things: {{in: shop, says: Search., by: anyone, search: thing, filters: [name, subject, seen_on], sort: [seen_on]}}
  find_parts: {{in: shop, says: Search., by: anyone, search: part, filters: [thing], sort: [note]}}
  get_thing: {{in: shop, says: One., by: anyone, get: thing, with: [parts]}}
"""


class Tags(HTMLParser):
    """The elements of a page and their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(build(load_text(blueprint()), 7, with_tasks=False).pack)


@pytest.fixture
def visitor(visit: Visit, world: World) -> Visitor:
    return visit(world=world)


def pages() -> Iterator[str]:
    yield from (
        "",
        "system/shop",
        "handbook",
        "activity",
        "do/rename",
        "form/get_thing",
        "list/find_things",
        "list/find_parts",
    )
    yield from (
        "list/find_things?~as=inbox",
        "open/get_thing?thing=TH-001",
        "open/get_thing?thing=%3Cscript%3E",
        "row/1?at=items.0",
    )
    yield from (
        "list/find_things?name=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "list/find_things?seen_on_from=%22%3E%3Cb%3E",
    )
    yield from (
        "do/rename?thing=%22%3E%3Cscript%3E&name=%3Cimg+src%3Dx%3E",
        "list/find_things?~as=%3Cscript%3E&~for=1.%3Cb%3E",
    )
    yield from ("%3Cscript%3Ealert(1)%3C/script%3E", "list/find_things?sort=%3Cscript%3E")


def check_page(text: str) -> None:
    """Only our own elements: no script or handler but the one file, no link out of the server, no style in the page."""
    tags = Tags(text)
    assert [attrs.get("src") for tag, attrs in tags.found if tag == "script"][1:] == []
    assert not any(tag in ("img", "i", "iframe", "object", "embed", "style", "base") for tag, _ in tags.found)
    for tag, attrs in tags.found:
        assert not any(name.startswith("on") or name == "style" for name in attrs), (tag, attrs)
        for name in ("href", "src", "action", "formaction"):
            assert not re.match(r"\s*(?:[a-z]+:|//)", attrs.get(name) or "", re.IGNORECASE), (tag, attrs)
    assert "{{7*7}}" in text or "49" not in "".join(tags.texts)


@pytest.mark.parametrize("page", tuple(pages()))
def test_hostile_text_is_shown_as_text(visitor: Visitor, page: str) -> None:
    visitor.get("list/find_things?limit=50")
    check_page(visitor.get(page).text)


def test_every_character_arrives(visitor: Visitor) -> None:
    """Nothing is cut or changed on its way: what the tool gave stands in the page."""
    text = "".join(Tags(visitor.get("list/find_things?limit=50").text).texts)
    for row in visitor.session.seen[0].result.data["items"]:
        assert row["name"] in text
    assert LONG in text
    record = "".join(Tags(visitor.get("open/get_thing?thing=TH-001").text).texts)
    assert MARKUP in record


@pytest.mark.parametrize(
    "text", [*NASTY, *SHAPES, TURNED, LINES, "  spaces  ", "\nfirst line empty", "no"], ids=lambda text: repr(text[:20])
)
def test_hostile_text_survives_a_form(visitor: Visitor, text: str) -> None:
    """Written into a field, refused and shown again, or done and shown: it is the same text."""
    page = visitor.post("do/rename", {"~form": "0", "thing": "TH-001", "name": text, "note": text})
    check_page(page.text)
    wanted = text.replace("\r\n", "\n")
    assert visitor.session.seen[0].arguments["name"] == wanted
    if text == "no":
        assert page.status == 422
        assert "Not no 0 <script>alert(1)</script>" in page.words
    else:
        assert visitor.session.seen[0].result.data["name"] == wanted
        assert wanted in "".join(Tags(visitor.get("open/get_thing?thing=TH-001").text).texts)


def test_a_text_area_gives_back_what_was_written(visitor: Visitor) -> None:
    """HTML drops the first line break of a text area: it is written twice."""
    written = "\n\nbelow </textarea><b>"
    page = visitor.post("do/rename", {"~form": "0", "thing": "TH-001", "name": "", "note": written})
    assert page.status == 422
    found = re.search(r'(?s)<textarea name="note"[^>]*>\n(.*?)</textarea>', page.text)
    assert found is not None
    assert found[1] == "\n\nbelow &lt;/textarea&gt;&lt;b&gt;"
