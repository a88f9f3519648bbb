"""SQL types as shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.sql.records import Column, Name
from worldwright.anchor.schema.type_words import shape_of_words

_T = exp.DataType
KINDS: Mapping[str, tuple[str, str]] = {
    **{t.name: ("string", "") for t in _T.TEXT_TYPES},
    **{t.name: ("string", "byte") for t in _T.BINARY_TYPES},
    **{t.name: ("integer", "") for t in _T.INTEGER_TYPES},
    **{t.name: ("number", "decimal") for t in _T.REAL_TYPES},
    **{t.name: ("string", "date-time") for t in _T.TEMPORAL_TYPES},
    **{
        name: (kind, form)
        for names, kind, form in (
            ("BPCHAR FIXEDSTRING ENUM SET ENUM8 ENUM16", "string", ""),
            ("IMAGE ROWVERSION FILE", "string", "byte"),
            ("UUID", "string", "uuid"),
            ("XML", "string", "xml"),
            ("INET IPADDRESS IPPREFIX IPV4 IPV6", "string", "ip"),
            ("INTERVAL", "string", "duration"),
            ("DATE DATE32", "string", "date"),
            ("TIME TIMETZ TIME_NS", "string", "time"),
            ("DATERANGE INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE", "string", "range"),
            ("SERIAL SMALLSERIAL BIGSERIAL YEAR", "integer", ""),
            ("FLOAT DOUBLE UDOUBLE DECFLOAT", "number", ""),
            ("BOOLEAN BIT", "boolean", ""),
            ("JSON JSONB", "any", "json"),
            ("HSTORE MAP STRUCT OBJECT", "object", ""),
            ("VECTOR", "array", ""),
        )
        for name in names.split()
    },
}
"""By sqlglot's names of types. What is missing may be anything."""
COUNTING = frozenset({"SERIAL", "SMALLSERIAL", "BIGSERIAL"})
UNSIGNED = frozenset({"UDECIMAL", "UDOUBLE", *(t.name for t in _T.UNSIGNED_INTEGER_TYPES)})
_NAMED: tuple[tuple[str, Shape], ...] = (
    (r"sysname", Shape("string", longest=128)),
    (r"char", Shape("string", longest=1)),
    (r"(?:long )?raw|bfile", Shape("string", "byte")),
    (r"xmltype", Shape("string", "xml")),
    (r"cidr|inet[46]", Shape("string", "ip")),
    (r"interval.*", Shape("string", "duration")),
    (r"u?rowid|regclass|name|ltree|tsvector|tsquery|hierarchyid|macaddr|.*(?:text|clob)", Shape("string")),
    (r"(?:pls_|binary_)integer|oid|.*\bint\b.*", Shape("integer")),
)
"""Types that sqlglot takes for types of the database's own, or does not know at all."""


def typed(node: exp.Expr | None, dialect: str) -> Column:
    """What a type says about its column; anything where it has none."""
    if not isinstance(node, exp.DataType):
        name = Name("", node.name) if node is not None else None
        return Column((named(name.own) if name else None) or Shape("any"), type=name)
    kind = node.this.name if isinstance(node.this, exp.DType) else "INTERVAL"
    if kind == "USERDEFINED":
        *schema, own = re.sub(r'["\[\]]', "", str(node.args.get("kind"))).split(".")
        return Column(named(own) or Shape("any", name=own), type=Name(schema[-1] if schema else "", own))
    if kind in ("ARRAY", "LIST"):
        inner = typed(next(iter(node.expressions), None), dialect)
        return Column(Shape("array", items=inner.shape), type=inner.type, many=True)
    return Column(_shape(kind, node, dialect), counts=kind in COUNTING, filled=kind == "ROWVERSION")


def named(name: str) -> Shape | None:
    """A type by its name alone; None where it tells nothing."""
    shape = next((shape for mark, shape in _NAMED if re.fullmatch(mark, name, re.IGNORECASE)), shape_of_words(name))
    return shape if shape.kind != "any" else None


def _shape(kind: str, node: exp.DataType, dialect: str) -> Shape:
    is_a, form = KINDS.get(kind, ("any", ""))
    inside = (part.this for part in node.expressions if isinstance(part, exp.DataTypeParam))
    numbers = [int(p.name) if isinstance(p, exp.Literal) and p.name.isdecimal() else None for p in inside]
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
        shape = replace(shape, enum=tuple(dict.fromkeys(words)))
    elif is_a == "string" and form == "":
        one = 1 if kind in ("CHAR", "NCHAR") and not node.expressions and dialect != "sqlite" else None
        shape = replace(shape, longest=size if size is not None else one)
    return replace(shape, minimum=0.0) if kind in UNSIGNED and shape.kind in ("integer", "number") else shape


def _decimal(kind: str, numbers: list[int | None], dialect: str) -> Shape:
    """A number with a fraction; `MAX` and `*` are no figures."""
    if kind in ("MONEY", "SMALLMONEY"):
        return Shape("number", "decimal", places=4 if dialect == "tsql" else 2)
    places = numbers[1] if len(numbers) > 1 else None
    if KINDS[kind] == ("number", ""):
        return Shape("number", "decimal", places=places) if places is not None else Shape("number")
    if places == 0 or (len(numbers) == 1 and numbers[0] is not None):
        return Shape("integer")
    return Shape("number", "decimal", places=places)
