"""SQL types as shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.records import Name

MAX_WORDS = 2_000
"""Words of one enum."""

_KINDS = {
    (
        "string",
        "",
    ): "CHAR NCHAR BPCHAR VARCHAR NVARCHAR TEXT TINYTEXT MEDIUMTEXT LONGTEXT FIXEDSTRING NAME ENUM SET ENUM8 ENUM16",
    ("string", "byte"): "BINARY VARBINARY BLOB TINYBLOB MEDIUMBLOB LONGBLOB IMAGE ROWVERSION FILE",
    ("string", "uuid"): "UUID",
    ("string", "xml"): "XML",
    ("string", "ip"): "INET IPADDRESS IPPREFIX IPV4 IPV6",
    ("string", "duration"): "INTERVAL",
    ("string", "date"): "DATE DATE32",
    ("string", "time"): "TIME TIMETZ TIME_NS",
    ("string", "date-time"): (
        "DATETIME DATETIME2 DATETIME64 SMALLDATETIME TIMESTAMP TIMESTAMPNTZ TIMESTAMPLTZ TIMESTAMPTZ "
        "TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS"
    ),
    ("string", "range"): "DATERANGE INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE",
    ("integer", ""): (
        "TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 INT256 UTINYINT USMALLINT UMEDIUMINT UINT UBIGINT UINT128 UINT256 "
        "SERIAL SMALLSERIAL BIGSERIAL YEAR"
    ),
    (
        "number",
        "decimal",
    ): "DECIMAL BIGDECIMAL UDECIMAL MONEY SMALLMONEY DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256 BIGNUM",
    ("number", ""): "FLOAT DOUBLE UDOUBLE DECFLOAT",
    ("boolean", ""): "BOOLEAN BIT",
    ("any", "json"): "JSON JSONB",
    ("object", ""): "HSTORE MAP STRUCT OBJECT",
    ("array", ""): "VECTOR",
}
KINDS: Mapping[str, tuple[str, str]] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
"""By sqlglot's names of types. What is missing may be anything."""
COUNTING = frozenset({"SERIAL", "SMALLSERIAL", "BIGSERIAL"})
UNSIGNED = frozenset(name for name in KINDS if name.startswith("U") and name != "UUID")
MONEY_PLACES = {"tsql": 4}

NAMED: Mapping[str, Shape] = {
    "sysname": Shape("string", longest=128),
    "nclob": Shape("string"),
    "clob": Shape("string"),
    "raw": Shape("string", "byte"),
    "bfile": Shape("string", "byte"),
    "rowid": Shape("string"),
    "urowid": Shape("string"),
    "xmltype": Shape("string", "xml"),
    "pls_integer": Shape("integer"),
    "binary_integer": Shape("integer"),
    "oid": Shape("integer"),
    "regclass": Shape("string"),
    "char": Shape("string", longest=1),
    "name": Shape("string"),
    "string": Shape("string"),
    "citext": Shape("string"),
    "ltree": Shape("string"),
    "tsvector": Shape("string"),
    "tsquery": Shape("string"),
    "hierarchyid": Shape("string"),
    "cidr": Shape("string", "ip"),
    "inet4": Shape("string", "ip"),
    "inet6": Shape("string", "ip"),
    "macaddr": Shape("string"),
    "any": Shape("any"),
}
"""Types that sqlglot takes for types of the database's own."""
_AFFINITY = (
    (re.compile("bool", re.IGNORECASE), Shape("boolean")),
    (re.compile("^(?:datetime|timestamp)", re.IGNORECASE), Shape("string", "date-time")),
    (re.compile("^date$", re.IGNORECASE), Shape("string", "date")),
    (re.compile(r"^(?:big|small|tiny|medium|unsigned )?int(?:eger)?\d*$", re.IGNORECASE), Shape("integer")),
    (re.compile("char|clob|text|string", re.IGNORECASE), Shape("string")),
    (re.compile("blob|binary|bytea", re.IGNORECASE), Shape("string", "byte")),
    (re.compile("^(?:real|float|double|number|numeric|decimal)", re.IGNORECASE), Shape("number")),
)
"""What the name of an unknown type tells, much as SQLite sees it."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What a type says about its column."""

    shape: Shape
    type: Name | None = None
    """Of the database's own: only its name is known here."""
    many: bool = False
    counts: bool = False
    filled: bool = False


