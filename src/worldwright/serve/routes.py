"""The routes of a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from typing import Annotated, Any

from fastapi import Body, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.responses import PlainTextResponse, Response

from worldwright.core.errors import EpisodeError, UsageError
from worldwright.core.names import suggest
from worldwright.core.version import VERSION
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.serve import models as m
from worldwright.serve.errors import RequestError, document_errors
from worldwright.serve.metrics import CONTENT_TYPE
from worldwright.serve.registry import EpisodeRegistry, OpenEpisode, UnknownTask
from worldwright.serve.settings import Settings
from worldwright.world.tasks import Verdict

Id = Annotated[str, Path(description="What POST /episodes answered with.", min_length=1, max_length=200)]
Variant = Annotated[str, Path(description="One of GET /worlds.", min_length=1, max_length=200)]
Log = Annotated[
    str, Body(media_type="text/plain", description="What GET /episodes/{id}/log answered with.", min_length=1)
]
JSON = "application/json"


class StepRoute(APIRoute):
    """The route of tool calls. It reads its two arguments itself: the framework's way takes longer than the call."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            try:
                take = m.StepRequest.model_validate(json.loads(await request.body()))
            except ValidationError as e:
                raise RequestValidationError(e.errors()) from None
            except (ValueError, RecursionError) as e:
                raise RequestError(400, f"the body is not JSON: {e}") from None
            answer: Response = await self.endpoint(request.path_params["id"], take)
            return answer

        return handle


def add_server_routes(
    app: FastAPI,
    registry: EpisodeRegistry,
    settings: Settings,
    metrics: Callable[[], Awaitable[bytes]],
    opened: Callable[[], int],
) -> None:
    """Add the routes that say what is served, and how the server is."""

    @app.get("/health", responses=document_errors())
    async def health() -> m.Health:
        """Tell whether the server is there. Needs no token."""
        return m.Health(
            status="ok", version=VERSION, gym=registry.gym.name, workers=settings.workers, episodes=opened()
        )

    @app.get("/metrics", responses=document_errors(), response_model=None)
    async def read_metrics() -> Response:
        """Requests, episodes and times, in Prometheus' text."""
        return Response(await metrics(), media_type=CONTENT_TYPE)

    @app.get("/worlds", responses=document_errors())
    async def worlds() -> m.Worlds:
        """The variants of the gym."""
        found = [(variant, registry.gym.world(variant)) for variant in registry.gym.variants]
        return m.Worlds(
            gym=registry.gym.name,
            worlds=[
                m.WorldFacts(variant=variant, name=w.name, digest=w.digest, tasks=len(w.book.ids), roles=list(w.roles))
                for variant, w in found
            ],
        )

    @app.get("/worlds/{variant}/tasks", responses=document_errors(404))
    async def tasks(variant: Variant) -> m.Tasks:
        """Return what a world asks of its agents."""
        if variant not in registry.gym.variants:
            raise RequestError(404, f"there is no variant {variant!r}; {suggest(variant, registry.gym.variants)}")
        return m.Tasks(
            variant=variant,
            tasks=[
                m.TaskFacts(
                    id=t.id, family=t.family, role=t.role, actor=t.actor, instruction=t.instruction,
                    answer_schema=dict(t.answer_schema), features=dict(t.features),
                )
                for t in registry.gym.world(variant).tasks
            ],
        )  # fmt: skip


