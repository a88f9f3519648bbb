"""How the records that came with the evidence are spread: rows that are made beside them are drawn alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.anchor.model.agreement import follows_from_others
from worldwright.anchor.model.records import Attribute, Entity

MIN_ROWS = 20
"""Values from which on a spread is learned."""
STEPS = 20
"""Values that stand for all, at even steps of their order: each as often as it comes, and numbers at their quantiles."""
NUMBERS = ("int", "decimal", "money")

Draws = Mapping[tuple[str, str], str]
"""By thing and field, an expression with a draw in it."""


def learn_draws(entities: Sequence[Entity], rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Draws:
    """The draws of every field whose values in the given rows tell one, and follow from nothing else."""
    by_name = {entity.name: entity for entity in entities}
    found = {
        (entity.name, a.name): _draw(a, [row[a.name] for row in rows[entity.name] if a.name in row])
        for entity in entities
        if entity.name in rows
        for a in entity.attributes
        if not follows_from_others(a, entity, by_name)
    }
    return {at: drawn for at, drawn in found.items() if drawn}


def _draw(a: Attribute, values: Sequence[Any]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < MIN_ROWS:
        return ""
    share = len(known) / len(values)
    drawn = f"chance({sum(known) / len(known):.3f})" if a.kind == "bool" else _pick(a, known)
    return f"{drawn} if chance({share:.3f}) else none" if drawn and share < 1 else drawn


def _pick(a: Attribute, known: Sequence[Any]) -> str:
    different = len(set(known))
    if a.kind in NUMBERS:
        known = [v for v in known if _is_allowed(a, v)]
        fits = len(known) >= MIN_ROWS and (a.kind != "int" or different < len(known))
    else:
        fits = a.kind == "words" or (a.kind == "text" and 2 * different <= len(known))
    if not fits or any(isinstance(v, str) and set("'\\{}") & set(v) for v in known):
        return ""
    ordered = sorted(known)
    steps = [ordered[(2 * k + 1) * len(ordered) // (2 * STEPS)] for k in range(STEPS)]
    return f"pick({', '.join(map(repr, steps))})" if len(set(steps)) > 1 else repr(steps[0])


def _is_allowed(a: Attribute, value: float) -> bool:
    low, high = a.shape.minimum, a.shape.maximum
    return (low is None or value >= low) and (high is None or value <= high)
