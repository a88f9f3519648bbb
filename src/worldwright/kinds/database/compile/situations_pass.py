"""The situations pass: what the state will have to hold, before it is grown."""

from __future__ import annotations

from dataclasses import replace

from worldwright.kinds.database.compile.before import before
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.situations import situations_of


def situations(draft: Draft) -> Draft:
    found = situations_of(before(draft.compiled))
    figures = f"{len(found.edges)} edges of rules, {len(found.ready)} processes to leave open"
    return replace(draft.adding("situations", figures, {}, {}), situations=found)
