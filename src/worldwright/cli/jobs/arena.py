"""An arena, and an evolution in rounds: worlds built where they are asked for, agents played, and what came of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from worldwright.arena.contest import PAGE, check_same_field, plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.evaluate import Evaluation, Worlds, evaluate
from worldwright.arena.evolve.actions import Actions
from worldwright.arena.evolve.loop import evolve
from worldwright.arena.evolve.records import Settings
from worldwright.arena.evolve.report import PAGE as EVOLUTION_PAGE
from worldwright.arena.evolve.report import evolution_data, write_evolution
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
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.arena import show_contest, show_evolution
from worldwright.cli.views.many_worlds import RunProgress
from worldwright.core.errors import UsageError
from worldwright.core.pool import map_in_processes
from worldwright.factory.many import build_many
from worldwright.factory.order import Order
from worldwright.gate.band import read_band
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
    report = _build(order, f"arena-{order.digest[:8]}", workers or len(os.sched_getaffinity(0)))
    return tuple(report["references"])


def _build(order: Order, tag: str, processes: int) -> dict[str, Any]:
    with RunProgress(Screen(err=True)) as watching:
        return build_many(order, Store(), tag, partial(map_in_processes, workers=processes), watching)


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


def run_evolution(spec: str, out: Path, workers: int | None, train: str | None, as_json: bool, **given: Any) -> None:
    """Run the rounds, or those that are left, and write the page after each."""
    check_writable(out)
    settings = Settings(
        given["dev"], given["held_out"], AgentSpec(spec, given["options"]), given["rounds"], given["worlds"],
        given["tasks_per_world"], given["attempts"], given["sample"], read_band(given["band"], given["runs"]), given["seed"],
        Limits(turns=given["max_turns"]), tuple(shlex.split(train or "")), not given["untargeted"],
    )  # fmt: skip
    many = len(os.sched_getaffinity(0)) if workers is None else workers
    actions = Actions(
        lambda plan, folder: roll_with_progress(plan, folder, workers, quiet=True),
        lambda order, tag: _build(order, tag, max(1, many)),
        note,
        many,
    )
    with require_extra("models"):
        found = evolve(settings, out, actions, lambda done: write_evolution(out, done))
    write_evolution(out, found)
    if as_json:
        print_json({"folder": str(out), "page": str(out / EVOLUTION_PAGE), **evolution_data(found)})
    else:
        show_evolution(Screen(), found, out / EVOLUTION_PAGE)
