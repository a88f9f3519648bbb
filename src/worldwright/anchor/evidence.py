"""What was found in an upload, whatever its format: the neutral form between readers and the model that is made of it.

Every fact names its source: the file, and the place in it. Readers only say what stands there; what it means for a business is
decided later (`anchor/model`). All records are frozen, and a reader gives the same evidence for the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """Where something stands."""

    file: str
    """The name of the upload, as a path inside of what was uploaded."""
    at: str = ""
    """A JSON pointer (`/paths/~1orders/post`), lines (`12-18`), or a page (`p3`)."""

    def __str__(self) -> str:
        return f"{self.file}#{self.at}" if self.at else self.file


@dataclass(frozen=True, slots=True)
class Note:
    """Something a person should know about what was read."""

    level: str
    """`info`, `warning` (read in part or guessed) or `error` (could not be read)."""
    says: str
    source: Source


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a value, from JSON Schema, SQL types, annotations or the values themselves."""

    kind: str
    """object, array, string, integer, number, boolean, any"""
    format: str = ""
    """date, date-time, time, uuid, email, uri, phone, byte, decimal, currency ...; empty where nothing is known."""
    name: str = ""
    """The name of the schema it came from, where it has one: a hint at an entity."""
    enum: tuple[Any, ...] = ()
    fields: Mapping[str, Field] = field(default_factory=dict)
    """Of an object, by name, in order."""
    items: Shape | None = None
    """Of an array."""
    nullable: bool = False
    default: Any = None
    examples: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    shortest: int | None = None
    longest: int | None = None
    """Of a text or a list."""
    pattern: str = ""
    places: int | None = None
    """Digits after the point, where they are known."""
    open: bool = False
    """An object that may hold anything else as well."""
    cut: bool = False
    """A cycle, or nesting too deep: what is inside was left out here; `name` says what it is."""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A property of an object, or a column of a table."""

    name: str
    """Exactly as it is written."""
    shape: Shape
    required: bool = False
    """Must be given, or is never empty."""
    key: bool = False
    unique: bool = False
    refers_to: str = ""
    """The table or schema it refers to, as written, where the evidence says so."""
    refers_by: str = ""
    """The column there; empty for its key."""
    read_only: bool = False
    write_only: bool = False
    says: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that is kept: a table, a schema, a model class, a file of records, a heading with its attributes."""

    name: str
    """Exactly as it is written."""
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = ()
    """Conditions that the evidence states on it, in its own language."""
    says: str = ""
    origin: str = ""
    """table, schema, model, data, document"""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One input of an operation."""

    name: str
    place: str
    """argument (of an MCP tool), path, query, header, cookie or body (a property of it)"""
    shape: Shape
    required: bool = False
    says: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that the evidence offers: an MCP tool, an HTTP operation, a procedure."""

    name: str
    """The exact name that its tool will have."""
    says: str = ""
    title: str = ""
    method: str = ""
    """GET, POST, ...; empty where it is no HTTP operation."""
    path: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Shape | None = None
    """The whole request body; its properties are among the parameters too where it is an object."""
    answer: Shape | None = None
    """What a success gives back; None where the evidence does not say."""
    status: str = ""
    """Of that success."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Other statuses it declares, and what they mean."""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of the tool as JSON Schema, every reference resolved; exactly the evidence's names and required-ness."""
    output_schema: Mapping[str, Any] | None = None
    """The success answer as JSON Schema, self-contained (`$defs` for cycles); None where there is none."""
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    """Security scopes or roles that it asks for."""
    read_only: bool | None = None
    source: Source | None = None


CLAIM_KINDS = {
    "must": "something has to be done or to be so",
    "must_not": "something is forbidden, impossible or never so",
    "may": "something is allowed or left open",
    "only_if": "something is allowed under a condition alone",
    "permission": "who may do or see something",
    "bound": "a figure limits something: an amount, a time, a length, a count",
    "when": "one thing follows from another: a condition and its consequence, a row of a decision table",
    "does": "what somebody or the system does: a function, a step",
    "computes": "a value follows from others",
    "state": "states that something goes through, or a move between them",
    "values": "the words that something can be, or what they mean",
    "unique": "something is there only once",
    "required": "something has to be given",
    "refers": "something has to be known elsewhere",
    "default": "what is taken where nothing is said",
    "error": "something is refused, and how",
}
"""What a claim may say, the most particular that fits."""
ABOUT = ("business", "software", "layout", "process")
"""What a claim may be about; `process` is how the thing is made, rolled out, documented or called, or not in force."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the evidence that a world of it would have to honour, or say why not."""

    says: str
    """As it is written; of a schema, the constraint in words with the names as they are written."""
    kind: str
    """One of `CLAIM_KINDS`."""
    source: Source
    """The first place where it stands."""
    heading: str = ""
    """The section, the operation with its parameter, or the table that it stands in."""
    about: str = ""
    """One of `ABOUT`, as a first guess; empty where there is none."""
    why: str = ""
    """What the guess rests on."""
    also: tuple[Source, ...] = ()
    """Other places that say the same."""


@dataclass(frozen=True, slots=True)
class States:
    """What states a thing goes through, and what is known of the moves between them."""

    resource: str
    field: str
    """Empty where only the states are named."""
    states: tuple[str, ...]
    moves: tuple[tuple[str, str], ...] = ()
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Records that came with the evidence."""

    resource: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """JSON values, in order of the columns: all that a world could take, and `total` says how many there are."""
    total: int
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the upload that was not used, and why."""

    what: str
    why: str
    source: Source


@dataclass(frozen=True, slots=True)
class Sheet:
    """One file of the evidence as numbered text, for whoever reads it; see `anchor/sheets.py`."""

    file: str
    lines: tuple[tuple[str, str], ...]
    """Each with its place, written as sources have it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Prose that is said of the whole, or of a group of its operations."""

    says: str
    source: Source
    heading: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that one or several readers found."""

    title: str = ""
    says: str = ""
    language: str = ""
    """Of the prose in it, as a two-letter code; empty where there is none or it cannot be told."""
    resources: tuple[Resource, ...] = ()
    operations: tuple[Operation, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Found in prose and code. `anchor.claims` adds what descriptions and constraints of the rest state."""
    remarks: tuple[Remark, ...] = ()
    states: tuple[States, ...] = ()
    rows: tuple[Rows, ...] = ()
    notes: tuple[Note, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    sheets: tuple[Sheet, ...] = ()


def join_evidence(every: Sequence[Evidence]) -> Evidence:
    """All that is listed in any of it, in order, and of each text the first that there is."""
    held = {one.name: [getattr(evidence, one.name) for evidence in every] for one in fields(Evidence)}
    joined: dict[str, Any] = {name: next(filter(None, held.pop(name)), "") for name in ("title", "says", "language")}
    joined |= {name: tuple(chain.from_iterable(found)) for name, found in held.items()}
    return Evidence(**joined)
