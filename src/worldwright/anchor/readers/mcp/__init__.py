"""The tools of an MCP server, from a saved `tools/list` answer in whatever wrapping it comes.

Definitions of functions for language models say the same with other words, and are read too. A settings file that only names
servers holds no tools: they are listed, and nothing is started (`anchor/intake/mcp_session.py` asks a server).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from worldwright.anchor.evidence import Evidence, Note, Operation, Parameter, Resource, Shape, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi.documents import as_mapping
from worldwright.anchor.schema.references import make_resolver
from worldwright.anchor.schema.repair import repair_schema
from worldwright.anchor.schema.shapes import shape_of
from worldwright.english.words import wordset
from worldwright.formats.encodings import decode_text
from worldwright.formats.json_text import documents, pointer

MAX_TOOLS = 5_000
MAX_VISITED = 200_000
MAX_DEPTH = 10
"""Levels of wrapping around a list of tools."""
LISTS = frozenset({"tools", "functions", "functionDeclarations", "function_declarations"})
INPUTS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "args_schema")
OUTPUTS = ("outputSchema", "output_schema", "responseJsonSchema", "response")
GROUPS = ("tags", "category", "categories", "group", "toolset")
FORMING = frozenset({"properties", "$ref", "allOf", "anyOf", "oneOf"})
"""Keywords that say which arguments there are."""
WORDS = frozenset(
    {"name", "title", "description", "annotations", "icons", "execution", "type", "strict", "_meta", *INPUTS}
)
"""What a tool says. A list without a name around it holds tools only where it says nothing else."""
SERVERS = ("mcpServers", "servers", "context_servers")
STARTS = ("command", "url", "serverUrl", "httpUrl")
NO_NAMES = wordset("result results data items item value values content response output list records rows")
"""What wraps something and says nothing about what it is."""
EXPECTED = 'expected the JSON of a tools/list answer, such as {"tools": [...]}'
_NAMESPACE = re.compile(r"([A-Za-z0-9-]+)(?:__|[./:])(?=.)")
_WORDS = re.compile(r"[A-Za-z0-9]*")


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition where it was found."""

    name: str
    says: Mapping[str, Any]
    source: Source
    group: str = ""


def read(uploads: Sequence[Upload]) -> Evidence:
    """The tools in some uploads."""
    notes: list[Note] = []
    skipped: list[Skipped] = []
    tools: dict[str, Tool] = {}
    title = says = ""
    for upload in uploads:
        found = _Search(upload.name)
        notes += found.search(upload.data)
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
    begins = {_WORDS.findall(name)[0] for name in tools}
    common = begins.pop() if len(begins) == 1 and len(tools) > 1 else ""
    common = common if common not in tools else ""
    operations = tuple(_action(tool, common, notes) for tool in tools.values())
    notes += _note_silent_tools(tools.values())
    things = _resources(operations)
    return Evidence(title, says, resources=things, operations=operations, notes=tuple(notes), skipped=tuple(skipped))


