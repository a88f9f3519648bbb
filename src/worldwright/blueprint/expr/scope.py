"""What an expression may refer to: the language around it, and the names of its own scope."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Entity, Schema
from worldwright.blueprint.types import BOOL, Type


@dataclass(frozen=True, slots=True)
class Signature:
    """What a term or a policy takes (in order) and gives."""

    takes: Mapping[str, Type]
    gives: Type = BOOL


@dataclass(frozen=True, slots=True)
class Parsed:
    """The node of an expression, and every fact besides its scope that the parser looked up for it."""

    node: n.Node
    entities: frozenset[str] = frozenset()
    terms: tuple[tuple[str, Signature | None], ...] = ()
    """In the order of lookup; nothing for a name that is no term."""
    policies: tuple[tuple[str, Signature], ...] = ()


Key = tuple[object, ...]
"""Everything that a caller of the parser gives, as a key of the memo."""


class Memo:
    """The expressions of one check, and those of the Blueprint that this one was derived from.

    Parsing is a function of what the caller gives and of the facts in `Parsed`. An expression of the earlier Blueprint is taken
    over where these are the same as before; errors are never kept.
    """

    def __init__(self, before: Mapping[Key, Parsed] = MappingProxyType({}), changed: Set[str] = frozenset()) -> None:
        self.parsed: dict[Key, Parsed] = {}
        self._before = before
        self._changed = changed  # entities whose fields or ways back differ from those of the earlier Blueprint

    def find(self, key: Key, language: Language) -> n.Node | None:
        """Return the node that parsing would give, or None where it has to be parsed."""
        found = self.parsed.get(key)
        if found is None:
            found = self._before.get(key)
            # Terms in the order of lookup: one that does not check raises here what the parser would have raised.
            if (
                found is None
                or not self._changed.isdisjoint(found.entities)
                or any(language.term(name) != signature for name, signature in found.terms)
                or any(language.policy(name) != signature for name, signature in found.policies)
            ):
                return None
            self.parsed[key] = found
        return found.node


@dataclass(frozen=True, slots=True)
class Language:
    """Everything an expression may refer to besides its scope."""

    schema: Schema
    term: Callable[[str], Signature | None] = lambda name: None
    policy: Callable[[str], Signature | None] = lambda name: None
    term_names: tuple[str, ...] = ()
    policy_names: tuple[str, ...] = ()
    memo: Memo = field(default_factory=Memo)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one expression."""

    names: Mapping[str, Type] = field(default_factory=dict)
    self_entity: str = ""
    """Where set, bare names are fields and ways back of this entity."""
    consts: Mapping[str, n.Const] = field(default_factory=dict)
    draws: bool = False
    depth: int = 0

    @property
    def key(self) -> Key:
        return (*self.names.items(), self.self_entity, *self.consts.items(), self.draws, self.depth)

    def bind(self, name: str, kind: Type) -> Scope:
        return replace(self, names={**self.names, name: kind})


class Typer(Protocol):
    """The walk over Python's tree, as the parts of it see each other."""

    schema: Schema

    def entity(self, name: str) -> Entity: ...
    def node(self, e: ast.expr, s: Scope, expect: Type | None, depth: int) -> n.Node: ...
    def truth(self, e: ast.expr, s: Scope, depth: int) -> n.Node: ...
