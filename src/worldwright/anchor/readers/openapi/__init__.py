"""OpenAPI 2.0, 3.0 and 3.1 as evidence, in YAML or JSON, in one file or split over several.

    documents   which uploads describe an API, and which are parts of one
    api         what references lead to, inside of the uploads only
    operations  every method on every path, with its `arguments` and answers
    resources   every object with a name, and examples as records
    refusals    the messages of errors, as claims

Schemas are read twice: as shapes (`shapes`) and as JSON Schema that needs nothing else (`dialect`, `inlining`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Evidence, Operation, Resource, Rows, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.context import ApiContext, make_context
from worldwright.anchor.readers.openapi.documents import NoteLog, leftovers, shelve
from worldwright.anchor.readers.openapi.names import PathOperation, name_all
from worldwright.anchor.readers.openapi.operations import find_operations, read_operation
from worldwright.anchor.readers.openapi.refusals import refusal_claims
from worldwright.anchor.readers.openapi.resources import Records, find_named_objects, read_resources

__all__ = ["read"]


# From uploads to evidence: documents, then operations and objects of each API among them.


def read(uploads: Sequence[Upload]) -> Evidence:
    """Return what OpenAPI documents say: every operation as an action, every object with a name as a thing."""
    notes = NoteLog()
    shelf, roots = shelve(uploads, notes)
    whole = Source(roots[0].file if roots else uploads[0].name if uploads else "")
    apis = [Api(root, shelf, notes) for root in roots]
    found = [o for api in apis for o in find_operations(api)]
    named = list(zip(found, name_all(found), strict=True))
    parts = [_read(make_context(api), [(o, n) for o, n in named if o.api is api]) for api in apis]
    leftovers(shelf, roots, notes)
    operations = tuple(a for part in parts for a in part.operations)
    if apis and not operations:
        notes.add("warning", "no operations", "there are no operations under `paths`", whole)
    said = [_says(api) for api in apis]
    return Evidence(
        title=_title(said, parts),
        says="\n\n".join(dict.fromkeys(says for _, says in said if says)),
        resources=_once(tuple(t for part in parts for t in part.resources), notes),
        operations=operations,
        rows=tuple(r for part in parts for r in part.rows),
        claims=tuple(c for part in parts for c in part.claims),
        notes=notes.notes(whole),
        skipped=notes.skipped(),
    )


def _read(table: ApiContext, named: list[tuple[PathOperation, str]]) -> Evidence:
    """One API."""
    made = [read_operation(table, operation, name) for operation, name in named]
    found = find_named_objects(table)
    records = Records(table, {key: spot.name for key, (spot, _) in found.items()})
    for _, given in made:
        if given.content is not None:
            for example in given.examples:
                records.take(given.content, example)
    for spot, _ in found.values():
        if "example" in spot.facts:
            records.take(spot, spot.down("example"))
    operations: tuple[Operation, ...] = tuple(a for a, _ in made)
    rows: tuple[Rows, ...] = records.rows()
    claims = tuple(refusal_claims(table.api, named))
    return Evidence(resources=tuple(read_resources(table, found)), operations=operations, rows=rows, claims=claims)


def _says(api: Api) -> tuple[str, str]:
    info = api.follow(api.top.down("info")).facts
    return api.text(info.get("title")), api.text(info.get("description")) or api.text(info.get("summary"))


def _title(said: list[tuple[str, str]], parts: list[Evidence]) -> str:
    """That of the API with the most operations."""
    titles = [(len(part.operations), title) for (title, _), part in zip(said, parts, strict=True) if title]
    return max(titles, key=lambda pair: pair[0])[1] if titles else ""


def _once(found: tuple[Resource, ...], notes: NoteLog) -> tuple[Resource, ...]:
    """Things of several documents that are the same stand there once; those that only share a name are noted."""
    out: dict[tuple[str, ...], Resource] = {}
    seen: dict[str, Resource] = {}
    for resource in found:
        bare = _bare(resource)
        if resource.name in seen and seen[resource.name] == bare:
            continue
        if resource.name in seen and resource.source:
            says = f"`{resource.name[:100]}` is described in two ways; both are kept"
            notes.add("warning", "a schema described in two ways", says, resource.source)
        seen.setdefault(resource.name, bare)
        out[resource.name, str(resource.source)] = resource
    return tuple(out.values())


def _bare(resource: Resource) -> Resource:
    return replace(resource, source=None, fields=tuple(replace(f, source=None) for f in resource.fields))
