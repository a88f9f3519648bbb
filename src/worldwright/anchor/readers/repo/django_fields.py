"""Fields of Django models."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape, Source
from worldwright.anchor.readers.repo.enums import choices, words_shape
from worldwright.anchor.readers.repo.models import default
from worldwright.anchor.readers.repo.names import Repo, Scope, number
from worldwright.anchor.readers.repo.source import argument, keyword, last, path_of

_TEXT = Shape("string")
_WHOLE = Shape("integer")
TYPES: Mapping[str, Shape] = {
    **dict.fromkeys(("AutoField", "BigAutoField", "SmallAutoField"), _WHOLE),
    **dict.fromkeys(("CharField", "TextField", "SlugField", "FilePathField", "FSMField", "CICharField", "RichTextField"), _TEXT),
    **dict.fromkeys(("FileField", "ImageField", "GenericIPAddressField", "CountryField", "ColorField"), _TEXT),
    **dict.fromkeys(("EmailField", "CIEmailField"), Shape("string", "email")),
    "URLField": Shape("string", "uri"),
    "UUIDField": Shape("string", "uuid"),
    "PhoneNumberField": Shape("string", "phone"),
    **dict.fromkeys(("IntegerField", "BigIntegerField", "SmallIntegerField", "FSMIntegerField"), _WHOLE),
    **dict.fromkeys(("PositiveIntegerField", "PositiveSmallIntegerField", "PositiveBigIntegerField"), Shape("integer", minimum=0)),
    "DecimalField": Shape("number", "decimal"),
    "MoneyField": Shape("number", "decimal"),
    "FloatField": Shape("number"),
    **dict.fromkeys(("BooleanField", "NullBooleanField"), Shape("boolean")),
    "DateField": Shape("string", "date"),
    **dict.fromkeys(("DateTimeField", "AutoCreatedField", "AutoLastModifiedField", "MonitorField"), Shape("string", "date-time")),
    "TimeField": Shape("string", "time"),
    "DurationField": Shape("string", "duration"),
    "BinaryField": Shape("string", "byte"),
    **dict.fromkeys(("JSONField", "HStoreField"), Shape("object", open=True)),
    "ListField": Shape("array", items=Shape("any")),
    "DictField": Shape("object", open=True),
    "ChoiceField": _TEXT,
}  # fmt: skip
_ONE = frozenset({"ForeignKey", "OneToOneField", "TreeForeignKey", "TreeOneToOneField", "FSMKeyField", "ParentalKey"})
_MANY = frozenset({"ManyToManyField", "TreeManyToManyField", "SortedManyToManyField"})
_AUTO = frozenset({"AutoField", "BigAutoField", "SmallAutoField", "AutoCreatedField", "AutoLastModifiedField"})
_LIMITS: Mapping[str, str] = {
    "MinValueValidator": "minimum",
    "MaxValueValidator": "maximum",
    "MinLengthValidator": "shortest",
    "MaxLengthValidator": "longest",
}


def is_field(repo: Repo, scope: Scope, call: ast.Call) -> bool:
    """Tell whether a call makes a field that is kept."""
    name = last(repo.full(scope.module, path_of(call)))
    if name in _ONE or name in _MANY or (name.endswith("Field") and name[:1].isupper()):
        return True
    cls = repo.find_class(scope, path_of(call))
    return cls is not None and any(last(path_of(base)).endswith("Field") for base in cls.node.bases)


def django_field(repo: Repo, scope: Scope, name: str, call: ast.Call, source: Source | None, owner: str = "") -> Field:
    """A call such as `models.CharField(max_length=40)`. `owner` is the model, for fields that refer to itself."""
    kind = last(repo.full(scope.module, path_of(call)))
    if kind in _ONE or kind in _MANY:
        return _relation(repo, scope, name, call, kind, source, owner)
    shape = _typed(repo, scope, call, kind)
    words = choices(repo, scope, keyword(call, "choices"))
    if words:
        shape = replace(words_shape(words, shape.name), longest=shape.longest)
    shape = _validated(repo, scope, shape, call)
    said = {k: repo.value(scope, keyword(call, k)) is True for k in _FLAGS}
    automatic = said["auto_now"] or said["auto_now_add"] or kind in _AUTO
    empty = said["null"] or kind == "NullBooleanField"
    given = keyword(call, "default", "db_default")
    return Field(
        name,
        replace(shape, nullable=empty, default=default(repo, scope, given)),
        required=said["primary_key"] or kind in _AUTO or not (empty or (said["blank"] and not automatic)),
        key=said["primary_key"],
        unique=said["unique"],
        read_only=automatic or repo.value(scope, keyword(call, "editable")) is False,
        says=_says(repo, scope, call) or shape.says,
        source=source,
    )


_FLAGS = ("null", "blank", "unique", "primary_key", "auto_now", "auto_now_add")


def _typed(repo: Repo, scope: Scope, call: ast.Call, kind: str) -> Shape:
    if kind == "ArrayField":
        base = argument(call, 0, "base_field")
        inner = django_field(repo, scope, "", base, None).shape if isinstance(base, ast.Call) else Shape("any")
        return Shape("array", items=inner)
    shape = TYPES.get(kind) or _own_type(repo, scope, call)
    longest = repo.value(scope, keyword(call, "max_length"))
    if shape.kind == "string" and type(longest) is int and 0 < longest < 10**9:
        shape = replace(shape, longest=longest)
    places = repo.value(scope, keyword(call, "decimal_places"))
    if shape.format == "decimal" and type(places) is int and 0 <= places < 40:
        shape = replace(shape, places=places)
    return shape


def _own_type(repo: Repo, scope: Scope, call: ast.Call) -> Shape:
    """A field class of the repository is what it inherits from."""
    cls = repo.find_class(scope, path_of(call))
    for base in cls.node.bases[:3] if cls is not None else ():
        shape = TYPES.get(last(path_of(base)))
        if shape is not None:
            return shape
    return Shape("any")


def _validated(repo: Repo, scope: Scope, shape: Shape, call: ast.Call) -> Shape:
    """The shape with the limits that validators state."""
    given = keyword(call, "validators")
    for node in given.elts if isinstance(given, ast.List | ast.Tuple) else ():
        kind = last(path_of(node))
        value = repo.value(scope, argument(node, 0, "limit_value", "regex") if isinstance(node, ast.Call) else None)
        figure = number(value)
        if kind in _LIMITS and figure is not None:
            shape = _limited(shape, _LIMITS[kind], figure)
        elif kind == "RegexValidator" and isinstance(value, str):
            shape = replace(shape, pattern=value)
    return shape


def _limited(shape: Shape, limit: str, figure: float) -> Shape:
    match limit:
        case "minimum":
            return replace(shape, minimum=figure)
        case "maximum":
            return replace(shape, maximum=figure)
        case "shortest":
            return replace(shape, shortest=int(figure))
    return replace(shape, longest=int(figure))


def _relation(
    repo: Repo, scope: Scope, name: str, call: ast.Call, kind: str, source: Source | None, owner: str
) -> Field:
    target = argument(call, 0, "to")
    path = path_of(target)
    to = repo.text(scope, target) or path
    if last(to) in ("AUTH_USER_MODEL", "get_user_model"):
        to = repo.setting("AUTH_USER_MODEL") or "User"
    to = owner if to == "self" else last(to)
    empty = repo.value(scope, keyword(call, "null")) is True
    blank = repo.value(scope, keyword(call, "blank")) is True
    key = repo.value(scope, keyword(call, "primary_key")) is True
    many = kind in _MANY
    shape = Shape("array", items=_WHOLE) if many else replace(_WHOLE, nullable=empty)
    return Field(
        name,
        shape,
        required=not (empty or blank),
        key=key,
        unique="OneToOne" in kind or repo.value(scope, keyword(call, "unique")) is True,
        refers_to=to,
        refers_by=repo.text(scope, keyword(call, "to_field")),
        says=_says(repo, scope, call),
        source=source,
    )


def _says(repo: Repo, scope: Scope, call: ast.Call) -> str:
    """The help of a field, or else the name that people see."""
    helped = repo.text(scope, keyword(call, "help_text"))
    name = repo.text(scope, keyword(call, "verbose_name", "label"))
    if not name and call.args and last(path_of(call)) not in _ONE | _MANY:
        name = repo.text(scope, call.args[0])
    return (helped or name).strip()
