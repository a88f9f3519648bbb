"""The tasks pass: goals bound, grounded and worded. What the battery says of them comes after."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.compile.tasks.make import make_tasks
from worldwright.kinds.database.runtime import Runtime


def tasks(draft: Draft) -> Draft:
    grown = draft.grown
    assert grown is not None
    ground = Ground(Runtime(draft.compiled, grown.data, ""), grown.damaged)
    made = make_tasks(ground, draft.seed, grown.damaged, draft.filed, draft.knobs, draft.weights)
    families = Counter(task.family for task, _ in made.tasks)
    kinds = ", ".join(f"{families[f]} {f}" for f in sorted(families))
    dropped = sum(made.dropped.values())
    figures = f"{len(made.tasks)} tasks ({kinds}), {dropped} bindings dropped" if made.tasks else "no goals, no tasks"
    return replace(draft.adding("tasks", figures, {}, {}), made=made)
