"""What can be asked of a server, route by route."""

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
from worldwright.core.names import nearest
from worldwright.core.version import VERSION
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.serve import models as m
from worldwright.serve.lobby import Held, Lobby, Unknown
from worldwright.serve.metrics import CONTENT_TYPE
from worldwright.serve.refusals import Refused, documented
from worldwright.serve.settings import Settings
from worldwright.world.tasks import Verdict

Id = Annotated[str, Path(description="What POST /episodes answered with.", min_length=1, max_length=200)]
Variant = Annotated[str, Path(description="One of GET /worlds.", min_length=1, max_length=200)]
Log = Annotated[
    str, Body(media_type="text/plain", description="What GET /episodes/{id}/log answered with.", min_length=1)
]
JSON = "application/json"


class StepRoute(APIRoute):
    """The one route that is asked all the time. It reads its two arguments itself: what is general takes longer than the call."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            try:
                take = m.Take.model_validate(json.loads(await request.body()))
            except ValidationError as e:
                raise RequestValidationError(e.errors()) from None
            except (ValueError, RecursionError) as e:
                raise Refused(400, f"the body is not JSON: {e}") from None
            answer: Response = await self.endpoint(request.path_params["id"], take)
            return answer

        return handle


def about(
    app: FastAPI,
    lobby: Lobby,
    settings: Settings,
    metrics: Callable[[], Awaitable[bytes]],
    opened: Callable[[], int],
) -> None:
    """What there is."""

    @app.get("/health", responses=documented())
    async def health() -> m.Health:
        """Whether the server is there. Needs no token."""
        return m.Health(status="ok", version=VERSION, gym=lobby.gym.name, workers=settings.workers, episodes=opened())

    @app.get("/metrics", responses=documented(), response_model=None)
    async def read_metrics() -> Response:
        """Requests, episodes and times, in Prometheus' text."""
        return Response(await metrics(), media_type=CONTENT_TYPE)

    @app.get("/worlds", responses=documented())
    async def worlds() -> m.Worlds:
        """The variants of the gym."""
        found = [(variant, lobby.gym.world(variant)) for variant in lobby.gym.variants]
        return m.Worlds(
            gym=lobby.gym.name,
            worlds=[
                m.WorldFacts(variant=variant, name=w.name, digest=w.digest, tasks=len(w.book.ids), roles=list(w.roles))
                for variant, w in found
            ],
        )

    @app.get("/worlds/{variant}/tasks", responses=documented(404))
    async def tasks(variant: Variant) -> m.Tasks:
        """What a world asks of its agents."""
        if variant not in lobby.gym.variants:
            raise Refused(404, f"there is no variant {variant!r}; {nearest(variant, lobby.gym.variants)}")
        return m.Tasks(
            variant=variant,
            tasks=[
                m.TaskFacts(
                    id=t.id, family=t.family, role=t.role, actor=t.actor, instruction=t.instruction,
                    answer_schema=dict(t.answer_schema), features=dict(t.features),
                )
                for t in lobby.gym.world(variant).tasks
            ],
        )  # fmt: skip


