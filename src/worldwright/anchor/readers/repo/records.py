"""Record classes: Pydantic, SQLModel, dataclasses, attrs, TypedDict and NamedTuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.annotations import Annotated, annotated
from worldwright.anchor.readers.repo.families import RECORDS, family, lineage
from worldwright.anchor.readers.repo.models import constrained, default, description
from worldwright.anchor.readers.repo.names import Repo, Scope, clean
from worldwright.anchor.readers.repo.source import Class, argument, docstring, keyword, last, path_of

MAX_FIELDS = 400
MAX_INSIDE = 1_000
"""Fields of a shape, those of the shapes in it included; a larger one is cut."""
_DEEPEST = 4
_FIELD_CALLS = frozenset({"Field", "field", "ib", "attrib", "mapped_column", "Column"})
_UNTYPED = frozenset({"attr.ib", "attr.attrib", "ib", "attrib"})
_NO_FIELDS = frozenset({"Relationship", "PrivateAttr", "computed_field"})
_NO_TYPES = frozenset({"ClassVar", "InitVar", "KW_ONLY"})


@dataclass(frozen=True, slots=True)
class Slot:
    """A name in the body of a record class, with its type and its default."""

    name: str
    type: ast.expr
    value: ast.expr | None
    node: ast.stmt
    says: str


def slots(cls: Class) -> Iterator[Slot]:
    """The annotated names of a class, and `attr.ib()`s without annotation; a string under one of them is what it says."""
    body = cls.node.body
    for i, node in enumerate(body[: 2 * MAX_FIELDS]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            after = body[i + 1] if i + 1 < len(body) else None
            says = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                says = clean(after.value.value).strip() if isinstance(after.value.value, str) else ""
            yield Slot(node.target.id, node.annotation, node.value, node, says)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and path_of(node.value) in _UNTYPED:
            for target in node.targets[:1]:
                if isinstance(target, ast.Name):
                    yield Slot(target.id, keyword(node.value, "type") or ast.Name("Any"), node.value, node, "")


def record_shape(repo: Repo, cls: Class, inside: tuple[Class, ...] = ()) -> Shape:
    """The shape of a record class, cut where it holds itself, is nested too deeply or grows too large."""
    if cls in inside or len(inside) > _DEEPEST:
        return Shape("object", name=cls.name, cut=True)
    known = repo.shapes.get((cls, len(inside)))
    if known is not None:
        return known
    fields = {f.name: f for f in _record_fields(repo, cls, (*inside, cls))}
    shape = Shape("object", name=cls.name, fields=fields, says=docstring(cls.node))
    if _is_large(shape):
        shape = replace(shape, fields={n: replace(f, shape=_emptied(f.shape)) for n, f in fields.items()})
    repo.shapes[cls, len(inside)] = shape
    return shape


def _is_large(shape: Shape) -> bool:
    """Tell whether a shape has more fields than are kept, those of the shapes in it included."""
    count = 0
    waiting = [shape]
    while waiting and count <= MAX_INSIDE:
        one = waiting.pop()
        count += 1
        waiting.extend(f.shape for f in one.fields.values())
        waiting.extend([one.items] if one.items is not None else [])
    return count > MAX_INSIDE


def _emptied(shape: Shape) -> Shape:
    if shape.items is not None:
        return replace(shape, items=_emptied(shape.items))
    return replace(shape, fields={}, cut=True) if shape.fields else shape


annotation = partial(annotated, record=record_shape)
"""The shape of an annotation: `annotation(repo, scope, node)`."""


def record_fields(repo: Repo, cls: Class) -> list[Field]:
    """The fields of a record class, inherited ones first."""
    return list(record_shape(repo, cls).fields.values())


def _record_fields(repo: Repo, cls: Class, inside: tuple[Class, ...]) -> list[Field]:
    found: dict[str, Field] = {}
    for owner in lineage(repo, cls):
        if owner is not cls and family(repo, owner) not in RECORDS:
            continue
        scope = Scope(owner.module, owner, inside)
        for slot in slots(owner):
            if slot.name.startswith("_") or slot.name == "model_config":
                continue
            field = _field(repo, scope, cls, slot)
            if field is not None:
                found[slot.name] = field
    return list(found.values())[:MAX_FIELDS]


def _field(repo: Repo, scope: Scope, cls: Class, slot: Slot) -> Field | None:
    kind = family(repo, cls)
    call = slot.value if isinstance(slot.value, ast.Call) else None
    if _head(slot.type) in _NO_TYPES or (call is not None and last(path_of(call)) in _NO_FIELDS):
        return None
    found = annotation(repo, scope, slot.type)
    shape, says = found.shape, found.says or slot.says
    if call is not None and last(path_of(call)) in _FIELD_CALLS:
        shape = constrained(repo, scope, shape, call)
        says = description(repo, scope, call) or says
    else:
        call = next((c for c in found.calls if last(path_of(c)) == "Field"), None)
    given = _default(slot, call)
    required = _required(repo, cls, kind, slot, given, shape)
    shape = replace(shape, default=default(repo, scope, given))
    field = Field(slot.name, shape, required, says=says or shape.says, source=scope.module.source(slot.node))
    if call is not None and kind == "sqlmodel" and is_table(cls):
        return _table_field(repo, scope, field, call, found)
    if kind == "sqlmodel" and is_table(cls):
        return replace(field, required=not shape.nullable)
    return field


def _table_field(repo: Repo, scope: Scope, field: Field, call: ast.Call, found: Annotated) -> Field:
    """A column of an SQLModel table: never empty unless its type allows it."""
    key = repo.value(scope, keyword(call, "primary_key")) is True
    table, _, column = repo.text(scope, keyword(call, "foreign_key")).rpartition(".")
    nullable = repo.value(scope, keyword(call, "nullable"))
    empty = nullable if isinstance(nullable, bool) else found.shape.nullable
    return replace(
        field,
        key=key,
        required=key or not empty,
        shape=replace(field.shape, nullable=empty and not key),
        unique=repo.value(scope, keyword(call, "unique")) is True,
        refers_to=table,
        refers_by=column,
    )


def is_table(cls: Class) -> bool:
    """Tell whether an SQLModel class is kept in a table of its own."""
    return any(
        k.arg == "table" and isinstance(k.value, ast.Constant) and k.value.value is True for k in cls.node.keywords
    )


def _head(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return last(node.value.partition("[")[0])
    return last(path_of(node.value if isinstance(node, ast.Subscript) else node))


_MADE = ast.Name("made_when_needed")
"""Stands for a default that a function makes."""


def _default(slot: Slot, call: ast.Call | None) -> ast.expr | None:
    """The default of a slot; None where it must be given."""
    if call is not None and (call is slot.value or slot.value is None):
        if keyword(call, "default_factory", "factory") is not None:
            return _MADE
        found = argument(call, 0, "default", "insert_default")
    else:
        found = slot.value
    return None if isinstance(found, ast.Constant) and found.value is ... else found


def _required(repo: Repo, cls: Class, kind: str, slot: Slot, given: ast.expr | None, shape: Shape) -> bool:
    if kind == "typeddict":
        head = _head(slot.type)
        whole = not any(
            k.arg == "total" and isinstance(k.value, ast.Constant) and not k.value.value for k in cls.node.keywords
        )
        return head == "Required" or (whole and head != "NotRequired")
    if given is not None:
        return False
    return not (kind == "pydantic" and repo.old_optional and shape.nullable)
