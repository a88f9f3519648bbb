"""Where the tools stand in a document, in whatever wrapping it comes, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from worldwright.anchor.evidence import Operation, Resource, Shape, Skipped, Source
from worldwright.english.words import wordset
from worldwright.formats.json_text import pointer

MAX_VISITED = 200_000
MAX_DEPTH = 10
"""Levels of wrapping around a list of tools."""
LISTS = frozenset({"tools", "functions", "functionDeclarations", "function_declarations"})
INPUTS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "args_schema")
WORDS = frozenset(
    {"name", "title", "description", "annotations", "icons", "execution", "type", "strict", "_meta", *INPUTS}
)
"""What a tool says. A list without a name around it holds tools only where it says nothing else."""
INSIDE = ("function", "toolSpec")
"""Where a definition keeps what it says, when it does not say it itself."""
SERVERS = ("mcpServers", "servers", "context_servers")
STARTS = ("command", "url", "serverUrl", "httpUrl")


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition where it was found."""

    name: str
    says: Mapping[str, Any]
    source: Source
    group: str = ""


@dataclass(slots=True)
class Found:
    """What one upload holds."""

    tools: list[Tool] = field(default_factory=list)
    servers: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    goes_on: bool = False
    """Whether the last page names a next one."""
    title: str = ""
    says: str = ""
    skipped: list[Skipped] = field(default_factory=list)
    visited: int = 0


def visit(value: Any, steps: tuple[str | int, ...], base: Source, group: str, found: Found) -> None:
    """Everything that a document holds, down to the tools."""
    found.visited += 1
    if len(steps) > MAX_DEPTH or found.visited > MAX_VISITED:
        return
    if isinstance(value, list):
        for i, item in enumerate(value):
            listed = steps[-1] in LISTS if steps else isinstance(item, Mapping) and set(item) <= WORDS
            if not _take(item, "", (*steps, i), base, group, listed, found):
                visit(item, (*steps, i), base, group, found)
    elif isinstance(value, Mapping) and not (not steps and _take(value, "", steps, base, group, False, found)):
        _note_facts(value, found)
        for key, inner in value.items():
            named = key in LISTS and isinstance(inner, Mapping)
            if named and all(isinstance(v, Mapping) for v in inner.values()):
                for name, item in inner.items():
                    _take(item, name, (*steps, key, name), base, group, True, found)
            elif isinstance(inner, (Mapping, list)):
                visit(inner, (*steps, key), base, _group(value, steps, group), found)


def _take(
    value: Any, name: str, steps: tuple[str | int, ...], base: Source, group: str, listed: bool, found: Found
) -> bool:
    """Whether this is a tool; it is kept then."""
    if not isinstance(value, Mapping):
        return False
    for inside in INSIDE:
        if isinstance(value.get(inside), Mapping):
            value, steps, listed = value[inside], (*steps, inside), True
    said = value.get("name", name or None)
    shaped = isinstance(said, str) and any(isinstance(value.get(k), Mapping) for k in INPUTS)
    if not shaped and not (listed and not LISTS & set(value)):
        return False
    source = base if base.at else Source(base.file, pointer(*steps))
    if not isinstance(said, str) or not said.strip():
        found.skipped.append(Skipped("a tool", "it has no name", source))
        return True
    found.tools.append(Tool(said, value, source, group))
    return True


def _note_facts(value: Mapping[str, Any], found: Found) -> None:
    """What stands beside the tools: who the server is, that it failed, that more follow, or how servers are started."""
    info = value.get("serverInfo")
    if isinstance(info, Mapping) and not found.title:
        found.title = next((info[k] for k in ("title", "name") if isinstance(info.get(k), str) and info[k]), "")
    if isinstance(value.get("instructions"), str):
        found.says = found.says or value["instructions"]
    error = value.get("error")
    if isinstance(error, Mapping) and isinstance(error.get("message"), str) and "jsonrpc" in value:
        found.errors.append(error["message"][:300])
    if isinstance(value.get("tools"), list):
        found.goes_on = isinstance(value.get("nextCursor"), str) and value["nextCursor"] != ""
    for key in SERVERS:
        servers = value.get(key)
        for name, start in servers.items() if isinstance(servers, Mapping) else ():
            if isinstance(start, Mapping) and any(isinstance(start.get(k), str) for k in STARTS):
                found.servers[str(name)] = _start(start)


def _start(server: Mapping[str, Any]) -> str:
    """How a server is reached: its program, or its host. Arguments and headers may hold secrets and are not shown."""
    for key in STARTS:
        said = server.get(key)
        if not isinstance(said, str):
            continue
        if key == "command":
            return re.split(r"[\s/\\]+", said.strip())[-1][:80] if " " not in said.strip() else said.split()[0][:80]
        try:
            return urlsplit(said).hostname or ""
        except ValueError:
            return ""
    return ""


def _group(value: Mapping[str, Any], steps: tuple[str | int, ...], group: str) -> str:
    """The server that a list of tools belongs to, where one document holds several."""
    if not isinstance(value.get("tools"), (list, Mapping)) or not steps:
        return group
    name = value.get("name")
    last = steps[-1]
    return (
        name if isinstance(name, str) else last if isinstance(last, str) and last not in ("result", "params") else group
    )


# What the schemas of tools describe with a name, and what they describe lists of.


NO_NAMES = wordset("result results data items item value values content response output list records rows")
"""What wraps something and says nothing about what it is."""


def resources(operations: Sequence[Operation]) -> tuple[Resource, ...]:
    """What the schemas describe with a name, and what they describe lists of."""
    found: dict[str, Resource] = {}
    for operation in operations:
        for parameter in operation.parameters:
            _collect(parameter.shape, parameter.name, parameter.source, found)
        if operation.answer is not None:
            answer, name = _unwrapped(operation.answer)
            _collect(answer, name, operation.source, found)
    return tuple(found.values())


def _unwrapped(shape: Shape) -> tuple[Shape, str]:
    """An answer without the field that only holds it."""
    if shape.kind == "object" and len(shape.fields) == 1:
        (only,) = shape.fields.values()
        if only.shape.kind in ("object", "array") or only.name in NO_NAMES:
            return only.shape, only.name
    return shape, ""


def _collect(shape: Shape, name: str, source: Source | None, found: dict[str, Resource]) -> None:
    if shape.kind == "array" and shape.items is not None:
        inner = shape.items
        called = inner.name or ("" if name.lower() in NO_NAMES else name)
        _collect(replace(inner, name=called) if inner.kind == "object" else inner, name, source, found)
    elif shape.kind == "object":
        if shape.name and shape.fields:
            resource = Resource(
                shape.name, tuple(shape.fields.values()), says=shape.says, origin="schema", source=source
            )
            found[shape.name] = _together(found[shape.name], resource) if shape.name in found else resource
        for inner_field in shape.fields.values():
            _collect(inner_field.shape, inner_field.name, source, found)


def _together(first: Resource, second: Resource) -> Resource:
    """Two descriptions of one thing: all fields, and required what both require."""
    names = {f.name: f for f in second.fields}
    known = {f.name for f in first.fields}
    kept = [replace(f, required=f.required and f.name in names and names[f.name].required) for f in first.fields]
    more = [replace(f, required=False) for f in second.fields if f.name not in known]
    return replace(first, fields=(*kept, *more), says=first.says or second.says)
