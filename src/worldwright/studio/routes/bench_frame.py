"""The frame of every page of one bench: its tabs, what was started for it, and what the last check found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from worldwright.author.folder import read_bench
from worldwright.author.records import Bench
from worldwright.core.canonical import sha256
from worldwright.studio.context import Studio
from worldwright.studio.jobs import OUTPUT, Job
from worldwright.studio.pages import Crumb, link
from worldwright.studio.places import BENCH, Place

BENCHES = Crumb("Benches", "/benches")
TABS = (
    ("Overview", ""),
    ("Claims", "claims"),
    ("Operations", "operations"),
    ("Findings", "findings"),
    ("Files", "files"),
    ("Rounds", "rounds"),
)
SHOWN_JOBS = {"check": "Check", "lock": "Lock", "review": "Runs"}
BY = "in the studio"
"""Who worked at a bench, where they did not say."""


@dataclass(frozen=True, slots=True)
class OpenBench:
    """A bench as its pages need it."""

    place: Place
    bench: Bench
    problems: tuple[str, ...]
    last: Mapping[str, Any]
    """What the last check found."""
    jobs: list[Job]
    """What was started for it, the newest first."""

    @property
    def key(self) -> str:
        return self.place.id

    @property
    def folder(self) -> Path:
        return self.place.path

    def find_job(self, kind: str) -> Job | None:
        return next((job for job in self.jobs if job.kind == kind), None)


def open_bench_at(studio: Studio, key: str) -> OpenBench:
    """Open the bench of an id."""
    place = studio.places.find(BENCH, key)
    bench, problems = read_bench(place.path)
    jobs = [job for job in studio.jobs.list_jobs() if job.about.get("bench") == key]
    checks = [job for job in jobs if job.kind == "check" and not job.running]
    last = next((data for job in checks if (data := read_result(job))), {})
    return OpenBench(place, bench, tuple(f"{p.place}: {p.says}" for p in problems), last, jobs)


def read_result(job: Job) -> dict[str, Any]:
    """What a job printed as its result; nothing where it came to none."""
    try:
        found = json.loads(job.read(OUTPUT))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def render_bench(
    studio: Studio, request: Request, found: OpenBench, tab: str, template: str, **values: Any
) -> Response:
    """A page of a bench, under one of its tabs."""
    root = link("benches", found.key)
    numbers = {
        "Claims": len(found.bench.claims),
        "Findings": len(found.last["findings"]) if "findings" in found.last else None,
    }
    tabs = [(name, f"{root}/{part}" if part else root, numbers.get(name)) for name, part in TABS]
    crumbs = [BENCHES, Crumb(found.place.name, root)]
    running = [job for job in found.jobs if job.running]
    values.setdefault("live", link("benches", found.key, "live") if running else "")
    return studio.pages.render(
        request,
        template,
        crumbs,
        key=found.key,
        bench=found.bench,
        place=found.place,
        tabs=tabs,
        tab=tab,
        at_work=running,
        last=found.last,
        problems=found.problems,
        shown_jobs=SHOWN_JOBS,
        by=BY,
        **values,
    )


def sign_world(found: OpenBench) -> str:
    """The digest of what decides how operations run."""
    return sha256(f"{found.bench.blueprint}\0{found.bench.contract}".encode())
