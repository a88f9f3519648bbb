"""Code that a document quotes: schemas in it are things, diagrams and conditions in it are claims. None of it is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.evidence import Claim, Evidence, Operation, Resource, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers import openapi, sql
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.documents.states import drawn_lines, entities
from worldwright.anchor.readers.documents.typescript import read_types
from worldwright.anchor.schema.references import make_resolver
from worldwright.anchor.schema.shapes import shape_of
from worldwright.english.words import wordset

_DDL = re.compile(r"^\s*(?:create|alter)\s+(?:table|type|domain|unique index)\b", re.IGNORECASE | re.MULTILINE)
_TYPES = re.compile(r"^\s*(?:export\s+)?(?:interface|type|enum)\s+\w+", re.MULTILINE)
_API = re.compile(r"^\s*[{\"']?(?:openapi|swagger)[\"']?\s*:", re.MULTILINE)
_SHELL = wordset("bash sh shell console curl http powershell xml html css csv toml ini dockerfile")
_PSEUDO = wordset("text txt mermaid pseudo pseudocode")
_UNREAD = "code in this language is not read: upload it as a file of its own"
_MOST_SKIPPED = 50


def read_fences(parts: Sequence[Part], file: str) -> Evidence:
    """Read every piece of code of a document by what it is."""
    resources: list[Resource] = []
    operations: list[Operation] = []
    claims: list[Claim] = []
    skipped: list[Skipped] = []
    for part in (p for p in parts if p.block.kind == "code"):
        text, said = part.block.text, part.block.language
        if said in ("sql", "ddl", "postgresql", "mysql", "sqlite") or _DDL.search(text):
            padded = "\n" * max(0, part.block.line - 1) + text
            found = sql.read([Upload(file, padded.encode())]).resources
            resources += (_placed(replace(r, origin="document"), part) for r in found)
        elif said in ("ts", "typescript", "tsx") or (said in ("", "js", "javascript") and _TYPES.search(text)):
            resources += (_placed(r, part) for r in read_types(text, file, part.block.line))
        elif _API.search(text):
            operations += openapi.read([Upload(file, text.encode())]).operations
        elif said in ("json", "jsonschema", "json5", "jsonc") or text.lstrip()[:1] == "{":
            resources += _schemas(part, file)
        else:
            resources += entities(part, file)
            drawn = [(one.kind, one.says, one.number, one.number) for one in drawn_lines(text)]
            stated = drawn or (list(_stated(text)) if said not in _SHELL else [])
            claims += (
                Claim(says, kind, Source(file, part.place(a, b)), part.heading, *about_of(says, part.path))
                for kind, says, a, b in stated
            )
            if said and not stated and said not in _SHELL | _PSEUDO:
                skipped.append(Skipped(f"code in {said}", _UNREAD, Source(file, part.block.at)))
    claims += (c for resource in resources for c in _comments(resource))
    return Evidence(
        resources=tuple(resources),
        operations=tuple(operations),
        claims=tuple(claims),
        skipped=tuple(skipped[:_MOST_SKIPPED]),
    )


def _comments(resource: Resource) -> Iterator[Claim]:
    """What the comments of a schema state of its fields."""
    for one in resource.fields:
        kind = kind_of(one.says) if one.says else ""
        if kind and one.source is not None:
            says = f"{resource.name}.{one.name}: {one.says}"
            yield Claim(says, kind, one.source, resource.name, *about_of(one.says))


def _placed(resource: Resource, part: Part) -> Resource:
    """A thing with the place of its code, where the document has no lines."""
    if part.block.line or resource.source is None:
        return resource
    at = Source(resource.source.file, part.block.at)
    return replace(resource, fields=tuple(replace(f, source=at) for f in resource.fields), source=at)


def _schemas(part: Part, file: str) -> Iterator[Resource]:
    """The object types of a JSON Schema; nothing where the JSON is an example."""
    text, whole = part.block.text, Source(file, part.place(0, part.block.text.rstrip("\n").count("\n")))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, Mapping) or not ({"properties", "$schema", "$defs", "definitions"} & set(found)):
        return
    title = found.get("title")
    every = {(title if isinstance(title, str) else part.heading): found} if "properties" in found else {}
    every |= {n: s for k in ("definitions", "$defs") if isinstance(found.get(k), dict) for n, s in found[k].items()}
    for name, schema in every.items():
        shape = shape_of(schema, make_resolver(found), name)
        if name and shape.kind == "object" and shape.fields:
            fields = (
                replace(one, says=one.says or one.shape.says, source=Source(file, _at_key(part, one.name)))
                for one in shape.fields.values()
            )
            yield Resource(name, tuple(fields), says=shape.says, origin="document", source=whole)


def _at_key(part: Part, name: str) -> str:
    """The line of JSON that names a key."""
    stands = re.search(rf'"{re.escape(name)}"\s*:', part.block.text)
    return part.place(part.block.text[: stands.start() if stands else 0].count("\n"))


# Code and pseudo-code: conditions with what follows from them, assertions and formulas.


MOST_LINES = 3_000
LONGEST_BLOCK = 25
"""Lines of one condition with what follows from it."""
_GOES_ON = re.compile(r"(?:\}?\s*)?(?:else|elif|elsif|otherwise|then|and|or|end ?if|end)\b|[})\]]", re.IGNORECASE)
_STATES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(form, re.IGNORECASE))
    for kind, form in (
        ("when", r"(?:@?rule\b.*:\s*)?(?:if|when|unless|while|case|switch|for each|foreach|given)\b"),
        ("must", r"(?:assert|require[sd]?|ensure[sd]?|must|check|raise|throw|reject|deny|invariant)\b[\s(:]"),
        (
            "computes",
            r"(?:(?://|#|--)\s?)?(?:[A-Za-z_][\w .]{0,60}\s:?=\s(?!=)[^={}\"'\[]{2,}[-+*/×÷%][^={}]{1,}|"
            r"[A-Za-z_][\w .]{0,60}\s:?=\s.*\b(?:min|max|sum|round|count|avg)\()",
        ),
    )
)


def _stated(text: str) -> Iterator[tuple[str, str, int, int]]:
    """The claims in a piece of code: the kind, the words, and the first and the last of its lines."""
    lines = text.split("\n")[:MOST_LINES]
    number = 0
    while number < len(lines):
        kind = next((kind for kind, form in _STATES if form.match(lines[number].strip())), "")
        last = _last(lines, number) if kind == "when" else number
        if kind:
            yield kind, " ".join(" ".join(lines[number : last + 1]).split()), number, last
        number = last + 1


def _last(lines: list[str], first: int) -> int:
    """The last line that belongs to a condition: what is indented more, and what goes on at its own depth."""
    depth, last = _indent(lines[first]), first
    for number in range(first + 1, min(len(lines), first + LONGEST_BLOCK)):
        deeper = _indent(lines[number]) - depth
        if not lines[number].strip() or deeper < 0 or (not deeper and not _GOES_ON.match(lines[number].strip())):
            break
        last = number
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
