"""A model that was found, before it is known which of several that are named alike is the thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from worldwright.anchor.evidence import Field, Resource, Source
from worldwright.anchor.readers.repo.constraints import checked
from worldwright.anchor.readers.repo.source import Class

MAX_FIELDS = 400
MAX_CHECKS = 100


@dataclass(frozen=True, slots=True)
class Model:
    """A thing, and what it was made of."""

    resource: Resource
    family: str
    """sqlalchemy, django, sqlmodel, pydantic, dataclass, attrs, typeddict, namedtuple or migration"""
    cls: Class | None = None
    table: str = ""
    """The name of its table, where it is given."""
    stored: bool = False
    """Whether it is kept in a table."""
    about: str = ""
    """The model that it names, for a serializer or a form."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is said about several columns together."""

    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    refers: tuple[tuple[str, str, str], ...] = ()
    """A column, the table that it refers to, and the column there."""

    limits: tuple[str, ...] = ()
    """Conditions as a database writes them, of checks that are written otherwise."""

    def __add__(self, other: Constraints) -> Constraints:
        return Constraints(
            self.unique + other.unique,
            self.checks + other.checks,
            self.key + other.key,
            self.refers + other.refers,
            self.limits + other.limits,
        )


UNCONSTRAINED = Constraints()


def made(
    name: str,
    fields: Sequence[Field],
    constraints: Constraints = UNCONSTRAINED,
    says: str = "",
    table: str = "",
    source: Source | None = None,
) -> Resource:
    """A thing of fields, with what is said about several of them brought to each."""
    ready = [_settled(f, constraints) for f in list(fields)[:MAX_FIELDS]]
    text = says
    if table:
        text = f"{says}\n\nTable {table}." if says else f"Table {table}."
    return Resource(
        name,
        tuple(ready),
        key=tuple(f.name for f in ready if f.key),
        unique=tuple(dict.fromkeys(u for u in constraints.unique if len(u) > 1)),
        checks=tuple(dict.fromkeys(c for c in constraints.checks if c))[:MAX_CHECKS],
        says=text,
        origin="model",
        source=source,
    )


def _settled(field: Field, constraints: Constraints) -> Field:
    if field.name in constraints.key:
        field = replace(field, key=True, required=True, shape=replace(field.shape, nullable=False))
    if (field.name,) in constraints.unique:
        field = replace(field, unique=True)
    for column, to, by in constraints.refers:
        if column == field.name and not field.refers_to:
            field = replace(field, refers_to=to, refers_by=by)
    shape = field.shape
    for check in (*constraints.checks, *constraints.limits)[:MAX_CHECKS]:
        shape = checked(shape, field.name, check)
    return field if shape is field.shape else replace(field, shape=shape)


def by_name(fields: Iterable[Field]) -> list[Field]:
    """Fields of which a later one replaces an earlier one of the same name."""
    return list({f.name: f for f in fields}.values())
