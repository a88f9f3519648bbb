"""An evolution as a command runs it: settings from its options, worlds built and played with progress."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from worldwright.arena.evolve.actions import Actions
from worldwright.arena.evolve.loop import evolve
from worldwright.arena.evolve.records import Settings
from worldwright.arena.evolve.report import PAGE, evolution_data, write_evolution
from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.jobs.rollout import roll_with_progress
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.views.arena import show_evolution
from worldwright.cli.views.many_worlds import RunProgress
from worldwright.core.pool import map_in_processes
from worldwright.factory.many import build_many
from worldwright.factory.order import Order
from worldwright.gate.band import read_band
from worldwright.rollout.plan import AgentSpec
from worldwright.rollout.records import Limits
from worldwright.store.store import Store


def run_evolution(spec: str, out: Path, workers: int | None, train: str | None, as_json: bool, **given: Any) -> None:
    """Run the rounds, or those that are left, and write the page after each."""
    check_writable(out)
    settings = Settings(
        given["dev"], given["held_out"], AgentSpec(spec, given["options"]), given["rounds"], given["worlds"],
        given["tasks_per_world"], given["attempts"], given["sample"], read_band(given["band"], given["runs"]), given["seed"],
        Limits(turns=given["max_turns"]), tuple(shlex.split(train or "")), not given["untargeted"],
    )  # fmt: skip
    with require_extra("models"):
        found = evolve(settings, out, _make_actions(workers, as_json), lambda done: write_evolution(out, done))
    write_evolution(out, found)
    if as_json:
        print_json({"folder": str(out), "page": str(out / PAGE), **evolution_data(found)})
    else:
        show_evolution(Screen(), found, out / PAGE)


def _make_actions(workers: int | None, quiet: bool) -> Actions:
    many = len(os.sched_getaffinity(0)) if workers is None else workers

    def build(order: Order, tag: str) -> dict[str, Any]:
        with RunProgress(Screen(err=True)) as watching:
            return build_many(order, Store(), tag, partial(map_in_processes, workers=max(1, many)), watching)

    return Actions(lambda plan, folder: roll_with_progress(plan, folder, workers, quiet=True), build, note, many)
