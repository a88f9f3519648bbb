"""Screens as data: what the app of a world offers to one role. Frozen records, which templates draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from worldwright.app.screens.states import Tone

Path = tuple[str, ...]
"""Where something stands in a JSON object: the keys that lead there."""

# what a tool gives

ShapeKind = Literal[
    "id", "text", "prose", "number", "money", "flag", "day", "moment", "word", "state", "reference", "record", "rows", "any",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value in a tool's answer is, and how it is read."""

    kind: ShapeKind
    at: Path = ()
    """Where it stands in the object around it."""
    label: str = ""
    says: str = ""
    origin: Path = ()
    """What it is to the row: the columns that lead to it, through references. Empty where it is nothing of a row."""
    entity: str = ""
    """Of an id, a reference, a record and rows."""
    codec: str = ""
    """How ids are written where that is not plain; equal for values that may stand for each other."""
    places: int = 0
    currency: str = ""
    """The currency of an amount."""
    currency_at: Path = ()
    """Where its currency stands instead."""
    parts: tuple[Shape, ...] = ()
    """Of a record, and of each of some rows."""
    written: bool = False
    """Whether it stands there as a text of JSON."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a title: where its value stands in the row, and how it is written."""

    at: Path
    shape: Shape
    spec: str = ""


@dataclass(frozen=True, slots=True)
class Title:
    """One way in which people call a row, in terms of what a page has of it."""

    pieces: tuple[str | Hole, ...]


# what may be sent

FieldKind = Literal[
    "text", "area", "number", "integer", "flag", "choice", "day", "moment", "reference", "list", "group", "json", "fixed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lookup:
    """A search in which a reference can be found."""

    tool: str
    slug: str
    label: str
    text: Path = ()
    """The parameter of that search that takes a part of a name; empty where there is none."""
    title: str = ""
    """What that parameter is called."""


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    """As it stands in a form."""
    label: str
    json: str
    """The value itself, as JSON."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form."""

    kind: FieldKind
    name: str
    """The key in the object around it; empty for the plain element of a list."""
    label: str = ""
    help: str = ""
    required: bool = False
    nullable: bool = False
    """Whether nothing can be said as null where something has to be said."""
    default: str = ""
    """As it stands in the field."""
    blank: bool = False
    """Whether an empty text or list can be sent as well as none."""
    choices: tuple[Choice, ...] = ()
    unit: str = ""
    """What stands beside a number: a currency."""
    entity: str = ""
    codec: str = ""
    lookups: tuple[Lookup, ...] = ()
    example: str = ""
    numeric: bool = False
    """Whether a reference is written as a number."""
    low: float | None = None
    high: float | None = None
    min_items: int = 0
    max_items: int = 0
    parts: tuple[Field, ...] = ()
    """Of a group; of a list, the one field that is repeated."""
    range: str = ""
    """`from` or `to`, for one end of a range."""
    about: str = ""
    """The name that both ends of a range share."""


Method = Literal["list", "open", "do"]
"""list: a search, answered as a list. open: a get, answered as a record. do: anything else, sent with a POST."""


@dataclass(frozen=True, slots=True)
class Form:
    """What one tool takes, and how it is offered."""

    tool: str
    method: Method
    title: str
    says: str
    """What it does, in a sentence."""
    more: str
    """What else is to be known."""
    system: str
    mutates: bool
    fields: tuple[Field, ...]
    gives: Shape
    subject: str = ""
    """The field whose record this is done to; empty where something new is made."""
    moves: tuple[str, ...] = ()
    """The states of that record out of which it leads, where it changes the state."""
    slug: str = ""
    """What it is called in addresses: a contract's tool may be called `POST /v1/loans`."""

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)


@dataclass(frozen=True, slots=True)
class Paging:
    """How a search is read page by page."""

    limit: str = ""
    offset: str = ""
    """The parameter that says where a page begins."""
    turned: Literal["", "page", "cursor"] = ""
    """Whether that is a number of rows, of a page, or a text that the last answer gave."""
    size: int = 10
    most: int = 50
    sort: str = ""
    total_at: Path = ()
    next_at: Path = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list: a value, or a reference with the name that stands beside it."""

    shape: Shape
    title: tuple[Title, ...] = ()
    """Of a reference: ways to call what it refers to, from other values of the row."""
    main: bool = True
    """Whether it is shown at first."""
    sorts: tuple[str, str] = ("", "")
    """The orders that go up and down by it."""


@dataclass(frozen=True, slots=True)
class ListScreen:
    """A search as a list."""

    form: Form
    title: str
    noun: str
    entity: str
    rows_at: Path
    row: Shape
    columns: tuple[Column, ...]
    titles: tuple[Title, ...]
    paging: Paging
    filters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By parameter, the column that it compares and how (== >= <= contains)."""
    needs: tuple[str, ...] = ()
    """Filters without which it does not answer."""


@dataclass(frozen=True, slots=True)
class RecordScreen:
    """A get as a page of its own."""

    form: Form
    noun: str
    entity: str
    key: str
    """The parameter that takes the id."""
    record: Shape
    titles: tuple[Title, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """Rows that wait for something that this role does: a list with one filter."""

    title: str
    tool: str
    filter: str
    value: str
    forms: tuple[str, ...]
    """The tools that bring a row out of it."""


ViewKind = Literal["inbox", "calendar", "ledger"]


@dataclass(frozen=True, slots=True)
class View:
    """Another way to look at the rows of a search."""

    kind: ViewKind
    title: str
    tool: str
    when: str = ""
    """The column that says when."""
    until: str = ""
    """Of a calendar, the column that says when it ends, where there is one."""
    since: str = ""
    """The parameters of the search that bound it: from and to."""
    up_to: str = ""
    text: tuple[str, ...] = ()
    """Of an inbox: subject and body."""
    amount: str = ""
    """Of a ledger, the column that is added up."""


@dataclass(frozen=True, slots=True)
class SystemScreen:
    """One of the business's systems: a program of its own."""

    name: str
    title: str
    says: str
    lists: tuple[str, ...]
    records: tuple[str, ...]
    """Gets that no list of the role leads to."""
    queues: tuple[Queue, ...]
    views: tuple[View, ...]
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A search that shows what belongs to a record: its list filtered by the record."""

    tool: str
    title: str
    filter: str


@dataclass(frozen=True, slots=True)
class Screens:
    """Everything that is offered."""

    title: str
    role: str
    systems: tuple[SystemScreen, ...]
    forms: Mapping[str, Form]
    lists: Mapping[str, ListScreen]
    records: Mapping[str, RecordScreen]
    getters: Mapping[tuple[str, str], str]
    """By entity and the way in which its ids are written, the get that opens one."""
    actions: Mapping[tuple[str, str], tuple[tuple[str, str], ...]]
    """By the same, forms with the field that takes such a record."""
    related: Mapping[tuple[str, str], tuple[Link, ...]]
    tools: Mapping[str, str]
    """By slug, the tool."""
    nouns: Mapping[str, str]
    states: Mapping[tuple[str, str], Tone]
    """By entity and state, how things stand."""
    actor: str = ""
    """The entity of whoever acts."""
    asks: str = ""
    """The tool that writes to the requester, under the face `asking`."""
    finish: str = ""
    """The tool that takes the answer."""
