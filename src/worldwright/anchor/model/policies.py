"""Rules that a business of this kind would have, where the evidence has none: assumptions, few and labelled as such.

Each is written into the handbook and bound to the operations that it is about. Some the tools enforce, most only the handbook does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from worldwright.anchor.model.attributes import born
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.core.names import to_words
from worldwright.english.nouns import plural

ASSUMED = "assumption:common practice"
"""The source of everything here."""
MAX_POLICIES = 4
LIMIT, AGE = 400, 120
"""An amount above which nothing is changed, and days after which nothing is."""

Policy = tuple[str, dict[str, Any], tuple[str, ...]]
"""Name, what it says, and the operations that obey it with what they bind."""


def assume_policies(
    entities: Sequence[Entity], made: Sequence[BlueprintOperation]
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The rules, and by operation the statements that bind it to them."""
    rules: dict[str, Any] = {}
    obeys: dict[str, list[dict[str, Any]]] = {}
    for entity in sorted(entities, key=lambda r: -len(r.intents)):
        for name, rule, bound in _of(entity, made):
            if len(rules) < MAX_POLICIES and bound:
                rules[name] = rule
                for operation, row in bound:
                    obeys.setdefault(operation, []).append({"obey": {name: {"x": row}}})
    return rules, obeys


def _of(
    entity: Entity, made: Sequence[BlueprintOperation]
) -> Iterator[tuple[str, dict[str, Any], list[tuple[str, str]]]]:
    changing = list(_changing(entity, made))
    what = " ".join(entity.noun)
    amount = next((a for a in entity.attributes if a.kind in ("money", "decimal")), None)
    if amount is not None and changing:
        yield f"large_{entity.name}", _large(entity, amount, what), changing
    when = next((a for a in entity.attributes if a.kind in ("date", "time") and not born(a)), None)
    if when is not None and changing:
        yield f"old_{entity.name}", _old(entity, when, what), changing


def _changing(entity: Entity, made: Sequence[BlueprintOperation]) -> Iterator[tuple[str, str]]:
    """Operations that change one record of it, and what they call it."""
    for one in made:
        if one.entity.name == entity.name and one.intent.kind in ("move", "update") and one.row and not one.logs:
            yield one.name, one.row


def _large(entity: Entity, amount: Attribute, what: str) -> dict[str, Any]:
    high, shown = amount.shape.maximum, "money" if amount.kind == "money" else "int"
    limit = LIMIT if amount.kind == "money" else 60 if high is None else max(1, int(high * 0.6))
    return {
        "about": {"x": entity.name},
        "rule": f"x.{amount.name} is none or x.{amount.name} <= limit",
        "parameters": {"limit": {"default": limit, "strict": max(1, limit // 2), "lenient": limit * 2}},
        "says": f"{plural(what).capitalize()} whose {to_words(amount.name)} is over {{limit:{shown}}} are left to head office.",
        "enforced": "agent",
        "source": ASSUMED,
        "cases": [{"allowed": {f"x.{amount.name}": limit}}, {"forbidden": {f"x.{amount.name}": limit + 1}}],
    }


def _old(entity: Entity, when: Attribute, what: str) -> dict[str, Any]:
    day = f"day(x.{when.name})" if when.kind == "time" else f"x.{when.name}"
    fresh, stale = (
        ("2025-06-01", "2024-12-01") if when.kind == "date" else ("2025-06-01T09:00:00Z", "2024-12-01T09:00:00Z")
    )
    return {
        "about": {"x": entity.name},
        "rule": f"x.{when.name} is none or {day} >= today - days",
        "parameters": {"days": {"default": AGE, "strict": AGE // 2, "lenient": AGE * 2}},
        "says": f"A {what} whose {to_words(when.name)} lies more than {{days:days}} back is not changed any more.",
        "enforced": "agent",
        "source": ASSUMED,
        "cases": [{"allowed": {f"x.{when.name}": fresh}}, {"forbidden": {f"x.{when.name}": stale}}],
    }
