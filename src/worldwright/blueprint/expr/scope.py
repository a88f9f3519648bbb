"""What an expression may refer to: the language around it, and the names of its own scope."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import BOOL, Type


@dataclass(frozen=True, slots=True)
class Signature:
    """What a term or a policy takes (in order) and gives."""

    takes: Mapping[str, Type]
    gives: Type = BOOL


@dataclass(frozen=True, slots=True)
class Language:
    """Everything an expression may refer to besides its scope."""

    schema: Schema
    term: Callable[[str], Signature | None] = lambda name: None
    policy: Callable[[str], Signature | None] = lambda name: None
    term_names: tuple[str, ...] = ()
    policy_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one expression."""

    names: Mapping[str, Type] = field(default_factory=dict)
    self_entity: str = ""
    """Where set, bare names are fields and ways back of this entity."""
    consts: Mapping[str, n.Const] = field(default_factory=dict)
    draws: bool = False
    depth: int = 0

    def bind(self, name: str, kind: Type) -> Scope:
        return replace(self, names={**self.names, name: kind})


class Typer(Protocol):
    """The walk over Python's tree, as the parts of it see each other."""

    language: Language
    schema: Schema

    def node(self, e: ast.expr, s: Scope, expect: Type | None, depth: int) -> n.Node: ...
    def truth(self, e: ast.expr, s: Scope, depth: int) -> n.Node: ...
