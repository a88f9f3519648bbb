"""The situations pass: what the state will have to hold, before it is grown."""

from __future__ import annotations

from dataclasses import replace

from worldwright.compiler.before import before
from worldwright.compiler.draft import Draft
from worldwright.compiler.situations import situations_of


def situations(draft: Draft) -> Draft:
    found = situations_of(before(draft.compiled))
    figures = f"{len(found.edges)} edges of rules, {len(found.ready)} processes to leave open"
    return replace(draft.adding("situations", figures, {}, {}), situations=found)
