"""One round of evolve on real weights, against as many untargeted worlds: does it help to build what targets the weakness?

    python -m studies.evolving --data DATA --out DIR --model FOLDER [--worlds 120] [--steps 100] [--workers 16] [--seed 0]

The start is a model after SFT in three worlds of each trained family. It plays the tasks of `fresh`; what fails is diagnosed,
and guidelines follow. Then SFT continues from the same weights in three arms, each with as many new worlds of the trained
families, as many demonstrations of them beside those of the start, and as many steps:

- `targeted`: worlds as the guidelines say, of these the tasks that they want, of these the ones that the model fails;
- `gated`: worlds of every family alike, of their tasks the ones that the model fails;
- `untargeted`: worlds of every family alike, any task.

Evaluation is in worlds that neither the arms nor the diagnosis saw: `practice` (trained families) and `held_out`. Guidelines are
followed within the compact curriculum: short tasks by id, no complexity layers.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from studies import curriculum
from studies.study_run import StudyRun, load_demonstrations, load_eval_sets
from worldwright.arena.compare import compare_paired
from worldwright.arena.evaluate import Worlds, evaluate_episodes, traits_of
from worldwright.arena.guidelines import Guideline, Guidelines, control_guidelines, derive_guidelines, plan_orders
from worldwright.core.pool import map_in_processes
from worldwright.core.rng import Stream
from worldwright.factory.many import RunObserver, build_many
from worldwright.factory.order import Order, WorldOptions
from worldwright.rollout.plan import PlannedWorld as Packed
from worldwright.rollout.stats import extract_stats
from worldwright.store.open import find_gym_packs, open_world
from worldwright.store.store import Store
from worldwright.train.chat_format import TokenizedEpisode
from worldwright.train.demonstrations import play_gold_walks, tokenize_demonstrations
from worldwright.train.evaluate import Evaluation, evaluate
from worldwright.train.rollouts import WorldTask

FIRST_SEED = 40_000
START_WORLDS = 3
"""Worlds of each family that the start has demonstrations of."""
Demonstrated = list[tuple[WorldTask, TokenizedEpisode]]


def diagnose(found: Evaluation, gyms: list[str]) -> Guidelines:
    """Derive guidelines for what to build next from the episodes that failed."""
    packed = [
        Packed(world.digest, world.name, variant, str(path))
        for gym in gyms
        for variant, path in find_gym_packs(gym).items()
        for world in (open_world(path),)
    ]
    advice = derive_guidelines(
        evaluate_episodes([one.episode for one in found.rollouts], Worlds(packed)), curriculum.TRAINED
    )
    return replace(advice, items=tuple(replace(one, layers=()) for one in advice.items))


def shorten(order: Order) -> Order:
    """Fit an order into the curriculum: short tasks by id, whatever number of calls its guideline asks for."""
    knobs = {**dict(order.asked.knobs), "reference": "id", "calls": f"0..{curriculum.MAX_CALLS}"}
    return replace(
        order,
        complexity="low",
        axes=("policy", "persona", "seed", "tools"),
        asked=WorldOptions(knobs=tuple(knobs.items())),
    )


def build_tasks(advice: Guidelines, worlds: int, workers: int, seed: int) -> list[WorldTask]:
    """Build and open new worlds, a family at a time in each process. Return the tasks in them that were asked for."""
    asked = plan_orders(advice, worlds, curriculum.MAX_TASKS_PER_WORLD, FIRST_SEED * (seed + 1))
    pieces = [(one, shorten(replace(order, sources=(source,)))) for one, order in asked for source in order.sources]
    reports = {
        outcome.item.digest: outcome.result
        for outcome in map_in_processes(_build, [order for _, order in pieces], workers)
    }
    store, tasks = Store(), list[WorldTask]()
    for one, order in pieces:
        for row in (reports[order.digest] or {}).get("worlds", ()):
            if row.get("digest"):
                tasks += _select_tasks(one, store, row)
    return tasks


def _build(order: Order) -> dict[str, Any]:
    return build_many(order, Store(), f"study-{order.digest[:12]}", partial(map_in_processes, workers=0), RunObserver())


def _select_tasks(guideline: Guideline, store: Store, row: dict[str, Any]) -> list[WorldTask]:
    path = store.find_digest(row["digest"])
    scenes = Worlds([Packed(row["digest"], row["family"], row["variant"], str(path))])(row["digest"])
    world = scenes.world
    every = [task.id for task in world.tasks if len(world.key(task.id).calls) <= curriculum.MAX_CALLS]
    wanted = [task for task in every if guideline.wants(traits_of(scenes(task)))]
    return [WorldTask(world, row["variant"], task) for task in wanted or every]


def demonstrate(run: StudyRun, tasks: Sequence[WorldTask]) -> Demonstrated:
    """Play the gold walks of tasks. Return the tasks that can be done in the compact style, each with its walk."""
    how, chat_format = run.settings.rollout, run.engine.chat_format
    walks = ((task, play_gold_walks([task], max_tools=how.max_tools)) for task in tasks)
    made = ((task, tokenize_demonstrations(chat_format, walk, how.max_context_tokens)) for task, walk in walks)
    return [(task, one.episodes[0]) for task, one in made if one.episodes]


def select_failed(run: StudyRun, found: Demonstrated) -> Demonstrated:
    """Select the tasks that the model does not solve."""
    played = evaluate(run.engine.play, [task for task, _ in found])
    run.note(f"{len(found)} tasks tried, solved {played.solved:.3f}")
    failed = {one.task.name for one in played.judged if one.reward != 1.0}
    return [(task, episode) for task, episode in found if task.name in failed]


def make_arms(
    run: StudyRun, advice: Guidelines, worlds: int, workers: int, seed: int
) -> dict[str, list[TokenizedEpisode]]:
    """Make the demonstrations that each arm has beside those of the start: as many for each."""
    any_tasks = demonstrate(
        run, build_tasks(control_guidelines(advice.agent, curriculum.TRAINED), worlds, workers, seed)
    )
    targeted = demonstrate(run, build_tasks(advice, worlds, workers, seed))
    found = {
        "targeted": select_failed(run, targeted),
        "gated": select_failed(run, any_tasks),
        "untargeted": any_tasks,
    }
    size = min(map(len, found.values()))
    for name, one in found.items():
        by = {family: sum(task.world.name == family for task, _ in one) for family in curriculum.TRAINED}
        run.note(f"{name}: {len(one)} demonstrations, of which {size} are taken", by)
    return {name: [episode for _, episode in Stream("taken").shuffled(one)[:size]] for name, one in found.items()}


def compare_arms(
    run: StudyRun, found: Mapping[str, Mapping[str, Evaluation]], eval_sets: Sequence[str]
) -> dict[str, Any]:
    """Compare arms in pairs, task by task."""
    rows = {
        arm: {s: [extract_stats(one.episode) for one in by[s].rollouts] for s in eval_sets} for arm, by in found.items()
    }
    names = list(rows)
    pairs = [(b, a) for at, a in enumerate(names) for b in names[at + 1 :]]
    compared = {
        f"{a} against {b}, {s}": compare_paired(a, rows[a][s], b, rows[b][s]).data()
        for a, b in pairs
        for s in eval_sets
    }
    for name, one in compared.items():
        printed = ("rate", "other_rate", "difference", "low", "high", "better", "worse", "p")
        run.note(name, {k: round(one[k], 4) for k in printed})
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--worlds", type=int, default=120)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-tasks", type=int, default=0, help="evaluate on a sample of so many tasks")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    sft = curriculum.make_settings(given.model).sft.model_copy(update={"steps": given.steps})
    run = StudyRun(given.out, curriculum.make_settings(given.model, seed=given.seed, sft=sft))
    dev = load_eval_sets(given.data, ("fresh",))["fresh"]
    eval_sets = load_eval_sets(given.data, ("practice", "held_out"), given.max_tasks)
    first = [one.episode for one in load_demonstrations(given.data, len(curriculum.TRAINED), START_WORLDS)]
    run.run_sft("start", first, given.steps, given.seed)
    found = {"start": run.evaluate("start", {"fresh": dev, **eval_sets})}
    advice = diagnose(found["start"]["fresh"], [f"{family}:fresh" for family in curriculum.TRAINED])
    curriculum.write_json(given.out / "guidelines.json", advice.data())
    run.note(f"{len(advice.items)} guidelines", [(one.id, round(one.share, 2)) for one in advice.items])
    weights = run.copy_weights()
    for name, new in make_arms(run, advice, given.worlds, given.workers, given.seed).items():
        run.restore_weights(weights)
        run.run_sft(name, [*first, *new], given.steps, given.seed)
        found[name] = run.evaluate(name, eval_sets)
    curriculum.write_json(given.out / "paired.json", compare_arms(run, found, list(eval_sets)))


if __name__ == "__main__":
    main()
