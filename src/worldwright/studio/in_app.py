"""Episodes by hand, gone on with in the app of their world: the same calls, made on pages instead of in a form of arguments.

An episode has one list of calls, wherever they are made. A call in the app is added to what is kept here, and the episode is opened
again from that when the studio shows it; a call in the studio ends the session in the app, which is opened again with it.
"""

from __future__ import annotations

from threading import Lock

from worldwright.app import AppSessions
from worldwright.app.sessions import AppSession
from worldwright.studio.hands import Hands
from worldwright.studio.opened import Worlds

MOUNT = "/app"
MAX_OPEN = 24


def can_show(face: str) -> bool:
    """Whether the app has a face: its pages are made from what tools are called."""
    return "obscured" not in face


class InApp:
    """The sessions in the app of a studio's episodes by hand."""

    def __init__(self, hands: Hands, worlds: Worlds) -> None:
        self.sessions = AppSessions()
        self._hands = hands
        self._worlds = worlds
        self._open: dict[str, AppSession] = {}
        self._lock = Lock()

    def enter(self, key: str) -> str:
        """The path of an episode's pages in the app, opened where it is not open."""
        with self._lock:
            session = self._open.get(key)
            if session is None:
                session = self._open[key] = self._begin(key)
            while len(self._open) > MAX_OPEN:
                oldest = next(iter(self._open))
                self.sessions.close(self._open.pop(oldest))
        return MOUNT + session.path

    def leave(self, key: str) -> None:
        """End the session of an episode, if there is one: its calls are kept, and it can be entered again."""
        with self._lock:
            session = self._open.pop(key, None)
        if session is not None:
            self.sessions.close(session)

    def close(self) -> None:
        """End every session."""
        self.sessions.close_all()

    def _begin(self, key: str) -> AppSession:
        record = self._hands.find(key).record
        world = self._worlds.open(record.world).pack.world
        session = self.sessions.open(
            world, record.task or None, face=record.face, role=record.role or None, may_restart=False
        )
        with session.lock:
            for tool, arguments in record.calls:
                session.call(tool, arguments)
            session.noted = lambda after: self._hands.adopt(key, [(seen.tool, seen.arguments) for seen in after.seen])
        return session