def typed(node: exp.Expr | None, dialect: str) -> Typed:
    """The type of a column; anything where it has none."""
    if node is None:
        return Typed(Shape("any"))
    if not isinstance(node, exp.DataType):
        return Typed(NAMED.get(node.name.casefold(), Shape("any")), Name("", node.name))
    kind = node.this.name if isinstance(node.this, exp.DType) else "INTERVAL"
    if kind == "USERDEFINED":
        return _read_own_type(node)
    if kind in ("ARRAY", "LIST"):
        inner = typed(next(iter(node.expressions), None), dialect)
        return Typed(Shape("array", items=inner.shape), inner.type, many=True)
    return Typed(_shape(kind, node, dialect), counts=kind in COUNTING, filled=kind == "ROWVERSION")


def _read_own_type(node: exp.DataType) -> Typed:
    said = node.args.get("kind")
    parts = str(said).replace('"', "").replace("[", "").replace("]", "").split(".")
    name = Name(parts[-2] if len(parts) > 1 else "", parts[-1])
    return Typed(named(name) or Shape("any", name=name.own), name)


def named(name: Name) -> Shape | None:
    """A type by its name alone; None where it tells nothing."""
    if name.own.casefold() in NAMED:
        return NAMED[name.own.casefold()]
    return next((shape for mark, shape in _AFFINITY if mark.search(name.own)), None)


def _shape(kind: str, node: exp.DataType, dialect: str) -> Shape:
    is_a, form = KINDS.get(kind, ("any", ""))
    numbers = _parameters(node)
    size = numbers[0] if numbers else None
    shape = Shape(is_a, form)
    if kind in ("TINYINT", "UTINYINT") and size == 1:
        return Shape("boolean")
    if kind == "BIT" and size not in (None, 1):
        return Shape("integer") if dialect == "mysql" else Shape("string", longest=size)
    if is_a == "number":
        shape = _decimal(kind, numbers, dialect)
    elif kind in ("ENUM", "SET", "ENUM8", "ENUM16"):
        words = [word.name for word in node.expressions if isinstance(word, exp.Literal)]
        shape = replace(shape, enum=tuple(dict.fromkeys(words[:MAX_WORDS])))
    elif is_a == "string" and form == "":
        one = 1 if kind in ("CHAR", "NCHAR") and not node.expressions and dialect != "sqlite" else None
        shape = replace(shape, longest=size if size is not None else one)
    return replace(shape, minimum=0.0) if kind in UNSIGNED and shape.kind in ("integer", "number") else shape


def _decimal(kind: str, numbers: list[int | None], dialect: str) -> Shape:
    if kind in ("MONEY", "SMALLMONEY"):
        return Shape("number", "decimal", places=MONEY_PLACES.get(dialect, 2))
    places = numbers[1] if len(numbers) > 1 else None
    if kind in ("FLOAT", "DOUBLE", "UDOUBLE", "DECFLOAT"):
        return Shape("number", "decimal", places=places) if places is not None else Shape("number")
    if places == 0 or (len(numbers) == 1 and numbers[0] is not None):
        return Shape("integer")
    return Shape("number", "decimal", places=places)


def _parameters(node: exp.DataType) -> list[int | None]:
    """The numbers in parentheses; None for `MAX` and `*`."""
    inside = (part.this for part in node.expressions if isinstance(part, exp.DataTypeParam))
    return [int(part.name) if isinstance(part, exp.Literal) and part.name.isdecimal() else None for part in inside]
