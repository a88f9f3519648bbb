"""One round of evolve on real weights, against as much of anything: does it help to build what targets the weakness?

    python -m studies.evolving --data DATA --out DIR --model FOLDER [--worlds 120] [--steps 100] [--workers 16] [--seed 0]

The start is a model that was taught three worlds of each trained family. It plays the tasks of `fresh`; what fails is diagnosed,
and guidelines follow. Then it is taught again, from the same weights, in three ways, each with as many new worlds of the trained
families, as many demonstrations of them beside those of the start, and as many steps:

- `targeted`: worlds as the guidelines say, of these the tasks that they want, of these the ones that the model fails;
- `gated`: worlds of every family alike, of their tasks the ones that the model fails;
- `untargeted`: worlds of every family alike, any task.

Counted is in worlds that neither the arms nor the diagnosis saw: `practice` (trained families) and `held_out`. Guidelines are
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

from studies import compact
from studies.bench import Bench, demonstrations, fields
from worldwright.arena.compare import compare_paired
from worldwright.arena.evaluate import Worlds, evaluate_episodes, traits_of
from worldwright.arena.evolve.actions import Silent
from worldwright.arena.guidelines import Guideline, Guidelines, control_guidelines, derive_guidelines, plan_orders
from worldwright.core.pool import mapped
from worldwright.core.rng import Stream
from worldwright.factory.many import build_many
from worldwright.factory.order import Asked, Order
from worldwright.rollout.plan import PlannedWorld as Packed
from worldwright.rollout.stats import extract_stats
from worldwright.store.open import gym_places, open_world
from worldwright.store.store import Store
from worldwright.train.demonstrations import demonstrations as as_tokens
from worldwright.train.demonstrations import gold_walks
from worldwright.train.evaluate import Evaluation, evaluate
from worldwright.train.rollouts import Place
from worldwright.train.talk import Line

SEED = 40_000
START = 3
"""Worlds of each family that the start was taught."""
Shown = list[tuple[Place, Line]]


def diagnosed(found: Evaluation, gyms: list[str]) -> Guidelines:
    """What to build next, from the episodes that failed."""
    packed = [
        Packed(world.digest, world.name, variant, str(path))
        for gym in gyms
        for variant, path in gym_places(gym).items()
        for world in (open_world(path),)
    ]
    advice = derive_guidelines(
        evaluate_episodes([one.episode for one in found.rolled], Worlds(packed)), compact.TRAINED
    )
    return replace(advice, items=tuple(replace(one, layers=()) for one in advice.items))


def short(order: Order) -> Order:
    """The order within the curriculum: short tasks by id. What a guideline asks of the number of calls gives way to that."""
    knobs = {**dict(order.asked.knobs), "reference": "id", "calls": f"0..{compact.CALLS}"}
    return replace(
        order, complexity="low", axes=("policy", "persona", "seed", "tools"), asked=Asked(knobs=tuple(knobs.items()))
    )


def built(advice: Guidelines, worlds: int, workers: int, seed: int) -> list[Place]:
    """New worlds, open, and the tasks in them that were asked for. A family at a time, by as many processes as there are."""
    asked = plan_orders(advice, worlds, compact.TASKS, SEED * (seed + 1))
    pieces = [(one, short(replace(order, sources=(source,)))) for one, order in asked for source in order.sources]
    reports = {
        outcome.item.digest: outcome.result for outcome in mapped(_built, [order for _, order in pieces], workers)
    }
    store, out = Store(), list[Place]()
    for one, order in pieces:
        for row in (reports[order.digest] or {}).get("worlds", ()):
            if row.get("digest"):
                out += _wanted(one, store, row)
    return out


def _built(order: Order) -> dict[str, Any]:
    return build_many(order, Store(), f"study-{order.digest[:12]}", partial(mapped, workers=0), Silent())


def _wanted(one: Guideline, store: Store, row: dict[str, Any]) -> list[Place]:
    path = store.held(row["digest"])
    scenes = Worlds([Packed(row["digest"], row["family"], row["variant"], str(path))])(row["digest"])
    world = scenes.world
    every = [task.id for task in world.tasks if len(world.key(task.id).calls) <= compact.CALLS]
    wanted = [task for task in every if one.wants(traits_of(scenes(task)))]
    return [Place(world, row["variant"], task) for task in wanted or every]


def shown(bench: Bench, places: Sequence[Place]) -> Shown:
    """The tasks that can be done in this form, each with its gold walk."""
    rollout = bench.settings.rollout
    made = ((p, as_tokens(bench.engine.talk, gold_walks([p], tools=rollout.tools), rollout.context)) for p in places)
    return [(place, one.lines[0]) for place, one in made if one.lines]


def failed(bench: Bench, found: Shown) -> Shown:
    """Of these, what the model does not solve."""
    played = evaluate(bench.engine.play, [place for place, _ in found])
    bench.note(f"{len(found)} tasks tried, solved {played.solved:.3f}")
    lost = {one.place.name for one in played.judged if one.reward != 1.0}
    return [(place, line) for place, line in found if place.name in lost]


def arms(bench: Bench, advice: Guidelines, worlds: int, workers: int, seed: int) -> dict[str, list[Line]]:
    """What each arm is taught beside the start: as many demonstrations for each."""
    any_of_them = shown(bench, built(control_guidelines(advice.agent, compact.TRAINED), worlds, workers, seed))
    aimed = shown(bench, built(advice, worlds, workers, seed))
    found = {"targeted": failed(bench, aimed), "gated": failed(bench, any_of_them), "untargeted": any_of_them}
    most = min(map(len, found.values()))
    for name, one in found.items():
        by = {family: sum(place.world.name == family for place, _ in one) for family in compact.TRAINED}
        bench.note(f"{name}: {len(one)} demonstrations, of which {most} are taken", by)
    return {name: [line for _, line in Stream("taken").shuffled(one)[:most]] for name, one in found.items()}


def compared(bench: Bench, found: Mapping[str, Mapping[str, Evaluation]], where: Sequence[str]) -> dict[str, Any]:
    """Arms in pairs, task by task."""
    rows = {arm: {f: [extract_stats(one.episode) for one in by[f].rolled] for f in where} for arm, by in found.items()}
    names = list(rows)
    pairs = [(b, a) for at, a in enumerate(names) for b in names[at + 1 :]]
    told = {
        f"{a} against {b}, {f}": compare_paired(a, rows[a][f], b, rows[b][f]).data() for a, b in pairs for f in where
    }
    for said, one in told.items():
        shown_of = ("rate", "other_rate", "difference", "low", "high", "better", "worse", "p")
        bench.note(said, {k: round(one[k], 4) for k in shown_of})
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--worlds", type=int, default=120)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=0, help="of the tasks that are counted, a sample of so many")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    sft = compact.settings(given.model).sft.model_copy(update={"steps": given.steps})
    bench = Bench(given.out, compact.settings(given.model, seed=given.seed, sft=sft))
    dev = fields(given.data, ("fresh",))["fresh"]
    counted_in = fields(given.data, ("practice", "held_out"), given.most)
    first = [one.line for one in demonstrations(given.data, len(compact.TRAINED), START)]
    bench.taught("start", first, given.steps, given.seed)
    found = {"start": bench.counted("start", {"fresh": dev, **counted_in})}
    advice = diagnosed(found["start"]["fresh"], [f"{family}:fresh" for family in compact.TRAINED])
    compact.write(given.out / "guidelines.json", advice.data())
    bench.note(f"{len(advice.items)} guidelines", [(one.id, round(one.share, 2)) for one in advice.items])
    weights = bench.kept()
    for name, new in arms(bench, advice, given.worlds, given.workers, given.seed).items():
        bench.go_back(weights)
        bench.taught(name, [*first, *new], given.steps, given.seed)
        found[name] = bench.counted(name, counted_in)
    compact.write(given.out / "paired.json", compared(bench, found, list(counted_in)))


if __name__ == "__main__":
    main()
