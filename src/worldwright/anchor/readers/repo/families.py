"""What a class is: a table of SQLAlchemy, a model of Django or Pydantic, a record, an enumeration, or something else."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.source import Class, last, path_of
from worldwright.english.words import wordset

_DEEPEST = 12
_BASES: Mapping[str, str] = {
    **dict.fromkeys(("BaseModel", "RootModel", "GenericModel"), "pydantic"),
    "Schema": "pydantic",
    "BaseSettings": "settings",
    "SQLModel": "sqlmodel",
    **dict.fromkeys(("DeclarativeBase", "DeclarativeBaseNoMeta", "MappedAsDataclass"), "sqlalchemy"),
    **dict.fromkeys(
        ("AbstractUser", "AbstractBaseUser", "TimeStampedModel", "MPTTModel", "PolymorphicModel"), "django"
    ),
    "TypedDict": "typeddict",
    "NamedTuple": "namedtuple",
    **dict.fromkeys(
        ("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"), "enum"
    ),
    **dict.fromkeys(("Serializer", "ModelSerializer", "HyperlinkedModelSerializer"), "serializer"),
    **dict.fromkeys(("ModelForm", "Form"), "form"),
    **dict.fromkeys(("Exception", "ValueError", "RuntimeError", "HTTPException", "APIException"), "error"),
}
"""Bases that come from libraries, by their last name."""
_ONLY_FROM: Mapping[str, tuple[str, ...]] = {
    "Schema": ("ninja",),
    "TimeStampedModel": ("model_utils", "django_extensions"),
    "Form": ("django", "forms"),
}
"""Names that mean something else in other libraries: where they must come from."""
_OTHERS = wordset("peewee tortoise mongoengine odmantic beanie ormar marshmallow wtforms scrapy")
"""Libraries whose bases have the same names, and whose models are not read."""
_BUILDERS = frozenset({"declarative_base", "generate_base", "automap_base", "as_declarative"})
_DECORATORS: Mapping[str, str] = {
    "dataclass": "dataclass",
    "dataclasses.dataclass": "dataclass",
    "pydantic.dataclasses.dataclass": "dataclass",
    **dict.fromkeys(("attr.s", "attr.attrs", "attr.dataclass", "attr.define", "attr.frozen", "attr.mutable"), "attrs"),
    **dict.fromkeys(("attrs.define", "attrs.frozen", "attrs.mutable"), "attrs"),
}
RECORDS = frozenset({"pydantic", "dataclass", "attrs", "typeddict", "namedtuple", "sqlmodel"})


def family(repo: Repo, cls: Class, depth: int = 0) -> str:
    """The family of a class; empty for an ordinary one."""
    known = repo.families.get(cls)
    if known is not None:
        return known
    repo.families[cls] = ""
    found = _decorated(repo, cls) or (_inherited(repo, cls, depth) if depth < _DEEPEST else "") or _by_body(repo, cls)
    repo.families[cls] = found
    return found


def bases(repo: Repo, cls: Class) -> list[Class]:
    """The bases that stand in the repository themselves."""
    found = (repo.find_class(Scope(cls.module), path_of(_drop_subscript(base))) for base in cls.node.bases[:20])
    return [base for base in found if base is not None and base is not cls]


def lineage(repo: Repo, cls: Class) -> list[Class]:
    """The class and what it inherits from, the furthest first, each once."""
    order: list[Class] = []
    waiting: list[tuple[Class, int]] = [(cls, 0)]
    for _ in range(200):
        if not waiting:
            break
        current, depth = waiting.pop(0)
        if current in order:
            order.remove(current)
        order.append(current)
        if depth < _DEEPEST:
            waiting.extend((base, depth + 1) for base in bases(repo, current) if base is not cls)
    return order[::-1]


def _drop_subscript(base: ast.expr) -> ast.expr:
    """`Page` of `Page[Order]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def _decorated(repo: Repo, cls: Class) -> str:
    for decorator in cls.node.decorator_list:
        path = path_of(decorator)
        found = _DECORATORS.get(repo.full(cls.module, path)) or _DECORATORS.get(path)
        if found:
            return found
        if last(path) in _BUILDERS:
            return "sqlalchemy"
    return ""


def _inherited(repo: Repo, cls: Class, depth: int) -> str:
    found: list[str] = []
    for base in cls.node.bases[:20]:
        path = path_of(_drop_subscript(base))
        there = repo.find_class(Scope(cls.module), path)
        if there is not None and there is not cls:
            found.append(family(repo, there, depth + 1))
        else:
            found.append(_external(repo, cls, path))
    strong = [f for f in found if f and f != "dataclass"]
    return strong[0] if strong else next((f for f in found if f), "")


def _external(repo: Repo, cls: Class, path: str) -> str:
    full = repo.full(cls.module, path)
    name = last(full)
    if name == "Model":
        return _model_base(repo, cls, path, full)
    made = repo.find_value(cls.module, path)
    if made is not None and isinstance(made[1], ast.Call) and last(path_of(made[1])) in _BUILDERS:
        return "sqlalchemy"
    root = full.split(".")[0]
    if root in _OTHERS or root not in _ONLY_FROM.get(name, (root,)):
        return ""
    return _BASES.get(name, "")


def _model_base(repo: Repo, cls: Class, path: str, full: str) -> str:
    """`Model` is the base of Django and of Flask-SQLAlchemy, and of libraries that are not known here."""
    if full.startswith(("django.", "models.")):
        return "django"
    made = repo.find_value(cls.module, path.rpartition(".")[0])
    if made is not None and isinstance(made[1], ast.Call) and last(path_of(made[1])) == "SQLAlchemy":
        return "sqlalchemy"
    return ""


def _by_body(repo: Repo, cls: Class) -> str:
    """The family that the body tells, where the base is not in the upload."""
    if "__tablename__" in cls.values or "__table__" in cls.values:
        return "sqlalchemy"
    if not cls.node.bases:
        return ""
    for value in list(cls.values.values())[:50]:
        full = repo.full(cls.module, path_of(value)) if isinstance(value, ast.Call) else ""
        if full.startswith(("sqlalchemy.Column", "sqlalchemy.orm.mapped_column", "db.Column")):
            return "sqlalchemy"
        if full.startswith("django.db.models.") and last(full).endswith(("Field", "ForeignKey")):
            return "django"
        if full == "pydantic.Field":
            return "pydantic"
    return ""