@dataclass(slots=True)
class _Search:
    """What one upload holds: tools, in whatever wraps them, and what stands beside them."""

    file: str
    tools: list[Tool] = field(default_factory=list)
    servers: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    goes_on: bool = False
    """Whether the last page names a next one."""
    title: str = ""
    says: str = ""
    skipped: list[Skipped] = field(default_factory=list)
    visited: int = 0
    lines: str = ""
    """Where the document that is searched stands, where it is one of several."""

    def search(self, data: bytes) -> Iterator[Note]:
        """Find everything; yields what has to be said about it."""
        parts, wrong = documents(decode_text(data)[0])
        for part in parts:
            self.lines = part.at
            if not self._take(part.value, "", (), "", listed=False):
                self._visit(part.value, (), "")
        whole = Source(self.file)
        for complaint in wrong:
            level = "warning" if parts else "error"
            yield Note(level, f"not JSON: {complaint.says}; {EXPECTED}", Source(self.file, complaint.at))
        for error in self.errors:
            yield Note("warning" if self.tools else "error", f"the server answered with an error: {error}", whole)
        if self.servers:
            listed = "; ".join(f"{name} ({start})" if start else name for name, start in self.servers.items())
            says = f"this names servers and holds no tools of theirs; each has to be asked for its tools: {listed}"
            yield Note("warning", says, whole)
        elif parts and not self.tools and not self.errors:
            yield Note("error", f"no tools in it; {EXPECTED}", whole)
        if self.goes_on:
            says = "the last page says that more follow (`nextCursor`), and they are not here"
            yield Note("warning", says, whole)

    def _visit(self, value: Any, steps: tuple[str | int, ...], group: str) -> None:
        """Everything that a document holds, down to the tools; `group` is the server that they belong to."""
        self.visited += 1
        if len(steps) > MAX_DEPTH or self.visited > MAX_VISITED or not isinstance(value, (Mapping, list)):
            return
        last = steps[-1] if steps else ""
        named = isinstance(value, Mapping) and last in LISTS and all(isinstance(v, Mapping) for v in value.values())
        if isinstance(value, Mapping) and not named:
            self._note_facts(value)
            if steps and isinstance(value.get("tools"), (list, Mapping)):
                said = value.get("name", last if last not in ("result", "params") else None)
                group = said if isinstance(said, str) else group
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            bare = not steps and isinstance(value, list) and isinstance(item, Mapping) and WORDS.issuperset(item)
            tool = named or isinstance(value, list)
            name, listed = str(key) if named else "", bare or (tool and last in LISTS)
            if not (tool and self._take(item, name, (*steps, key), group, listed)):
                self._visit(item, (*steps, key), group)

    def _take(self, value: Any, name: str, steps: tuple[str | int, ...], group: str, listed: bool) -> bool:
        """Tell whether this is a tool; it is kept then."""
        for inside in ("function", "toolSpec"):  # where a definition keeps what it says, when it does not say it itself
            if isinstance(value, Mapping) and isinstance(value.get(inside), Mapping):
                value, steps, listed = value[inside], (*steps, inside), True
        if not isinstance(value, Mapping):
            return False
        said = value.get("name", name)
        shaped = isinstance(said, str) and any(isinstance(value.get(k), Mapping) for k in INPUTS)
        if not shaped and (not listed or LISTS.intersection(value)):
            return False
        source = Source(self.file, self.lines or pointer(*steps))
        if isinstance(said, str) and said.strip():
            self.tools.append(Tool(said, value, source, group))
        else:
            self.skipped.append(Skipped("a tool", "it has no name", source))
        return True

    def _note_facts(self, value: Mapping[str, Any]) -> None:
        """Keep what stands beside the tools: who the server is, that it failed, that more follow, or how servers are started."""
        info, error = as_mapping(value.get("serverInfo")), as_mapping(value.get("error"))
        self.title = self.title or _text(info, "title") or _text(info, "name")
        self.says = self.says or _text(value, "instructions")
        if _text(error, "message") and "jsonrpc" in value:
            self.errors.append(error["message"][:300])
        if isinstance(value.get("tools"), list):
            self.goes_on = bool(_text(value, "nextCursor"))
        for name, start in ((n, s) for key in SERVERS for n, s in as_mapping(value.get(key)).items()):
            if isinstance(start, Mapping) and any(isinstance(start.get(k), str) for k in STARTS):
                self.servers[str(name)] = _start(start)


def _start(server: Mapping[str, Any]) -> str:
    """How a server is reached: its program, or its host. Arguments and headers may hold secrets and are not shown."""
    if isinstance(server.get("command"), str):
        return re.split(r"[/\\]", (server["command"].split() or [""])[0])[-1][:80]
    try:
        return urlsplit(next(_text(server, key) for key in STARTS if _text(server, key))).hostname or ""
    except (ValueError, StopIteration):
        return ""


def _action(tool: Tool, common: str, notes: list[Note]) -> Operation:
    facts, hints = tool.says, as_mapping(tool.says.get("annotations"))
    key, schema = _schema(facts, INPUTS)
    inputs = _arguments(schema, tool, notes)
    shape = shape_of(inputs, make_resolver(inputs))
    out = _schema(facts, OUTPUTS)[1]
    outputs = _checked(out, tool, f"the answer of `{tool.name}`", notes) if out else {}
    only_reads = hints.get("readOnlyHint")
    base = f"{tool.source.at}/{key}/properties" if tool.source.at.startswith("/") else ""
    places = {name: Source(tool.source.file, base + pointer(name) if base else tool.source.at) for name in shape.fields}
    return Operation(
        tool.name,
        _text(facts, "description"),
        _text(facts, "title") or _text(hints, "title"),
        parameters=tuple(
            Parameter(f.name, "argument", f.shape, f.required, f.says, places[name]) for name, f in shape.fields.items()
        ),
        answer=shape_of(outputs, make_resolver(outputs)) if outputs else None,
        input_schema=inputs,
        output_schema=outputs or None,
        tags=_tags(tool, common),
        read_only=only_reads if isinstance(only_reads, bool) else None,
        source=tool.source,
    )


