"""Models of Django, with what they inherit from abstract ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.django_fields import django_field, is_field
from worldwright.anchor.readers.repo.families import family, lineage
from worldwright.anchor.readers.repo.models import Constraints, Model, by_name, made
from worldwright.anchor.readers.repo.names import Repo, Scope, number
from worldwright.anchor.readers.repo.source import Class, argument, docstring, keyword, last, path_of

_STAMP = Shape("string", "date-time")
_KNOWN: Mapping[str, tuple[Field, ...]] = {
    "AbstractUser": (
        Field("username", Shape("string", longest=150), required=True, unique=True),
        Field("first_name", Shape("string", longest=150)),
        Field("last_name", Shape("string", longest=150)),
        Field("email", Shape("string", "email", longest=254)),
        Field("password", Shape("string", longest=128), required=True, write_only=True),
        Field("is_staff", Shape("boolean", default=False), required=True),
        Field("is_active", Shape("boolean", default=True), required=True),
        Field("is_superuser", Shape("boolean", default=False), required=True),
        Field("date_joined", _STAMP, required=True),
    ),
    "AbstractBaseUser": (
        Field("password", Shape("string", longest=128), required=True, write_only=True),
        Field("last_login", Shape("string", "date-time", nullable=True)),
    ),
    "TimeStampedModel": (
        Field("created", _STAMP, required=True, read_only=True),
        Field("modified", _STAMP, required=True, read_only=True),
    ),
}
"""What bases bring along that are not in the upload."""


def django_models(repo: Repo) -> list[Model]:
    """Every model that has a table."""
    return [
        _model(repo, cls)
        for cls in repo.classes()
        if family(repo, cls) == "django" and not _flag(repo, cls, "abstract") and not _flag(repo, cls, "proxy")
        and (fields_of(repo, cls) or cls.node.bases)
    ]  # fmt: skip


def _flag(repo: Repo, cls: Class, name: str) -> bool:
    meta = _meta(cls)
    return meta is not None and repo.value(Scope(meta.module, meta), meta.values.get(name)) is True


def _meta(cls: Class) -> Class | None:
    return cls.module.classes.get(f"{cls.inside}.{cls.name}.Meta".lstrip("."))


def fields_of(repo: Repo, cls: Class) -> list[Field]:
    """The fields of a model: its own, and those of abstract ones above it."""
    found: list[Field] = []
    for owner in lineage(repo, cls):
        for base in owner.node.bases:
            full = repo.full(owner.module, path_of(base))
            if repo.find_class(Scope(owner.module), path_of(base)) is None:
                found.extend(_KNOWN.get(last(full), ()))
        if owner is not cls and family(repo, owner) == "django" and not _flag(repo, owner, "abstract"):
            found.append(_pointer(owner, cls))
            continue
        scope = Scope(owner.module, owner)
        for node in owner.node.body[:1_000]:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call)
                ) if is_field(repo, scope, call):
                    found.append(django_field(repo, scope, name, call, owner.module.source(node), cls.name))
    return by_name(found)


def _pointer(owner: Class, cls: Class) -> Field:
    """A model that inherits from another one with a table points to its row there."""
    name = f"{owner.name.lower()}_ptr"
    whole = Shape("integer")
    return Field(name, whole, required=True, key=True, unique=True, refers_to=owner.name, source=cls.source)


def _model(repo: Repo, cls: Class) -> Model:
    fields = fields_of(repo, cls)
    if not any(f.key for f in fields):
        fields.insert(0, Field("id", Shape("integer"), required=True, key=True, read_only=True, source=cls.source))
    constraints = Constraints()
    meta = _meta(cls)
    table = says = ""
    for owner in lineage(repo, cls):
        inherited = _meta(owner)
        if inherited is not None and (owner is cls or _flag(repo, owner, "abstract")):
            constraints += meta_constraints(repo, Scope(inherited.module, inherited), inherited.values)
    if meta is not None:
        scope = Scope(meta.module, meta)
        table = repo.text(scope, meta.values.get("db_table"))
        says = repo.text(scope, meta.values.get("verbose_name"))
    resource = made(cls.name, by_name(fields), constraints, docstring(cls.node) or says, table, cls.source)
    return Model(resource, "django", cls, table, stored=True)


def meta_constraints(repo: Repo, scope: Scope, values: Mapping[str, ast.expr]) -> Constraints:
    """`unique_together` and `constraints` of a model."""
    found = Constraints()
    together = repo.value(scope, values.get("unique_together"))
    if isinstance(together, tuple) and together:
        groups = together if isinstance(together[0], tuple) else (together,)
        names = (tuple(n for n in group if isinstance(n, str)) for group in groups if isinstance(group, tuple))
        found += Constraints(unique=tuple(n for n in names if n))
    given = values.get("constraints")
    for node in given.elts if isinstance(given, ast.List | ast.Tuple) else ():
        if isinstance(node, ast.Call):
            found += constraint(repo, scope, node)
    return found


def constraint(repo: Repo, scope: Scope, call: ast.Call) -> Constraints:
    """`UniqueConstraint(fields=...)` without a condition, or `CheckConstraint(check=...)`."""
    name = last(path_of(call))
    if name == "UniqueConstraint":
        fields = repo.value(scope, keyword(call, "fields"))
        names = tuple(n for n in fields if isinstance(n, str)) if isinstance(fields, tuple) else ()
        return Constraints(unique=(names,)) if names and keyword(call, "condition") is None else Constraints()
    if name == "CheckConstraint":
        condition = argument(call, 0, "check", "condition")
        if condition is not None:
            return Constraints(checks=tuple(_limits(repo, scope, condition)))
    return Constraints()


_COMPARISONS: Mapping[str, str] = {"gte": ">=", "gt": ">", "lte": "<=", "lt": "<"}


def _limits(repo: Repo, scope: Scope, condition: ast.expr) -> Iterator[str]:
    """The plain comparisons in `Q(amount__gte=0) & Q(...)`, as a database writes them."""
    waiting = [condition]
    for _ in range(20):
        node = waiting.pop() if waiting else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            waiting += [node.right, node.left]
        elif isinstance(node, ast.Call) and last(path_of(node)) == "Q" and len(node.keywords) == 1:
            name, _, word = (node.keywords[0].arg or "").partition("__")
            value = repo.value(scope, node.keywords[0].value)
            if word in _COMPARISONS and number(value) is not None:
                yield f"{name} {_COMPARISONS[word]} {value}"
            elif word == "in" and isinstance(value, tuple) and all(isinstance(v, str) and "'" not in v for v in value):
                words = ", ".join(f"'{v}'" for v in value)
                yield f"{name} in ({words})"
