"""Plant errors that outside players found in verdicts back into keys and verifiers, and let the referee look for them.

    python -m studies.planted

On a small desk that sends parcels, a key or the verifier is made wrong in one way at a time. First every task is shown to be judged
rightly as it is; then the referee, who knows nothing of what was planted, has to say where it differs. It prints what it found of
each class, and at the end whether every planted class is found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from studies.parcel_desk import (
    ONE_RULE,
    TWO_RULES,
    counting,
    one_to_send,
    open_desk,
    refusing,
    sending_all,
    sending_one_of_two,
    sending_with_a_label,
    two_to_send,
)
from worldwright.kinds.database.referee.compare import Comparison, compare_tasks
from worldwright.kinds.database.tables import Table
from worldwright.kinds.database.unit_of_work import Change
from worldwright.kinds.database.verify import verdict
from worldwright.kinds.database.verify.net import NetRow, net_rows
from worldwright.world.tasks import Key, Task

Made = tuple[Task, Key]
SOUND: Mapping[str, Callable[[], Made]] = {
    "one parcel": one_to_send,
    "two parcels": two_to_send,
    "a parcel and a copied number": sending_with_a_label,
    "a refusal": lambda: refusing(ONE_RULE, "not_too_heavy"),
    "every parcel": sending_all,
    "a question": counting,
}
"""Tasks whose keys and verifiers are right."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A class of wrong verdicts."""

    name: str
    make: Callable[[], Made]
    """The task, with its key made wrong, or right where the verifier is made wrong."""
    patched: str = ""
    """What of the verifier is replaced; empty for nothing."""
    by: Any = None
    right: bool = True
    """Whether a right episode fails; else a wrong one passes."""


def change_expects(made: Made, **parts: Any) -> Made:
    task, key = made
    return task, replace(key, expects={**key.expects, **parts})


def change_answer(made: Made, part: str, says: Mapping[str, Any]) -> Made:
    return change_expects(made, answer={**made[1].expects["answer"], part: says})


def open_cell(made: Made, cell: str, to: Any) -> Made:
    """Change what is accepted in one cell of the new shipment."""
    accepts = deepcopy(made[1].expects["accepts"])
    accepts[0][1]["cells"][cell] = to
    return change_expects(made, accepts=accepts)


def tell_of_the_last_row(made: Made) -> Made:
    parts = made[1].expects["answer"]
    return change_expects(made, answer={name: {k: v for k, v in p.items() if k != "row"} for name, p in parts.items()})


def skip_logs(tables: Mapping[str, Table], changes: Iterable[Change]) -> tuple[NetRow, ...]:
    """Compare everything but logs, as verifiers did."""
    return tuple(row for row in net_rows(tables, changes) if not tables[row.table].entity.log)


def forget_a_row(made: Made) -> Made:
    """Let the key want one row less than the words, and count so."""
    expects = made[1].expects
    fewer = change_expects(made, goals=expects["goals"][:1], accepts=[expects["accepts"][0][:2]])
    return change_answer(fewer, "count", {"number": 1, "places": 0})


PLANTED = (
    Planted("one accepted row of several is pinned", lambda: open_cell(one_to_send(), "carrier", {"is": "CA-01"})),
    Planted(
        "one row of several, of which something is copied, is pinned",
        lambda: open_cell(sending_with_a_label(), "carrier", {"is": "CA-01"}),
    ),
    Planted("a second rule that forbids it is rejected", lambda: refusing(TWO_RULES, "not_too_heavy")),
    Planted("a second rule that forbids a part of it is rejected", lambda: sending_one_of_two("only_sealed")),
    Planted("a refusal that no rule demands", lambda: refusing("PA-001", "not_too_heavy")),
    Planted("writes of a log are invisible", one_to_send, "net_rows", skip_logs, right=False),
    Planted("what is told goes by the order of rows", lambda: tell_of_the_last_row(two_to_send())),
    Planted(
        "done together with a rule passes", one_to_send, "_assert_no_other_answers", lambda *_: iter(()), right=False
    ),
    Planted("an optional value that nobody asked for", lambda: open_cell(one_to_send(), "express", "any"), right=False),
    Planted("a wrong count", lambda: change_answer(sending_all(), "count", {"number": 3, "places": 0})),
    Planted("a wrong total", lambda: change_answer(sending_all(), "total", {"number": 150.75, "places": 2})),
    Planted(
        "one of those left out is not listed", lambda: change_answer(sending_all(), "left_out", {"set": [ONE_RULE]})
    ),
    Planted("a row that the words mean is forgotten", lambda: forget_a_row(sending_all())),
    Planted("a wrong count of a question", lambda: change_answer(counting(), "count", {"number": 3, "places": 0})),
)


def compare(made: Made) -> Comparison:
    [found] = compare_tasks(open_desk(), [made])
    return found


def find_planted(one: Planted) -> Comparison:
    """Play around a task with one error planted."""
    if not one.patched:
        return compare(one.make())
    with patch.object(verdict, one.patched, one.by):
        return compare(one.make())


def is_found(one: Planted, found: Comparison) -> bool:
    """Return whether the referee says what is wrong: a right episode that fails, or a wrong one that passes."""
    word, status = ("right", "fail") if one.right else ("wrong", "pass")
    return any(each.referee.startswith(word) and each.verifier.startswith(status) for each in found.disagreements)


def main() -> int:
    missed = []
    for name, make in SOUND.items():
        found = compare(make())
        print(f"as it is, {name}: {len(found.disagreements)} disagreements over {found.episodes} episodes", flush=True)
        missed += [] if found.holds and not found.undecided else [f"{name}, where nothing is planted"]
    for one in PLANTED:
        found = find_planted(one)
        held = is_found(one, found)
        print(
            f"{'found ' if held else 'MISSED'}  {one.name}: {len(found.disagreements)} of {found.episodes} episodes",
            flush=True,
        )
        missed += [] if held else [one.name]
    print(f"not found: {', '.join(missed)}" if missed else "every planted class is found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
