"""Types by their names, and the words and limits that code states on a value."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.names import parts
from worldwright.anchor.readers.repo.names import MAX_ELEMENTS, UNKNOWN, Repo, is_number, kind_of, lineage
from worldwright.anchor.readers.repo.source import Assigned, Class, Place
from worldwright.anchor.readers.repo.tree import argument, elements, head_of, keyword, path_of
from worldwright.english.words import wordmap

TYPES: Mapping[str, Shape] = {
    name: shape
    for shape, names in (
        (Shape("string"), """str Text SecretStr StrictStr Path IPvAnyAddress constr String VARCHAR Unicode CHAR TEXT
            UnicodeText CITEXT AutoString INET CharField TextField SlugField FilePathField CICharField FileField ImageField
            GenericIPAddressField ChoiceField"""),
        (Shape("string", "date"), "date PastDate FutureDate condate Date DATE DateField"),
        (Shape("string", "date-time"), """datetime AwareDatetime NaiveDatetime PastDatetime FutureDatetime DateTime DATETIME
            TIMESTAMP UTCDateTime ArrowType DateTimeField AutoCreatedField AutoLastModifiedField"""),
        (Shape("string", "time"), "time Time TIME TimeField"),
        (Shape("string", "duration"), "timedelta Interval INTERVAL DurationField"),
        (Shape("string", "uuid"), "UUID UUID1 UUID3 UUID4 UUID5 Uuid GUID UUIDType UUIDField"),
        (Shape("string", "byte"), "bytes UploadFile Base64Bytes LargeBinary BLOB BYTEA BinaryField"),
        (Shape("string", "email"), "EmailStr NameEmail EmailType EmailField CIEmailField"),
        (Shape("string", "uri"), "HttpUrl AnyUrl AnyHttpUrl URLType URLField"),
        (Shape("string", "phone"), "PhoneNumber PhoneNumberType PhoneNumberField"),
        (Shape("integer"), """int StrictInt NegativeInt conint Integer INTEGER INT BigInteger BIGINT SmallInteger SMALLINT AutoField
            BigAutoField SmallAutoField IntegerField BigIntegerField SmallIntegerField PrimaryKeyRelatedField"""),
        (Shape("integer", minimum=1), "PositiveInt"),
        (Shape("integer", minimum=0), """NonNegativeInt PositiveIntegerField PositiveSmallIntegerField
            PositiveBigIntegerField"""),
        (Shape("number"), "float confloat Float FLOAT REAL Double DOUBLE DOUBLE_PRECISION FloatField"),
        (Shape("number", minimum=0), "PositiveFloat NonNegativeFloat"),
        (Shape("number", "decimal"), "Decimal condecimal Numeric NUMERIC DECIMAL Money MONEY DecimalField MoneyField"),
        (Shape("boolean"), "bool StrictBool Boolean BOOLEAN BooleanField NullBooleanField"),
        (Shape("object", open=True), """dict Dict Mapping MutableMapping OrderedDict defaultdict Json JSON JSONB HSTORE JSONType
            PickleType JSONField HStoreField DictField"""),
        (Shape("array", items=Shape("any")), """list List Sequence set Set frozenset tuple Tuple Iterable Collection Iterator
            AsyncIterator deque conlist ARRAY ArrayField ListField"""),
    )
    for name in names.split()
}  # fmt: skip
"""Of annotations, of columns of SQLAlchemy, and of fields of Django models and serializers, by their last name."""


def words_of(repo: Repo, cls: Class) -> dict[Any, str]:
    """The values of an enumeration in order, each with the label that people see, where there is one."""
    found: dict[Any, str] = {}
    bases = {head_of(base) for owner in lineage(repo, cls) for base in owner.node.bases}
    for owner in lineage(repo, cls):
        for name, node in list(owner.values.items())[:MAX_ELEMENTS] if kind_of(repo, owner) == "enum" else ():
            value = repo.value(owner, node)
            label = value[1] if isinstance(value, tuple) and len(value) > 1 else ""
            value = value[0] if isinstance(value, tuple) and value else value
            if head_of(node) == "auto":
                value = name.lower() if bases & {"StrEnum", "str", "TextChoices"} else name
            value = name if value is UNKNOWN and not isinstance(node, ast.Lambda) else value
            if not name.startswith("_") and isinstance(value, str | int | float) and not isinstance(value, bool):
                found[value] = label if isinstance(label, str) else ""
    return found


def worded(words: Mapping[Any, str], name: str = "", says: str = "") -> Shape:
    """The shape of a value that is one of these words; a label that tells more than its value is said."""
    kinds = {"string" if isinstance(v, str) else "integer" if isinstance(v, int) else "number" for v in words}
    kind = "any" if len(kinds) > 1 else next(iter(kinds), "string")
    told = [f"{v}: {label}" for v, label in words.items() if label and parts(str(v)) != parts(label)]
    return Shape(kind, name=name, enum=tuple(words), says=f"{says} {'; '.join(told)}".strip()[:2_000])


def choices(repo: Repo, place: Place, node: ast.expr | None) -> dict[Any, str]:
    """The choices of a field: pairs, pairs in groups, plain values, or an enumeration; empty where one of them is unknown."""
    found = repo.find(place, node) if isinstance(node, ast.Name | ast.Attribute) else None
    if isinstance(found, Assigned):
        place, node = found.place, found.node
    written: dict[Any, str] = {}
    for part in elements(node):
        first, *more = elements(part) or [part]
        value = repo.value(place, first)
        group = choices(repo, place, more[0]) if more and elements(more[0]) else {}
        label = repo.text(place, more[-1]) if more else ""
        written |= group or {value if isinstance(value, str | int | float) else UNKNOWN: label}
    for inner in ast.walk(node) if node is not None and not elements(node) else ():
        path = path_of(inner) if isinstance(inner, ast.Name | ast.Attribute) else ""
        cls = repo.find_class(place, path) or repo.find_class(place, path.rpartition(".")[0])
        if cls is not None and kind_of(repo, cls) == "enum":
            return words_of(repo, cls)
    return written if UNKNOWN not in written else {}


_COUNTS = wordmap("min_length=shortest min_items=shortest max_length=longest max_items=longest length=longest")
_BOUNDS: Mapping[str, tuple[str, int]] = {
    "ge": ("minimum", 0), "gt": ("minimum", 1), "le": ("maximum", 0), "lt": ("maximum", -1), "min_value": ("minimum", 0),
    "max_value": ("maximum", 0),
}  # fmt: skip
"""The limit of a shape, and how far a whole number must be from it."""
_VALIDATORS: Mapping[str, str] = wordmap(
    "MinValueValidator=ge MaxValueValidator=le MinLengthValidator=min_length MaxLengthValidator=max_length RegexValidator=pattern"
)
Calls = list[tuple[Place, ast.Call]]
"""Calls that say something about a value, each with the place where it stands."""
_SAYING = ("description", "help_text", "doc", "comment", "title", "verbose_name", "label")


def limited(repo: Repo, place: Place, shape: Shape, call: ast.expr | None) -> Shape:
    """A shape with the limits that a call gives."""
    words = choices(repo, place, keyword(call, "choices"))
    if words:
        shape = replace(worded(words, shape.name), longest=shape.longest)
    given = [(k.arg or "", k.value) for k in call.keywords] if isinstance(call, ast.Call) else []
    for node in elements(keyword(call, "validators")):
        limit = argument(node, 0, "limit_value", "regex")
        given += [(_VALIDATORS.get(head_of(node), ""), limit)] if limit is not None else []
    changes: dict[str, Any] = {}
    for word, node in given:
        value = repo.value(place, node)
        if word in _BOUNDS and is_number(value):
            name, step = _BOUNDS[word]
            changes[name] = float(value) + (step if shape.kind == "integer" else 0)
        elif word in _COUNTS and type(value) is int and 0 <= value < 10**9:
            changes[_COUNTS[word]] = value
        elif word in ("pattern", "regex") and isinstance(value, str):
            changes["pattern"] = value
        elif word in ("examples", "example"):
            several = value if isinstance(value, tuple) else (value,)
            changes["examples"] = tuple(v for v in several[:5] if isinstance(v, str | int | float))
    return replace(shape, **changes) if changes else shape


def said(repo: Repo, calls: Calls) -> str:
    """Return what calls say about a value, in words."""
    found = (repo.text(place, keyword(call, name)).strip() for place, call in calls for name in _SAYING)
    return next((text for text in found if text), "")


def default_of(repo: Repo, place: Place, node: ast.expr | None, kind: str = "any") -> Any:
    """A default as a plain value of that kind; None where it is none or is made when it is needed."""
    value = repo.value(place, node)
    if isinstance(value, str) and kind in ("integer", "number", "boolean"):  # as a database writes it
        found = {"true": 1, "false": 0}.get(value.lower(), int(value) if re.fullmatch(r"[0-9]{1,15}", value) else None)
        return bool(found) if kind == "boolean" and found is not None else found
    return None if value is UNKNOWN or isinstance(value, dict | tuple) else value
