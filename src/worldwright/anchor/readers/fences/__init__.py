"""Code that a document quotes: schemas in it are things, diagrams and conditions in it are claims. None of it is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.code import code_claims
from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.evidence import Claim, Operation, Resource, Shape, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers import openapi, sql
from worldwright.anchor.readers.fences.diagrams import drawn_lines, entities
from worldwright.anchor.readers.fences.typescript import read_types
from worldwright.anchor.schema.references import make_resolver
from worldwright.anchor.schema.shapes import shape_of

_DDL = re.compile(r"^\s*(?:create|alter)\s+(?:table|type|domain|unique index)\b", re.IGNORECASE | re.MULTILINE)
_TYPES = re.compile(r"^\s*(?:export\s+)?(?:interface|type|enum)\s+\w+", re.MULTILINE)
_API = re.compile(r"^\s*[{\"']?(?:openapi|swagger)[\"']?\s*:", re.MULTILINE)
_SHELL = frozenset(
    (
        "bash",
        "sh",
        "shell",
        "console",
        "curl",
        "http",
        "powershell",
        "xml",
        "html",
        "css",
        "csv",
        "toml",
        "ini",
        "dockerfile",
    )
)
_UNREAD = "code in this language is not read: upload it as a file of its own"


@dataclass(frozen=True, slots=True)
class Fence:
    """A piece of code, and where it stands."""

    text: str
    language: str
    """As it is said, in lower case; empty where it is not."""
    line: int
    """Its first line in the file; 0 where the format has no lines."""
    at: str
    path: tuple[str, ...] = ()
    """The headings that it stands under."""

    @property
    def heading(self) -> str:
        return self.path[-1] if self.path else ""

    def place(self, first: int, last: int | None = None) -> str:
        """Where some of its lines stand, counted from 0."""
        return f"{self.line + first}-{self.line + (first if last is None else last)}" if self.line else self.at


@dataclass(slots=True)
class Fences:
    """What was found in the code of a document."""

    resources: list[Resource] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_fences(fences: Sequence[Fence], file: str) -> Fences:
    """Read every piece of code of a document by what it is."""
    out = Fences()
    for fence in fences:
        _read(fence, file, out)
    for resource in out.resources:
        for one in resource.fields:
            kind = kind_of(one.says) if one.says else ""
            if kind and one.source is not None:
                says = f"{resource.name}.{one.name}: {one.says}"
                out.claims.append(Claim(says, kind, one.source, resource.name, *about_of(one.says)))
    return out


def _read(fence: Fence, file: str, out: Fences) -> None:
    said = fence.language
    if said in ("sql", "ddl", "postgresql", "mysql", "sqlite") or _DDL.search(fence.text):
        out.resources += _tables(fence, file)
    elif said in ("ts", "typescript", "tsx") or (said in ("", "js", "javascript") and _TYPES.search(fence.text)):
        out.resources += (_placed(r, fence) for r in read_types(fence.text, file, fence.line))
    elif _API.search(fence.text):
        out.operations += openapi.read([Upload(file, fence.text.encode())]).operations
    elif said in ("json", "jsonschema", "json5", "jsonc") or fence.text.lstrip()[:1] == "{":
        out.resources += _schemas(fence, file)
    else:
        out.resources += entities(fence.text, file, fence.place)
        drawn = list(drawn_lines(fence.text))
        for number, kind, says in drawn:
            out.claims.append(
                Claim(says, kind, Source(file, fence.place(number)), fence.heading, *about_of(says, fence.path))
            )
        if not drawn and said not in _SHELL:
            found = list(code_claims(fence.text, file, fence.line, fence.at, fence.heading, fence.path))
            out.claims += found
            if said and not found and said not in ("text", "txt", "mermaid", "pseudo", "pseudocode"):
                out.skipped.append(Skipped(f"code in {said}", _UNREAD, Source(file, fence.at)))


def _tables(fence: Fence, file: str) -> Iterator[Resource]:
    """The tables of DDL, with the lines of the document."""
    padded = "\n" * max(0, fence.line - 1) + fence.text
    for resource in sql.read([Upload(file, padded.encode())]).resources:
        yield _placed(replace(resource, origin="document"), fence)


def _placed(resource: Resource, fence: Fence) -> Resource:
    """A thing with the place of its code, where the document has no lines."""
    if fence.line:
        return resource
    fields = tuple(replace(f, source=Source(f.source.file, fence.at)) if f.source else f for f in resource.fields)
    return replace(resource, fields=fields, source=Source(resource.source.file, fence.at) if resource.source else None)


def _schemas(fence: Fence, file: str) -> Iterator[Resource]:
    """The object types of a JSON Schema; nothing where the JSON is an example."""
    try:
        found = json.loads(fence.text)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, Mapping) or not ({"properties", "$schema", "$defs", "definitions"} & set(found)):
        return
    resolve = make_resolver(found)
    inner = {**_mapping(found.get("definitions")), **_mapping(found.get("$defs"))}
    title = found.get("title")
    named = {str(title) if isinstance(title, str) else fence.heading: found} if "properties" in found else {}
    for name, schema in {**named, **inner}.items():
        shape = shape_of(schema, resolve, name)
        if shape.kind == "object" and shape.fields and name:
            yield _of_shape(shape, name, fence, file)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _of_shape(shape: Shape, name: str, fence: Fence, file: str) -> Resource:
    fields = []
    for one in shape.fields.values():
        found = re.search(rf'"{re.escape(one.name)}"\s*:', fence.text)
        number = fence.text[: found.start() if found else 0].count("\n")
        source = Source(file, fence.place(number))
        fields.append(replace(one, says=one.says or one.shape.says, source=source))
    at = fence.place(0, fence.text.rstrip("\n").count("\n"))
    return Resource(name, tuple(fields), says=shape.says, origin="document", source=Source(file, at))
