"""What somebody names on the command line, as inputs of an anchor: paths, addresses, servers and words."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import Upload, clone_repository, is_git_url, read_uploads
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.formats.encodings import decode_text

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")


def collect_inputs(
    named: Sequence[tuple[str, str]], ask_servers: Sequence[str], commands: Sequence[str], timeout: float
) -> tuple[Input, ...]:
    """Inputs in the order of their kinds. `named` is (kind, what was given)."""
    out = [_read_input(kind, value, ask_servers, timeout) for kind, value in named]
    out += [
        Input("mcp", f"command {i}", (_ask_server(_words(c), i, timeout),)) for i, c in enumerate(commands, start=1)
    ]
    if ask_servers and not any(kind == "mcp" for kind, _ in named):
        raise UsageError("--ask names a server of a settings file: give the file with --mcp")
    return tuple(out)


def _read_input(kind: str, value: str, servers: Sequence[str], timeout: float) -> Input:
    if kind == "prompt":
        if not value.strip():
            raise UsageError("an empty prompt says nothing")
        data = value.encode("utf-8", "replace")
        return Input(kind, data.decode("utf-8"), (Upload("prompt.txt", data),))
    if kind == "mcp" and value.startswith(("http://", "https://")):
        return Input(
            kind,
            urlsplit(value).hostname or "a server",
            (Upload("tools.json", _list_tools(url=value, timeout=timeout)),),
        )
    if kind in ("repo", "any") and is_git_url(value):
        return Input("repo", value.rstrip("/").rsplit("/", 1)[-1], clone_repository(value))
    found = tuple(read_uploads(Path(value)))
    if kind == "mcp" and servers:
        found = tuple(_ask_servers(found, servers, timeout))
    return Input(kind, Path(value).name or value, found)


def _list_tools(**server: Any) -> bytes:
    """Ask a live server for its tools. Only here the library of the protocol is needed, which comes with an extra."""
    try:
        from worldwright.anchor.intake.mcp_session import list_server_tools
    except ModuleNotFoundError:
        raise UsageError(
            "asking a live server needs the MCP library: pip install 'worldwright[mcp]'; "
            "a saved tools/list answer can be read without it"
        ) from None
    return list_server_tools(**server)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as e:
        raise UsageError(f"{command[:200]!r} is no command: {e}") from None


def _ask_server(command: Sequence[str], number: int, timeout: float) -> Upload:
    return Upload(f"tools-{number}.json", _list_tools(command=list(command), timeout=timeout))


def _ask_servers(files: Sequence[Upload], servers: Sequence[str], timeout: float) -> Iterable[Upload]:
    """Ask the servers of a settings file for their tools."""
    known: dict[str, dict[str, object]] = {}
    for file in files:
        known |= _servers(file)
    if not known:
        raise UsageError("--ask names a server, but the file lists none (`mcpServers`)")
    chosen = list(known) if "all" in servers and "all" not in known else list(servers)
    for name in chosen:
        if name not in known:
            raise UsageError(f"the file has no server `{name[:60]}`; {suggest(name[:60], tuple(known))}")
        entry = known[name]
        url, command, arguments = entry.get("url"), entry.get("command"), entry.get("args", [])
        if isinstance(url, str):
            yield Upload(
                f"{name}.tools.json", _list_tools(url=url, timeout=timeout, headers=_read_headers(name, entry))
            )
        elif isinstance(command, str) and isinstance(arguments, list):
            extra = entry.get("env")
            own = [f"{k}={v}" for k, v in extra.items()] if isinstance(extra, dict) else []
            line = [*(["env", *own] if own else []), command, *map(str, arguments)]
            yield Upload(f"{name}.tools.json", _list_tools(command=line, timeout=timeout))
        else:
            raise UsageError(f"the settings of `{name}` name neither a command nor a url")


def _read_headers(name: str, entry: dict[str, object]) -> dict[str, str]:
    """Read what a server wants to be sent with each question; `${NAME}` and `${env:NAME}` are taken from the environment."""
    found = entry.get("headers", {})
    if not isinstance(found, dict):
        raise UsageError(f"the `headers` of `{name}` are no mapping of names to values")

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise UsageError(f"a header of `{name}` wants the variable {match[1]}, which is not set")
        return os.environ[match[1]]

    return {str(k): _VARIABLE.sub(value, str(v)) for k, v in found.items()}


def _servers(file: Upload) -> dict[str, dict[str, object]]:
    try:
        found = json.loads(decode_text(file.data)[0])
    except (ValueError, RecursionError):
        return {}
    servers = found.get("mcpServers") or found.get("servers") if isinstance(found, dict) else None
    return {k: v for k, v in servers.items() if isinstance(v, dict)} if isinstance(servers, dict) else {}
