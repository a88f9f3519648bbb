"""The role of a fact: the words for what it is, from the names that an expression is made of."""

from __future__ import annotations

from worldwright.blueprint.expr import nodes as n


def list_role_words(fact: n.Node) -> tuple[str, ...]:
    """List the words of a fact's role: `open`, `amount` for `m.lease.open_amount`; none where it has no name."""
    match fact:
        case n.Field(name=name) | n.TermCall(name=name) | n.Var(name=name):
            return tuple(name.split("_"))
        case n.Aggregate(value=value):
            return list_role_words(value)
        case n.Either(left=left, right=right):
            return list_role_words(left) or list_role_words(right)
    return ()
