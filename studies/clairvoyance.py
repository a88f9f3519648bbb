"""Count the keys that know what nothing has shown: the figure to reach is 0.

    python -m studies.clairvoyance --domains it_service_desk,flight_rebooking --seeds 7,90210
    python -m studies.clairvoyance --domains all
    python -m studies.clairvoyance --worlds worlds/my_world-1a2b3c motor_claims:latest

Worlds of the catalogue are built up to their tasks, without the battery. For every world it prints how many keys are clairvoyant,
what they know, and how many candidates were left out because no tool shows what they rest on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldwright import catalogue, open_world
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.compile.tasks.clairvoyance import list_clairvoyance
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.witnessing import UNDECIDED, UNFOUND, UNKNOWN, UNTOLD
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Key, Task

SKIPPED = ("graph", "tests")
"""Stages that no key needs."""
OUT_OF_SIGHT = (UNFOUND, UNKNOWN, UNDECIDED, UNTOLD)


class Counted(NamedTuple):
    """The keys of one world."""

    name: str
    tasks: int
    clairvoyant: Mapping[str, tuple[str, ...]]
    """By task, what its key knows that nothing has shown."""
    left_out: int
    """Candidates that rest on what no tool shows."""


def count_keys(name: str, runtime: Runtime, tasks: tuple[tuple[Task, Key], ...], left_out: int = 0) -> Counted:
    """Count the clairvoyant keys of a world."""
    sandbox = Sandbox(runtime)
    found = {task.id: list_clairvoyance(sandbox, task, key) for task, key in tasks}
    return Counted(name, len(tasks), {task: problems for task, problems in found.items() if problems}, left_out)


def count_built(name: str, seed: int) -> Counted:
    """Build a world of the catalogue up to its tasks, and count."""
    draft = Draft(compile_blueprint(catalogue.text(name)), seed, Memo())
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    made = draft.made
    assert made is not None
    left_out = sum(made.dropped.get(reason, 0) for reason in OUT_OF_SIGHT)
    return count_keys(f"{name} (seed {seed})", draft.open_runtime(), made.tasks, left_out)


def count_sealed(reference: str) -> Counted:
    """Open a sealed world, and count."""
    world = open_world(reference)
    assert isinstance(world.runtime, Runtime)
    return count_keys(reference, world.runtime, tuple((task, world.key(task.id)) for task in world.tasks))


def count_asked_for(arguments: argparse.Namespace) -> Iterator[Counted]:
    for reference in arguments.worlds:
        yield count_sealed(reference)
    names = catalogue.names() if arguments.domains == "all" else [n for n in arguments.domains.split(",") if n]
    for name in names:
        for seed in arguments.seeds.split(","):
            yield count_built(name, int(seed))


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the keys that know what nothing has shown.")
    parser.add_argument("--domains", default="", help="of the catalogue, with commas between; all")
    parser.add_argument("--seeds", default="7")
    parser.add_argument("--worlds", nargs="*", default=[], help="sealed worlds: references or folders")
    keys = clairvoyant = 0
    for counted in count_asked_for(parser.parse_args()):
        keys, clairvoyant = keys + counted.tasks, clairvoyant + len(counted.clairvoyant)
        print(
            f"{counted.name}: {len(counted.clairvoyant)} of {counted.tasks} keys clairvoyant,"
            f" {counted.left_out} candidates rest on what no tool shows",
            flush=True,
        )
        for task, problems in counted.clairvoyant.items():
            print(*(f"  {task}: {problem}" for problem in problems), sep="\n")
    print(f"{clairvoyant} of {keys} keys clairvoyant")
    return 1 if clairvoyant else 0


if __name__ == "__main__":
    sys.exit(main())