def episodes(app: FastAPI, lobby: Lobby, settings: Settings, port: int | None) -> None:
    """Episodes, from their first message to their end."""
    tools_of = Tools()

    async def step(id: Id, take: m.Take) -> Response:
        """Call a tool. Calls that come at once are made one after the other."""
        async with lobby.use(id) as held:
            result = held.episode.call(take.tool, take.arguments)
            return Response(to_json({**result.payload(), "done": result.done}), media_type=JSON)

    app.router.add_api_route(
        "/episodes/{id}/step", step, methods=["POST"], response_model=m.Taken, responses=documented(400, 404, 410),
        route_class_override=StepRoute,
    )  # fmt: skip

    @app.post("/episodes", status_code=201, response_model=m.Begun, responses=documented(400, 404, 409))
    async def begin(wanted: m.Begin, request: Request) -> Response:
        """Open an episode of a task."""
        face = wanted.face or settings.face
        try:
            held = lobby.create(wanted.variant, wanted.task, face)
        except Unknown as e:
            raise Refused(404, str(e)) from None
        except UsageError as e:
            raise Refused(409, str(e)) from None
        here = request.url
        facts = {
            "id": held.id, "variant": held.variant, "world": held.world.digest, "task": held.episode.task.id,
            "face": face, "clock": held.episode.clock, "messages": held.episode.messages,
            "submit": held.episode.submit, "mcp": f"/mcp/{held.id}" if settings.mcp else None,
            "url": None if port is None else f"{here.scheme}://{_bracketed(here.hostname)}:{port}",
        }  # fmt: skip
        body = to_json(facts)[:-1] + b',"tools":[' + tools_of(held, face) + b"]}"
        return Response(body, 201, {"Location": f"/episodes/{held.id}"}, media_type=JSON)

    @app.get("/episodes/{id}", responses=documented(404, 410))
    async def state(id: Id) -> m.State:
        """How far an episode is."""
        async with lobby.use(id) as held:
            e = held.episode
            return m.State(id=id, variant=held.variant, task=e.task.id, done=e.done, clock=e.clock, calls=e.calls)

    @app.delete("/episodes/{id}", status_code=204, responses=documented(404, 410))
    async def close(id: Id) -> Response:
        """Close an episode, once nobody uses it."""
        async with lobby.use(id):
            lobby.close(id)
        return Response(status_code=204)


def verdicts(app: FastAPI, lobby: Lobby, thread: Executor) -> None:
    """What episodes came to. What takes longer than a call or two is done beside the loop, in a thread."""

    @app.post("/episodes/{id}/verify", responses=documented(404, 410))
    async def verify(id: Id) -> m.Judged:
        """The verdict so far."""
        async with lobby.use(id) as held:
            return _judged(held.episode.verify())

    @app.get("/episodes/{id}/log", response_model=None, responses=documented(404, 410))
    async def log(id: Id) -> Response:
        """What was called and what came back, line by line in JSON, with the digest of the final state."""
        async with lobby.use(id) as held:
            text = await _beside(thread, lambda: trajectory_text(held.episode.log()))
        return PlainTextResponse(text)

    @app.post("/judge", responses=documented(404))
    async def judge(log: Log) -> m.Judged:
        """The verdict on a logged episode of any process, by making its calls again. Results in the log are not believed."""
        return _judged(await _beside(thread, lambda: _replayed(lobby, log)))


async def _beside(thread: Executor, work: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(thread, work)


def _replayed(lobby: Lobby, text: str) -> Verdict:
    try:
        log = read_trajectory(text)
        worlds = map(lobby.gym.world, lobby.gym.variants)
        world = next((w for w in worlds if w.digest == log.world), None)
        if world is None:
            raise Refused(404, "the log is of a world that is not served here; see GET /worlds")
        return world.judge(log)
    except (UsageError, EpisodeError) as e:
        raise Refused(422, str(e)) from None


def _judged(verdict: Verdict) -> m.Judged:
    return m.Judged(
        status=verdict.status,  # type: ignore[arg-type]
        reward=verdict.reward,
        assertions=[m.Check(**a._asdict()) for a in verdict.assertions],
        reason=verdict.reason,
    )


class Tools:
    """The tools of an episode as JSON, without brackets. Only the last one differs from task to task: the rest is kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], bytes] = {}

    def __call__(self, held: Held, face: str) -> bytes:
        *tools, last = held.episode.tools
        key = (held.world.digest, face, held.episode.task.role)
        kept = self._known.get(key)
        if kept is None:
            kept = self._known[key] = b"".join(to_json(m.shown_tool(t)) + b"," for t in tools)
        return kept + to_json(m.shown_tool(last))


def _bracketed(host: str | None) -> str:
    return f"[{host}]" if host and ":" in host else host or "127.0.0.1"
