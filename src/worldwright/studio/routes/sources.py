"""What worlds are made from: businesses of the catalogue, anchors with what was read in them; and the search over everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.catalogue.search import search
from worldwright.core.errors import StoreError, WorldwrightError
from worldwright.core.names import to_words
from worldwright.facts.anchor import summarise_lock
from worldwright.facts.shelf import list_gyms, title_of
from worldwright.facts.world import policy_facts, table_facts
from worldwright.studio.context import Studio
from worldwright.studio.drawing.entities import draw_entities, draw_lifecycles
from worldwright.studio.pages import Crumb, link
from worldwright.studio.places import ARENA, BENCH, RUN, TRAINING
from worldwright.studio.routes.world_frame import known_policies, known_tables, known_tasks, known_tools

SHELF = Crumb("Shelf", "/")
MAX_ENTRIES = 300
MAX_HITS = 60
ROOMS = {RUN: "runs", ARENA: "arenas", TRAINING: "trainings", BENCH: "benches"}


def add_routes(app: FastAPI, studio: Studio) -> None:
    drawn: dict[str, Any] = {}

    @app.get("/catalogue/{name}")
    def show_domain(request: Request, name: str) -> Response:
        checked = catalogue.load(name)
        if name not in drawn:
            drawn[name] = _draw(checked)
        tables = table_facts(checked, {})
        gyms = [gym for gym in list_gyms(studio.store, studio.worlds.read_manifest) if gym.name == name]
        return studio.pages.render(
            request,
            "domain.html",
            [SHELF, Crumb(checked.blueprint.title)],
            domain=name,
            blueprint=checked.blueprint,
            checked=checked,
            tables=tables,
            policies=policy_facts(checked),
            depth=studio.measures.get(name),
            picture=drawn[name][0],
            lifecycles=drawn[name][1],
            gyms=gyms,
            rows={t.name: checked.schema.entities[t.name].rows for t in tables},
        )

    @app.get("/anchors/{name}")
    def show_anchor(request: Request, name: str) -> Response:
        if name not in studio.anchors.names():
            raise StoreError(f"there is no anchor {name[:60]!r} here")
        lock = studio.anchors.read_lock(name)
        bench = next((link("benches", p.id) for p in studio.places.list_places(BENCH) if p.name == name), "")
        return studio.pages.render(
            request,
            "anchor.html",
            [SHELF, Crumb(str(lock["title"] or name))],
            anchor=name,
            lock=lock,
            short=summarise_lock(lock),
            bench=bench,
            most=MAX_ENTRIES,
            built={
                gym.name: link("worlds", gym.name, gym.tag)
                for gym in list_gyms(studio.store, studio.worlds.read_manifest)
            },
        )

    @app.get("/search")
    def show_search(request: Request, q: str = "") -> Response:
        words = q.lower().split()
        groups = {
            "Worlds": list(_find_worlds(studio, words)),
            "In worlds that are open": list(_find_inside(studio, words)),
            "Anchors": list(_find_anchors(studio, words)),
            "Runs, arenas, trainings, benches": list(_find_places(studio, words)),
            "Catalogue": list(_find_domains(q)) if words else [],
        }
        return studio.pages.render(
            request,
            "search.html",
            title="Search",
            q=q,
            groups={n: hits for n, hits in groups.items() if hits} if words else {},
        )


def _draw(checked: Checked) -> tuple[Any, dict[str, Any]]:
    entities = checked.schema.entities
    counts = {name: entity.rows for name, entity in entities.items()}
    tables = table_facts(checked, counts)
    refs = [(name, c.type.entity, c.name) for name, entity in entities.items() for c in entity.refs]
    return draw_entities(tables, refs, lambda name: f"#{name}"), draw_lifecycles(
        {t.name: t.lifecycle for t in tables}, {}
    )


Hit = tuple[str, str, str]
"""What it is called, its page, and a word about it."""


def _fits(words: list[str], *texts: str) -> bool:
    whole = " ".join(texts).lower()
    return all(word in whole or word in to_words(whole) for word in words)


def _find_worlds(studio: Studio, words: list[str]) -> Iterator[Hit]:
    for gym in list_gyms(studio.store, studio.worlds.read_manifest):
        if _fits(words, gym.name, gym.tag, gym.title, gym.digest):
            url = link("world", gym.digest) if gym.variants == 1 else link("worlds", gym.name, gym.tag)
            yield (
                gym.title,
                url,
                f"{gym.name}:{gym.tag}, {gym.variants} variants" if gym.variants > 1 else f"{gym.name}:{gym.tag}",
            )


def _find_inside(studio: Studio, words: list[str]) -> Iterator[Hit]:
    """Tables, tools, rules and tasks of the worlds that somebody has looked at."""
    count = 0
    for world in studio.worlds.list_open():
        title = world.pack.checked.blueprint.title
        found: list[tuple[str, str, str, str]] = [
            *((t.name, "tables", t.says, "table") for t in known_tables(world).values()),
            *((t.name, "tools", t.description, "tool") for t in known_tools(world).values()),
            *((p.name, "rules", p.says, "rule") for p in known_policies(world).values()),
            *((t.id, "tasks", t.instruction, "task") for t in known_tasks(world).values()),
        ]
        for name, part, says, what in found:
            if _fits(words, name, says) and count < MAX_HITS:
                count += 1
                yield name, link("world", world.digest, part, name), f"{what} of {title}: {says[:160]}"


def _find_anchors(studio: Studio, words: list[str]) -> Iterator[Hit]:
    for name in studio.anchors.names():
        try:
            lock = studio.anchors.read_lock(name)
        except WorldwrightError:
            continue
        if _fits(words, name, str(lock["title"])):
            yield str(lock["title"] or name), link("anchors", name), f"anchor {name}"


def _find_places(studio: Studio, words: list[str]) -> Iterator[Hit]:
    for place in studio.places.list_places(*ROOMS):
        if _fits(words, place.name, place.kind):
            yield place.name, link(ROOMS[place.kind], place.id), place.kind


def _find_domains(query: str) -> Iterator[Hit]:
    for hit in search(query)[:MAX_HITS]:
        where = "; ".join(f"{place.section} {place.name}: {place.text[:120]}".strip() for place in hit.places[:2])
        yield title_of(hit.domain), link("catalogue", hit.domain), where
