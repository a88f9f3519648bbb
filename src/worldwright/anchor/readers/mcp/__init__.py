"""The tools of an MCP server, from a saved `tools/list` answer in whatever wrapping it comes.

Definitions of functions for language models say the same with other words, and are read too. A settings file that only names
servers holds no tools: they are listed, and nothing is started (`anchor/intake/live_mcp.py` asks a server).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.anchor.evidence import Evidence, Field, Note, Operation, Parameter, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.mcp.listing import INPUTS, Found, Tool, resources, visit
from worldwright.anchor.schema.references import make_resolver
from worldwright.anchor.schema.repair import repair_schema
from worldwright.anchor.schema.shapes import shape_of
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
        found = _look(upload, notes)
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


def _look(upload: Upload, notes: list[Note]) -> Found:
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
    """What groups it: what it says itself, the server it belongs to, or the beginning of its name."""
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
