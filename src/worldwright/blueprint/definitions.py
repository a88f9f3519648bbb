"""What stands behind a name in an expression: the body of a term, of a policy, or of a computed field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n


class Definitions(Protocol):
    """The named expressions of a Blueprint."""

    @property
    def terms(self) -> Mapping[str, c.Term]: ...
    @property
    def policies(self) -> Mapping[str, c.Policy]: ...
    @property
    def computed(self) -> Mapping[tuple[str, str], n.Node]: ...


class Definition(NamedTuple):
    """A named expression where it is used."""

    key: tuple[str, str]
    body: n.Node
    names: dict[str, n.Node]
    """What the names of the body stand for there."""

    @property
    def inlined(self) -> n.Node:
        return n.substitute(self.body, self.names)


def find_definition(known: Definitions, node: n.Node) -> Definition | None:
    """The definition that a node refers to; None where it is no name of anything."""
    match node:
        case n.TermCall() if node.name in known.terms:
            term = known.terms[node.name]
            return Definition(("term", node.name), term.body, dict(zip(term.takes, node.args, strict=True)))
        case n.Obeys() if node.policy in known.policies:
            policy = known.policies[node.policy]
            return Definition(("policy", node.policy), policy.binding, dict(zip(policy.takes, node.args, strict=True)))
        case n.Field() if node.base.type.kind == "ref":
            key = (node.base.type.entity, node.name)
            body = known.computed.get(key)
            return None if body is None else Definition(key, body, {"self": node.base})
    return None
