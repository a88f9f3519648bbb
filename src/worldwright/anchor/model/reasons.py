"""Why a derived world is a business and not a set of tables: each trait with the evidence for it, or named an assumption."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Entity
from worldwright.core.names import to_words

ASSUMED = "assumption:common practice"
"""The source of what nothing in the evidence says."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One trait of a world, and why it is there."""

    what: str
    why: str
    source: str


def explain(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation], assumed: Mapping[str, Sequence[str]]
) -> Iterator[Reason]:
    """Moves; then by thing its lifecycle, its owners, the lists in it, and what is assumed of it."""
    for m in made:
        if m.intent.kind == "move":
            why = f"`{m.intent.operation.name}` says to {to_words('_'.join(m.intent.verb))} one"
            yield Reason(f"move {m.name}", why, str(m.intent.operation.source))
    for r in entities:
        made_up = assumed.get(r.name, ())
        if r.state is not None:
            why = f"`{'.'.join(r.state.path)}` is one of {', '.join(r.state.words)}"[:300]
            guess = r.state.name in made_up
            source = ASSUMED if guess else str(r.state.source or r.source)
            yield Reason(f"lifecycle of {r.name}", f"assumed: {why}" if guess else why, source)
        for parent in r.parents:
            yield Reason(f"{r.name} belongs to {parent}", "the operations on it name one", str(r.source))
        for child in r.children:
            why = f"`{'.'.join(child.path)}` is a list of objects"
            yield Reason(f"{child.name} as rows of their own", why, str(child.source or r.source))
        if made_up:
            why = "assumed: no answer is declared, and one usually has these"
            yield Reason(f"{', '.join(made_up)} of {r.name}", why, ASSUMED)


def count_business(made: Sequence[BlueprintOperation], lines: Collection[str] = ()) -> dict[str, int]:
    """Count operations that move something along, can be refused for what is known already, or change several records.

    `lines` are things that a total of another follows from. What others belong to is not removed while they do."""
    owners = {parent for m in made for parent in m.entity.parents}
    count = 0
    for m in made:
        body, kind = m.spec.get("does", ()), m.intent.kind
        changes = sum("add" in s or "set" in s or "remove" in s or 2 * ("each" in s) for s in body)
        refused = any("require" in s for s in body) or (kind == "delete" and m.entity.name in owners)
        summed = m.entity.name in lines and kind not in ("list", "get")
        count += kind == "move" or changes > 1 or refused or summed
    return {"business_stated": count}
