"""By hand: a task done in the browser, a world looked around in, and somebody else's episode gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from worldwright.agents import chat
from worldwright.core.errors import StoreError, UsageError, WorldwrightError
from worldwright.facts.shelf import title_of
from worldwright.facts.task import task_of
from worldwright.rollout.records import Episode
from worldwright.studio.call_form import PREFIX, list_fields, read_arguments
from worldwright.studio.context import Studio
from worldwright.studio.forms import Form, one
from worldwright.studio.handbook import read_blocks
from worldwright.studio.hands import HandEpisode, HandRecord
from worldwright.studio.in_app import can_show
from worldwright.studio.pages import Crumb, link

PLAY = Crumb("By hand", "/play")
NOT_ASKED = ("obscured", "crowded")
"""Faces that are made for agents: they can be chosen, and are not offered first."""


def add_routes(app: FastAPI, studio: Studio) -> None:
    sent = Depends(studio.take_form)

    @app.get("/play")
    def show_hands(request: Request) -> Response:
        records = [_describe(studio, record) for record in studio.hands.list_records()]
        return studio.pages.render(request, "hands.html", title="By hand", records=records)

    @app.get("/play/new")
    def show_form(request: Request, world: str, task: str = "", tool: str = "") -> Response:
        opened = studio.worlds.open(world)
        chosen = task_of(opened.pack.world, task) if task else None
        return studio.pages.render(
            request,
            "play_new.html",
            [PLAY, Crumb("Begin")],
            world=world,
            title=opened.pack.checked.blueprint.title,
            task=chosen,
            tool=tool,
            tasks=opened.pack.world.tasks,
            roles=opened.pack.world.roles,
        )

    @app.post("/play")
    def begin(request: Request, form: Form = sent) -> Response:
        if one(form, "run"):
            made = _fork(studio, one(form, "run"), one(form, "episode"), one(form, "step"))
        else:
            made = _begin(
                studio, one(form, "world"), one(form, "task"), one(form, "role"), one(form, "face") or "plain"
            )
        if one(form, "where") == "app":
            return RedirectResponse(studio.in_app.enter(made.record.id), 303)
        tool = one(form, "tool")
        return RedirectResponse(link("play", made.record.id, tool=tool if tool in made.tools else ""), 303)

    @app.get("/play/{key}")
    def show_play(request: Request, key: str, tool: str = "", verdict: bool = False, problem: str = "") -> Response:
        found = studio.hands.note_seen(key) if verdict else studio.hands.find(key)
        with found.lock:
            return _show(studio, request, found, tool, verdict or found.submitted, "", {})

    @app.post("/play/{key}/call")
    def call(request: Request, key: str, form: Form = sent) -> Response:
        found = studio.hands.find(key)
        tool = one(form, "tool")
        spec = found.tools.get(tool)
        if spec is None:
            raise UsageError(f"there is no tool {tool[:60]!r} here")
        try:
            studio.hands.call(key, tool, read_arguments(form, spec.input_schema), _read_count(form))
        except UsageError as e:
            given = {name.removeprefix(PREFIX): values[-1] for name, values in form.items() if name.startswith(PREFIX)}
            with found.lock:
                return _show(studio, request, found, tool, found.submitted, str(e), given)
        studio.in_app.leave(key)
        return RedirectResponse(link("play", key) + f"#call-{len(found.steps)}", 303)

    @app.post("/play/{key}/app")
    def enter_app(request: Request, key: str, form: Form = sent) -> Response:
        """Go on in the software that this business would have."""
        return RedirectResponse(studio.in_app.enter(key), 303)

    @app.post("/play/{key}/fork")
    def fork(request: Request, key: str, form: Form = sent) -> Response:
        """Begin another episode with the first so many calls of this one."""
        record = studio.hands.find(key).record
        step = max(0, min(int(one(form, "step", "0") or 0), len(record.calls)))
        made = studio.hands.begin(
            record.world, record.task, record.role, record.face, record.calls[:step], {"hand": record.id, "step": step}
        )
        return RedirectResponse(link("play", made.record.id), 303)

    @app.post("/play/{key}/remove")
    def remove(request: Request, key: str, form: Form = sent) -> Response:
        studio.in_app.leave(key)
        studio.hands.remove(key)
        return RedirectResponse("/play", 303)


def _read_count(form: dict[str, list[str]]) -> int:
    text = one(form, "calls", "0")
    return int(text) if text.isdecimal() and len(text) < 9 else -1


def _begin(studio: Studio, world: str, task: str, role: str, face: str) -> HandEpisode:
    opened = studio.worlds.open(world)
    roles = opened.pack.world.roles
    if task:
        return studio.hands.begin(world, task_of(opened.pack.world, task).id, "", face)
    if role not in roles and roles:
        raise UsageError(f"nobody here is {role[:60]!r}; the roles are {', '.join(roles)}")
    return studio.hands.begin(world, "", role, face)


def _fork(studio: Studio, key: str, ref: str, step: str) -> HandEpisode:
    """Go on by hand from a step of an episode of a run."""
    _, run = studio.runs.find(key)
    episode = studio.runs.read(run, ref)
    calls = _list_calls(episode)
    at = int(step) if step.isdecimal() and len(step) < 9 else 0
    source = {"run": key, "episode": episode.id, "step": at, "agent": episode.agent}
    return studio.hands.begin(episode.world, episode.task, "", episode.face, calls[:at], source)


def _list_calls(episode: Episode) -> list[tuple[str, Any]]:
    """The calls of an episode that reached its world, as its agent made them."""
    return [
        (one.name, one.arguments)
        for message in episode.messages
        if message.get("role") == "assistant"
        for one in chat.parse_tool_calls(message)  # type: ignore[arg-type]
        if not one.problem
    ]


def _describe(studio: Studio, record: HandRecord) -> dict[str, Any]:
    try:
        title, problem = title_of(studio.worlds.read_manifest(record.world).name), ""
    except (StoreError, WorldwrightError) as e:
        title, problem = record.world[:12], str(e)
    return {"record": record, "title": title, "problem": problem, "url": link("play", record.id)}


def _show(
    studio: Studio,
    request: Request,
    found: HandEpisode,
    tool: str,
    with_verdict: bool,
    problem: str,
    given: dict[str, str],
) -> Response:
    """The page of an episode by hand. Whoever calls holds its lock."""
    world = studio.worlds.open(found.record.world)
    entities = world.pack.checked.schema.entities
    hidden = (
        {}
        if with_verdict
        else {n: frozenset(c.name for c in e.columns.values() if c.hidden) for n, e in entities.items()}
    )
    spec = found.tools.get(tool)
    title = found.task.id if found.task is not None else f"Looking around as {found.record.role.replace('_', ' ')}"
    return studio.pages.render(
        request,
        "play.html",
        [PLAY, Crumb(world.pack.checked.blueprint.title, link("world", world.digest)), Crumb(title)],
        found=found,
        record=found.record,
        world=world.digest,
        tool=spec,
        fields=[] if spec is None else list_fields(spec.input_schema, given),
        problem=problem,
        prefix=PREFIX,
        tools=[t for t in found.tools.values() if found.submit is None or t.name != found.submit.name],
        systems=dict.fromkeys(t.system for t in found.tools.values() if t.system),
        verdict=found.judge() if with_verdict else None,
        handbook=list(read_blocks(world.pack.world.handbook)),
        request_text=found.messages[-1]["content"] if found.task is not None else "",
        source_url=_find_source(found.record),
        clock=found.env.agent.clock(),
        in_app=can_show(found.record.face),
        shown=[_leave_out(step.diff, hidden) for step in found.steps],
    )


def _leave_out(diff: Mapping[str, Any], hidden: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """What a call changed, without what no tool shows: who plays sees no more than an agent could."""
    out = {}
    for table, found in diff.items():
        unseen = hidden.get(table, frozenset())
        parts = {
            part: {
                row: kept
                for row, values in rows.items()
                if (kept := {n: v for n, v in values.items() if n not in unseen})
            }
            for part, rows in found.items()
        }
        out[table] = {part: rows for part, rows in parts.items() if rows}
    return out


def _find_source(record: HandRecord) -> str:
    source = record.source
    if "run" in source:
        return f"{link('runs', source['run'], 'episodes', source['episode'])}#step-{source['step']}"
    return link("play", source["hand"]) if "hand" in source else ""
