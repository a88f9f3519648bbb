"""The stages of tasks: goals bound, grounded and worded, then decided on by the battery and written under their final numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

from worldwright.core.canonical import pretty_json
from worldwright.engine.tasks import key_data, task_data
from worldwright.kinds.build_events import RefereeDisagreed
from worldwright.kinds.database.battery.datasheet import datasheet, prove
from worldwright.kinds.database.battery.layers import layers_data
from worldwright.kinds.database.battery.run import Sheet
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.tasks.make import make_tasks
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.through.solving import Solver, list_unsolvable
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.vcode import vcode_source
from worldwright.kinds.database.referee.compare import compare_tasks, count_comparisons
from worldwright.kinds.database.referee.settings import BULK_SAMPLE, SAMPLE
from worldwright.world.tasks import Key, Task


def build_tasks(draft: Draft) -> Draft:
    """Add the tasks that the state has room for."""
    damaged = draft.state.messed_rows
    runtime = draft.open_runtime()
    filed = frozenset(at for request in draft.filed for at in request.rows)
    copies = draft.state.list_copies(runtime.compiled.blueprint.mess)
    sandbox = Sandbox(runtime, damaged, filed, copies, draft.contract)
    solver = None if draft.contract is None else Solver(Sandbox(runtime, contract=draft.contract))
    made = make_tasks(
        sandbox, draft.seed, damaged, draft.memo, draft.filed, draft.knobs, draft.weights, solver, draft.watch
    )
    if solver is not None:
        solver.close()
    families = Counter(task.family for task, _ in made.tasks)
    kinds = ", ".join(f"{families[f]} {f}" for f in sorted(families))
    dropped = sum(made.dropped.values())
    figures = (
        f"{len(made.tasks)} tasks ({kinds}), {dropped} candidates left out" if made.tasks else "no goals, no tasks"
    ) + (f", {len(made.unsolvable)} of them cannot be done through the contract" if made.unsolvable else "")
    return replace(draft.add("tasks", figures), made=made)


def prove_tasks(draft: Draft) -> Draft:
    """Add the tasks whose verifiers held, their keys and the datasheet."""
    assert draft.made is not None
    runtime = draft.open_runtime()
    sandbox = Sandbox(runtime, contract=draft.contract)
    dropped: Counter[str] = Counter(draft.made.dropped)
    found = prove(sandbox, draft.made.tasks, draft.battery, draft.memo, repair=True, watch=draft.watch)
    for sheet in found.failed:
        dropped[f"battery: {sheet.wrong[0].partition(':')[0]}"] += 1
    compared = tuple(compare_tasks(runtime, found.tasks, BULK_SAMPLE if draft.battery == BULK else SAMPLE))
    for one in compared:
        if not one.holds:
            first = one.disagreements[0]
            dropped[f"referee: {first.play}"] += 1
            draft.watch(RefereeDisagreed(one.task, first.play, first.what))
    agreed = [one.holds for one in compared]
    tasks, sheets = numbered(tuple(compress(found.tasks, agreed)), tuple(compress(found.sheets, agreed)))
    sheet_data = datasheet(sheets, dropped, draft.battery, count_comparisons(compress(compared, agreed)))
    layers = layers_data(sandbox, tasks, draft.state.messed_rows)
    sheet_data |= {"layers": layers} if layers else {}
    sheet_data |= {"unsolvable": list_unsolvable(draft.made.unsolvable)} if draft.contract is not None else {}
    files = make_task_files(draft.compiled, tasks)
    files["datasheet.json"] = pretty_json(sheet_data).encode()
    families = Counter(task.family for task, _ in tasks)
    counts = {"tasks": len(tasks), "episodes": sheet_data["episodes"], **{f"tasks_{f}": n for f, n in families.items()}}
    figures = (
        f"{len(tasks)} of {len(draft.made.tasks)} tasks hold over {sheet_data['episodes']:,} episodes, "
        f"{sheet_data['false_accepts']} false accepts, {sheet_data['false_rejects']} false rejects"
        + (f"; {found.mended} after a repair" if found.mended else "")
    )
    return draft.add("assay", figures, files, dict(sorted(counts.items())))


def numbered(
    tasks: Sequence[tuple[Task, Key]], sheets: Sequence[Sheet]
) -> tuple[tuple[tuple[Task, Key], ...], tuple[Sheet, ...]]:
    """The same under numbers without gaps."""
    out, renamed = [], []
    for k, ((task, key), sheet) in enumerate(zip(tasks, sheets, strict=True), start=1):
        name = f"task_{k:03d}"
        out.append((replace(task, id=name), replace(key, task=name)))
        renamed.append(replace(sheet, task=name))
    return tuple(out), tuple(renamed)


def make_task_files(compiled: CompiledWorld, tasks: Sequence[tuple[Task, Key]]) -> dict[str, bytes]:
    """Make what a pack holds of its tasks."""
    files: dict[str, bytes] = {}
    for task, key in tasks:
        files[f"tasks/{task.id}.json"] = pretty_json(task_data(task)).encode()
        files[f"keys/{task.id}.json"] = pretty_json(key_data(key)).encode()
        files[f"vcode/{task.id.replace('task', 'verify')}.py"] = vcode_source(compiled, task, key).encode()
        if key.program:
            files[f"keys/{task.id}.py"] = key.program.encode()
    return files
