"""One conversation with an MCP server: all pages of its list of tools, over a process or over HTTP.

Nothing else here starts a process or opens a connection, and this only when called.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, Any
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client, types
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import RootModel, ValidationError

from worldwright.core.errors import UsageError

MAX_PAGES = 1_000
LOG_TAIL_CHARS = 600
"""Characters of what a server wrote before it failed."""
ERRORS = (
    MCPError, OSError, ValidationError, ValueError, RuntimeError, httpx2.HTTPError, ExceptionGroup,
    anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream,
)  # fmt: skip
"""What a connection can end with."""
SLOW = "is it an MCP server, and does it need longer to start?"

Connect = Callable[[], Client]


class _Page(RootModel[dict[str, Any]]):
    """A page as the server sent it, with all that the library has no field for."""


def list_server_tools(
    command: Sequence[str] | None = None,
    url: str | None = None,
    timeout: float = 30,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The tools of a server that a command starts (it speaks over its input and output), or that answers at a URL.

    The answer is the JSON text that `readers/mcp` takes, so that it can be saved and read again without the server. A command sees
    only the usual variables of the environment. Give it a secret as `env NAME=value program`, and a URL its as `headers`: they are
    sent to it and kept nowhere.
    """
    if not timeout > 0:
        raise UsageError(f"{timeout} seconds are no time to answer; give a timeout above zero")
    if (command is None) == (url is None):
        raise UsageError("give either a command that starts an MCP server or the URL of one")
    if url is not None:
        return _list_over_http(url, timeout, dict(headers or {}))
    if not command or isinstance(command, str) or not command[0].strip():
        raise UsageError('give the command as a list of the program and its arguments, such as ["npx", "some-server"]')
    return _list_over_stdio(command, timeout)


def _list_over_stdio(command: Sequence[str], timeout: float) -> bytes:
    """Starts a server, asks it, and ends it."""
    server = StdioServerParameters(command=command[0], args=list(command[1:]), encoding_error_handler="replace")
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:

        def speaking(mode: str) -> Connect:
            return lambda: Client(stdio_client(server, errlog=log), mode=mode, cache=None)

        # An old server may not survive the question which protocol it speaks.
        answer = anyio.run(_ask_server, (speaking("auto"), speaking("legacy")), timeout)
        if isinstance(answer, bytes):
            return answer
        # The arguments may be secrets, and so may the values that are set for the program.
        program = next((part for part in command if part != "env" and "=" not in part), command[0])
        shown = f"{program} ..." if len(command) > 1 else program
        raise UsageError(f"the server started by `{shown}` {answer}{_last_words(log)}")


def _list_over_http(url: str, timeout: float, headers: dict[str, str]) -> bytes:
    """Asks over streamable HTTP, and over server-sent events where that is not understood."""
    place = ""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            place = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
    except ValueError:
        pass
    if not place:
        shown = url.partition("?")[0].rpartition("@")[2][:200]
        raise UsageError(f"{shown!r} is no address of a server; expected one such as http://localhost:8000/mcp")

    # What is sent along may be a secret of this server's: it does not follow to another one.
    @asynccontextmanager
    async def streamed() -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=not headers) as http,
            streamable_http_client(url, http_client=http) as streams,
        ):
            yield streams

    def events() -> Any:
        return sse_client(url, headers=headers, timeout=timeout, sse_read_timeout=timeout)

    ways = (lambda: Client(streamed(), cache=None), lambda: Client(events(), mode="legacy", cache=None))
    answer = anyio.run(_ask_server, ways, timeout)
    if isinstance(answer, bytes):
        return answer
    raise UsageError(f"the server at {place} {answer}")


async def _ask_server(ways: Sequence[Connect], timeout: float) -> bytes | str:
    """The answer by the first way that works, or what the server did instead of answering."""
    failed: list[str] = []
    with anyio.move_on_after(timeout):
        for connect in ways:
            try:
                return await _listed(connect())
            except ERRORS as e:
                reason, final = _reason(e)
            failed.append(reason)
            if final:
                break
        return "; then it ".join(dict.fromkeys(failed))
    return f"did not answer within {timeout:g} seconds ({SLOW})"


async def _listed(unconnected: Client) -> bytes:
    """Every page of the list of tools, with what the server says of itself."""
    out: dict[str, Any] = {"tools": []}
    async with unconnected as client:
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(MAX_PAGES):
            request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
            page = (await client.session.send_request(request, _Page)).root
            out["tools"] += page.get("tools", ())
            cursor = page.get("nextCursor")
            if not cursor or cursor in seen:
                break
            seen.add(cursor)
        if client.server_info is not None:
            out["serverInfo"] = client.server_info.model_dump(by_alias=True, mode="json", exclude_none=True)
        if client.instructions:
            out["instructions"] = client.instructions
    return json.dumps(out, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _reason(error: Exception) -> tuple[str, bool]:
    """Return what went wrong, and whether another way cannot help."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    match error:
        case FileNotFoundError():
            return "cannot be started: there is no such program; check its name and path", True
        case httpx2.HTTPStatusError():
            status = error.response.status_code
            return f"answered with HTTP {status}; check the path, and whether it asks for a login", False
        case httpx2.TransportError() | OSError():
            return f"cannot be reached or started: {error}; is it running, and may it be used from here?", True
        case ValidationError():
            return "gave no list of tools by the protocol; save its tools/list answer to a file and read that", True
        case MCPError(code=types.METHOD_NOT_FOUND):
            return "offers no tools, or does not speak this protocol", False
        case MCPError(code=types.CONNECTION_CLOSED):
            return "ended before it answered; start it by hand to see why", False
        case _:
            return f"refused: {error}", False


def _last_words(log: IO[str]) -> str:
    """Return what the server wrote on its error output."""
    end = log.seek(0, 2)
    log.seek(max(0, end - 4 * LOG_TAIL_CHARS))
    said = log.read()[-LOG_TAIL_CHARS:].strip()
    return f"\nIts last words: {said}" if said else ""
