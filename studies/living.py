"""Count what people and time add to the tasks of worlds: conversations, waits, deadlines, races.

    python -m studies.living                                   # every domain of the catalogue in which time passes
    python -m studies.living --domains hotel_booking,it_service_desk --seeds 7,90210
    python -m studies.living --worlds motor_claims:latest

Worlds of the catalogue are built up to their tasks, without the battery.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from worldwright import catalogue, open_world
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.compile.tasks.knobs import LIVING
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.world.tasks import Task

SKIPPED = ("graph", "tests")
"""Stages that no task needs."""


def list_living_domains() -> tuple[str, ...]:
    """List the domains of the catalogue in which somebody waits."""
    found = ((name, catalogue.load(name)) for name in catalogue.names())
    return tuple(name for name, checked in found if any(o.waits is not None for o in checked.operations.values()))


def make_tasks_of(name: str, seed: int) -> tuple[Task, ...]:
    """Make the tasks of a domain, unproven."""
    draft = Draft(compile_blueprint(catalogue.text(name)), seed, Memo())
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    assert draft.made is not None
    return tuple(task for task, _ in draft.made.tasks)


def count_measures(tasks: Sequence[Task]) -> list[int]:
    """Count the tasks that have any of each measure."""
    return [sum(bool(task.features.get(name)) for task in tasks) for name in LIVING]


def count_asked_for(arguments: argparse.Namespace) -> Iterator[tuple[str, tuple[Task, ...]]]:
    for reference in arguments.worlds:
        yield reference, open_world(reference).tasks
    names = [n for n in arguments.domains.split(",") if n]
    if not names and not arguments.worlds:
        names = list(list_living_domains())
    for name in names:
        for seed in arguments.seeds.split(","):
            yield f"{name} (seed {seed})", make_tasks_of(name, int(seed))


def main() -> int:
    parser = argparse.ArgumentParser(description="Count what people and time add to the tasks of worlds.")
    parser.add_argument(
        "--domains", default="", help="of the catalogue, with commas between; those in which time passes"
    )
    parser.add_argument("--seeds", default="7")
    parser.add_argument("--worlds", nargs="*", default=[], help="sealed worlds: references or folders")
    print(f"{'world':<32}{'tasks':>7}", *(f"{name:>9}" for name in LIVING), sep="")
    total = [0] * (len(LIVING) + 1)
    for name, tasks in count_asked_for(parser.parse_args()):
        row = [len(tasks), *count_measures(tasks)]
        total = [a + b for a, b in zip(total, row, strict=True)]
        print(f"{name:<32}{row[0]:>7}", *(f"{number:>9}" for number in row[1:]), sep="", flush=True)
    print(f"{'all':<32}{total[0]:>7}", *(f"{number:>9}" for number in total[1:]), sep="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
