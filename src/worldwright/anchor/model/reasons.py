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
    entities: Sequence[Entity],
    made: Sequence[BlueprintOperation],
    assumed: Mapping[str, Sequence[str]],
) -> Iterator[Reason]:
    """Lifecycles, moves and owners, in this order."""
    for r in entities:
        if r.state is not None:
            why = f"`{'.'.join(r.state.path)}` is one of {', '.join(r.state.words)}"[:300]
            made_up = r.state.name in assumed.get(r.name, ())
            source = ASSUMED if made_up else str(r.state.source or r.source)
            yield Reason(f"lifecycle of {r.name}", f"assumed: {why}" if made_up else why, source)
    for m in made:
        if m.intent.kind == "move":
            verb = to_words("_".join(m.intent.verb))
            yield Reason(
                f"move {m.name}", f"`{m.intent.operation.name}` says to {verb} one", str(m.intent.operation.source)
            )
    for m in made:
        if m.spec["by"] != "anyone":
            scopes = ", ".join(m.intent.operation.scopes[:4])
            yield Reason(
                f"{m.name} only for supervisors", f"it asks for the scope {scopes}", str(m.intent.operation.source)
            )
    for r in entities:
        for parent in r.parents:
            yield Reason(f"{r.name} belongs to {parent}", "the operations on it name one", str(r.source))
    for r in entities:
        for child in r.children:
            why = f"`{'.'.join(child.path)}` is a list of objects"
            yield Reason(f"{child.name} as rows of their own", why, str(child.source or r.source))
    for r in entities:
        if assumed.get(r.name):
            why = "assumed: no answer is declared, and one usually has these"
            yield Reason(f"{', '.join(assumed[r.name])} of {r.name}", why, ASSUMED)


def count_business(made: Sequence[BlueprintOperation], lines: Collection[str] = ()) -> dict[str, int]:
    """Count operations that are more than reading, adding, changing or removing a record.

    `lines` are things that a total of another follows from."""
    owners = {parent for m in made for parent in m.entity.parents}
    by_evidence = {m.name for m in made if _more_than_a_record(m, owners)}
    by_evidence |= {m.name for m in made if m.entity.name in lines and m.intent.kind not in ("list", "get")}
    return {"business_stated": len(by_evidence)}


def _more_than_a_record(one: BlueprintOperation, owners: Collection[str]) -> bool:
    """Tell whether it moves something along, can be refused for what is known already, or changes several records.

    What others belong to is not removed while they do."""
    body = one.spec.get("does", ())
    changes = sum("add" in s or "set" in s or "remove" in s or 2 * ("each" in s) for s in body)
    refused = any("require" in s for s in body) or (one.intent.kind == "delete" and one.entity.name in owners)
    return one.intent.kind == "move" or changes > 1 or refused
