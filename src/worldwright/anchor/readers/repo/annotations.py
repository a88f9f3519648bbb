"""Type annotations as shapes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.repo.enums import enum_shape, literal_words, words_shape
from worldwright.anchor.readers.repo.families import RECORDS, family
from worldwright.anchor.readers.repo.models import constrained, description
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Class, last, path_of, tree_of

_DEEPEST = 8
_TEXT = Shape("string")
PLAIN: Mapping[str, Shape] = {
    **dict.fromkeys(("str", "Text", "AnyStr", "SecretStr", "StrictStr", "LiteralString"), _TEXT),
    **dict.fromkeys(("int", "StrictInt"), Shape("integer")),
    **dict.fromkeys(("PositiveInt",), Shape("integer", minimum=1)),
    **dict.fromkeys(("NonNegativeInt",), Shape("integer", minimum=0)),
    **dict.fromkeys(("NegativeInt",), Shape("integer", maximum=-1)),
    **dict.fromkeys(("float", "StrictFloat"), Shape("number")),
    **dict.fromkeys(("PositiveFloat", "NonNegativeFloat"), Shape("number", minimum=0)),
    "Decimal": Shape("number", "decimal"),
    **dict.fromkeys(("bool", "StrictBool"), Shape("boolean")),
    **dict.fromkeys(("date", "PastDate", "FutureDate"), Shape("string", "date")),
    **dict.fromkeys(("datetime", "AwareDatetime", "NaiveDatetime", "PastDatetime", "FutureDatetime"), Shape("string", "date-time")),
    "time": Shape("string", "time"),
    "timedelta": Shape("string", "duration"),
    **dict.fromkeys(("UUID", "UUID1", "UUID3", "UUID4", "UUID5"), Shape("string", "uuid")),
    **dict.fromkeys(("bytes", "UploadFile", "Base64Bytes"), Shape("string", "byte")),
    **dict.fromkeys(("EmailStr", "NameEmail"), Shape("string", "email")),
    **dict.fromkeys(("HttpUrl", "AnyUrl", "AnyHttpUrl"), Shape("string", "uri")),
    **dict.fromkeys(("PhoneNumber",), Shape("string", "phone")),
    **dict.fromkeys(("Path", "IPvAnyAddress", "IPv4Address"), _TEXT),
    **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "Json"),
                    Shape("object", open=True)),
    **dict.fromkeys(("list", "List", "Sequence", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Iterable",
                     "Collection", "Iterator", "AsyncIterator", "deque"), Shape("array", items=Shape("any"))),
}  # fmt: skip
_CALLED: Mapping[str, Shape] = {
    "constr": _TEXT,
    "conint": Shape("integer"),
    "confloat": Shape("number"),
    "condecimal": Shape("number", "decimal"),
    "condate": Shape("string", "date"),
    "conlist": Shape("array", items=Shape("any")),
}
_WRAPPERS = frozenset({
    "Mapped", "WriteOnlyMapped", "DynamicMapped", "Required", "NotRequired", "ReadOnly", "Final", "Awaitable",
    "Coroutine", "InitVar", "Type", "type",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Annotated:
    """An annotation: the shape, what it says, and the calls that stand beside the type in `Annotated`."""

    shape: Shape
    calls: tuple[ast.Call, ...] = ()
    says: str = ""
    scope: Scope | None = None
    """Where those calls stand."""


Record = Callable[[Repo, Class, tuple[Class, ...]], Shape]
"""Makes the shape of a record class; the last argument names the records around it."""


def annotated(repo: Repo, scope: Scope, node: ast.expr | None, record: Record) -> Annotated:
    """An annotation with the calls beside the type."""
    inner, calls, where = _unwrapped(repo, scope, node, 0)
    shape = shape_of(repo, where, inner, record)
    says = ""
    for call in calls:
        shape = constrained(repo, where, shape, call)
        says = says or description(repo, where, call)
    return Annotated(shape, tuple(calls), says, where)


def _unwrapped(
    repo: Repo, scope: Scope, node: ast.expr | None, depth: int
) -> tuple[ast.expr | None, list[ast.Call], Scope]:
    """The type inside of `Annotated`, `Mapped` and the like, through names that stand for such a type."""
    if depth > _DEEPEST or node is None:
        return node, [], scope
    match node:
        case ast.Constant(value=str() as text):
            return _unwrapped(repo, scope, _forward(repo, text), depth + 1)
        case ast.Subscript(value=head, slice=inside):
            name = last(path_of(head))
            if name == "Annotated" and isinstance(inside, ast.Tuple) and inside.elts:
                inner, calls, where = _unwrapped(repo, scope, inside.elts[0], depth + 1)
                return inner, [*(c for c in inside.elts[1:] if isinstance(c, ast.Call)), *calls], where
            if name in _WRAPPERS:
                return _unwrapped(repo, scope, inside, depth + 1)
        case ast.Name() | ast.Attribute():
            found = repo.find_value(scope.module, path_of(node))
            if (
                found is not None
                and isinstance(found[1], ast.Subscript)
                and last(path_of(found[1].value)) == "Annotated"
            ):
                return _unwrapped(repo, replace(scope, module=found[0], cls=None), found[1], depth + 1)
    return node, [], scope


def shape_of(repo: Repo, scope: Scope, node: ast.expr | None, record: Record, depth: int = 0) -> Shape:
    """The shape that an annotation describes; `any` where it is not known."""
    repo.steps -= 1
    if node is None or depth > _DEEPEST or repo.steps < 0:
        return Shape("any", cut=node is not None)
    match node:
        case ast.Constant(value=None):
            return Shape("any", nullable=True)
        case ast.Constant(value=str() as text):
            return shape_of(repo, scope, _forward(repo, text), record, depth + 1)
        case ast.BinOp(op=ast.BitOr()):
            return _union(repo, scope, _alternatives(node), record, depth)
        case ast.Subscript():
            return _subscript(repo, scope, node, record, depth)
        case ast.Name() | ast.Attribute():
            return _named(repo, scope, path_of(node), record, depth)
        case ast.Call():
            name = last(path_of(node))
            if name == "conlist" and node.args:
                items = shape_of(repo, scope, node.args[0], record, depth + 1)
                return constrained(repo, scope, Shape("array", items=items), node)
            if name == "NewType" and len(node.args) == 2:
                return shape_of(repo, scope, node.args[1], record, depth + 1)
            return constrained(repo, scope, _CALLED.get(name, Shape("any")), node)
    return Shape("any")


def _forward(repo: Repo, text: str) -> ast.expr | None:
    """The type in a string, as in `"Order | None"`."""
    if text not in repo.forwards:
        repo.forwards[text] = _parsed(text)
    return repo.forwards[text]


def _parsed(text: str) -> ast.expr | None:
    tree = tree_of(text.strip()) if len(text) <= 500 else ""
    if isinstance(tree, ast.Module) and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        found = tree.body[0].value
        return None if isinstance(found, ast.Constant) and isinstance(found.value, str) else found
    return None


def _alternatives(node: ast.expr) -> list[ast.expr]:
    out: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        out.append(node.right)
        node = node.left
    return [node, *reversed(out)]


def _union(repo: Repo, scope: Scope, parts: list[ast.expr], record: Record, depth: int) -> Shape:
    real = [p for p in parts[:20] if not (isinstance(p, ast.Constant) and p.value is None) and path_of(p) != "None"]
    shapes = [shape_of(repo, scope, p, record, depth + 1) for p in real]
    nullable = len(real) < len(parts[:20]) or any(s.nullable for s in shapes)
    if not shapes:
        return Shape("any", nullable=True)
    kinds = {s.kind for s in shapes}
    if len(kinds) == 1:
        first = shapes[0]
        if len(shapes) > 1:
            enum = tuple(dict.fromkeys(v for s in shapes for v in s.enum)) if all(s.enum for s in shapes) else ()
            first = replace(first, enum=enum)
        return replace(first, nullable=nullable)
    if kinds == {"integer", "number"}:
        return Shape("number", next(s.format for s in shapes if s.kind == "number"), nullable=nullable)
    return Shape("any", nullable=nullable)


def _subscript(repo: Repo, scope: Scope, node: ast.Subscript, record: Record, depth: int) -> Shape:
    name = last(repo.full(scope.module, path_of(node.value)))
    inside = node.slice
    parts = (list(inside.elts) if isinstance(inside, ast.Tuple) else []) or [inside]
    if name == "Optional":
        return replace(shape_of(repo, scope, inside, record, depth + 1), nullable=True)
    if name == "Union":
        return _union(repo, scope, parts, record, depth)
    if name == "Literal":
        return _literal(repo, scope, inside, parts)
    if name == "Annotated" and parts:
        shape = shape_of(repo, scope, parts[0], record, depth + 1)
        for call in parts[1:]:
            shape = constrained(repo, scope, shape, call) if isinstance(call, ast.Call) else shape
        return shape
    if name in _WRAPPERS:
        return shape_of(repo, scope, parts[-1], record, depth + 1)
    plain = PLAIN.get(name)
    if plain is not None and plain.kind == "array":
        return Shape("array", items=shape_of(repo, scope, parts[0], record, depth + 1))
    return plain or _named(repo, scope, path_of(node.value), record, depth)


def _literal(repo: Repo, scope: Scope, inside: ast.expr, parts: list[ast.expr]) -> Shape:
    nullable = any(isinstance(p, ast.Constant) and p.value is None for p in parts)
    return replace(words_shape(literal_words(repo, scope, inside)), nullable=nullable)


def _named(repo: Repo, scope: Scope, path: str, record: Record, depth: int) -> Shape:
    cls = repo.find_class(scope, path)
    if cls is not None:
        return _of_class(repo, cls, record, scope.inside)
    key = (scope.module, path, scope.inside, depth)
    if key in repo.aliases:
        return repo.aliases[key]
    found = repo.find_value(scope.module, path)
    if found is not None:
        shape = shape_of(repo, replace(scope, module=found[0], cls=None), found[1], record, depth + 1)
        repo.aliases[key] = shape
        return shape
    return PLAIN.get(last(repo.full(scope.module, path)), Shape("any"))


def _of_class(repo: Repo, cls: Class, record: Record, inside: tuple[Class, ...]) -> Shape:
    kind = family(repo, cls)
    if kind == "enum":
        return enum_shape(repo, cls)
    if kind in RECORDS:
        return record(repo, cls, inside)
    if kind in ("sqlalchemy", "django"):
        return Shape("object", name=cls.name, cut=True)
    return Shape("any", name=cls.name)
