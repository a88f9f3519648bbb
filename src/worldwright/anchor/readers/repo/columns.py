"""Columns of SQLAlchemy: `Column(...)`, `mapped_column(...)`, their types and references."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.evidence import Field, Shape, Source
from worldwright.anchor.readers.repo.enums import Words, words_of, words_shape
from worldwright.anchor.readers.repo.families import family
from worldwright.anchor.readers.repo.models import default
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import argument, keyword, last, path_of

_DEEPEST = 6
_TEXT = Shape("string")
_WHOLE = Shape("integer")
_OBJECT = Shape("object", open=True)
TYPES: Mapping[str, Shape] = {
    **dict.fromkeys(("Integer", "INTEGER", "INT", "BigInteger", "BIGINT", "SmallInteger", "SMALLINT"), _WHOLE),
    **dict.fromkeys(("Numeric", "NUMERIC", "DECIMAL", "Money", "MONEY"), Shape("number", "decimal")),
    **dict.fromkeys(("Float", "FLOAT", "REAL", "Double", "DOUBLE", "DOUBLE_PRECISION"), Shape("number")),
    **dict.fromkeys(("String", "VARCHAR", "Unicode", "NVARCHAR", "CHAR", "NCHAR", "Text", "TEXT", "UnicodeText", "CITEXT"), _TEXT),
    **dict.fromkeys(("AutoString", "CIText", "INET", "PasswordType"), _TEXT),
    **dict.fromkeys(("Boolean", "BOOLEAN"), Shape("boolean")),
    **dict.fromkeys(("Date", "DATE"), Shape("string", "date")),
    **dict.fromkeys(("DateTime", "DATETIME", "TIMESTAMP", "UTCDateTime", "ArrowType", "TZDateTime"), Shape("string", "date-time")),
    **dict.fromkeys(("Time", "TIME"), Shape("string", "time")),
    **dict.fromkeys(("Interval", "INTERVAL"), Shape("string", "duration")),
    **dict.fromkeys(("UUID", "Uuid", "GUID", "UUIDType"), Shape("string", "uuid")),
    **dict.fromkeys(("LargeBinary", "BLOB", "BYTEA", "VARBINARY"), Shape("string", "byte")),
    **dict.fromkeys(("JSON", "JSONB", "HSTORE", "JSONType", "PickleType"), _OBJECT),
    "EmailType": Shape("string", "email"),
    "URLType": Shape("string", "uri"),
    "PhoneNumberType": Shape("string", "phone"),
    "CurrencyType": Shape("string", "currency"),
}  # fmt: skip
_ENUMS = frozenset({"Enum", "ENUM", "SQLEnum", "SAEnum", "PgEnum", "ChoiceType"})
COLUMNS = frozenset({"Column", "mapped_column"})


@dataclass(frozen=True, slots=True)
class Column:
    """What a call says about a column; None where it does not say."""

    shape: Shape | None = None
    name: str = ""
    """Of the column in the table, where it is given."""
    nullable: bool | None = None
    key: bool = False
    unique: bool = False
    refers_to: str = ""
    refers_by: str = ""
    default: Any = None
    computed: bool = False
    says: str = ""
    checks: tuple[str, ...] = ()


def column(repo: Repo, scope: Scope, call: ast.Call) -> Column:
    """A call of `Column` or `mapped_column`."""
    found = Column()
    for i, node in enumerate([a.value if isinstance(a, ast.Starred) else a for a in call.args[:20]]):
        if i == 0 and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = replace(found, name=node.value)
        else:
            found = _part(repo, scope, found, node)
    said = keyword(call, "type_")
    if said is not None:
        found = replace(found, shape=column_type(repo, scope, said))
    nullable = repo.value(scope, keyword(call, "nullable"))
    return replace(
        found,
        nullable=nullable if isinstance(nullable, bool) else found.nullable,
        key=repo.value(scope, keyword(call, "primary_key")) is True,
        unique=repo.value(scope, keyword(call, "unique")) is True,
        default=default(repo, scope, keyword(call, "default", "insert_default", "server_default")),
        says=repo.text(scope, keyword(call, "comment", "doc")),
    )


def _part(repo: Repo, scope: Scope, found: Column, node: ast.expr) -> Column:
    """One positional argument: a reference, a condition, or the type."""
    name = last(repo.full(scope.module, path_of(node)))
    if name == "ForeignKey" and isinstance(node, ast.Call):
        to, by = _reference(repo, scope, node)
        return replace(found, refers_to=to, refers_by=by)
    if name == "CheckConstraint" and isinstance(node, ast.Call):
        check = repo.text(scope, argument(node, 0, "sqltext"))
        return replace(found, checks=(*found.checks, check)) if check else found
    if name in ("Computed", "Identity"):
        return replace(found, computed=name == "Computed")
    if name in ("Sequence", "FetchedValue", "DefaultClause") or found.shape is not None:
        return found
    shape = column_type(repo, scope, node)
    return replace(found, shape=shape) if shape is not None else found


def _reference(repo: Repo, scope: Scope, call: ast.Call) -> tuple[str, str]:
    """`ForeignKey("app.users.id")` and `ForeignKey(User.id)` as what is referred to and its column."""
    target = argument(call, 0, "column")
    path = repo.text(scope, target) or path_of(target)
    owner, _, by = path.rpartition(".")
    return last(owner) if owner else by, by if owner else ""


def column_type(repo: Repo, scope: Scope, node: ast.expr, depth: int = 0) -> Shape | None:
    """The shape of a type such as `String(40)`, `sa.Numeric(12, 2)` or `Enum(Status)`; None where it is no type."""
    if depth > _DEEPEST:
        return None
    call = node if isinstance(node, ast.Call) else None
    path = path_of(node)
    name = last(repo.full(scope.module, path))
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and not path:
        return column_type(repo, scope, call.func.value, depth + 1)  # String(40).with_variant(...)
    if name in _ENUMS or (name.endswith("Enum") and call is not None and repo.find_class(scope, path) is None):
        return _enum(repo, scope, call)
    if name == "ARRAY" and call is not None and call.args:
        return Shape("array", items=column_type(repo, scope, call.args[0], depth + 1) or Shape("any"))
    if name == "MutableDict" or (call is not None and name in ("as_mutable", "with_variant")):
        inner = call.args[0] if call is not None and call.args else None
        return column_type(repo, scope, inner, depth + 1) if inner is not None else None
    cls = repo.find_class(scope, path)
    if cls is not None:
        impl = cls.values.get("impl")
        return column_type(repo, Scope(cls.module, cls), impl, depth + 1) if impl is not None else None
    made = repo.find_value(scope.module, path) if path else None
    if made is not None:
        return column_type(repo, Scope(made[0]), made[1], depth + 1)
    shape = TYPES.get(name)
    return _sized(repo, scope, shape, call) if shape is not None and call is not None else shape


def _sized(repo: Repo, scope: Scope, shape: Shape, call: ast.Call) -> Shape:
    first = repo.value(scope, argument(call, 0, "length", "precision"))
    second = repo.value(scope, argument(call, 1, "scale"))
    if shape == _TEXT and type(first) is int and 0 < first < 10**9:
        return replace(shape, longest=first)
    if shape.format == "decimal" and type(second) is int and 0 <= second < 40:
        return replace(shape, places=second)
    return shape


def _enum(repo: Repo, scope: Scope, call: ast.Call | None) -> Shape:
    """`Enum("a", "b")`, `Enum(*WORDS)` or `Enum(Status)`."""
    if call is None or not call.args:
        return _TEXT
    cls = repo.find_class(scope, path_of(call.args[0]))
    if cls is not None and family(repo, cls) == "enum":
        return words_shape(words_of(repo, cls), cls.name)
    found: list[Any] = []
    for node in call.args[:2_000]:
        value = repo.value(scope, node.value if isinstance(node, ast.Starred) else node)
        found.extend(value if isinstance(value, tuple) else [value])
    words: Words = tuple((v, "") for v in found if isinstance(v, str))
    return replace(words_shape(words), name=repo.text(scope, keyword(call, "name"))) if words else _TEXT


def _read_default(value: Any, kind: str) -> Any:
    """A default as it is kept: the database's `'draft'` and `1` are texts in the code."""
    if not isinstance(value, str):
        return value
    text = value[1:-1] if len(value) > 1 and value[0] == value[-1] == "'" else value
    if kind == "boolean":
        return text.lower() in ("1", "true", "t") if text.lower() in ("0", "1", "true", "false", "t", "f") else None
    if kind in ("integer", "number"):
        return int(text) if len(text) < 16 and text.isascii() and text.isdigit() else None
    return text if kind in ("string", "any") and not text.endswith("()") else None


def column_field(name: str, found: Column, source: Source | None, hint: Shape | None = None) -> Field:
    """A column as a field; `hint` is the shape that an annotation tells."""
    shape = found.shape or hint or Shape("any")
    if hint is not None and hint.enum and not shape.enum:
        shape = replace(hint, longest=shape.longest)
    nullable = found.nullable if found.nullable is not None else hint.nullable if hint is not None else not found.key
    says = found.says or (f"column {found.name}" if found.name and found.name != name else "")
    return Field(
        name,
        replace(shape, nullable=nullable and not found.key, default=_read_default(found.default, shape.kind)),
        required=found.key or not nullable,
        key=found.key,
        unique=found.unique,
        refers_to=found.refers_to,
        refers_by=found.refers_by,
        read_only=found.computed,
        says=says or shape.says,
        source=source,
    )
