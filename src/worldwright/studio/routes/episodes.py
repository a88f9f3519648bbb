"""An episode: what was said, called and answered, the change of state beside it, and when the verdict was decided."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from worldwright.agents import chat
from worldwright.core.canonical import canonical_json
from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode
from worldwright.rollout.stepwise import PlayedEpisode, step_through
from worldwright.studio.context import Studio
from worldwright.studio.drawing.assertions import draw_assertions
from worldwright.studio.pages import Crumb, link
from worldwright.studio.routes.runs import RUNS
from worldwright.studio.runs import read_limits


@dataclass(frozen=True, slots=True)
class Said:
    """Something of an episode that was said: words, or a call with what came of it."""

    who: str
    text: str
    thought: str = ""
    call: str = ""
    arguments: Any = None
    answer: Any = None
    step: int = 0
    """The step that it is; 0 for words, and for calls that nobody could read."""


def add_routes(app: FastAPI, studio: Studio) -> None:
    @app.get("/episodes/compare")
    def compare(request: Request, one: str = "", other: str = "", run: str = "") -> Response:
        chosen = request.query_params.getlist("episode")
        pair = [f"{run}:{key}" for key in chosen] if chosen else [part for part in (one, other) if part]
        if len(pair) != 2:
            raise UsageError("choose two episodes to compare")
        found = [_find(studio, key) for key in pair]
        played = [_play(studio, run, episode) for _, run, episode in found]
        sides = [_list_calls(episode, steps) for (_, _, episode), steps in zip(found, played, strict=True)]
        return studio.pages.render(
            request,
            "episodes_compare.html",
            [RUNS, Crumb("Two episodes")],
            sides=found,
            rows=_align(*sides),
            played=played,
            titles=[_title(episode) for _, _, episode in found],
            same=found[0][2].task == found[1][2].task and found[0][2].world == found[1][2].world,
        )

    @app.get("/runs/{key}/episodes/{ref}")
    def show_episode(request: Request, key: str, ref: str) -> Response:
        _, run = studio.runs.find(key)
        episode = studio.runs.read(run, ref)
        played, problem = _try_to_play(studio, run, episode)
        states = (
            []
            if played is None
            else [{a.name: a.ok for a in played.before.assertions}, *(s.held for s in played.steps)]
        )
        decided = {} if played is None else played.find_decided()
        rows = studio.runs.list_rows(run)
        at = next((n for n, row in enumerate(rows) if row.id == ref), 0)
        return studio.pages.render(
            request,
            "episode.html",
            [
                RUNS,
                Crumb(episode.agent, link("runs", key)),
                Crumb("Episodes", link("runs", key, "episodes")),
                Crumb(_title(episode)),
            ],
            key=key,
            episode=episode,
            system=run.messages(episode)[0]["content"],
            said=_list_said(episode),
            played=played,
            problem=problem,
            picture=draw_assertions(states, decided) if states else "",
            decided=decided,
            changes=[] if played is None else _list_flips(played),
            world=_find_world(studio, episode.world),
            before=link("runs", key, "episodes", rows[at - 1].id) if at else "",
            after=link("runs", key, "episodes", rows[at + 1].id) if at + 1 < len(rows) else "",
        )

    @app.get("/runs/{key}/episodes/{ref}/state")
    def show_state(request: Request, key: str, ref: str, step: int = 0) -> Response:
        _, run = studio.runs.find(key)
        episode = studio.runs.read(run, ref)
        played = _play(studio, run, episode)
        step = max(0, min(step, len(played.steps)))
        return studio.pages.render(
            request,
            "state.html",
            [RUNS, Crumb(_title(episode), link("runs", key, "episodes", ref)), Crumb(f"State after step {step}")],
            changes=_add_up(played, step),
            step=step,
            steps=len(played.steps),
            digest=_find_world(studio, episode.world),
            url=lambda n: link("runs", key, "episodes", ref, "state", step=n),
        )


def _title(episode: Episode) -> str:
    return f"{episode.task} #{episode.attempt}"


def _find(studio: Studio, text: str) -> tuple[str, Run, Episode]:
    key, _, ref = text.partition(":")
    _, run = studio.runs.find(key)
    return key, run, studio.runs.read(run, ref)


def _find_world(studio: Studio, digest: str) -> str:
    """The digest of a world where it is here; empty where it is not."""
    try:
        studio.worlds.find(digest)
    except StoreError:
        return ""
    return digest


def _play(studio: Studio, run: Run, episode: Episode) -> PlayedEpisode:
    """The steps of an episode, played again in its world; kept with the world."""
    world = studio.worlds.open(episode.world)
    return world.get(
        ("played", episode.id, episode.digest), lambda: step_through(world.pack.world, episode, read_limits(run))
    )


def _try_to_play(studio: Studio, run: Run, episode: Episode) -> tuple[PlayedEpisode | None, str]:
    try:
        return _play(studio, run, episode), ""
    except WorldwrightError as e:
        return None, str(e)


def _list_said(episode: Episode) -> list[Said]:
    """Everything that was said, with the number of the step that each call is."""
    out: list[Said] = []
    count = 0
    answers = iter([m for m in episode.messages if m.get("role") == "tool"])
    for message in episode.messages:
        role = str(message.get("role"))
        if role == "tool":
            continue
        thought, text = str(message.get("reasoning_content") or ""), str(message.get("content") or "")
        if text or thought:
            out.append(Said("requester" if role == "user" else "agent" if role == "assistant" else role, text, thought))
        if role != "assistant":
            continue
        for one in chat.parse_tool_calls(message):  # type: ignore[arg-type]
            answer = next(answers, None)
            step = 0
            if not one.problem:
                count += 1
                step = count
            out.append(
                Said(
                    "call", one.problem, call=one.name, arguments=one.arguments, answer=_read_answer(answer), step=step
                )
            )
    return out


def _read_answer(message: Mapping[str, Any] | None) -> Any:
    if message is None:
        return None
    try:
        return json.loads(str(message.get("content") or ""))
    except (ValueError, RecursionError):
        return message.get("content")


def _list_flips(played: PlayedEpisode) -> list[list[tuple[str, bool]]]:
    """By step, the assertions that held before it and not after it, or the other way round."""
    before = {a.name: a.ok for a in played.before.assertions}
    out = []
    for step in played.steps:
        out.append([(name, ok) for name, ok in step.held.items() if before.get(name, False) != ok])
        before = step.held
    return out


def _add_up(played: PlayedEpisode, until: int) -> dict[str, Any]:
    """What has changed since the beginning, after so many steps."""
    out: dict[str, dict[str, dict[str, Any]]] = {}
    for step in played.steps[:until]:
        for table, diff in step.diff.items():
            mine = out.setdefault(table, {"added": {}, "changed": {}, "removed": {}})
            for row, values in diff.get("added", {}).items():
                mine["added"][row] = dict(values)
            for row, columns in diff.get("changed", {}).items():
                for name, (was, now) in columns.items():
                    if row in mine["added"]:
                        mine["added"][row][name] = now
                    else:
                        first = mine["changed"].setdefault(row, {}).get(name, (was, now))[0]
                        mine["changed"][row][name] = (first, now)
            for row, values in diff.get("removed", {}).items():
                if mine["added"].pop(row, None) is None:
                    mine["removed"][row] = dict(values)
                    mine["changed"].pop(row, None)
    for mine in out.values():
        mine["changed"] = {
            row: kept
            for row, columns in mine["changed"].items()
            if (kept := {n: p for n, p in columns.items() if p[0] != p[1]})
        }
    return {table: mine for table, mine in out.items() if any(mine.values())}


def _list_calls(episode: Episode, played: PlayedEpisode) -> list[dict[str, Any]]:
    """The calls of an episode as they are compared: tool and arguments, and what came of them."""
    return [
        {"step": s, "same_as": canonical_json([s.tool, s.arguments]).decode(), "result": s.result, "flips": flips}
        for s, flips in zip(played.steps, _list_flips(played), strict=True)
    ]


Row = tuple[dict[str, Any] | None, dict[str, Any] | None, bool]


def _align(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> list[Row]:
    """Calls beside each other: the same ones in one row, others where they come."""
    matcher = SequenceMatcher(None, [c["same_as"] for c in one], [c["same_as"] for c in other], autojunk=False)
    out: list[Row] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        out += [(left, right, tag == "equal") for left, right in zip_longest(one[a:b], other[c:d])]
    return out
