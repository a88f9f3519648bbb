"""The compiler: a tuple of passes and a loop. Read it as the table of contents of a world.

The order is the order of need: state is grown by running the tools, under situations that guards and goals call for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace

from worldwright.kinds.database.compile.before import before
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.graph_pass import graph
from worldwright.kinds.database.compile.requests_pass import requests
from worldwright.kinds.database.compile.situations_pass import situations
from worldwright.kinds.database.compile.state_pass import state
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.kinds.database.compile.tasks_pass import tasks
from worldwright.kinds.database.compile.tests_pass import tests
from worldwright.kinds.database.compile.tools_pass import tools
from worldwright.kinds.database.compiled_world import CompiledWorld

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
OF_PLACE = frozenset({"situations", "state", "requests", "graph"})
"""The passes that are made under the default rules, whatever a variant's are: its siblings share them."""
PLACES = 2
"""Places that are kept for the next variant."""
_PLACES: OrderedDict[tuple[str, int], Place] = OrderedDict()


class Place:
    """What all policy variants of one state share, each pass made when it is first asked for."""

    def __init__(self, compiled: CompiledWorld, seed: int) -> None:
        self._draft = Draft(compiled, seed)
        self._after: dict[str, Draft] = {}

    def onto(self, draft: Draft, name: str, run: Pass) -> Draft:
        """The draft of a variant with what this pass finds for the place."""
        if name not in self._after:
            self._draft = self._after[name] = run(self._draft)
        found = self._after[name]
        return replace(
            draft,
            files={**draft.files, **found.files},
            figures={**draft.figures, name: found.figures[name]},
            counts={**draft.counts, **found.counts},
            situations=found.situations,
            grown=found.grown,
            filed=found.filed,
            weights=found.weights,
        )


def place_of(compiled: CompiledWorld, seed: int) -> Place:
    """The place of a variant, made once for those that are built one after the other."""
    usual = before(compiled)
    key = (usual.blueprint.digest, seed)
    found = _PLACES.pop(key, None) or Place(usual, seed)
    _PLACES[key] = found
    while len(_PLACES) > PLACES:
        _PLACES.popitem(last=False)
    return found


def compile_world(
    compiled: CompiledWorld, seed: int, with_tasks: bool = True, knobs: Knobs | None = None
) -> Iterator[tuple[str, Draft]]:
    """Run the passes, yielding each stage's name with the draft after it."""
    draft = Draft(compiled, seed, knobs or Knobs())
    place = place_of(compiled, seed)
    for name, run in PASSES:
        if name in OF_TASKS and not with_tasks:
            continue
        draft = place.onto(draft, name, run) if name in OF_PLACE else run(draft)
        yield name, draft
