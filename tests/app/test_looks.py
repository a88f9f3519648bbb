"""Looks: themes as data, another one for each system, chosen by the world or its variant, and nothing else is another."""

from __future__ import annotations

import re
from importlib import resources

from tests.app.conftest import Visit
from tests.shared_builds import build

from worldwright.app.looks.choose import choose_looks
from worldwright.app.looks.themes import NEUTRAL, THEMES
from worldwright.blueprint.checked import Checked
from worldwright.store.open import world_of
from worldwright.variants.apply import apply
from worldwright.variants.axes.look import LOOKS
from worldwright.variants.record import Variant

SYSTEMS = ("a", "b", "c", "d", "e")


def test_there_are_enough_themes_and_their_fields_differ() -> None:
    assert len(THEMES) >= 6
    assert tuple(look.name for look in THEMES) == LOOKS
    for name, least in {
        "layout": 4,
        "density": 3,
        "palette": 8,
        "corners": 3,
        "labels": 2,
        "lists": 2,
        "type": 3,
        "send": 6,
        "order": 3,
    }.items():
        assert len({getattr(look, name) for look in THEMES}) >= least, name


def test_every_system_has_a_look_of_its_own() -> None:
    for digest in ("x", "y", "z"):
        chosen = choose_looks(SYSTEMS, digest)
        assert chosen[""] is NEUTRAL
        assert len({chosen[name].name for name in SYSTEMS}) == len(SYSTEMS)
        assert choose_looks(SYSTEMS, digest) == chosen
    assert len({choose_looks(SYSTEMS, str(n))["a"].name for n in range(200)}) == len(THEMES)


def test_a_variant_chooses_the_first() -> None:
    for look in THEMES:
        chosen = choose_looks(SYSTEMS, "x", look.name)
        assert chosen["a"] is look
        assert len({chosen[name].name for name in SYSTEMS}) == len(SYSTEMS)


def test_styles_know_every_value_of_every_field() -> None:
    styles = "".join(
        f.read_text() for f in (resources.files("worldwright.app") / "static").iterdir() if f.name.endswith(".css")
    )
    for look in (*THEMES, NEUTRAL):
        for name in ("density", "palette", "corners"):
            assert f".{name}-{getattr(look, name)} " in styles, look.name
        assert f".layout-{look.layout} " in styles
    for palette in {look.palette for look in THEMES}:
        assert styles.count(f".palette-{palette} {{") == 2, "light and dark"


def test_a_look_changes_what_a_page_looks_like_and_not_what_it_says(visit: Visit, library: Checked) -> None:
    pages = {}
    for look in ("slate", "paper"):
        varied = apply(library, Variant("town_library", 7, {"look": look}))
        visitor = visit(role="librarian", world=world_of(build(varied, 7, with_tasks=False).pack))
        page = visitor.get("list/find_loans?limit=3")
        classes = re.search(r'<body class="([^"]*)"', page.text)
        assert classes is not None
        pages[look] = (
            classes[1],
            sorted(set(re.findall(r"[A-Z]{2,4}-\d+", page.text))),
            visitor.session.seen[0].result.data,
        )
    assert pages["slate"][0] != pages["paper"][0]
    assert pages["slate"][1:] == pages["paper"][1:]
