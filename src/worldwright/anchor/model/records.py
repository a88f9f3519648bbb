"""What the evidence is taken to mean: things with attributes, before they are written as a Blueprint. Records only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Operation, Shape, Source
from worldwright.anchor.model.described import NOTHING, Said
from worldwright.anchor.schema.shapes import is_untyped

Noun = tuple[str, ...]
"""The words that a thing is called by, in the singular: `("sales", "order")`."""
Path = tuple[str, ...]
"""Where a value stands in the JSON of one record."""


@dataclass(frozen=True, slots=True)
class OperationIntent:
    """An operation with what it means."""

    operation: Operation
    kind: str
    """list, get, create, update, delete, move (something happens to one record: cancel, approve, send) or other"""
    noun: Noun
    verb: Noun = ()
    """The words of the verb, for a move or something else."""
    by: str = ""
    """The parameter that says which record: its name."""
    under: tuple[tuple[Noun, str], ...] = ()
    """Records that it hangs under, outermost first: what they are, and the parameter that names each."""
    part: Path = ()
    """The part of a record that it is about; empty for the whole: `GET /vehicles/{id}/odometer`."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing that is known of every record."""

    name: str
    """As the Blueprint calls it."""
    path: Path
    shape: Shape
    kind: str
    """text, int, decimal, money, bool, date, time, words, state, ref, key, json, list"""
    codec: Mapping[str, Any]
    optional: bool = True
    flavour: str = ""
    """The kind of text it is (`person`, `email`), where there is one."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Of an enum: as the contract writes it, and as the Blueprint does."""
    refers_to: str = ""
    """Of a reference: the other thing."""
    given: bool = False
    """Whether somebody who makes or changes such a record says it."""
    says: str = ""
    source: Source | None = None
    said: Said = NOTHING
    """What its description says beside."""
    shown: bool = True
    """Whether some answer has it."""

    @property
    def last(self) -> str:
        """What it is called where it stands; an element of a list has no name but its own."""
        return self.path[-1] if self.path else self.name


@dataclass(frozen=True, slots=True)
class Child:
    """A list of objects in a record, as a table."""

    name: str
    """Of the entity."""
    path: Path
    """Where the list stands in the record."""
    noun: Noun
    attributes: tuple[Attribute, ...]
    way: str
    """What the rows are called from the record, and the input that takes them."""
    owner: str
    """The field that refers to the record."""
    given: bool = False
    """Whether somebody who makes a record says them."""
    source: Source | None = None

    def attribute(self, path: Path) -> Attribute | None:
        return next((a for a in self.attributes if a.path == path), None)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that deeds are done to."""

    name: str
    noun: Noun
    attributes: tuple[Attribute, ...]
    intents: tuple[OperationIntent, ...]
    key_form: str = "text"
    """How the contract writes its ids: text, integer or uuid."""
    key_path: Path = ("id",)
    parents: tuple[str, ...] = ()
    """Things that it hangs under."""
    says: str = ""
    schema: str = ""
    """The schema that describes one, as written."""
    source: Source | None = None
    children: tuple[Child, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    """Between states, as the Blueprint calls them, where the evidence says which there are."""
    single: bool = False
    """Whether whoever calls works in one of it: the account or the workspace that nearly everything hangs under."""

    @property
    def shows_id(self) -> bool:
        """Whether somebody who lists records sees their ids."""
        listed = [d.operation for d in self.intents if d.kind == "list"]
        free = any(a.output_schema is None or is_untyped(a.output_schema) for a in listed)
        return bool(listed) and (bool(self.key_path) or free)

    def attribute(self, path: Path) -> Attribute | None:
        return next((a for a in self.attributes if a.path == path), None)

    @property
    def state(self) -> Attribute | None:
        return next((a for a in self.attributes if a.kind == "state"), None)
