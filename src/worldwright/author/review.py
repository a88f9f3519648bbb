"""What somebody who knows the business says of each operation: yes, no, or in other words. Kept in the bench as review.yaml.

- operation: approve_order
  says: Only an approver may do it. It sets status of an order. ...
  is: 'yes'
  by: Ada

A row is about the sentence that it quotes. When the Blueprint changes so that the sentence becomes another one, the row no longer
counts: somebody has to look again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldwright.author.beliefs import Belief, describe_operation
from worldwright.author.folder import REVIEW, read_review, read_text
from worldwright.author.records import ANSWERS, EDIT, YES, Finding, ReviewRow
from worldwright.blueprint.checked import Checked
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.core.whole_file import write_whole
from worldwright.formats.strict_yaml import dump_yaml

MAX_WORDS_CHARS = 4_000


def find_answer(rows: Sequence[ReviewRow], belief: Belief) -> ReviewRow | None:
    """What was said of an operation as it is now; None where nobody has looked since it became so."""
    return next((row for row in reversed(rows) if row.operation == belief.operation and row.says == belief.says), None)


def review_operation(
    folder: Path, checked: Checked, operation: str, answer: str, by: str, instead: str = ""
) -> ReviewRow:
    """Keep what somebody says of an operation as it is now, in the place of what they said before."""
    if operation not in checked.operations:
        raise UsageError(f"there is no operation `{operation[:60]}`; {suggest(operation, checked.operations)}")
    if answer not in ANSWERS:
        raise UsageError(f"the answer is one of {', '.join(ANSWERS)}")
    if answer == EDIT and not instead.strip():
        raise UsageError("say what it does instead")
    if len(instead) > MAX_WORDS_CHARS:
        raise UsageError(f"at most {MAX_WORDS_CHARS:,} characters are kept of it")
    row = ReviewRow(operation, describe_operation(checked, operation).says, answer, instead.strip(), by.strip())
    problems: list[Finding] = []
    rows = read_review(read_text(folder, REVIEW), problems)
    if problems:
        raise UsageError(f"{REVIEW} cannot be read ({problems[0].says}); mend it first")
    kept = [one for one in rows if (one.operation, one.by) != (operation, row.by)]
    write_whole(folder / REVIEW, dump_yaml([_row_data(one) for one in (*kept, row)]))
    return row


def _row_data(row: ReviewRow) -> dict[str, Any]:
    data = {"operation": row.operation, "says": row.says, "is": row.is_}
    data |= {"instead": row.instead} if row.instead else {}
    return data | ({"by": row.by} if row.by else {})


def judge_review(rows: Sequence[ReviewRow], checked: Checked) -> Iterator[Finding]:
    """Operations of which somebody says that they do something else."""
    said = {
        name: describe_operation(checked, name).says
        for name in dict.fromkeys(row.operation for row in rows)
        if name in checked.operations
    }
    for row in rows:
        if row.is_ != YES and said.get(row.operation) == row.says:
            who = row.by or "somebody"
            what = f": {row.instead}" if row.instead else ""
            yield Finding(
                "operation_denied",
                f"blueprint.yaml#operations.{row.operation}",
                f"{who} says that `{row.operation}` does something else{what}",
            )
        elif row.operation not in checked.operations:
            yield Finding(
                "file",
                f"{REVIEW}#{row.operation}",
                f"there is no operation `{row.operation[:60]}`; {suggest(row.operation, checked.operations)}",
            )


def count_review(rows: Sequence[ReviewRow], beliefs: Sequence[Belief]) -> Mapping[str, int]:
    """How many operations were confirmed, denied, and not looked at as they are now."""
    counts = {"operations": len(beliefs), "confirmed": 0, "denied": 0, "open": 0}
    for belief in beliefs:
        answer = find_answer(rows, belief)
        counts["open" if answer is None else "confirmed" if answer.is_ == YES else "denied"] += 1
    return counts


def read_rows(folder: Path) -> tuple[ReviewRow, ...]:
    """What was said so far at a bench."""
    return read_review(read_text(folder, REVIEW), [])
