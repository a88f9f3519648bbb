"""Count the tasks that another task's situation decides: the figure to reach is 0 among those that are kept.

    python -m studies.disturbance --domains hotel_booking,it_service_desk --seeds 7,90210
    python -m studies.disturbance --domains all

Worlds of the catalogue are built up to their tasks, without the battery. For every world it prints how many requests are filed in
it, how many candidates were left out because what is there for another task decides them, how many of the tasks that are left
share what they are about with a filed request, and the pairs of tasks that were looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import NamedTuple

from worldwright import catalogue
from worldwright.blueprint.checked import Goal
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.compile.tasks.disturbing import DISTURBED
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.world.tasks import Key

SKIPPED = ("graph", "tests")
"""Stages that no task needs."""


class Counted(NamedTuple):
    """The tasks of one world."""

    name: str
    tasks: int
    filed: int
    left_out: int
    """Candidates that are no task because another's situation decides them."""
    shared: tuple[str, ...]
    """Tasks that are about what was filed for another."""


def count_built(name: str, seed: int) -> Counted:
    """Build a world of the catalogue up to its tasks, and count."""
    draft = Draft(compile_blueprint(catalogue.text(name)), seed, Memo())
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    made = draft.made
    assert made is not None
    owners = {at: request.attempt.bound.goal for request in draft.filed for at in request.rows}
    shared = tuple(
        task.id
        for task, key in made.tasks
        if task.family != "program"
        for goal, at in list_rows(draft.compiled.blueprint.goals, key)
        if at in owners and owners[at] != goal
    )
    return Counted(
        f"{name} (seed {seed})",
        len(made.tasks),
        len(draft.filed),
        made.dropped.get(DISTURBED, 0),
        tuple(dict.fromkeys(shared)),
    )


def list_rows(goals: Mapping[str, Goal], key: Key) -> list[tuple[str, tuple[str, str]]]:
    """List the rows that a key is about, each with its goal."""
    uses = [*key.expects.get("goals", ()), *key.expects.get("request", ())]
    return [
        (use["goal"], (goals[use["goal"]].given[name].entity, at["id"]))
        for use in uses
        for name, at in use["rows"].items()
        if "id" in at
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the tasks that another task's situation decides.")
    parser.add_argument("--domains", required=True, help="of the catalogue, with commas between; all")
    parser.add_argument("--seeds", default="7")
    asked = parser.parse_args()
    tasks = shared = pairs = left_out = 0
    for name in catalogue.names() if asked.domains == "all" else asked.domains.split(","):
        for seed in map(int, asked.seeds.split(",")):
            found = count_built(name, seed)
            tasks, shared, left_out = tasks + found.tasks, shared + len(found.shared), left_out + found.left_out
            pairs += found.tasks * (found.tasks - 1)
            print(
                f"{found.name}: {found.tasks} tasks, {found.filed} requests filed, {found.left_out} candidates left out,"
                f" {len(found.shared)} disturbed {' '.join(found.shared)}",
                flush=True,
            )
    print(f"{shared} of {tasks} tasks disturbed by another ({pairs} pairs); {left_out} candidates left out for it")
    return 1 if shared else 0


if __name__ == "__main__":
    sys.exit(main())
