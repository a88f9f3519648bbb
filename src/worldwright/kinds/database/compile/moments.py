"""What the name of a field says of its moment: whether it lies behind us."""

from __future__ import annotations

import re

from worldwright.blueprint.schema import Column

_PAST = re.compile(
    r"(?:\w+_)?(?:\w+ed|made|given|paid|sent|taken|bought|built|spent|seen|written|born|withdrawn|done|begun|sold|met)_(?:on|at)"
)
_MAY_LIE_AHEAD = frozenset(
    ("planned_on", "planned_at", "expected_on", "wanted_on", "needed_on", "scheduled_on", "promised_on", "ended_on",
     "rested_at", "started_on")
)  # fmt: skip
"""Names that sound like it, of days that people agree on beforehand."""


def is_past(column: Column) -> bool:
    """Return whether a field holds a moment that is over, by its name: `paid_on`, `sent_at`."""
    timed = column.stored and column.type.kind in ("date", "time")
    return timed and column.name not in _MAY_LIE_AHEAD and _PAST.fullmatch(column.name) is not None
