"""Code inside of a document: schemas in it are things, diagrams and conditions in it are claims. None of it is run."""

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
from worldwright.anchor.readers.documents.blocks import Block, lines_at
from worldwright.anchor.readers.documents.diagrams import drawn_lines
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.typescript import read_types
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


@dataclass(slots=True)
class Fences:
    """What was found in the code of a document."""

    resources: list[Resource] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_fences(parts: Sequence[Part], file: str) -> Fences:
    """Read every piece of code of a document by what it is."""
    out = Fences()
    for part in parts:
        if part.block.kind == "code":
            _read(part, file, out)
    for resource in out.resources:
        for one in resource.fields:
            kind = kind_of(one.says) if one.says else ""
            if kind and one.source is not None:
                says = f"{resource.name}.{one.name}: {one.says}"
                out.claims.append(Claim(says, kind, one.source, resource.name, *about_of(one.says)))
    return out


def _read(part: Part, file: str, out: Fences) -> None:
    block, said = part.block, part.block.language
    if said in ("sql", "ddl", "postgresql", "mysql", "sqlite") or _DDL.search(block.text):
        out.resources += _tables(block, file)
    elif said in ("ts", "typescript", "tsx") or (said in ("", "js", "javascript") and _TYPES.search(block.text)):
        out.resources += (_placed(r, block) for r in read_types(block.text, file, block.line))
    elif _API.search(block.text):
        out.operations += openapi.read([Upload(file, block.text.encode())]).operations
    elif said in ("json", "jsonschema", "json5", "jsonc") or block.text.lstrip()[:1] == "{":
        out.resources += _schemas(part, file)
    else:
        drawn = list(drawn_lines(block.text))
        for number, kind, says in drawn:
            at = lines_at(block.line + number, block.line + number) if block.line else block.at
            out.claims.append(Claim(says, kind, Source(file, at), part.heading, *about_of(says, part.path)))
        if not drawn and said not in _SHELL:
            found = list(code_claims(block.text, file, block.line, block.at, part.heading, part.path))
            out.claims += found
            if said and not found and said not in ("text", "txt", "mermaid", "pseudo", "pseudocode"):
                out.skipped.append(Skipped(f"code in {said}", _UNREAD, Source(file, block.at)))


def _tables(block: Block, file: str) -> Iterator[Resource]:
    """The tables of DDL, with the lines of the document."""
    padded = "\n" * max(0, block.line - 1) + block.text
    for resource in sql.read([Upload(file, padded.encode())]).resources:
        yield _placed(replace(resource, origin="document"), block)


def _placed(resource: Resource, block: Block) -> Resource:
    """A thing with the place of its code, where the document has no lines."""
    if block.line:
        return resource
    fields = tuple(replace(f, source=Source(f.source.file, block.at)) if f.source else f for f in resource.fields)
    return replace(resource, fields=fields, source=Source(resource.source.file, block.at) if resource.source else None)


def _schemas(part: Part, file: str) -> Iterator[Resource]:
    """The object types of a JSON Schema; nothing where the JSON is an example."""
    try:
        found = json.loads(part.block.text)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, Mapping) or not ({"properties", "$schema", "$defs", "definitions"} & set(found)):
        return
    resolve = make_resolver(found)
    inner = {**_mapping(found.get("definitions")), **_mapping(found.get("$defs"))}
    title = found.get("title")
    named = {str(title) if isinstance(title, str) else part.heading: found} if "properties" in found else {}
    for name, schema in {**named, **inner}.items():
        shape = shape_of(schema, resolve, name)
        if shape.kind == "object" and shape.fields and name:
            yield _of_shape(shape, name, part.block, file)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _of_shape(shape: Shape, name: str, block: Block, file: str) -> Resource:
    fields = []
    for one in shape.fields.values():
        found = re.search(rf'"{re.escape(one.name)}"\s*:', block.text)
        number = block.text[: found.start() if found else 0].count("\n") + block.line
        source = Source(file, lines_at(number, number) if block.line else block.at)
        fields.append(replace(one, says=one.says or one.shape.says, source=source))
    last = block.line + block.text.rstrip("\n").count("\n")
    at = lines_at(block.line, last) if block.line else block.at
    return Resource(name, tuple(fields), says=shape.says, origin="document", source=Source(file, at))
