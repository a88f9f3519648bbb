"""Runs: what they came to, beside each other, and their episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.core.intervals import wilson_interval
from worldwright.rollout.read import Run
from worldwright.rollout.report.page import render_comparison, render_page, render_run, title_run
from worldwright.rollout.report.summary import name_runs
from worldwright.rollout.stats import tally_tasks
from worldwright.studio.context import Studio
from worldwright.studio.live import follow
from worldwright.studio.pages import Crumb, link
from worldwright.studio.places import ARENA, Place
from worldwright.studio.runs import TRAITS, EpisodeRow, RunLinks, select_rows, sign_run

RUNS = Crumb("Runs", "/runs")
EPISODES_PER_PAGE = 100
MAX_COMPARED = 6
MAX_DIFFERING = 200


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/runs")
    def show_runs(request: Request) -> Response:
        arenas = {place.id: place.name for place in studio.places.list_places(ARENA)}
        return studio.pages.render(
            request, "runs.html", title="Runs", runs=[_describe(studio, place, arenas) for place in studio.runs.list_runs()]
        )  # fmt: skip

    @app.get("/runs/compare")
    def compare_runs(request: Request) -> Response:
        keys = list(dict.fromkeys(request.query_params.getlist("run")))
        if not 2 <= len(keys) <= MAX_COMPARED:
            raise UsageError(f"choose from two to {MAX_COMPARED} runs to compare")
        runs = [studio.runs.find(key)[1] for key in keys]
        found = [studio.runs.summarise(run) for run in runs]
        names = name_runs(found)
        return studio.pages.render(
            request, "compare.html", [RUNS, Crumb(" and ".join(names))],
            body=render_comparison(found, [link("runs", key) for key in keys]), names=names, keys=keys,
            differing=_list_differing(studio, keys, runs),
        )  # fmt: skip

    @app.get("/runs/{key}")
    def show_run(request: Request, key: str) -> Response:
        place, run = studio.runs.find(key)
        if not run.ended:
            return _show_unfinished(studio, request, place, run)
        found = studio.runs.summarise(run)
        return studio.pages.render(
            request,
            "run.html",
            [RUNS, Crumb(title_run(found))],
            key=key,
            body=render_run(found, "r0", RunLinks(key)),
            folder=place.path,
            worlds=_list_worlds(studio, run),
        )

    @app.get("/runs/{key}/report.html")
    def export_report(key: str) -> Response:
        place, run = studio.runs.find(key)
        headers = {"content-disposition": f'attachment; filename="{_make_file_name(place.name)}.html"'}
        return Response(render_page([studio.runs.summarise(run)]), media_type="text/html", headers=headers)

    @app.get("/runs/{key}/live")
    def follow_run(key: str) -> Response:
        place, _ = studio.runs.find(key)
        return follow(lambda: (sign_run(place.path), not studio.runs.find(key)[1].ended), studio.stopping)

    @app.get("/runs/{key}/episodes")
    def show_episodes(request: Request, key: str, page: int = 1) -> Response:
        _, run = studio.runs.find(key)
        rows, which = studio.runs.list_rows(run), {n: v for n, v in request.query_params.items() if n in TRAITS and v}
        found = select_rows(rows, which)
        start = (max(1, page) - 1) * EPISODES_PER_PAGE
        return studio.pages.render(
            request,
            "episodes.html",
            [RUNS, Crumb(str(run.config.get("agent", {}).get("name", "run")), link("runs", key)), Crumb("Episodes")],
            key=key,
            rows=found[start : start + EPISODES_PER_PAGE],
            found=len(found),
            total=len(rows),
            which=which,
            page=max(1, page),
            pages=-(-len(found) // EPISODES_PER_PAGE),
            choices=_list_choices(rows),
            rate=_say_rate(found),
            page_link=lambda **new: link("runs", key, "episodes", **({**which} | new)),
        )


def _make_file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)


def _describe(studio: Studio, place: Place, arenas: Mapping[str, str]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "place": place,
        "url": link("runs", place.id),
        "within": arenas.get(place.within, ""),
        "problem": "",
    }
    try:
        _, run = studio.runs.find(place.id)
        lines = studio.runs.index(run)
    except WorldwrightError as e:
        return out | {
            "problem": str(e),
            "agent": "",
            "gym": "",
            "face": "",
            "planned": 0,
            "passed": 0,
            "judged": 0,
            "errors": 0,
            "ended": False,
        }
    counts = Counter(line.status for line in lines.values())
    config = run.config
    low, high = (
        wilson_interval(counts["pass"], counts["pass"] + counts["fail"])
        if counts["pass"] + counts["fail"]
        else (0.0, 1.0)
    )
    return out | {
        "agent": str(config.get("agent", {}).get("name", "")),
        "gym": str(config.get("gym", "")),
        "face": str(config.get("face", "")),
        "planned": int(config.get("episodes") or 0),
        "passed": counts["pass"],
        "judged": counts["pass"] + counts["fail"],
        "errors": counts["error"],
        "ended": run.ended,
        "attempts": config.get("attempts", 1),
        "low": low,
        "high": high,
    }


def _show_unfinished(studio: Studio, request: Request, place: Place, run: Run) -> Response:
    rows = studio.runs.list_rows(run)
    counts = Counter(row.stats.status for row in rows)
    return studio.pages.render(
        request,
        "run_live.html",
        [RUNS, Crumb(place.name)],
        key=place.id,
        live=link("runs", place.id, "live"),
        counts=counts,
        played=len(rows),
        planned=int(run.config.get("episodes") or 0),
        rows=rows[-30:][::-1],
        folder=place.path,
        rate=_say_rate(rows),
        agent=str(run.config.get("agent", {}).get("name", "")),
        gym=str(run.config.get("gym", "")),
    )


def _say_rate(rows: Sequence[EpisodeRow]) -> str:
    judged, passed = sum(row.stats.judged for row in rows), sum(row.stats.passed for row in rows)
    return f"{passed:,} of {judged:,} judged episodes passed" if judged else "no episode was judged"


def _list_choices(rows: Sequence[EpisodeRow]) -> list[tuple[str, list[tuple[str, int]]]]:
    """What episodes can be chosen by, with how many have each value."""
    out = []
    for name in ("status", "family", "domain", "role", "outcome"):
        counts = Counter(value for row in rows for value in TRAITS[name](row))
        if len(counts) > 1:
            out.append((name, counts.most_common(30)))
    return out


def _list_worlds(studio: Studio, run: Run) -> list[tuple[str, str, str]]:
    """The worlds of a run: domain, variant, and the page of each that is here."""
    out = []
    for world in run.config.get("worlds") or []:
        digest = str(world.get("digest", ""))
        try:
            studio.worlds.find(digest)
            url = link("world", digest)
        except StoreError:
            url = ""
        out.append((str(world.get("domain", "")), str(world.get("variant", "")), url))
    return out


def _list_differing(studio: Studio, keys: Sequence[str], runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The tasks on which the first two runs differ most, with an episode of each."""
    tallies = [tally_tasks([row.stats for row in studio.runs.list_rows(run)]) for run in runs[:2]]
    firsts = [{row.stats.key: row.id for row in reversed(studio.runs.list_rows(run))} for run in runs[:2]]
    out: list[dict[str, Any]] = []
    for task, one in tallies[0].items():
        other = tallies[1].get(task)
        if other is not None and one.passed * other.judged != other.passed * one.judged:
            gap = one.passed / one.judged - other.passed / other.judged
            pair = [f"{key}:{first[task]}" for key, first in zip(keys, firsts, strict=False)]
            out.append({"world": task[0], "task": task[1], "one": one, "other": other, "gap": gap,
                        "url": link("episodes", "compare", one=pair[0], other=pair[1])})  # fmt: skip
    return sorted(out, key=lambda row: (-abs(row["gap"]), row["world"], row["task"]))[:MAX_DIFFERING]
