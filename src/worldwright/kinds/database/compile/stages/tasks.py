"""The tasks stage: goals bound, grounded and worded. What the battery says of them comes after."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.tasks.make import make_tasks
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox


def build_tasks(draft: Draft) -> Draft:
    """Add the tasks that the state has room for."""
    damaged = draft.state.messed_rows
    sandbox = Sandbox(draft.open_runtime(), damaged)
    made = make_tasks(sandbox, draft.seed, damaged, draft.memo, draft.filed, draft.knobs, draft.weights)
    families = Counter(task.family for task, _ in made.tasks)
    kinds = ", ".join(f"{families[f]} {f}" for f in sorted(families))
    dropped = sum(made.dropped.values())
    figures = (
        f"{len(made.tasks)} tasks ({kinds}), {dropped} candidates left out" if made.tasks else "no goals, no tasks"
    )
    return replace(draft.add("tasks", figures), made=made)
