"""An audit trail: every listed operation leaves an entry of who did what to which record, and when.

Adds the entity `audit_entry` (key `AUD-######`, compared as a log) in the system given by `in`, and, at the end of each
listed operation, the statement that writes an entry. An operation whose `once` finds its row already done writes none.

```yaml
use:
  - audit_trail: {in: desk, actor: clerk, operations: {lend: l, take_back: loan}}
  - audit_trail: {in: desk, actor: clerk, operations: [lend, take_back]}    # without subjects
```

A Blueprint has one trail. To also cover operations that another pattern adds, list this pattern after it.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Parameters


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the trail.")
    actor: str = Field(description="The entity of callers: `who` of an entry refers to it.")
    operations: dict[str, str] | tuple[str, ...] = Field(
        description="The operations that leave an entry: a list, or a map with the row, in scope at its end, that each is about."
    )


def expand(params: Params) -> dict[str, Any]:
    """The entity of entries, and one `add` at the end of each operation."""
    subjects = params.operations if isinstance(params.operations, dict) else dict.fromkeys(params.operations, "")
    return {
        "entities": {"audit_entry": _entry(params)},
        "extend": {"operations": {name: {"after": [_record(name, row)]} for name, row in subjects.items()}},
    }


def _entry(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "One line of the audit trail: who did what to which record, and when.",
        "key": "AUD-######",
        "sort": "trail",
        "called": "the {action} entry of {happened_at:day}",
        "fields": {
            "happened_at": "time",
            "who": f"{params.actor} as audit_entries",
            "action": write.field("text", "The operation, by name."),
            "subject": write.field("text", "The id of the record it was about."),
        },
    }


def _record(operation: str, row: str) -> dict[str, Any]:
    subject = f"{row}.id" if row else "''"
    return {
        "add": "audit_entry",
        "with": {"happened_at": "now", "who": "actor", "action": f"'{operation}'", "subject": subject},
    }
