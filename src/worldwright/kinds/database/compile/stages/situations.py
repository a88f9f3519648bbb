"""The situations stage: what the state will have to hold, before it is grown."""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.situations import situations_of


def plan_situations(draft: Draft) -> Draft:
    """Add the situations that guards and flows call for."""
    found = draft.compiled.derive(situations_of)
    figures = f"{len(found.edges)} values at the edge of a rule and {len(found.ready)} unfinished processes to plant"
    return replace(draft.add("situations", figures), situations=found)
