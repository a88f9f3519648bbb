"""Arenas and trainings: who does how well and why not, and how figures move from step to step."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.arena.contest import PAGE, REPORT
from worldwright.arena.diagnose.records import CLASSES
from worldwright.arena.evaluate import rank_agents
from worldwright.arena.page import page, render_contest
from worldwright.arena.read import TRAITS, KeptContest, read_contest, select_failures
from worldwright.core.errors import StoreError, WorldwrightError
from worldwright.rollout.report.links import Links
from worldwright.rollout.report.series import draw_series
from worldwright.studio.context import Studio
from worldwright.studio.live import follow
from worldwright.studio.pages import Crumb, link
from worldwright.studio.places import ARENA, EVOLUTION, RUN, TRAINING, Place
from worldwright.studio.training import SAYS, read_training

ARENAS, TRAININGS = Crumb("Arenas", "/arenas"), Crumb("Training", "/trainings")
MAX_FAILURES_SHOWN = 300
QUIET_SECONDS = 120.0
"""A training that has written nothing for so long, and has no result, is taken for one that does not go on."""


class ArenaLinks(Links):
    """Numbers of an arena lead to the failures that they count, and failures to their episodes."""

    def __init__(self, key: str, runs: Mapping[str, str]) -> None:
        """`runs`: by the fingerprint of an agent, the id of its run."""
        self._key = key
        self._runs = runs

    def failures(self, agent: str, **which: str) -> str:
        return link("arenas", self._key, "failures", agent=agent, **which)

    def episode(self, key: str, agent: str = "") -> str:
        return link("runs", self._runs[agent], "episodes", key) if agent in self._runs else ""


def add_routes(app: FastAPI, studio: Studio) -> None:
    kept: dict[tuple[Path, int], KeptContest] = {}

    def load(key: str) -> tuple[Place, KeptContest, ArenaLinks]:
        place = studio.places.find(ARENA, key)
        signature = (place.path, (place.path / REPORT).stat().st_mtime_ns)
        if signature not in kept:
            kept.clear()
            kept[signature] = read_contest(place.path)
        found = kept[signature]
        runs = {one.path: one.id for one in studio.places.list_places(RUN)}
        by_agent = {
            agent: runs[run.folder.resolve()] for agent, run in found.runs.items() if run.folder.resolve() in runs
        }
        return place, found, ArenaLinks(key, by_agent)

    @app.get("/arenas")
    def show_arenas(request: Request) -> Response:
        evolutions = [(place, link("evolutions", place.id)) for place in studio.places.list_places(EVOLUTION)]
        arenas = [_describe(place) for place in studio.places.list_places(ARENA)]
        return studio.pages.render(request, "arenas.html", title="Arenas", arenas=arenas, evolutions=evolutions)

    @app.get("/arenas/{key}")
    def show_arena(request: Request, key: str) -> Response:
        place, found, links = load(key)
        body = render_contest(found.name, found.evaluations, found.pairs, found.advice, found.left_out, links)
        return studio.pages.render(
            request, "arena.html", [ARENAS, Crumb(f"Arena: {found.name}")], body=body, key=key, folder=place.path
        )

    @app.get("/arenas/{key}/report.html")
    def export_arena(key: str) -> Response:
        _, found, _ = load(key)
        html = page(found.name, found.evaluations, found.pairs, found.advice, found.left_out)
        return Response(html, media_type="text/html", headers={"content-disposition": f'attachment; filename="{PAGE}"'})

    @app.get("/arenas/{key}/failures")
    def show_failures(request: Request, key: str, agent: str = "") -> Response:
        _, found, links = load(key)
        ranked = rank_agents(found.evaluations)
        one = next((e for e in ranked if e.agent_id == agent), ranked[0])
        which = {name: value for name, value in request.query_params.items() if name in TRAITS and value}
        failures = select_failures(one.failures, which)
        return studio.pages.render(
            request,
            "failures.html",
            [ARENAS, Crumb(found.name, link("arenas", key)), Crumb(f"Failures of {one.agent}")],
            one=one,
            which=which,
            failures=failures[:MAX_FAILURES_SHOWN],
            many=len(failures),
            agents=ranked,
            links=links,
            classes=CLASSES,
            counts=_count_kinds(select_failures(one.failures, {k: v for k, v in which.items() if k != "kind"})),
        )

    @app.get("/evolutions/{key}")
    def show_evolution(request: Request, key: str) -> Response:
        place = studio.places.find(EVOLUTION, key)
        try:
            text = (place.path / "evolve.html").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise StoreError(f"{place.path} has no page yet") from None
        return Response(
            text,
            media_type="text/html",
            headers={"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"},
        )

    @app.get("/trainings")
    def show_trainings(request: Request) -> Response:
        found = [_describe_training(place) for place in studio.places.list_places(TRAINING)]
        return studio.pages.render(request, "trainings.html", title="Training", trainings=found)

    @app.get("/trainings/compare")
    def compare_trainings(request: Request) -> Response:
        places = [studio.places.find(TRAINING, key) for key in dict.fromkeys(request.query_params.getlist("training"))][
            :6
        ]
        read = [(place.name, read_training(place.path)) for place in places]
        stages = list(dict.fromkeys(stage for _, one in read for stage in one.stages))
        charts = [
            (
                stage,
                [
                    (
                        name,
                        SAYS.get(name, ""),
                        draw_series(
                            f"{name} in {stage}",
                            {label: one.stages.get(stage, {}).get(name, ()) for label, one in read},
                            f"{stage}-{name}",
                        ),
                    )
                    for name in dict.fromkeys(n for _, one in read for n in one.stages.get(stage, {}))
                ],
            )
            for stage in stages
        ]
        return studio.pages.render(
            request,
            "training.html",
            [TRAININGS, Crumb(f"{len(places)} trainings")],
            charts=charts,
            training=None,
            names=[p.name for p in places],
        )

    @app.get("/trainings/{key}")
    def show_training(request: Request, key: str) -> Response:
        place = studio.places.find(TRAINING, key)
        found = read_training(place.path)
        charts = [
            (
                stage,
                [
                    (name, SAYS.get(name, ""), draw_series(f"{name} in {stage}", {name: points}, f"{stage}-{name}"))
                    for name, points in figures.items()
                ],
            )
            for stage, figures in found.stages.items()
        ]
        live = link("trainings", key, "live") if _goes_on(place) else ""
        return studio.pages.render(
            request,
            "training.html",
            [TRAININGS, Crumb(place.name)],
            charts=charts,
            training=found,
            live=live,
            folder=place.path,
            names=[],
        )

    @app.get("/trainings/{key}/live")
    def follow_training(key: str) -> Response:
        place = studio.places.find(TRAINING, key)
        return follow(lambda: (_sign(place), _goes_on(place)), studio.stopping)


def _describe(place: Place) -> dict[str, Any]:
    out: dict[str, Any] = {"place": place, "url": link("arenas", place.id), "problem": ""}
    try:
        data = json.loads((place.path / REPORT).read_bytes())
        return out | {
            "name": str(data["field"]["name"]),
            "agents": [(str(one["agent"]), one["rate"]["value"]) for one in data["agents"]],
            "episodes": sum(int(one["episodes"]) for one in data["agents"]),
            "failures": sum(sum(one["failures"].values()) for one in data["agents"]),
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        return out | {"problem": f"{REPORT} cannot be read: {type(e).__name__} {e}"}


def _count_kinds(failures: list[Any]) -> dict[str, int]:
    out: dict[str, int] = {}
    for one in failures:
        out[one.diagnosis.kind] = out.get(one.diagnosis.kind, 0) + 1
    return dict(sorted(out.items(), key=lambda pair: -pair[1]))


def _sign(place: Place) -> tuple[int, ...]:
    return tuple(
        path.stat().st_size for name in ("metrics.jsonl", "result.json") if (path := place.path / name).exists()
    )


def _goes_on(place: Place) -> bool:
    metrics = place.path / "metrics.jsonl"
    return (
        not (place.path / "result.json").exists()
        and metrics.exists()
        and time.time() - metrics.stat().st_mtime < QUIET_SECONDS
    )


def _describe_training(place: Place) -> dict[str, Any]:
    out: dict[str, Any] = {"place": place, "url": link("trainings", place.id), "problem": ""}
    try:
        found = read_training(place.path)
    except WorldwrightError as e:
        return out | {"problem": str(e)}
    last = {stage: {name: points[-1][1] for name, points in figures.items()} for stage, figures in found.stages.items()}
    final = list(last.values())[-1] if last else {}
    return out | {
        "model": str(found.settings.get("model", "")),
        "steps": found.steps,
        "stages": ", ".join(found.stages),
        "status": "running" if _goes_on(place) else "done" if found.result else "stopped",
        "loss": final.get("loss"),
        "solved": final.get("solved"),
    }
