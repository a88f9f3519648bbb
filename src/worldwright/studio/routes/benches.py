"""Benches: claims beside the evidence, what operations are believed to do, findings, files and rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from worldwright.anchor.lock.files import sheet_name
from worldwright.author import verbs
from worldwright.author.beliefs import describe_operations
from worldwright.author.contract import make_contract
from worldwright.author.findings import CODES
from worldwright.author.folder import AUTHORS_OWN, REVIEW, read_bench, read_text
from worldwright.author.open import open_bench
from worldwright.author.review import count_review
from worldwright.author.rounds import read_rounds
from worldwright.core.canonical import sha256
from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.studio.context import Studio
from worldwright.studio.forms import Form, one
from worldwright.studio.jobs import ERRORS
from worldwright.studio.live import follow
from worldwright.studio.pages import link
from worldwright.studio.places import BENCH, Place
from worldwright.studio.routes.bench_frame import (
    BY,
    SHOWN_JOBS,
    TABS,
    OpenBench,
    open_bench_at,
    read_result,
    render_bench,
    sign_world,
)


def add_routes(app: FastAPI, studio: Studio) -> None:
    sent = Depends(studio.take_form)

    @app.get("/benches")
    def show_benches(request: Request) -> Response:
        benches = [_describe(place) for place in studio.places.list_places(BENCH)]
        anchors = [name for name in studio.anchors.names() if name not in {b["anchor"] for b in benches}]
        return studio.pages.render(
            request,
            "benches.html",
            title="Benches",
            benches=benches,
            anchors=anchors,
            known=studio.anchors.names(),
            here=studio.places.here,
        )

    @app.post("/benches")
    def open_(request: Request, form: Form = sent) -> Response:
        """Open a bench for an anchor, in the folder that the studio was started in: as `worldwright author open` does."""
        anchor = one(form, "anchor")
        if anchor not in studio.anchors.names():
            raise StoreError(f"there is no anchor {anchor[:60]!r} here")
        folder = open_bench(studio.anchors, anchor, studio.places.here / anchor)
        place = next(p for p in studio.places.list_places(BENCH) if p.path == folder.resolve())
        return RedirectResponse(link("benches", place.id), 303)

    @app.get("/benches/{key}")
    def show_bench(request: Request, key: str) -> Response:
        found = open_bench_at(studio, key)
        claims = Counter(row.is_ or ("open" if row.business else "not looked at") for row in found.bench.claims)
        return render_bench(
            studio,
            request,
            found,
            "Overview",
            "bench.html",
            claims=claims,
            rounds=read_rounds(found.folder)[::-1][:8],
            review=_count_review(found),
            sheets=verbs.list_evidence(found.folder),
            failed=_failed_job(found),
        )

    @app.get("/benches/{key}/findings")
    def show_findings(request: Request, key: str, code: str = "") -> Response:
        found = open_bench_at(studio, key)
        every = [f for f in found.last.get("findings", ()) if isinstance(f, dict)]
        return render_bench(
            studio,
            request,
            found,
            "Findings",
            "bench_findings.html",
            findings=[f for f in every if code in ("", f.get("code"))],
            counts=Counter(str(f.get("code")) for f in every),
            codes=CODES,
            code=code,
            grade=found.last.get("grade"),
            place_url=lambda place: _link_place(found, place),
        )

    @app.get("/benches/{key}/files")
    def show_files(request: Request, key: str, file: str = "") -> Response:
        found = open_bench_at(studio, key)
        name = file if file in AUTHORS_OWN else ""
        text = read_text(found.folder, name) if name else ""
        return render_bench(
            studio,
            request,
            found,
            "Files",
            "bench_files.html",
            file=name,
            text=text,
            digest=sha256(text.encode()),
            files=AUTHORS_OWN,
            editable=name != REVIEW,
            sizes={n: len(read_text(found.folder, n)) for n in AUTHORS_OWN},
        )

    @app.post("/benches/{key}/files")
    def write(request: Request, key: str, form: Form = sent) -> Response:
        found, name = open_bench_at(studio, key), one(form, "file")
        verbs.write_own_file(found.folder, name, one(form, "text"), one(form, "digest"))
        return RedirectResponse(link("benches", key, "files", file=name), 303)

    @app.get("/benches/{key}/rounds")
    def show_rounds(request: Request, key: str) -> Response:
        found = open_bench_at(studio, key)
        return render_bench(
            studio, request, found, "Rounds", "bench_rounds.html", rounds=read_rounds(found.folder)[::-1]
        )

    @app.post("/benches/{key}/run")
    def run(request: Request, key: str, form: Form = sent) -> Response:
        """Check, lock, or run the operations: each as the command does it, in a process of its own."""
        found, kind = open_bench_at(studio, key), one(form, "kind")
        by = ["--by", one(form, "by").strip() or BY]
        commands = {"check": ["check", *by], "lock": ["lock", *by], "review": ["review"]}
        if kind not in commands:
            raise UsageError(f"there is nothing called {kind[:40]!r} to run at a bench")
        if any(job.running for job in found.jobs if job.kind in ("check", "lock")) and kind != "review":
            raise UsageError("a check is at work already; wait until it ends")
        about = {"bench": found.key, "state": sign_world(found)}
        studio.jobs.start(
            kind,
            f"{SHOWN_JOBS[kind]} {found.place.name}",
            ["author", *commands[kind], "--folder", str(found.folder), "--json"],
            about,
        )
        back = one(form, "back")
        return RedirectResponse(link("benches", key, *([back] if back in dict(TABS).values() and back else [])), 303)

    @app.get("/benches/{key}/live")
    def follow_jobs(key: str) -> Response:
        def look() -> tuple[object, bool]:
            running = [job for job in studio.jobs.list_jobs() if job.about.get("bench") == key and job.running]
            return tuple(job.signature() for job in running), bool(running)

        return follow(look, studio.stopping)


def _describe(place: Place) -> dict[str, Any]:
    out: dict[str, Any] = {"place": place, "url": link("benches", place.id), "problem": "", "anchor": ""}
    try:
        bench, _ = read_bench(place.path)
        rounds = read_rounds(place.path)
    except WorldwrightError as e:
        return out | {"problem": str(e)}
    business = [row for row in bench.claims if row.business]
    return out | {
        "anchor": bench.anchor,
        "world": bench.world,
        "claims": len(bench.claims),
        "business": len(business),
        "open": sum(not row.is_ for row in business),
        "grade": rounds[-1].grade if rounds else "",
        "rounds": len(rounds),
    }


def _failed_job(found: OpenBench) -> str:
    """What the newest job says went wrong, where it came to nothing."""
    job = next((job for job in found.jobs if job.kind in ("check", "lock")), None)
    return "" if job is None or job.running or read_result(job) else job.read(ERRORS)[-1500:]


def _count_review(found: OpenBench) -> Mapping[str, int]:
    try:
        checked = verbs.load_bench(found.folder)
    except UsageError:
        return {}
    return count_review(found.bench.review, describe_operations(checked, make_contract(found.bench, checked).contract))


def _link_place(found: OpenBench, place: str) -> str:
    """Where a finding leads: to its claim, its operation, or its file."""
    file, _, node = place.partition("#")
    if file == "claims.yaml":
        row = next((row for row in found.bench.claims if row.id == node), None)
        return (
            ""
            if row is None
            else link("benches", found.key, "claims", sheet=sheet_name(row.at.partition("#")[0])) + f"#{node}"
        )
    if node.startswith("operations."):
        return link("benches", found.key, "operations") + f"#{node.split('.')[1]}"
    return link("benches", found.key, "files", file=file) if file in AUTHORS_OWN else ""
