"""An arena: fresh worlds where they are asked for, every agent through the same field, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from worldwright.arena.contest import PAGE, check_same_field, plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.evaluate import Evaluation, Worlds, evaluate
from worldwright.arena.fresh import (
    EvaluationSet,
    choose_held_out_domains,
    find_trained_on,
    gather_field,
    order_fresh_worlds,
)
from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.jobs.rollout import roll_with_progress
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.arena import show_contest
from worldwright.cli.views.many_worlds import RunProgress
from worldwright.core.errors import UsageError
from worldwright.core.pool import map_in_processes
from worldwright.factory.many import build_many
from worldwright.rollout.plan import AgentSpec, TaskFilter
from worldwright.rollout.records import Limits
from worldwright.store.store import Store


def run_arena(
    specs: tuple[str, ...], baseline: str | None, out: Path, workers: int | None, as_json: bool, **given: Any
) -> None:
    """Evaluate every agent on the same held-out worlds, and write the document, the page and the guidelines."""
    if not given["gyms"] and given["fresh"] is None:
        raise UsageError("there is nothing to play: name worlds with --gym, or have some built with --fresh N")
    check_writable(out)
    trained = find_trained_on(given["trained"])
    fresh = (
        _build_fresh(choose_held_out_domains(trained, given["held_out"]), given, workers)
        if given["fresh"] is not None
        else ()
    )
    choice = TaskFilter(families=given["family"], sample=given["sample"])
    field = gather_field((*given["gyms"], *fresh), choice, given["attempts"], given["seed"], trained, given["held_out"])
    check_same_field(out, field, given["force"])
    who = list(dict.fromkeys((*specs, *([baseline] if baseline else []))))
    worlds, limits = Worlds(field.places), Limits(turns=given["max_turns"])
    found = {
        spec: _evaluate(field, AgentSpec(spec, given["options"]), worlds, out, workers, limits, given, as_json)
        for spec in who
    }
    done = summarise_contest(field, list(found.values()), found.get(baseline or ""), sorted(trained.domains))
    write_contest(out, done)
    if as_json:
        print_json({"folder": str(out), "page": str(out / PAGE), **done.data()})
    else:
        show_contest(Screen(), done, out)


def _build_fresh(domains: Sequence[str], given: dict[str, Any], workers: int | None) -> tuple[str, ...]:
    """Build fresh worlds, or find those that are there already."""
    order = order_fresh_worlds(domains, given["fresh"], given["fresh_seed"], given["tasks_per_world"])
    tag = f"arena-{order.digest[:8]}"
    fan = partial(map_in_processes, workers=workers or len(os.sched_getaffinity(0)))
    with RunProgress(Screen(err=True)) as watching:
        report = build_many(order, Store(), tag, fan, watching)
    return tuple(report["references"])


def _evaluate(
    field: EvaluationSet,
    player: AgentSpec,
    worlds: Worlds,
    out: Path,
    workers: int | None,
    limits: Limits,
    given: dict[str, Any],
    quiet: bool,
) -> Evaluation:
    with require_extra("models"):
        plan = plan_contest(field, player, limits, given["face"], given["seed"])
    run = roll_with_progress(plan, run_folder(out, plan), workers, quiet=quiet)
    with Progress(Screen(err=True), "episodes looked at", len(plan.episodes)) as progress:
        return evaluate(run, worlds, lambda episode: progress.step())
