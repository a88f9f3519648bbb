"""A world as a whole: what it is, how it was proven, its handbook, its files."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.assay.contracts import FIDELITY
from worldwright.assay.grade import GRADE
from worldwright.assay.world_grade import describe_grade
from worldwright.core.errors import PackError, StoreError
from worldwright.facts.datasheet import Datasheet, read_datasheet
from worldwright.facts.task import FAMILIES_SAY, count_families
from worldwright.facts.world import mess_facts, world_facts
from worldwright.kinds.database.battery.run import CELLS
from worldwright.studio.context import Studio
from worldwright.studio.handbook import read_blocks
from worldwright.studio.opened import OpenWorld
from worldwright.studio.pages import Crumb, link
from worldwright.studio.routes.world_frame import known_policies, known_tables, known_tasks, render_world

MAX_FILES_SHOWN = 4_000


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/world/{digest}")
    def show_world(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        facts = world.get("facts", lambda: world_facts(world.pack))
        sheet = known_sheet(world)
        return render_world(
            studio, request, world, "Overview", "world.html", facts=facts, sheet=sheet, grade=read_json(world, GRADE),
            lacking=describe_lacking(world), families=count_families(list(known_tasks(world).values())), families_say=FAMILIES_SAY,
            mess=world.get("mess", lambda: mess_facts(world.pack.pack)), rows=sum(t.rows for t in known_tables(world).values()),
            references=_find_references(studio, digest),
        )  # fmt: skip

    @app.get("/world/{digest}/proof")
    def show_proof(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        sheet, grade = known_sheet(world), read_json(world, GRADE)
        return render_world(
            studio,
            request,
            world,
            "Proof",
            "proof.html",
            sheet=sheet,
            raw=read_json(world, "datasheet.json"),
            cells=_order_cells(sheet),
            grade=grade,
            graded=describe_grade(grade) if grade else [],
            fidelity=read_json(world, FIDELITY),
        )

    @app.get("/world/{digest}/handbook")
    def show_handbook(request: Request, digest: str) -> Response:
        world = studio.worlds.open(digest)
        return render_world(
            studio, request, world, "Handbook", "handbook.html", blocks=list(read_blocks(world.pack.world.handbook)),
            rules=set(known_policies(world)),
        )  # fmt: skip

    @app.get("/world/{digest}/files")
    def show_files(request: Request, digest: str, path: str = "") -> Response:
        world = studio.worlds.open(digest)
        files = world.pack.pack.files
        if not path:
            listed = sorted((name, len(data)) for name, data in files.items())
            return render_world(studio, request, world, "Files", "files.html", files=listed, text=None)
        if path not in files:
            raise StoreError(f"this pack has no file {path[:120]!r}")
        text = None if path.endswith(".db") else files[path].decode(errors="backslashreplace")
        return render_world(
            studio, request, world, "Files", "files.html", Crumb(path), text=text, path=path, size=len(files[path]), files=[]
        )  # fmt: skip


def known_sheet(world: OpenWorld) -> Datasheet | None:
    """What the pack says of its verifiers."""
    return world.get("sheet", lambda: read_datasheet(world.pack.pack))


def read_json(world: OpenWorld, path: str) -> Any:
    """A JSON file of the pack; None where there is none."""
    raw = world.pack.pack.files.get(path)
    try:
        return None if raw is None else json.loads(raw)
    except (ValueError, RecursionError) as e:
        raise PackError(f"{path} cannot be read: {e}") from None


def describe_lacking(world: OpenWorld) -> list[str]:
    """What keeps a world from the next grade."""
    grade = read_json(world, GRADE)
    return [str(one) for one in grade.get("lacking", ())] if isinstance(grade, dict) else []


def _order_cells(sheet: Datasheet | None) -> list[str]:
    if sheet is None:
        return []
    names = [name for name, _ in CELLS if name in sheet.cells]
    return [*names, *(name for name in sheet.cells if name not in names)]


def _find_references(studio: Studio, digest: str) -> list[tuple[str, str]]:
    """The names under which a pack is kept, and the page of each."""
    return [
        (f"{name}:{tag}/{variant}", link("worlds", name, tag))
        for name, tag in studio.store.list_references()
        for variant, found in studio.store.variants(name, tag).items()
        if found == digest
    ]
