"""One round of evolve on real weights, against as much of anything: does it help to build what targets the weakness?

    python -m studies.evolving --data DATA --out DIR --model FOLDER [--worlds 60] [--steps 12] [--workers 16]

The model (after SFT) plays the tasks of `fresh`; what fails is diagnosed, and guidelines follow. Two arms, each with as many new
worlds of the trained families, as many tasks tried, as many steps of GRPO of the same size, from the same weights:
`targeted` builds what the guidelines say and takes the tasks that they want, `untargeted` builds the same families evenly and
takes any. Both practise at tasks that the model solves sometimes (four attempts each). Counted is in worlds that neither arm nor
the diagnosis saw: `practice` (trained families) and `held_out` (families never trained on).
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from studies import compact
from studies.bench import Bench, fields
from worldwright.arena.compare import paired
from worldwright.arena.evaluate import Worlds, evaluated, traits_of
from worldwright.arena.evolve.hands import Silent
from worldwright.arena.guidelines import Guideline, Guidelines, guidelines, orders, untargeted
from worldwright.core.pool import mapped
from worldwright.core.rng import Stream
from worldwright.factory.many import build_many
from worldwright.factory.order import Asked, Order
from worldwright.rollout.plan import Place as Packed
from worldwright.rollout.stats import light
from worldwright.store.open import gym_places, open_world
from worldwright.store.store import Store
from worldwright.train.evaluate import Evaluation, evaluate
from worldwright.train.rollouts import Place

ATTEMPTS = 4
SEED = 40_000


def diagnosed(found: Evaluation, gyms: list[str]) -> Guidelines:
    """What to build next, from the episodes that failed."""
    packed = [
        Packed(world.digest, world.name, variant, str(path))
        for gym in gyms
        for variant, path in gym_places(gym).items()
        for world in (open_world(path),)
    ]
    return guidelines(evaluated([one.episode for one in found.rolled], Worlds(packed)), compact.TRAINED)


def short(order: Order) -> Order:
    """The order within the curriculum: short tasks by id. What a guideline asks of the number of calls gives way to that."""
    knobs = {**dict(order.asked.knobs), "reference": "id", "calls": f"0..{compact.CALLS}"}
    return replace(
        order, complexity="low", axes=("policy", "persona", "seed", "tools"), asked=Asked(knobs=tuple(knobs.items()))
    )


def built(advice: Guidelines, worlds: int, workers: int) -> list[Place]:
    """New worlds, open, and the tasks in them that were asked for. A family at a time, by as many processes as there are."""
    asked = orders(advice, worlds, compact.TASKS, SEED)
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


def learnable(bench: Bench, places: list[Place], most: int) -> list[Place]:
    """Of so many tasks, those that the model solves sometimes and not always."""
    tried = Stream("tried").shuffled(places)[:most]
    found = evaluate(bench.engine.play, tried, ATTEMPTS, 1.0)
    won: dict[str, list[float]] = defaultdict(list)
    for one in found.judged:
        won[one.place.name].append(one.reward or 0.0)
    kept = [place for place in tried if 0 < sum(won[place.name]) < len(won[place.name])]
    bench.note(f"{len(tried)} tasks tried, solved {found.solved:.3f}, {len(kept)} learnable")
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--worlds", type=int, default=60)
    parser.add_argument("--tried", type=int, default=400)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=600)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    bench = Bench(given.out, compact.settings(given.model, seed=given.seed))
    dev = fields(given.data, ("fresh",))["fresh"]
    counted_in = fields(given.data, ("practice", "held_out"), given.most)
    start = bench.counted("start", {"fresh": dev, **counted_in})
    advice = diagnosed(start["fresh"], [f"{family}:fresh" for family in compact.TRAINED])
    compact.write(given.out / "guidelines.json", advice.data())
    bench.note(f"{len(advice.items)} guidelines", [(one.id, round(one.share, 2)) for one in advice.items])
    weights, after = bench.kept(), {}
    for name, wanted in (("targeted", advice), ("untargeted", untargeted(advice.agent, compact.TRAINED))):
        bench.go_back(weights)
        places = built(wanted, given.worlds, given.workers)
        bench.note(f"{name}: {len({place.world.digest for place in places})} worlds, {len(places)} tasks wanted")
        kept = learnable(bench, places, given.tried)
        if kept:
            bench.practised(name, kept, 1e9, given.seed, given.steps)
        after[name] = bench.counted(name, counted_in)
    rows = {
        arm: {f: [light(one.episode) for one in e.rolled] for f, e in found.items()} for arm, found in after.items()
    }
    rows["start"] = {f: [light(one.episode) for one in start[f].rolled] for f in counted_in}
    pairs = (("targeted", "untargeted"), ("targeted", "start"), ("untargeted", "start"))
    told = {f"{a} against {b}, {f}": paired(a, rows[a][f], b, rows[b][f]).data() for a, b in pairs for f in counted_in}
    compact.write(given.out / "paired.json", told)
    for said, one in told.items():
        bench.note(
            said,
            {k: round(one[k], 4) for k in ("rate", "other_rate", "difference", "low", "high", "better", "worse", "p")},
        )


if __name__ == "__main__":
    main()
