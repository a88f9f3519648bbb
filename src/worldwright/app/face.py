"""The face `app`: a task as software in a browser, for agents that see pages instead of tools.

    with world.open("task_007", face="app") as episode:
        page = episode.new_page(browser)        # a Playwright page at the first page of the app
        ...
        episode.verify()

All episodes of a process share one server. What an agent is given is the URL, or the page: neither shows a verdict, a key, or
another episode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from worldwright.app.sessions import AppSession
from worldwright.app.web.server import AppServer, shared_server
from worldwright.core.errors import EpisodeError
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.world import World
from worldwright.world.records import TableDiff, Trajectory
from worldwright.world.tasks import Task, Verdict

HOW = "You work in the software of the business, in a browser. Submit your answer on its page `Finish`."


class AppEpisode:
    """An episode that is played in a browser. Its log holds ordinary calls of tools."""

    def __init__(self, world: World, task_ref: str | int, face: str, limits: Limits | None, server: AppServer) -> None:
        self._server = server
        self._session: AppSession | None = server.sessions.open(
            world, task_ref, face=face, limits=limits, shows_verdict=False, may_restart=False
        )
        self._contexts: list[Any] = []
        episode = self._episode
        self.task: Task = episode.task
        self.world = episode.world
        """The digest of the world."""
        self.messages: tuple[dict[str, str], ...] = (*episode.messages[:-1], _add_how(episode.messages[-1]))
        """What the agent is told: system and user, as chats have them."""
        self.url = f"{server.url}{self._session.path}"
        """The first page of the app. Whoever knows it can play."""

    @property
    def session(self) -> AppSession:
        """The session in the app, for what only a controller does."""
        if self._session is None:
            raise EpisodeError("this episode is closed")
        return self._session

    @property
    def _episode(self) -> Episode:
        episode = self.session.episode
        assert isinstance(episode, Episode)
        return episode

    @property
    def done(self) -> bool:
        """Whether an answer was submitted, or no more calls are allowed."""
        return self._episode.done

    @property
    def calls(self) -> int:
        """The number of calls so far: pages that showed data, and forms that were sent."""
        return self._episode.calls

    @property
    def clock(self) -> str:
        return self._episode.clock

    def verify(self) -> Verdict:
        """Judge the episode so far. Its `reward` is None where the environment failed: mask such a sample."""
        with self.session.lock:
            return self._episode.verify()

    def diff(self) -> Mapping[str, TableDiff]:
        """Rows added, changed and removed since the opening, by table."""
        with self.session.lock:
            return self._episode.diff()

    def log(self) -> Trajectory:
        """The episode as it can be replayed and judged again: `world.judge(episode.log())`."""
        with self.session.lock:
            return self._episode.log()

    def snapshot(self) -> bytes:
        """The state now, as an SQLite database."""
        with self.session.lock:
            return self._episode.snapshot()

    def new_page(self, browser: Any, **options: Any) -> Any:
        """Open the app in a Playwright browser of the synchronous API: a context of its own, from which nothing but this server can
        be reached. Options go to `browser.new_context`."""
        context = browser.new_context(service_workers="block", accept_downloads=False, **options)
        self._contexts.append(context)
        context.on("close", lambda closed: self._contexts.remove(closed) if closed in self._contexts else None)
        self.confine(context)
        page = context.new_page()
        page.goto(self.url)
        return page

    def confine(self, context: Any) -> None:
        """Let a Playwright context that somebody else made reach nothing but this server."""
        context.route(re.compile(f"^(?!{re.escape(self._server.url)}/)"), lambda route: route.abort())

    def close(self) -> None:
        """Close its pages and give the environment back. Closing twice does nothing."""
        contexts, self._contexts = self._contexts, []
        for context in contexts:
            context.close()
        session, self._session = self._session, None
        if session is not None:
            self._server.sessions.close(session)

    def __enter__(self) -> AppEpisode:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_app_episode(world: World, task_ref: str | int, face: str, limits: Limits | None = None) -> AppEpisode:
    """Begin an episode in the app, on the server that all episodes of this process share."""
    return AppEpisode(world, task_ref, face, limits, shared_server())


def _add_how(message: dict[str, str]) -> dict[str, str]:
    return {**message, "content": f"{message['content']}\n\n{HOW}"}
