"""Types as shapes: annotations, types of columns and fields, and record classes with what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.limits import TYPES, Calls, default_of, limited, said, worded, words_of
from worldwright.anchor.readers.repo.names import RECORDS, Repo, kind_of, lineage
from worldwright.anchor.readers.repo.source import Assigned, Class, Place
from worldwright.anchor.readers.repo.tree import argument, clean, docstring, head_of, keyword, last, path_of, tree_of
from worldwright.english.words import wordset

MAX_FIELDS = 400
MAX_NESTED = 3
"""Records in records; what is further inside is cut."""
_DEEPEST = 8
_WRAPPERS = wordset("Annotated Mapped WriteOnlyMapped DynamicMapped Final Awaitable")
_LISTS_OF = wordset("ARRAY ArrayField ListField conlist")
"""Calls that make a list of their first argument."""
_ENUMS = wordset("Enum ENUM SQLEnum SAEnum PgEnum ChoiceType")
_NO_FIELDS = wordset("Relationship PrivateAttr")
_MARKS = wordset("path query header cookie body form file field")
"""Calls that stand for a default and say more about what is given."""
_NOTHING = Shape("any", nullable=True)
Inside = tuple[Class, ...]
"""The records that are being read, from the outside."""


def annotation(repo: Repo, place: Place, node: ast.expr | None, inside: Inside = ()) -> tuple[Shape, Calls]:
    """The shape of an annotation, and the calls beside the type in `Annotated`, also where a name stands for such a type."""
    calls: Calls = []
    for _ in range(_DEEPEST):
        found = repo.find(place, node) if isinstance(node, ast.Name | ast.Attribute) else None
        if isinstance(found, Assigned) and head_of(found.node) == "Annotated":
            place, node = found.place, found.node
        match node:
            case ast.Constant(value=str() as text):
                node = _forward(text)
            case ast.Subscript(slice=first) if head_of(node) in _WRAPPERS:
                first, *more = first.elts if isinstance(first, ast.Tuple) and first.elts else [first]
                calls += [(place, call) for call in more if isinstance(call, ast.Call)]
                node = first
    shape = shape_of(repo, place, node, inside)
    for where, call in calls:
        shape = limited(repo, where, shape, call)
    return shape, calls


def _forward(text: str) -> ast.expr | None:
    """The type in a string, as in `"Order | None"`."""
    tree = tree_of(text.strip()) if len(text) <= 500 else None
    match tree.body if isinstance(tree, ast.Module) else []:
        case [ast.Expr(value=found)]:
            return found
    return None


def shape_of(repo: Repo, place: Place, node: ast.expr | None, inside: Inside = (), depth: int = 0) -> Shape:
    """The shape that a type describes, in an annotation or as the type of a column or field; `any` where it is not known."""

    def inner(*parts: ast.expr | None) -> list[Shape]:
        return [shape_of(repo, place, part, inside, depth + 1) for part in parts[:20]]

    name = last(repo.full(place, node))
    match node if depth <= _DEEPEST else None:
        case ast.Constant(value=None):
            return _NOTHING
        case ast.Constant(value=str() as text):
            return inner(_forward(text))[0]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union(inner(left, right))
        case ast.Subscript(slice=held):
            several = (held.elts if isinstance(held, ast.Tuple) else []) or [held]
            if name in ("Optional", "Union"):
                return _union([*inner(*several), *([_NOTHING] if name == "Optional" else [])])
            if name == "Literal":
                values = [repo.value(place, part) for part in several]
                words = {v: "" for v in values if isinstance(v, str | int | float)}
                return replace(worded(words), nullable=None in values)
            if name in _WRAPPERS:
                return annotation(repo, place, node, inside)[0] if depth < 3 else _NOTHING
            if name in TYPES and TYPES[name].kind == "array":
                return Shape("array", items=inner(several[0])[0])
            return _of_name(repo, place, path_of(node), inside, depth)
        case ast.Call(func=func, args=args):
            cls = repo.find_class(place, argument(node, 0)) if name in _ENUMS else None
            if cls is not None and kind_of(repo, cls) == "enum":
                return worded(words_of(repo, cls), cls.name)
            if name in _ENUMS:
                return worded(dict.fromkeys((text for part in args if (text := repo.text(place, part))), ""))
            if name in _LISTS_OF:
                first = inner(argument(node, 0, "base_field", "child"))[0]
                return limited(repo, place, Shape("array", items=first), node)
            shape = limited(repo, place, inner(func)[0], node)
            size = repo.value(place, args[0]) if args and shape.kind == "string" else 0
            return replace(shape, longest=size) if type(size) is int and 0 < size < 10**9 else shape
        case ast.Name() | ast.Attribute():
            return _of_name(repo, place, path_of(node), inside, depth)
    return Shape("any", cut=depth > _DEEPEST)


def _union(shapes: Sequence[Shape]) -> Shape:
    real = [s for s in shapes if s != _NOTHING]
    nullable = len(real) < len(shapes) or any(s.nullable for s in real)
    kinds = {s.kind for s in real}
    words = tuple(dict.fromkeys(v for s in real for v in s.enum)) if all(s.enum for s in real) else ()
    return replace(real[0], nullable=nullable, enum=words) if len(kinds) == 1 else Shape("any", nullable=nullable)


def _of_name(repo: Repo, place: Place, path: str, inside: Inside, depth: int) -> Shape:
    found = repo.find(place, path)
    if isinstance(found, Assigned):
        there, node = found.place, found.node
        make = lambda: shape_of(repo, there, node, inside, depth + 1)  # noqa: E731
        return repo.once(("alias", there, path, inside), Shape("any"), make)
    if not isinstance(found, Class):
        return _known(last(repo.full(place, path))) or Shape("any")
    kind = kind_of(repo, found)
    if kind == "enum":
        return worded(words_of(repo, found), found.name, docstring(found.node))
    if kind in RECORDS:
        return record_shape(repo, found, inside)
    if kind in ("table", "django", "serializer"):
        return Shape("object", name=found.name, cut=True)
    if "impl" in found.values:  # a type of columns, made by the repository
        return shape_of(repo, found, found.values["impl"], inside, depth + 1)
    bases = [(owner, base) for owner in reversed(lineage(repo, found)) for base in owner.node.bases]
    above = (_known(last(repo.full(owner, base))) for owner, base in bases)
    return next((shape for shape in above if shape is not None), Shape("any", name=found.name))


def _known(name: str) -> Shape | None:
    """The shape of a type from a library; a field class is also known by the end of its name, as `StdImageField`."""
    ends = (name[i:] for i in range(len(name)) if name[i].isupper()) if name.endswith("Field") else [name]
    return next((TYPES[end] for end in ends if end in TYPES), None)


class Slot(NamedTuple):
    """A name in the body of a class, with its type, its value, and the string under it."""

    name: str
    type: ast.expr | None
    value: ast.expr | None
    node: ast.stmt
    says: str = ""


def slots(cls: Class) -> Iterator[Slot]:
    """The names in the body of a class that may be fields."""
    body = cls.node.body[: 2 * MAX_FIELDS]
    for node, after in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=type_, value=value):
                told = getattr(getattr(after, "value", None), "value", "") if isinstance(after, ast.Expr) else ""
                yield Slot(name, type_, value, node, clean(told).strip() if isinstance(told, str) else "")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                yield Slot(name, None, value, node)
            case ast.FunctionDef(name=name, body=[*_, ast.Return(value=ast.Call() as value)], decorator_list=[by, *_]):
                yield from [Slot(name, None, value, node)] if "declared_attr" in path_of(by) else ()  # of a mixin


def record_shape(repo: Repo, cls: Class, inside: Inside = ()) -> Shape:
    """The shape of a record class, cut where it holds itself or is nested too deeply."""

    def made() -> Shape:
        fields: dict[str, Field] = {}
        for owner in lineage(repo, cls):
            for slot in slots(owner) if kind_of(repo, owner) in RECORDS else ():
                if _is_field(slot) and len(fields) < MAX_FIELDS:
                    fields[slot.name] = _record_field(repo, owner, is_table(cls), slot, (*inside, cls))
        return Shape("object", name=cls.name, fields=fields, says=docstring(cls.node))

    cut = Shape("object", name=cls.name, cut=True)
    return cut if cls in inside or len(inside) >= MAX_NESTED else repo.once(("record", cls, len(inside)), cut, made)


def _is_field(slot: Slot) -> bool:
    hidden = slot.type is None or slot.name.startswith(("_", "model_config"))
    return not hidden and head_of(slot.type) not in ("ClassVar", "InitVar") and head_of(slot.value) not in _NO_FIELDS


def declared(
    repo: Repo,
    place: Place,
    name: str,
    type_: ast.expr | None,
    value: ast.expr | None,
    node: ast.AST,
    inside: Inside = (),
) -> tuple[Field, Calls]:
    """A name with an annotation and perhaps a default, of a record or a signature, and the calls that say something about it."""
    shape, beside = annotation(repo, place, type_, inside)
    calls: Calls = [*([(place, value)] if isinstance(value, ast.Call) else []), *beside]
    where, mark = next(((p, c) for p, c in calls if head_of(c).lower() in _MARKS), (place, None))
    if mark is not None and value in (None, mark):
        value = keyword(mark, "default_factory") or argument(mark, 0, "default")
    value = None if isinstance(value, ast.Constant) and value.value is ... else value
    shape = limited(repo, place, shape, calls[0][1] if calls and calls[0] not in beside else None)
    shape = replace(shape, default=default_of(repo, where, value))
    return Field(name, shape, value is None, says=said(repo, calls), source=place.module.source(node)), calls


def _record_field(repo: Repo, owner: Class, stored: bool, slot: Slot, inside: Inside) -> Field:
    """A field of Pydantic, SQLModel or a dataclass."""
    field, calls = declared(repo, owner, slot.name, slot.type, slot.value, slot.node, inside)
    spared = field.shape.nullable and "pydantic.validator" in owner.module.imports.values()  # as the first Pydantic did
    says = field.says or slot.says or field.shape.says
    field = replace(field, required=field.required and not spared, says=says)
    return column(repo, calls, field, field.shape) if stored else field


def is_table(cls: Class) -> bool:
    """Tell whether an SQLModel class is kept in a table of its own."""
    return any(k.arg == "table" and isinstance(k.value, ast.Constant) and k.value.value for k in cls.node.keywords)


def column(repo: Repo, calls: Calls, field: Field, hint: Shape | None) -> Field:
    """A field with what `Column(...)`, `mapped_column(...)` or SQLModel's `Field(...)` say; `hint` is what its annotation tells."""
    shape, target = Shape("any"), ""
    for place, call in calls:
        target = target or repo.text(place, keyword(call, "foreign_key"))
        for part in [*call.args[:20], keyword(call, "type_")]:
            if last(repo.full(place, part)) == "ForeignKey":
                target = repo.text(place, argument(part, 0, "column")) or path_of(argument(part, 0, "column"))
            elif shape.kind == "any":
                shape = shape_of(repo, place, part) if path_of(part) else shape
    key, unique = (any(repo.flag(place, call, name) for place, call in calls) for name in ("primary_key", "unique"))
    told = [v for place, call in calls if isinstance(v := repo.value(place, keyword(call, "nullable")), bool)]
    empty = not key and (told[0] if told else hint.nullable if hint is not None else True)
    if hint is not None and (shape.kind == "any" or (hint.enum and not shape.enum)):
        shape = replace(hint, longest=shape.longest or hint.longest)
    given = [(p, v) for p, c in calls if (v := keyword(c, "default", "server_default")) is not None]
    shape = replace(shape, nullable=empty, default=default_of(repo, *given[0], shape.kind) if given else shape.default)
    owner, _, by = target.rpartition(".")
    says = said(repo, calls) or field.says or shape.says
    found = replace(field, shape=shape, required=not empty, key=key, unique=unique, says=says)
    return replace(found, refers_to=last(owner) or by, refers_by=by if owner else "")
