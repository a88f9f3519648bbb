"""The app of a world: the software that its business would have, made from its Blueprint and its tools."""

from worldwright.app.sessions import AppSession, AppSessions
from worldwright.app.web.server import AppServer, make_app

__all__ = ["AppServer", "AppSession", "AppSessions", "make_app"]
