"""The compiler: a tuple of passes and a loop. Read it as the table of contents of a world.

The order is the order of need: state is grown by running the tools, under situations that guards and goals call for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from worldwright.compiler.draft import Draft
from worldwright.compiler.graph_pass import graph
from worldwright.compiler.requests_pass import requests
from worldwright.compiler.situations_pass import situations
from worldwright.compiler.state_pass import state
from worldwright.compiler.tasks.knobs import Knobs
from worldwright.compiler.tasks_pass import tasks
from worldwright.compiler.tests_pass import tests
from worldwright.compiler.tools_pass import tools
from worldwright.kinds.database.runtime import Machine

Pass = Callable[[Draft], Draft]
"""A draft in, a fuller draft out. Pure."""

PASSES: tuple[tuple[str, Pass], ...] = (
    ("tools", tools),
    ("situations", situations),
    ("state", state),
    ("requests", requests),
    ("graph", graph),
    ("tasks", tasks),
    ("tests", tests),
)

OF_TASKS = frozenset({"requests", "graph", "tasks"})
"""The passes that a world without tasks does without."""


def compile_world(
    machine: Machine, seed: int, with_tasks: bool = True, knobs: Knobs | None = None
) -> Iterator[tuple[str, Draft]]:
    """Run the passes, yielding each stage's name with the draft after it."""
    draft = Draft(machine, seed, knobs or Knobs())
    for name, run in PASSES:
        if name in OF_TASKS and not with_tasks:
            continue
        draft = run(draft)
        yield name, draft
