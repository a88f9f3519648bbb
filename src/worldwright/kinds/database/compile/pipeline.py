"""The stages that compile a database world, as a tuple and a loop. Read it as the table of contents of a world.

The order is the order of need: state is grown by running the tools, under situations that guards and goals call for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from worldwright.core.memo import Slot
from worldwright.kinds.build_events import StageBegun, StageEnded
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.stages.graph import prove_graph
from worldwright.kinds.database.compile.stages.state import (
    build_state,
    file_requests_in_state,
    plan_agenda,
    plan_situations,
)
from worldwright.kinds.database.compile.stages.tasks import build_tasks, prove_tasks
from worldwright.kinds.database.compile.stages.tools import write_tests, write_tools
from worldwright.kinds.database.compile.worlds import compile_default


@dataclass(frozen=True, slots=True)
class Stage:
    """A named step of a build: a draft in, a fuller draft out. A stage that has nothing to do returns the draft as it is."""

    name: str
    run: Callable[[Draft], Draft]
    of_tasks: bool = False
    """Whether a world without tasks does without it."""
    under_default_rules: bool = False
    """Whether it is run under the default rules whatever a variant's are, once for all policy variants of a state."""


COMPILE_STAGES: tuple[Stage, ...] = (
    Stage("tools", write_tools),
    Stage("situations", plan_situations, under_default_rules=True),
    Stage("state", build_state, under_default_rules=True),
    Stage("requests", file_requests_in_state, of_tasks=True, under_default_rules=True),
    Stage("agenda", plan_agenda, under_default_rules=True),
    Stage("graph", prove_graph, of_tasks=True, under_default_rules=True),
    Stage("tasks", build_tasks, of_tasks=True),
    Stage("tests", write_tests),
)
PROOF_STAGE = Stage("assay", prove_tasks, of_tasks=True)


class SharedStages:
    """The stages that all policy variants of one state share, each run when it is first asked for."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._after: dict[str, Draft] = {}

    def add_to(self, draft: Draft, stage: Stage) -> Draft:
        """Add the result of a shared stage to the draft of a variant."""
        if stage.name not in self._after:
            self._draft = self._after[stage.name] = stage.run(self._draft)
        found = self._after[stage.name]
        if stage.name not in found.figures:
            return draft
        return replace(
            draft,
            files={**draft.files, **found.files},
            figures={**draft.figures, stage.name: found.figures[stage.name]},
            counts={**draft.counts, **found.counts},
            situations=found.situations,
            grown=found.grown,
            filed=found.filed,
            weights=found.weights,
        )


SHARED: Slot[SharedStages] = Slot("stages that policy variants share", max_entries=2)


def run_stages(stages: Iterable[Stage], draft: Draft) -> Iterator[tuple[str, Draft]]:
    """Run stages one after the other, yielding the name of each that did something with the draft after it.

    Who watches hears of every stage, and from inside of those that it shares with other variants only where it runs them."""
    default = compile_default(draft.compiled, draft.memo)
    key = (default.blueprint.digest, draft.seed)
    shared = draft.memo.get(
        SHARED, key, lambda: SharedStages(Draft(default, draft.seed, draft.memo, watch=draft.watch))
    )
    for stage in stages:
        if stage.of_tasks and not draft.with_tasks:
            continue
        draft.watch(StageBegun(stage.name))
        fuller = shared.add_to(draft, stage) if stage.under_default_rules else stage.run(draft)
        if fuller is not draft:
            draft = fuller
            draft.watch(StageEnded(stage.name, draft.figures[stage.name]))
            yield stage.name, draft
