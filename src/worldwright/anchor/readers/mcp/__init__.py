"""The tools of an MCP server, from a saved `tools/list` answer in whatever wrapping it comes.

Definitions of functions for language models say the same with other words, and are read too. A settings file that only names
servers holds no tools: they are listed, and nothing is started (`anchor/intake/mcp_session.py` asks a server).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from worldwright.anchor.evidence import Evidence, Field, Note, Operation, Parameter, Resource, Shape, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.schema.references import make_resolver
from worldwright.anchor.schema.repair import repair_schema
from worldwright.anchor.schema.shapes import shape_of
from worldwright.english.words import wordset
from worldwright.formats.encodings import decode_text
from worldwright.formats.json_text import documents, pointer

MAX_TOOLS = 5_000
OUTPUTS = ("outputSchema", "output_schema", "responseJsonSchema", "response")
GROUPS = ("tags", "category", "categories", "group", "toolset")
FORMING = frozenset({"properties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"})
"""Keywords that say which arguments there are."""
_NAMESPACE = re.compile(r"([A-Za-z0-9-]+)(?:__|[./:])(?=.)")
_WORDS = re.compile(r"[A-Za-z0-9]+")


def read(uploads: Sequence[Upload]) -> Evidence:
    """The tools in some uploads."""
    notes: list[Note] = []
    skipped: list[Skipped] = []
    tools: dict[str, Tool] = {}
    title = says = ""
    for upload in uploads:
        found = _find_tools(upload, notes)
        title, says = title or found.title, says or found.says
        skipped += found.skipped
        for tool in found.tools:
            if tool.name in tools:
                first = tools[tool.name].source
                notes.append(Note("warning", f"`{tool.name}` is defined again; {first} counts", tool.source))
            elif len(tools) < MAX_TOOLS:
                tools[tool.name] = tool
            else:
                skipped.append(Skipped(tool.name, f"more than {MAX_TOOLS:,} tools", tool.source))
    common = _common_word(list(tools))
    operations = tuple(_action(tool, common, notes) for tool in tools.values())
    _tell_of_silent_ones(operations, tools, notes)
    return Evidence(
        title, says, resources=resources(operations), operations=operations, notes=tuple(notes), skipped=tuple(skipped)
    )


def _find_tools(upload: Upload, notes: list[Note]) -> Found:
    """The tools in one upload, and what has to be said about it."""
    text, _ = decode_text(upload.data)
    parts, wrong = documents(text)
    found = Found()
    for part in parts:
        visit(part.value, (), Source(upload.name, part.at), "", found)
    whole = Source(upload.name)
    right = 'expected the JSON of a tools/list answer, such as {"tools": [...]}'
    level = "warning" if parts else "error"
    notes += [Note(level, f"not JSON: {w.says}; {right}", Source(upload.name, w.at)) for w in wrong]
    level = "warning" if found.tools else "error"
    notes += [Note(level, f"the server answered with an error: {error}", whole) for error in found.errors]
    if found.servers:
        listed = "; ".join(f"{name} ({start})" if start else name for name, start in found.servers.items())
        says = f"this names servers and holds no tools of theirs; each has to be asked for its tools: {listed}"
        notes.append(Note("warning", says, whole))
    elif parts and not found.tools and not found.errors:
        notes.append(Note("error", f"no tools in it; {right}", whole))
    if found.goes_on:
        says = "the last page says that more follow (`nextCursor`), and they are not here"
        notes.append(Note("warning", says, whole))
    return found


def _action(tool: Tool, common: str, notes: list[Note]) -> Operation:
    facts = tool.says
    hints = facts.get("annotations")
    hints = hints if isinstance(hints, Mapping) else {}
    key, schema = _schema(facts, INPUTS)
    inputs = _arguments(schema, tool, notes)
    shape = shape_of(inputs, make_resolver(inputs))
    at = Source(tool.source.file, f"{tool.source.at}/{key}") if tool.source.at.startswith("/") else tool.source
    out_key, out = _schema(facts, OUTPUTS)
    outputs = _checked(out, tool, f"the answer of `{tool.name}`", notes) if out_key and out else None
    says = _text(facts, "description")
    return Operation(
        tool.name,
        says,
        _text(facts, "title") or _text(hints, "title"),
        parameters=tuple(_parameter(f, at) for f in shape.fields.values()),
        answer=shape_of(outputs, make_resolver(outputs)) if outputs else None,
        input_schema=inputs,
        output_schema=outputs or None,
        tags=_tags(tool, common),
        read_only=_hint(hints, "readOnlyHint"),
        source=tool.source,
    )


def _schema(facts: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, Any]:
    for key in keys:
        value = facts.get(key)
        if isinstance(value, Mapping):
            inner = value.get("json")
            return (f"{key}/json", inner) if set(value) == {"json"} and isinstance(inner, Mapping) else (key, value)
    return "", None


def _arguments(schema: Any, tool: Tool, notes: list[Note]) -> dict[str, Any]:
    """The schema of the arguments, which are always an object."""
    none: dict[str, Any] = {"type": "object", "properties": {}}
    if not isinstance(schema, Mapping) or set(schema) <= {"$schema"}:
        return none
    out = _checked(schema, tool, f"the arguments of `{tool.name}`", notes)
    kinds = out.get("type", "object")
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        out["type"] = "object"
        return out if FORMING & set(out) else {**out, "properties": {}}
    says = f"the arguments of `{tool.name}` are no object but {kinds}: it is read as a tool without arguments"
    notes.append(Note("warning", says, tool.source))
    return none


def _checked(schema: Mapping[str, Any], tool: Tool, what: str, notes: list[Note]) -> dict[str, Any]:
    out, changes = repair_schema(schema)
    if changes:
        more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
        notes.append(Note("warning", f"{what}: {'; '.join(changes[:3])}{more}", tool.source))
    return out


def _parameter(found: Field, at: Source) -> Parameter:
    place = f"{at.at}/properties{pointer(found.name)}" if at.at.startswith("/") else at.at
    return Parameter(found.name, "argument", found.shape, found.required, found.says, Source(at.file, place))


def _tags(tool: Tool, common: str) -> tuple[str, ...]:
    """Return what groups it: what it says itself, the server it belongs to, or the beginning of its name."""
    meta = tool.says.get("_meta")
    places: list[Mapping[str, Any]] = [tool.says]
    if isinstance(meta, Mapping):
        places += [meta, *(v for v in meta.values() if isinstance(v, Mapping))]
    said: list[str] = []
    for place in places:
        for key in GROUPS:
            value = place.get(key)
            said += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str) and v]
    space = _NAMESPACE.match(tool.name)
    found = [*said, tool.group, space.group(1) if space else "", common]
    return tuple(dict.fromkeys(f for f in found if f))


def _common_word(names: Sequence[str]) -> str:
    """The word that all names begin with, where there are several."""
    first = {found.group() if (found := _WORDS.match(name)) else "" for name in names}
    word = next(iter(first)) if len(first) == 1 else ""
    return word if len(names) > 1 and word and all(len(name) > len(word) for name in names) else ""


def _tell_of_silent_ones(operations: Sequence[Operation], tools: Mapping[str, Tool], notes: list[Note]) -> None:
    """Tools that do not describe their arguments at all, by upload."""
    silent: dict[str, list[str]] = {}
    for operation in operations:
        said = _schema(tools[operation.name].says, INPUTS)[1]
        if not said or (not operation.parameters and not set(said) - {"$schema"}):
            silent.setdefault(tools[operation.name].source.file, []).append(operation.name)
    for file, names in silent.items():
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        notes.append(Note("warning", f"{len(names)} tools do not say which arguments they take: {shown}", Source(file)))


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def _hint(hints: Mapping[str, Any], key: str) -> bool | None:
    value = hints.get(key)
    return value if isinstance(value, bool) else None


# Where the tools stand in a document, in whatever wrapping it comes, and what stands beside them.


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
    """Tell whether this is a tool; it is kept then."""
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
    """Return what stands beside the tools: who the server is, that it failed, that more follow, or how servers are started."""
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
    """Return how a server is reached: its program, or its host. Arguments and headers may hold secrets and are not shown."""
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
    """Return what the schemas describe with a name, and what they describe lists of."""
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
