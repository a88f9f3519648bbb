"""Builds: one world as it comes to be, runs of thousands by their journal, and the form that starts either."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from worldwright import catalogue
from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.core.names import suggest
from worldwright.factory.build_log import LoggedBuild, read_build
from worldwright.factory.journal import RunState, list_runs, look_at_run
from worldwright.facts.shelf import title_of
from worldwright.kinds.database.battery.run import CELLS
from worldwright.studio.context import Studio
from worldwright.studio.drawing.growth import draw_amounts, draw_growth
from worldwright.studio.drawing.tool_graph import draw_links
from worldwright.studio.forms import Form
from worldwright.studio.jobs import ERRORS, Job
from worldwright.studio.live import follow
from worldwright.studio.orders import EVERYTHING, read_order
from worldwright.studio.pages import Crumb, link
from worldwright.studio.progress import STAGE_NAMES, gather_progress
from worldwright.variants.axes import NAMES as AXES
from worldwright.variants.layers import LAYERS

BUILDS = Crumb("Builds", "/builds")
MAX_FAILURES_SHOWN = 200


def add_routes(app: FastAPI, studio: Studio) -> None:
    sent = Depends(studio.take_form)

    @app.get("/builds")
    def show_builds(request: Request) -> Response:
        jobs = [(job, read_log(job)) for job in studio.jobs.list_jobs("build")]
        runs = [_describe_run(folder) for folder in list_runs(studio.store.root)]
        return studio.pages.render(request, "builds.html", title="Builds", jobs=jobs, runs=runs)

    @app.get("/builds/new")
    def show_form(request: Request, domain: str = "") -> Response:
        anchors = {name: name for name in studio.anchors.names()}
        domains = {name: title_of(name) for name in catalogue.names()}
        return studio.pages.render(
            request, "build_new.html", [BUILDS, Crumb("Build a world")], anchors=anchors, domains=domains, domain=domain, axes=AXES,
            layers=list(LAYERS), everything=EVERYTHING,
        )  # fmt: skip

    @app.post("/builds")
    def start(request: Request, form: Form = sent) -> Response:
        known = (*catalogue.names(), *studio.anchors.names(), *_worlds_of_anchors(studio))
        command, title, about = read_order(form, known)
        job = studio.jobs.start("build", title, command, about)
        return RedirectResponse(link("builds", job.id), 303)

    @app.post("/builds/{key}/stop")
    def stop(request: Request, key: str, form: Form = sent) -> Response:
        studio.jobs.stop(_find(studio, key))
        return RedirectResponse(link("builds", key), 303)

    @app.post("/builds/{key}/again")
    def again(request: Request, key: str, form: Form = sent) -> Response:
        job = _find(studio, key)
        if job.running:
            raise UsageError("this build is still at work; stop it first, or wait until it ends")
        fresh = studio.jobs.start("build", job.title, job.command, job.about)
        return RedirectResponse(link("builds", fresh.id), 303)

    @app.get("/builds/{key}")
    def show_build(request: Request, key: str) -> Response:
        job = _find(studio, key)
        log = read_log(job)
        crumbs = [BUILDS, Crumb(job.title)]
        values: dict[str, Any] = {
            "job": job,
            "log": log,
            "status": find_status(job, log),
            "errors": job.read(ERRORS),
            "command": show_command(job),
        }
        if log is not None and log.asked.get("many"):
            return studio.pages.render(
                request,
                "order.html",
                crumbs,
                live=_live(job, "builds"),
                run=_look(log),
                **values,
                **_describe_order(_look(log), log),
            )
        return studio.pages.render(
            request, "build.html", crumbs, live=_live(job, "builds"), **values, **_describe_build(studio, job, log)
        )

    @app.get("/builds/{key}/live")
    def follow_build(key: str) -> Response:
        job = _find(studio, key)
        run = _look(read_log(job))

        def look() -> tuple[object, bool]:
            signature = job.signature()
            return (signature, run and _sign(run.folder)), bool(signature[0])

        return follow(look, studio.stopping)

    @app.get("/orders/{key}")
    def show_order(request: Request, key: str) -> Response:
        run = look_at_run(_find_run(studio, key))
        return studio.pages.render(
            request,
            "order.html",
            [BUILDS, Crumb(f"Run {key}")],
            live=link("orders", key, "live") if run.running else "",
            run=run,
            job=None,
            log=None,
            status="running" if run.running else "done" if run.report else "stopped",
            errors="",
            command="",
            **_describe_order(run, None),
        )

    @app.get("/orders/{key}/live")
    def follow_order(key: str) -> Response:
        folder = _find_run(studio, key)
        return follow(lambda: (_sign(folder), look_at_run(folder).running), studio.stopping)


def _find(studio: Studio, key: str) -> Job:
    job = studio.jobs.find(key)
    if job.kind != "build":
        raise StoreError("there is no such build here")
    return job


def _find_run(studio: Studio, key: str) -> Path:
    found = {folder.name: folder for folder in list_runs(studio.store.root)}
    if key not in found:
        raise StoreError(f"there is no run {key[:40]!r} here; {suggest(key[:40], found)}")
    return found[key]


def _worlds_of_anchors(studio: Studio) -> list[str]:
    out = []
    for name in studio.anchors.names():
        try:
            out += [str(world["name"]) for world in studio.anchors.read_lock(name)["worlds"]]
        except WorldwrightError:
            continue
    return out


def read_log(job: Job) -> LoggedBuild | None:
    """What a build has told; None where it has not begun, or did not get that far."""
    try:
        return read_build(job.events)
    except StoreError:
        return None


def find_status(job: Job, log: LoggedBuild | None) -> str:
    """How a build is: running, done, failed, stopped or killed."""
    if log is not None and log.end:
        return log.end
    return "running" if job.running else "failed" if job.read(ERRORS).strip() and log is None else "killed"


def show_command(job: Job) -> str:
    """The command as one would type it."""
    parts = list(job.command)
    if "--events" in parts:
        at = parts.index("--events")
        parts[at : at + 2] = []
    return "worldwright " + " ".join(
        part if part.replace("-", "").replace("_", "").isalnum() else repr(part) for part in parts
    )


def _live(job: Job, room: str) -> str:
    return link(room, job.id, "live") if job.running else ""


def _describe_build(studio: Studio, job: Job, log: LoggedBuild | None) -> dict[str, Any]:
    if log is None:
        return {"progress": None, "elapsed": 0.0, "stage_names": STAGE_NAMES, "began": 0.0}
    changed = job.events.stat().st_mtime
    elapsed = log.seconds + (max(0.0, time.time() - changed) if log.running and not log.end else 0.0)
    progress = gather_progress(log, elapsed)
    graph, digest = progress.graph, str(log.facts.get("digest", ""))
    picture = ""
    if graph is not None:
        changing = set(graph.changing)
        links = [(a, b, a in changing and b in changing, f"{a} feeds {b}") for a, b in graph.links]
        url = (lambda tool: link("world", digest, "tools", tool)) if digest else (lambda tool: "#graph")
        words = f"{len(progress.proven):,} of {len(links):,} links that were proposed have been shown by a run"
        picture = draw_links(graph.tools, changing, links, url, words, proven=set(progress.proven))
    order = [name for name, _ in CELLS]
    return {
        "progress": progress, "elapsed": elapsed, "began": changed - log.seconds, "stage_names": STAGE_NAMES, "picture": picture,
        "growth": draw_growth(progress.grown, "growth") if progress.grown else "",
        "amounts": draw_amounts(progress.rows, "rows", "Rows by table") if progress.rows else "",
        "cells": sorted(progress.cells.items(), key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order)),
        "world": digest if digest and digest in studio.store else "",
    }  # fmt: skip


# many worlds


def _look(log: LoggedBuild | None) -> RunState | None:
    found = log.asked.get("run") if log is not None else None
    return look_at_run(Path(str(found))) if found else None


def _sign(folder: Path) -> tuple[int, ...]:
    return tuple(path.stat().st_size for name in ("journal.jsonl", "report.json") if (path := folder / name).exists())


def _describe_run(folder: Path) -> dict[str, Any]:
    run = look_at_run(folder)
    there = sum(row.ok for row in run.rows.values())
    families = run.order.get("families") or []
    return {
        "key": folder.name,
        "families": len(families),
        "title": ", ".join(str(f.get("name")) for f in families[:3]) + (", …" if len(families) > 3 else ""),
        "there": there,
        "failed": len(run.rows) - there,
        "total": _count_asked(run),
        "status": "running" if run.running else "done" if run.report else "stopped",
    }


def _count_asked(run: RunState) -> int:
    asked = run.report.get("asked")
    return (
        int(asked)
        if isinstance(asked, int)
        else len(run.order.get("families") or []) * int(run.order.get("variants") or 0)
    )


def _describe_order(run: RunState | None, log: LoggedBuild | None) -> dict[str, Any]:
    if run is None:
        return {
            "families": [],
            "there": 0,
            "failed": [],
            "total": 0,
            "workers": {},
            "core": 0.0,
            "tasks": 0,
            "bytes": 0,
            "many_failed": 0,
        }
    rows = list(run.rows.values())
    asked = int(run.order.get("variants") or 0)
    there, failed = Counter(row.family for row in rows if row.ok), [row for row in rows if not row.ok]
    names = [str(family.get("name")) for family in run.order.get("families") or []]
    wrong = Counter(row.family for row in failed)
    families = [
        {
            "name": name,
            "there": there[name],
            "failed": wrong[name],
            "asked": asked,
            "tasks": sum(row.tasks for row in rows if row.family == name),
            "core": sum(row.core for row in rows if row.family == name),
        }
        for name in dict.fromkeys([*names, *there, *wrong])
    ]
    planned: Mapping[str, Any] = log.planned if log is not None else {}
    return {
        "families": families, "there": sum(there.values()), "failed": failed[:MAX_FAILURES_SHOWN], "many_failed": len(failed),
        "total": int(planned.get("total") or _count_asked(run)), "workers": log.workers if log is not None else {},
        "core": sum(row.core for row in rows), "tasks": sum(row.tasks for row in rows), "bytes": sum(row.bytes for row in rows),
    }  # fmt: skip
