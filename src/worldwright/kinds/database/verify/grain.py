"""How finely a verdict is told: at most twelve assertions, so that a person reads them all.

Where a task asks for more, what belongs together becomes one assertion: first the rules in play, then the rows that came, changed
or went, then facts in texts, goals, and parts of the answer. It depends on the task alone, not on the episode.
"""

from __future__ import annotations

from worldwright.kinds.database.verify.spec import Specification

MAX_ASSERTIONS = 12
TOGETHER = ("rules", "changes", "texts", "goals", "answers")
"""In this order, as far as it takes."""


def parts_to_merge(spec: Specification) -> frozenset[str]:
    """The parts of a task that are told as one."""
    tables = [{(p.table, p.op) for p in accepted} for accepted in spec.accepts]
    sizes = {
        "rules": len(spec.rules),
        "changes": max(map(len, tables), default=0),
        "texts": len(spec.texts),
        "goals": len({goal.name for goal in spec.goals}),
        "answers": len(spec.answers),
    }
    ops = max((len({op for _, op in t}) for t in tables), default=0)
    merged: set[str] = set()
    for part in TOGETHER:
        if sum(sizes.values()) + spec.framed + spec.no_others <= MAX_ASSERTIONS:
            break
        fewer = ops if part == "changes" else min(1, sizes[part])
        if fewer < sizes[part]:
            sizes[part] = fewer
            merged.add(part)
    return frozenset(merged)
