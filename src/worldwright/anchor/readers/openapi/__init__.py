"""OpenAPI 2.0, 3.0 and 3.1 as evidence, in YAML or JSON, in one file or split over several.

    documents   which uploads describe an API, and which are parts of one
    api         what references lead to, inside of the uploads only
    operations  every method on every path, with its `arguments` and answers, and the messages of errors as claims
    resources   every object with a name, and examples as records

Schemas are read twice: as shapes (`shapes`) and as JSON Schema that needs nothing else (`translate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Evidence, Remark, Resource, Source, join_evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.documents import NoteLog, leftovers, shelve
from worldwright.anchor.readers.openapi.names import PathOperation, name_all
from worldwright.anchor.readers.openapi.operations import find_operations, read_operation, refusal_claims
from worldwright.anchor.readers.openapi.resources import Records, find_named_objects, read_resources

__all__ = ["read"]


def read(uploads: Sequence[Upload]) -> Evidence:
    """Return what OpenAPI documents say: every operation as an action, every object with a name as a thing."""
    notes = NoteLog()
    shelf, roots = shelve(uploads, notes)
    top = Source(next(iter(roots), uploads[0].name if uploads else ""))
    apis = [Api(name, version, shelf, notes) for name, version in roots.items()]
    found = [o for api in apis for o in find_operations(api)]
    named = list(zip(found, name_all(found), strict=True))
    parts = [_read(api, [(o, n) for o, n in named if o.api is api]) for api in apis]
    leftovers(shelf, roots, notes)
    if apis and not found:
        notes.add("warning", "no operations", "there are no operations under `paths`", top)
    whole = join_evidence(parts)
    return replace(
        whole,
        title=max(
            (part for part in parts if part.title), key=lambda part: len(part.operations), default=Evidence()
        ).title,
        says="\n\n".join(dict.fromkeys(part.says for part in parts if part.says)),
        resources=_once(whole.resources, notes),
        notes=notes.notes(top),
        skipped=notes.skipped(),
    )


def _read(api: Api, named: list[tuple[PathOperation, str]]) -> Evidence:
    """One API."""
    bench = ApiContext(api)
    made = [read_operation(bench, operation, name) for operation, name in named]
    things = find_named_objects(bench)
    records = Records(bench, things)
    for _, schema, examples in made:
        if schema is not None:
            for example in examples:
                records.take(schema, example)
    for spot, _ in things.values():
        if "example" in spot.facts:
            records.take(spot, spot.down("example"))
    info = api.follow(api.top.down("info")).facts
    return Evidence(
        title=api.text(info.get("title")),
        says=api.text(info.get("description")) or api.text(info.get("summary")),
        resources=tuple(read_resources(bench, things)),
        operations=tuple(operation for operation, _, _ in made),
        rows=tuple(records.rows()),
        claims=tuple(refusal_claims(api, named)),
        remarks=tuple(_list_remarks(api)),
    )


def _list_remarks(api: Api) -> Iterator[Remark]:
    """Yield what a document says of the API as a whole, of its tags, and of how callers are let in."""
    schemes = [api.top.down("securityDefinitions"), api.top.down("components", "securitySchemes")]
    groups = [("tag", api.top.down("tags")), *(("security", one) for one in schemes)]
    found = [("info", api.follow(api.top.down("info")))]
    found += [(kind, api.follow(one)) for kind, group in groups for _, one in api.children(group)]
    for kind, spot in found:
        text = api.text(spot.facts.get("description"))
        if text:
            name = api.text(spot.facts.get("name"))
            yield Remark(text, spot.down("description").source, f"{kind} {name}".strip())


def _once(found: Iterable[Resource], notes: NoteLog) -> tuple[Resource, ...]:
    """Things of several documents that are the same stand there once; those that only share a name are noted."""
    out: dict[tuple[str, ...], Resource] = {}
    seen: dict[str, Resource] = {}
    for resource in found:
        bare = replace(resource, source=None, fields=tuple(replace(f, source=None) for f in resource.fields))
        if seen.setdefault(resource.name, bare) is not bare:
            if seen[resource.name] == bare:
                continue
            says = f"`{resource.name[:100]}` is described in two ways; both are kept"
            notes.add("warning", "a schema described in two ways", says, resource.source or Source(""))
        out[resource.name, str(resource.source)] = resource
    return tuple(out.values())
