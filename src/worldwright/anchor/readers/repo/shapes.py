"""Types as shapes: annotations, types of columns and fields, and record classes with what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.limits import TYPES, Calls, default_of, limited, said, worded, words_of
from worldwright.anchor.readers.repo.names import COLUMNS, RECORDS, Assigned, Repo, kind_of, lineage
from worldwright.anchor.readers.repo.source import Class, Place
from worldwright.anchor.readers.repo.tree import argument, clean, docstring, head_of, keyword, last, path_of, tree_of
from worldwright.english.words import wordset

MAX_FIELDS = 400
MAX_NESTED = 3
"""Records in records; what is further inside is cut."""
_DEEPEST = 8
_WRAPPERS = wordset("Mapped WriteOnlyMapped DynamicMapped Required NotRequired ReadOnly Final Awaitable Type type")
_LISTS_OF = wordset("ARRAY ArrayField ListField conlist")
"""Calls that make a list of their first argument."""
_ENUMS = wordset("Enum ENUM SQLEnum SAEnum PgEnum ChoiceType")
_NO_TYPES = wordset("ClassVar InitVar KW_ONLY")
_ATTRIBUTES = wordset("ib attrib")
"""Calls that make a field of attrs where there is no annotation."""
_NO_FIELDS = wordset("Relationship PrivateAttr computed_field")
_NO_TYPE_OF_COLUMN = wordset("ForeignKey CheckConstraint Computed Identity Sequence FetchedValue DefaultClause")
_NOTHING = Shape("any", nullable=True)


def annotation(repo: Repo, place: Place, node: ast.expr | None, inside: tuple[Class, ...] = ()) -> tuple[Shape, Calls]:
    """The shape of an annotation, and the calls beside the type in `Annotated`, also where a name stands for such a type."""
    calls: Calls = []
    for _ in range(_DEEPEST):
        found = repo.find(place, node) if isinstance(node, ast.Name | ast.Attribute) else None
        if isinstance(found, Assigned) and head_of(found.node) == "Annotated":
            place, node = found.place, found.node
        match node:
            case ast.Constant(value=str() as text):
                node = _forward(repo, text)
            case ast.Subscript(slice=first) if head_of(node) in _WRAPPERS | {"Annotated"}:
                first, *more = first.elts if isinstance(first, ast.Tuple) and first.elts else [first]
                calls += [(place, call) for call in more if isinstance(call, ast.Call)]
                node = first
    shape = shape_of(repo, place, node, inside)
    for where, call in calls:
        shape = limited(repo, where, shape, call)
    return shape, calls


def _forward(repo: Repo, text: str) -> ast.expr | None:
    """The type in a string, as in `"Order | None"`."""
    tree = repo.once(("forward", text), None, lambda: tree_of(text.strip()) if len(text) <= 500 else None)
    body = tree.body[0] if isinstance(tree, ast.Module) and len(tree.body) == 1 else None
    found = body.value if isinstance(body, ast.Expr) else None
    return None if isinstance(found, ast.Constant) and isinstance(found.value, str) else found


def shape_of(repo: Repo, place: Place, node: ast.expr | None, inside: tuple[Class, ...] = (), depth: int = 0) -> Shape:
    """The shape that a type describes, in an annotation or as the type of a column or field; `any` where it is not known."""

    def inner(*parts: ast.expr | None) -> list[Shape]:
        return [shape_of(repo, place, part, inside, depth + 1) for part in parts[:20]]

    name = last(repo.full(place, node))
    match node if depth <= _DEEPEST else None:
        case ast.Constant(value=None):
            return _NOTHING
        case ast.Constant(value=str() as text):
            return inner(_forward(repo, text))[0]
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
            if name in _WRAPPERS | {"Annotated"}:
                return annotation(repo, place, node, inside)[0] if depth < 3 else _NOTHING
            if name in TYPES and TYPES[name].kind == "array":
                return Shape("array", items=inner(several[0])[0])
            return _of_name(repo, place, path_of(node), inside, depth)
        case ast.Call(func=func, args=args):
            cls = repo.find_class(place, argument(node, 0)) if name in _ENUMS else None
            if cls is not None and kind_of(repo, cls) == "enum":
                return worded(words_of(repo, cls), cls.name)
            if name in _ENUMS:
                return worded(dict.fromkeys(repo.texts(place, ast.Tuple(args, ast.Load())), ""))
            if name in _LISTS_OF:
                first = inner(argument(node, 0, "base_field", "child"))[0]
                return limited(repo, place, Shape("array", items=first), node)
            base = inner(args[-1] if name == "NewType" and args else func)[0]
            return _sized(repo, place, limited(repo, place, base, node), args)
        case ast.Name() | ast.Attribute():
            return _of_name(repo, place, path_of(node), inside, depth)
    return Shape("any", cut=depth > _DEEPEST)


def _sized(repo: Repo, place: Place, shape: Shape, args: Sequence[ast.expr]) -> Shape:
    """`String(40)` and `Numeric(12, 2)`."""
    sizes = [size if type(size) is int else -1 for size in (repo.value(place, a) for a in args[:2])]
    if shape.kind == "string" and sizes and 0 < sizes[0] < 10**9:
        return replace(shape, longest=sizes[0])
    return replace(shape, places=sizes[1]) if shape.format == "decimal" and len(sizes) > 1 and sizes[1] >= 0 else shape


def _union(shapes: Sequence[Shape]) -> Shape:
    real = [s for s in shapes if s != _NOTHING]
    nullable = len(real) < len(shapes) or any(s.nullable for s in real)
    kinds = {s.kind for s in real}
    if kinds == {"integer", "number"}:
        return Shape("number", next(s.format for s in real if s.kind == "number"), nullable=nullable)
    words = tuple(dict.fromkeys(v for s in real for v in s.enum)) if all(s.enum for s in real) else ()
    return replace(real[0], nullable=nullable, enum=words) if len(kinds) == 1 else Shape("any", nullable=nullable)


def _of_name(repo: Repo, place: Place, path: str, inside: tuple[Class, ...], depth: int) -> Shape:
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
                yield Slot(name, keyword(value, "type") if head_of(value) in _ATTRIBUTES else None, value, node)
            case ast.FunctionDef(name=name, body=[*_, ast.Return(value=ast.Call() as value)]):  # of a mixin
                yield from [Slot(name, None, value, node)] if any(map(_is_declared, node.decorator_list)) else ()


def _is_declared(decorator: ast.expr) -> bool:
    return "declared_attr" in path_of(decorator)


def record_shape(repo: Repo, cls: Class, inside: tuple[Class, ...] = ()) -> Shape:
    """The shape of a record class, cut where it holds itself or is nested too deeply."""

    def made() -> Shape:
        fields: dict[str, Field] = {}
        for owner in lineage(repo, cls):
            for slot in slots(owner) if kind_of(repo, owner) in RECORDS else ():
                field = _record_field(repo, owner, cls, slot, (*inside, cls))
                if field is not None and len(fields) < MAX_FIELDS:
                    fields[slot.name] = field
        return Shape("object", name=cls.name, fields=fields, says=docstring(cls.node))

    cut = Shape("object", name=cls.name, cut=True)
    return cut if cls in inside or len(inside) >= MAX_NESTED else repo.once(("record", cls, len(inside)), cut, made)


def _record_field(repo: Repo, owner: Class, cls: Class, slot: Slot, inside: tuple[Class, ...]) -> Field | None:
    """A field of Pydantic, SQLModel, a dataclass, attrs, a TypedDict or a NamedTuple: an annotation, and perhaps a default."""
    head = head_of(slot.type) or (str(slot.type.value).split("[")[0] if isinstance(slot.type, ast.Constant) else "")
    untyped = slot.type is None and head_of(slot.value) not in _ATTRIBUTES
    hidden = untyped or slot.name.startswith(("_", "model_config"))
    if hidden or head in _NO_TYPES or head_of(slot.value) in _NO_FIELDS:
        return None
    shape, beside = annotation(repo, owner, slot.type, inside)
    calls: Calls = [(owner, slot.value)] if isinstance(slot.value, ast.Call) else beside
    shape = limited(repo, owner, shape, slot.value)
    marks = [(where, call) for where, call in calls if head_of(call) in {"Field", "field", *_ATTRIBUTES}]
    place, mark = marks[0] if marks and slot.value in (None, marks[0][1]) else (owner, None)
    made = keyword(mark, "default_factory", "factory")
    given = slot.value if mark is None else made if made is not None else argument(mark, 0, "default")
    given = None if isinstance(given, ast.Constant) and given.value is ... else given
    shape = replace(shape, default=default_of(repo, place, given))
    says = said(repo, [*calls, *beside]) or slot.says or shape.says
    spared = shape.nullable and "pydantic.validator" in owner.module.imports.values()  # as the first Pydantic did
    required = given is None and not spared
    field = Field(slot.name, shape, required, says=says, source=owner.module.source(slot.node))
    if kind_of(repo, cls) == "typeddict":
        whole = not any(k.arg == "total" and repo.value(cls, k.value) is False for k in cls.node.keywords)
        return replace(field, required=head == "Required" or (whole and head != "NotRequired"))
    return column(repo, calls, field, shape) if is_table(cls) else field


def is_table(cls: Class) -> bool:
    """Tell whether an SQLModel class is kept in a table of its own."""
    return any(k.arg == "table" and isinstance(k.value, ast.Constant) and k.value.value for k in cls.node.keywords)


def column(repo: Repo, calls: Calls, field: Field, hint: Shape | None) -> Field:
    """A field with what `Column(...)`, `mapped_column(...)` or SQLModel's `Field(...)` say; `hint` is what its annotation tells."""
    shape, target = Shape("any"), ""
    for place, call in calls:
        target = target or repo.text(place, keyword(call, "foreign_key"))
        for part in [*call.args[:20], keyword(call, "type_")]:
            match part:
                case ast.Call(func=ast.Attribute(value=first, attr="with_variant")):
                    part = first  # the type where no database is named
            kind = last(repo.full(place, part))
            if kind == "ForeignKey":
                target = repo.text(place, argument(part, 0, "column")) or path_of(argument(part, 0, "column"))
            elif kind and kind not in _NO_TYPE_OF_COLUMN and shape.kind == "any":
                shape = shape_of(repo, place, part)
    key, unique = (any(repo.flag(place, call, name) for place, call in calls) for name in ("primary_key", "unique"))
    told = [v for place, call in calls if isinstance(v := repo.value(place, keyword(call, "nullable")), bool)]
    empty = not key and (told[0] if told else hint.nullable if hint is not None else True)
    if hint is not None and (shape.kind == "any" or (hint.enum and not shape.enum)):
        shape = replace(hint, longest=shape.longest or hint.longest)
    given = [(p, v) for p, c in calls if (v := keyword(c, "default", "insert_default", "server_default")) is not None]
    shape = replace(shape, nullable=empty, default=default_of(repo, *given[0], shape.kind) if given else shape.default)
    owner, _, by = target.rpartition(".")
    named = [t for p, c in calls if head_of(c) in COLUMNS and (t := repo.text(p, argument(c, 0, "name"))) != field.name]
    says = said(repo, calls) or field.says or shape.says or "".join(f"column {name}" for name in named[:1] if name)
    computed = any(head_of(part) == "Computed" for _, call in calls for part in call.args)
    found = replace(field, shape=shape, required=not empty, key=key, unique=unique, read_only=computed, says=says)
    return replace(found, refers_to=last(owner) or by, refers_by=by if owner else "")
