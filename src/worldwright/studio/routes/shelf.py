"""The shelf: the catalogue, anchors, and the packs of the store, with counts, grades and what they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright import catalogue
from worldwright.core.errors import StoreError, WorldwrightError
from worldwright.english.nouns import count_noun
from worldwright.facts.anchor import summarise_lock
from worldwright.facts.shelf import COUNTED, GymFacts, list_gyms, title_of
from worldwright.store.stats import Stats, count_store
from worldwright.studio.context import Studio
from worldwright.studio.pages import Crumb, format_bytes, link
from worldwright.studio.places import BENCH
from worldwright.world.manifest import Manifest

PARTS_OF_COUNTS = ("tables", "tables", "tools", "rules", "tasks")
"""Where each count of a world leads: to what it counts."""
MAX_PACKS_COUNTED = 400
"""Of a larger store, `worldwright store stats` says what is shared."""
MAX_VARIANTS_SHOWN = 200
KINDS = {
    "any": "files",
    "prd": "requirements",
    "docs": "documentation",
    "repo": "repository",
    "mcp": "MCP tools",
    "sql": "SQL",
    "openapi": "OpenAPI",
}
"""What the kinds of evidence are called."""
HOME = Crumb("Shelf", "/")


def add_routes(app: FastAPI, studio: Studio) -> None:
    shared: dict[frozenset[str], Stats] = {}

    @app.get("/")
    def show_shelf(request: Request) -> Response:
        gyms = list_gyms(studio.store, studio.worlds.read_manifest)
        built = Counter(gym.name for gym in gyms)
        return studio.pages.render(
            request, "shelf.html", title="Shelf", root=studio.store.root, gyms=_show_gyms(studio, gyms),
            anchors=list(_show_anchors(studio)), domains=[_show_domain(studio, name, built) for name in catalogue.names()],
            shared=_say_what_is_shared(studio, shared),
        )  # fmt: skip

    @app.get("/worlds/{name}/{tag}")
    def show_gym(request: Request, name: str, tag: str, page: int = 1) -> Response:
        variants = studio.store.variants(name, tag)
        return studio.pages.render(
            request, "gym.html", [HOME, Crumb(f"{name}:{tag}")], title=title_of(name), gym=name, tag=tag,
            **_show_variants(studio, variants, page),
        )  # fmt: skip


def _show_gyms(studio: Studio, gyms: Iterable[GymFacts]) -> list[dict[str, Any]]:
    anchors = _worlds_of_anchors(studio)
    out = [
        {
            "name": gym.name, "tag": gym.tag, "title": gym.title, "variants": gym.variants, "digest": gym.digest,
            "url": link("world", gym.digest) if gym.variants == 1 else link("worlds", gym.name, gym.tag),
            "numbers": _link_counts(gym.digest, gym.counts), "grade": gym.manifest.grade if gym.manifest else "",
            "origin": gym.problem or _say_origin(gym.name, anchors),
        }
        for gym in gyms
    ]  # fmt: skip
    named = {gym.digest for gym in gyms} if isinstance(gyms, Sequence) else set[str]()
    for digest, path in studio.worlds.list_folders():
        if digest not in named:
            manifest = studio.worlds.read_manifest(digest)
            counts = _count(manifest)
            out.append({
                "name": path.name, "tag": "latest", "title": title_of(manifest.name), "variants": 1, "digest": digest,
                "url": link("world", digest), "numbers": _link_counts(digest, counts), "grade": manifest.grade,
                "origin": f"the folder {path.parent.name}/",
            })  # fmt: skip
    return out


def _count(manifest: Manifest) -> list[int | None]:
    return [manifest.counts.get(name) for name in COUNTED]


def _link_counts(digest: str, counts: Sequence[int | None]) -> list[tuple[int | None, str]]:
    return [(n, link("world", digest, part)) for n, part in zip(counts, PARTS_OF_COUNTS, strict=True)]


def _worlds_of_anchors(studio: Studio) -> dict[str, str]:
    """The anchor of each world that was made from evidence."""
    out = {}
    for name in studio.anchors.names():
        try:
            out.update({str(w["name"]): name for w in studio.anchors.read_lock(name)["worlds"]})
        except WorldwrightError:
            continue
    return out


def _say_origin(name: str, anchors: Mapping[str, str]) -> str:
    if name in anchors:
        return f"anchor {anchors[name]}"
    return "catalogue" if name in catalogue.names() else "a Blueprint"


def _show_anchors(studio: Studio) -> Iterable[dict[str, Any]]:
    benches = {place.name: link("benches", place.id) for place in studio.places.list_places(BENCH)}
    for name in studio.anchors.names():
        try:
            found = summarise_lock(studio.anchors.read_lock(name))
        except WorldwrightError as e:
            yield {"anchor": name, "title": "", "made_of": str(e), "worlds": [], "operations": 0,
                   "claims": {"total": 0}, "grade": "", "bench": ""}  # fmt: skip
            continue
        kinds = Counter(one["kind"] for one in found["inputs"])
        yield {
            **found,
            "made_of": ", ".join(KINDS.get(kind, kind) + (f" ({n})" if n > 1 else "") for kind, n in kinds.items()),
            "operations": sum(world["operations"] for world in found["worlds"]),
            "grade": next((world["grade"] for world in found["worlds"] if world.get("grade")), ""),
            "bench": benches.get(name, ""),
        }


def _show_domain(studio: Studio, name: str, built: Mapping[str, int]) -> dict[str, Any]:
    entry, depth = catalogue.read_entry(name), studio.measures.get(name)
    return {
        "name": name, "title": entry.title, "category": entry.category, "summary": " ".join(entry.summary.split()),
        "numbers": [depth.get(part) for part in ("entities", "operations", "policies", "goals")],
        "built": built.get(name, 0), "built_url": link("search", q=name),
    }  # fmt: skip


def _say_what_is_shared(studio: Studio, known: dict[frozenset[str], Stats]) -> str:
    digests = frozenset(studio.store.digests())
    if not digests:
        return ""
    if len(digests) > MAX_PACKS_COUNTED:
        return f"{len(digests):,} packs; `worldwright store stats` says what they share."
    if digests not in known:
        known.clear()
        known[digests] = count_store(studio.store)
    found = known[digests]
    return (
        f"{count_noun(found.packs, 'pack')} in the store take {format_bytes(found.bytes)}; if nothing were shared it would be "
        f"{format_bytes(found.bytes_unshared)}, and as folders {format_bytes(found.bytes_as_folders)}."
    )


def _show_variants(studio: Studio, variants: Mapping[str, str], page: int) -> dict[str, Any]:
    names = list(variants)
    start = max(0, page - 1) * MAX_VARIANTS_SHOWN
    shown = [
        (name, variants[name], *_read(studio, variants[name])) for name in names[start : start + MAX_VARIANTS_SHOWN]
    ]
    manifests = [m for _, _, m, _ in shown if m is not None]
    return {
        "total": len(names), "page": max(1, page), "pages": -(-len(names) // MAX_VARIANTS_SHOWN),
        "shown": [
            {"variant": name, "digest": digest, "manifest": m, "problem": problem, "url": link("world", digest),
             "numbers": [] if m is None else _link_counts(digest, _count(m)),
             "differs": {} if m is None else {**m.axes, **m.variant}}
            for name, digest, m, problem in shown
        ],
        "blueprints": len({m.blueprint for m in manifests}), "states": len({m.state for m in manifests}),
        "tasks": sum(m.counts.get("tasks", 0) for m in manifests),
    }  # fmt: skip


def _read(studio: Studio, digest: str) -> tuple[Manifest | None, str]:
    try:
        return studio.worlds.read_manifest(digest), ""
    except (WorldwrightError, StoreError) as e:
        return None, str(e)
