"""Asks a live MCP server for its tools. Nothing else here starts a process or opens a connection, and this only when called.

The answer is the JSON text that `readers/mcp` takes, so that it can be saved and read again without the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from worldwright.core.errors import UsageError


def list_server_tools(
    command: Sequence[str] | None = None,
    url: str | None = None,
    timeout: float = 30,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The tools of a server that a command starts (it speaks over its input and output), or that answers at a URL.

    A command sees only the usual variables of the environment. Give it a secret as `env NAME=value program`, and a URL its as
    `headers`: they are sent to it and kept nowhere.
    """
    if not timeout > 0:
        raise UsageError(f"{timeout} seconds are no time to answer; give a timeout above zero")
    if (command is None) == (url is None):
        raise UsageError("give either a command that starts an MCP server or the URL of one")
    if command is not None and (isinstance(command, str) or not command or not command[0].strip()):
        raise UsageError('give the command as a list of the program and its arguments, such as ["npx", "some-server"]')
    if url is not None and not _is_address(url):
        shown = url.partition("?")[0].rpartition("@")[2][:200]
        raise UsageError(f"{shown!r} is no address of a server; expected one such as http://localhost:8000/mcp")
    try:
        from worldwright.anchor.intake import mcp_session  # noqa: PLC0415  the library comes with an extra
    except ModuleNotFoundError:
        raise UsageError(
            "asking a live server needs the MCP library: pip install worldwright[mcp]; "
            "a saved tools/list answer can be read without it"
        ) from None
    if command is not None:
        return mcp_session.list_tools_over_stdio(command, timeout)
    return mcp_session.list_tools_over_http(url or "", timeout, dict(headers or {}))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
