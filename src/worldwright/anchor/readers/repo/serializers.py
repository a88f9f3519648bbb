"""Serializers and forms: which fields of a model a request may set, and what is said about them."""

from __future__ import annotations

import ast
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.django_fields import django_field, is_field
from worldwright.anchor.readers.repo.django_models import fields_of
from worldwright.anchor.readers.repo.families import family, lineage
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Class, keyword, last, path_of


def model_of(repo: Repo, cls: Class) -> Class | None:
    """The model that a serializer or a form names in its `Meta`."""
    meta = cls.module.classes.get(f"{cls.name}.Meta")
    named = meta.values.get("model") if meta is not None else None
    return repo.find_class(Scope(cls.module), path_of(named)) if named is not None else None


def serializer_fields(repo: Repo, cls: Class) -> list[Field]:
    """The fields of a serializer, in the order of its `Meta`, else as they are declared."""
    declared = _declared(repo, cls)
    model = model_of(repo, cls)
    meta = cls.module.classes.get(f"{cls.name}.Meta")
    if model is None or meta is None:
        return list(declared.values())
    scope = Scope(meta.module, meta)
    kept = {f.field.name: f.field for f in fields_of(repo, model)}
    if not any(f.key for f in kept.values()):
        kept = {"id": Field("id", Shape("integer"), True, key=True, read_only=True, source=model.source), **kept}
    kept = {n: replace(f, required=f.required and f.shape.default is None) for n, f in kept.items()}
    named = repo.value(scope, meta.values.get("fields"))
    left_out = repo.value(scope, meta.values.get("exclude"))
    names = list(named) if isinstance(named, tuple) else [*kept, *(n for n in declared if n not in kept)]
    names = [n for n in names if not (isinstance(left_out, tuple) and n in left_out)]
    fixed = repo.value(scope, meta.values.get("read_only_fields"))
    found = [declared.get(n) or kept.get(n) for n in names if isinstance(n, str)]
    return [
        replace(f, read_only=True) if isinstance(fixed, tuple) and f.name in fixed else f
        for f in found
        if f is not None
    ]


def _declared(repo: Repo, cls: Class) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for owner in lineage(repo, cls):
        scope = Scope(owner.module, owner)
        for name, value in list(owner.values.items())[:400]:
            if not isinstance(value, ast.Call):
                continue
            other = repo.find_class(scope, path_of(value))
            if is_field(repo, scope, value):
                found[name] = _field(repo, scope, owner, name, value)
            elif other is not None and other is not cls and family(repo, other) == "serializer":
                many = repo.value(scope, keyword(value, "many")) is True
                inner = Shape("object", name=other.name, cut=True)
                shape = Shape("array", items=inner) if many else inner
                found[name] = replace(_field(repo, scope, owner, name, value), shape=shape)
    return found


def _field(repo: Repo, scope: Scope, owner: Class, name: str, call: ast.Call) -> Field:
    """A declared field: it must be given unless it says otherwise."""
    made = django_field(repo, scope, name, call, owner.source).field
    shortest = repo.value(scope, keyword(call, "min_length"))
    shape = replace(made.shape, shortest=shortest) if type(shortest) is int and 0 <= shortest < 10**9 else made.shape
    read_only = repo.value(scope, keyword(call, "read_only")) is True or last(path_of(call)) in (
        "SerializerMethodField",
        "ReadOnlyField",
    )
    given = repo.value(scope, keyword(call, "required")) is not False and keyword(call, "default") is None
    empty = repo.value(scope, keyword(call, "allow_null")) is True
    return replace(
        made,
        shape=replace(shape, nullable=empty),
        required=given and not read_only,
        read_only=read_only,
        write_only=repo.value(scope, keyword(call, "write_only")) is True,
    )
