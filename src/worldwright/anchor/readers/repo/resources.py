"""One thing for each that is kept: models that are named alike are brought together, and references lead to things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Skipped
from worldwright.anchor.names import noun
from worldwright.anchor.readers.repo.django_models import django_models
from worldwright.anchor.readers.repo.families import RECORDS, family
from worldwright.anchor.readers.repo.models import Model, made
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.records import is_table, record_fields
from worldwright.anchor.readers.repo.rest_views import model_of, serializer_fields
from worldwright.anchor.readers.repo.source import Class, docstring
from worldwright.anchor.readers.repo.sqlalchemy_models import sqlalchemy_models

_SUFFIXES = (
    "Create", "Update", "Request", "Response", "Schema", "In", "Out", "Form", "Serializer", "Base", "Read", "Patch", "Public",
    "Payload", "Input", "Output", "DTO", "Dto", "InDB",
)  # fmt: skip
_PREFIXES = ("Create", "Update", "New", "Patch", "Get", "List", "Delete")
_STORED_SUFFIXES = ("", "Model", "DB", "ORM", "Orm", "Table", "Entity", "Record", "Row")
_PROGRAM = ("Settings", "Config", "Configuration", "Error", "Exception")
"""Endings of records that are about the program."""


MAX_RECORDS = 5_000


def resources(repo: Repo) -> tuple[list[Resource], list[Skipped]]:
    """Everything that is kept, and the records that are not."""
    stored = [*sqlalchemy_models(repo), *django_models(repo)]
    records, skipped = _records(repo)
    stored += [m for m in records if m.stored]
    return _linked(_merged(stored, [m for m in records if not m.stored])), skipped


def _records(repo: Repo) -> tuple[list[Model], list[Skipped]]:
    found: list[Model] = []
    skipped: list[Skipped] = []
    for cls in repo.classes():
        kind = family(repo, cls)
        if len(found) >= MAX_RECORDS:
            skipped.append(Skipped("more records", f"there are more than {MAX_RECORDS:,}", cls.source))
            break
        if kind in ("serializer", "form"):
            found.extend(_shaping(repo, cls, kind))
        elif kind == "settings" or (kind in RECORDS and cls.name.endswith(_PROGRAM)):
            skipped.append(Skipped(cls.name, "settings or errors of the program, nothing that is kept", cls.source))
        elif kind in RECORDS and not cls.name.startswith("_"):
            fields = record_fields(repo, cls)
            if not fields:
                continue
            stored = kind == "sqlmodel" and is_table(cls)
            table = repo.text(Scope(cls.module, cls), cls.values.get("__tablename__")) if stored else ""
            resource = made(cls.name, fields, says=docstring(cls.node), table=table, source=cls.source)
            found.append(Model(resource, kind, cls, table or (cls.name.lower() if stored else ""), stored))
    return found, skipped


def _shaping(repo: Repo, cls: Class, kind: str) -> Iterator[Model]:
    """A serializer or a form: what it says about the fields of its model."""
    model = model_of(repo, cls)
    fields = [f for f in serializer_fields(repo, cls) if f.shape.kind != "any"]
    if fields:
        resource = made(cls.name, fields, says=docstring(cls.node), source=cls.source)
        yield Model(resource, kind, cls, about=model.name if model is not None else "")


def _merged(stored: Sequence[Model], records: Sequence[Model]) -> list[Model]:
    """Models that are kept, with the limits that records for requests and answers state on them."""
    kept = list(stored)
    known = {m.resource.name for m in kept}
    waiting: list[Model] = []
    for record in records:
        same = any(f"{record.resource.name}{suffix}" in known for suffix in _STORED_SUFFIXES)
        if record.about or same or _stems(record.resource.name):
            waiting.append(record)
        else:
            known.add(record.resource.name)
            kept.append(record)
    targets: dict[str | tuple[str, ...], int] = {}
    for i, m in enumerate(kept):
        _aim(targets, m, i)
    for record in waiting:
        target = _target(record, targets)
        if target is None:
            _aim(targets, record, len(kept))
            kept.append(record)
        else:
            kept[target] = replace(kept[target], resource=_constrained(kept[target].resource, record.resource))
    return kept


def _aim(targets: dict[str | tuple[str, ...], int], model: Model, place: int) -> None:
    """A model is found by its name, and by the words of its name."""
    targets.setdefault(model.resource.name, place)
    targets.setdefault(noun(model.resource.name), place)


def _target(record: Model, targets: Mapping[str | tuple[str, ...], int]) -> int | None:
    if record.about in targets:
        return targets[record.about]
    stems = _stems(record.resource.name)
    options: list[str | tuple[str, ...]] = [
        f"{stem}{suffix}" for stem in (record.resource.name, *stems) for suffix in _STORED_SUFFIXES
    ]
    options.extend(noun(stem) for stem in stems)
    return next((targets[o] for o in options if o in targets), None)


def _stems(name: str) -> list[str]:
    """Return what a record for a request or an answer is named after: `OrderCreateRequest` -> `OrderCreate`, `Order`."""
    found: list[str] = []
    for _ in range(4):
        ending = next((s for s in _SUFFIXES if name.endswith(s) and len(name) > len(s)), "")
        beginning = next((p for p in _PREFIXES if name.startswith(p) and name[len(p) : len(p) + 1].isupper()), "")
        if not ending and not beginning:
            break
        name = name.removesuffix(ending) if ending else name.removeprefix(beginning)
        found.append(name)
    return found


def _constrained(resource: Resource, by: Resource) -> Resource:
    """A thing with what another one says about the same fields."""
    others = {f.name: f for f in by.fields}
    fields = tuple(_limited(f, others[f.name]) if f.name in others else f for f in resource.fields)
    checks = tuple(dict.fromkeys((*resource.checks, *by.checks)))
    return replace(resource, fields=fields, checks=checks, says=resource.says or by.says)


def _limited(field: Field, by: Field) -> Field:
    return replace(
        field,
        shape=_limited_shape(field.shape, by.shape),
        unique=field.unique or by.unique,
        key=field.key or by.key,
        refers_to=field.refers_to or by.refers_to,
        refers_by=field.refers_by if field.refers_to else by.refers_by,
        says=field.says or by.says,
    )


def _limited_shape(shape: Shape, by: Shape) -> Shape:
    if shape.kind == "any" and by.kind != "any":
        return replace(by, nullable=shape.nullable, default=shape.default)
    if shape.kind != by.kind:
        return shape
    return replace(
        shape,
        format=shape.format or by.format,
        enum=shape.enum or by.enum,
        name=shape.name or by.name,
        minimum=shape.minimum if shape.minimum is not None else by.minimum,
        maximum=shape.maximum if shape.maximum is not None else by.maximum,
        shortest=shape.shortest if shape.shortest is not None else by.shortest,
        longest=shape.longest if shape.longest is not None else by.longest,
        pattern=shape.pattern or by.pattern,
        places=shape.places if shape.places is not None else by.places,
        examples=shape.examples or by.examples,
        says=shape.says or by.says,
    )


# references


def _linked(models: Sequence[Model]) -> list[Resource]:
    """Things whose references name things, where the table or class that they name is one of them."""
    names: dict[str, str] = {}
    for m in models:
        names.setdefault(m.resource.name, m.resource.name)
    for m in models:
        if m.table:
            names.setdefault(m.table, m.resource.name)
    by_noun = {noun(m.resource.name): m.resource.name for m in reversed(models)}
    by_thing = {m.resource.name: m.resource for m in reversed(models)}
    return [
        replace(m.resource, fields=tuple(_led(f, names, by_noun, by_thing) for f in m.resource.fields)) for m in models
    ]


def _led(
    field: Field, names: dict[str, str], by_noun: dict[tuple[str, ...], str], by_thing: dict[str, Resource]
) -> Field:
    if not field.refers_to:
        return field
    to = names.get(field.refers_to) or by_noun.get(noun(field.refers_to), field.refers_to)
    target = by_thing.get(to)
    field = replace(field, refers_to=to)
    if target is None:
        return field
    by = field.refers_by or (target.key[0] if len(target.key) == 1 else "")
    key = next((f for f in target.fields if f.name == by), None)
    if key is None or key.shape.kind not in ("string", "integer"):
        return field
    same = replace(key.shape, nullable=field.shape.nullable, default=None, says="")
    if field.shape.kind == "array":
        return replace(field, shape=replace(field.shape, items=replace(same, nullable=False)))
    return replace(field, shape=same) if field.shape.kind in ("any", "integer") else field