def add_episode_routes(app: FastAPI, registry: EpisodeRegistry, settings: Settings, port: int | None) -> None:
    """Add the routes that open, play and close episodes."""
    render_tools = ToolsJson()

    async def step(id: Id, take: m.StepRequest) -> Response:
        """Call a tool. Calls that come at once are made one after the other."""
        async with registry.use(id) as opened:
            result = opened.episode.call(take.tool, take.arguments)
            return Response(to_json({**result.payload(), "done": result.done}), media_type=JSON)

    app.router.add_api_route(
        "/episodes/{id}/step", step, methods=["POST"], response_model=m.StepResult, responses=document_errors(400, 404, 410),
        route_class_override=StepRoute,
    )  # fmt: skip

    @app.post("/episodes", status_code=201, response_model=m.OpenedEpisode, responses=document_errors(400, 404, 409))
    async def begin(wanted: m.OpenRequest, request: Request) -> Response:
        """Open an episode of a task."""
        face = wanted.face or settings.face
        try:
            opened = registry.create(wanted.variant, wanted.task, face)
        except UnknownTask as e:
            raise RequestError(404, str(e)) from None
        except UsageError as e:
            raise RequestError(409, str(e)) from None
        here = request.url
        facts = {
            "id": opened.id, "variant": opened.variant, "world": opened.world.digest, "task": opened.episode.task.id,
            "face": face, "clock": opened.episode.clock, "messages": opened.episode.messages,
            "submit": opened.episode.submit, "mcp": f"/mcp/{opened.id}" if settings.mcp else None,
            "url": None if port is None else f"{here.scheme}://{_format_host(here.hostname)}:{port}",
        }  # fmt: skip
        body = to_json(facts)[:-1] + b',"tools":[' + render_tools(opened, face) + b"]}"
        return Response(body, 201, {"Location": f"/episodes/{opened.id}"}, media_type=JSON)

    @app.get("/episodes/{id}", responses=document_errors(404, 410))
    async def state(id: Id) -> m.EpisodeState:
        """Return how far an episode is."""
        async with registry.use(id) as opened:
            e = opened.episode
            return m.EpisodeState(
                id=id, variant=opened.variant, task=e.task.id, done=e.done, clock=e.clock, calls=e.calls
            )

    @app.delete("/episodes/{id}", status_code=204, responses=document_errors(404, 410))
    async def close(id: Id) -> Response:
        """Close an episode, once nobody uses it."""
        async with registry.use(id):
            registry.close(id)
        return Response(status_code=204)


def add_verdict_routes(app: FastAPI, registry: EpisodeRegistry, thread: Executor) -> None:
    """Add the routes that judge episodes. What takes longer than a call or two is done in a thread."""

    @app.post("/episodes/{id}/verify", responses=document_errors(404, 410))
    async def verify(id: Id) -> m.VerdictReport:
        """The verdict so far."""
        async with registry.use(id) as opened:
            return _report_verdict(opened.episode.verify())

    @app.get("/episodes/{id}/log", response_model=None, responses=document_errors(404, 410))
    async def log(id: Id) -> Response:
        """Return what was called and what came back, line by line in JSON, with the digest of the final state."""
        async with registry.use(id) as opened:
            text = await _run_in_thread(thread, lambda: trajectory_text(opened.episode.log()))
        return PlainTextResponse(text)

    @app.post("/judge", responses=document_errors(404))
    async def judge(log: Log) -> m.VerdictReport:
        """The verdict on a logged episode of any process, by making its calls again. Results in the log are not believed."""
        return _report_verdict(await _run_in_thread(thread, lambda: _judge_log(registry, log)))


async def _run_in_thread(thread: Executor, work: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(thread, work)


def _judge_log(registry: EpisodeRegistry, text: str) -> Verdict:
    try:
        log = read_trajectory(text)
        worlds = map(registry.gym.world, registry.gym.variants)
        world = next((w for w in worlds if w.digest == log.world), None)
        if world is None:
            raise RequestError(404, "the log is of a world that is not served here; see GET /worlds")
        return world.judge(log)
    except (UsageError, EpisodeError) as e:
        raise RequestError(422, str(e)) from None


def _report_verdict(verdict: Verdict) -> m.VerdictReport:
    return m.VerdictReport(
        status=verdict.status,  # type: ignore[arg-type]
        reward=verdict.reward,
        assertions=[m.Check(**a._asdict()) for a in verdict.assertions],
        reason=verdict.reason,
    )


class ToolsJson:
    """Renders the tools of an episode as JSON, without brackets. The last one differs by task: the others are cached, by their
    names too, for what only the requester can do is no tool of the agent."""

    def __init__(self) -> None:
        self._cached: dict[tuple[str, str, str, tuple[str, ...]], bytes] = {}

    def __call__(self, opened: OpenEpisode, face: str) -> bytes:
        *tools, last = opened.episode.tools
        key = (opened.world.digest, face, opened.episode.task.role, tuple(t.name for t in tools))
        others = self._cached.get(key)
        if others is None:
            others = self._cached[key] = b"".join(to_json(m.render_tool(t)) + b"," for t in tools)
        return others + to_json(m.render_tool(last))


def _format_host(host: str | None) -> str:
    return f"[{host}]" if host and ":" in host else host or "127.0.0.1"