def _schema(facts: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, Mapping[str, Any]]:
    """The first schema under one of these keys, and its key."""
    key = next((k for k in keys if isinstance(facts.get(k), Mapping)), "")
    value = as_mapping(facts.get(key))
    return (f"{key}/json", value["json"]) if set(value) == {"json"} and as_mapping(value.get("json")) else (key, value)


def _arguments(schema: Mapping[str, Any], tool: Tool, notes: list[Note]) -> dict[str, Any]:
    """The schema of the arguments, which are always an object."""
    if set(schema) <= {"$schema"}:
        return {"type": "object", "properties": {}}
    out = _checked(schema, tool, f"the arguments of `{tool.name}`", notes)
    kinds = out.get("type", "object")
    if "object" in (kinds if isinstance(kinds, list) else [kinds]):
        return {**out, "type": "object", **({} if FORMING.intersection(out) else {"properties": {}})}
    says = f"the arguments of `{tool.name}` are no object but {kinds}: it is read as a tool without arguments"
    notes.append(Note("warning", says, tool.source))
    return {"type": "object", "properties": {}}


def _checked(schema: Mapping[str, Any], tool: Tool, what: str, notes: list[Note]) -> dict[str, Any]:
    out, changes = repair_schema(schema)
    if changes:
        more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
        notes.append(Note("warning", f"{what}: {'; '.join(changes[:3])}{more}", tool.source))
    return out


def _tags(tool: Tool, common: str) -> tuple[str, ...]:
    """What groups it: what it says itself, the server it belongs to, or the beginning of its name."""
    meta = as_mapping(tool.says.get("_meta"))
    places = [tool.says, meta, *(v for v in meta.values() if isinstance(v, Mapping))]
    held = [place.get(key) for place in places for key in GROUPS]
    said = [v for value in held for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]
    space = _NAMESPACE.match(tool.name)
    return tuple(dict.fromkeys(t for t in (*said, tool.group, space[1] if space else "", common) if t))


def _note_silent_tools(tools: Iterable[Tool]) -> Iterator[Note]:
    """Yield which tools do not describe their arguments at all, by upload."""
    silent: dict[str, list[str]] = {}
    for tool in tools:
        if set(_schema(tool.says, INPUTS)[1]) <= {"$schema"}:
            silent.setdefault(tool.source.file, []).append(tool.name)
    for file, names in silent.items():
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        yield Note("warning", f"{len(names)} tools do not say which arguments they take: {shown}", Source(file))


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def _resources(operations: Sequence[Operation]) -> tuple[Resource, ...]:
    """What the schemas describe with a name, and what they describe lists of."""
    found: dict[str, Resource] = {}
    for operation in operations:
        for parameter in operation.parameters:
            _collect(parameter.shape, parameter.name, parameter.source, found)
        answer, name = operation.answer, ""
        if answer is not None and answer.kind == "object" and len(answer.fields) == 1:
            (only,) = answer.fields.values()
            if only.shape.kind in ("object", "array") or only.name in NO_NAMES:
                answer, name = only.shape, only.name  # without the field that only holds it
        if answer is not None:
            _collect(answer, name, operation.source, found)
    return tuple(found.values())


def _collect(shape: Shape, name: str, source: Source | None, found: dict[str, Resource]) -> None:
    if shape.kind == "array" and shape.items is not None:
        called = shape.items.name or ("" if name.lower() in NO_NAMES else name)
        inner = replace(shape.items, name=called) if shape.items.kind == "object" else shape.items
        _collect(inner, name, source, found)
    elif shape.kind == "object":
        if shape.name and shape.fields:
            one = Resource(shape.name, tuple(shape.fields.values()), says=shape.says, origin="schema", source=source)
            found[shape.name] = _together(found.get(shape.name, one), one)
        for part in shape.fields.values():
            _collect(part.shape, part.name, source, found)


def _together(first: Resource, second: Resource) -> Resource:
    """Two descriptions of one thing: all fields, and required what both require."""
    every = {f.name: f for f in (*second.fields, *first.fields)}
    names = dict.fromkeys(f.name for f in (*first.fields, *second.fields))
    needed = {f.name for f in first.fields if f.required} & {f.name for f in second.fields if f.required}
    fields = tuple(replace(every[name], required=name in needed) for name in names)
    return replace(first, fields=fields, says=first.says or second.says)
