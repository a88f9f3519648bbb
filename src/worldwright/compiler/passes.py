"""The compiler: a tuple of passes and a loop. Read it as the table of contents of a world.

The order is the order of need: state is grown by running the tools, under situations that guards and goals call for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from worldwright.compiler.draft import Draft
from worldwright.compiler.situations_pass import situations
from worldwright.compiler.state_pass import state
from worldwright.compiler.tests_pass import tests
from worldwright.compiler.tools_pass import tools
from worldwright.kinds.database.runtime import Machine

Pass = Callable[[Draft], Draft]
"""A draft in, a fuller draft out. Pure."""

PASSES: tuple[tuple[str, Pass], ...] = (
    ("tools", tools),
    ("situations", situations),
    ("state", state),
    ("tests", tests),
)


def compile_world(machine: Machine, seed: int) -> Iterator[tuple[str, Draft]]:
    """Run the passes, yielding each stage's name with the draft after it."""
    draft = Draft(machine, seed)
    for name, run in PASSES:
        draft = run(draft)
        yield name, draft
