"""Demonstrations as tokens, in a file: made once, where there are worlds and time, and read where there is a GPU.

    python -m studies.lines --out DIR --model FOLDER [--parts deep,wide] [--slips 1] [--workers 2]

Writes DIR/PART.npz, by family and variant, and DIR/PART.json: the places whose task can be done in the compact form.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from studies import compact
from worldwright.core.pool import mapped
from worldwright.store.open import open_gym
from worldwright.train.talk import Line


@dataclass(frozen=True, slots=True)
class Shown:
    """A task that can be done in this form, and how."""

    family: str
    variant: int
    """The number of its world in the plan of the family."""
    place: str
    line: Line
    slipped: bool = False
    """Whether a call in it goes wrong first."""


def shown(gym: str, model: str, slips: float) -> tuple[list[Shown], dict[str, int]]:
    """The gold walks of a gym, a share of them again with a slip; those that need what was cut away are left out, and counted."""
    from transformers import AutoTokenizer  # workers load it, whoever only builds worlds does not

    from worldwright.train.demonstrations import demonstrations, gold_walks
    from worldwright.train.rollouts import Place
    from worldwright.train.talk import Talk

    talk = Talk(AutoTokenizer.from_pretrained(model), compact.TALK)
    out: list[Shown] = []
    dropped: Counter[str] = Counter()
    found = open_gym(gym)
    for number, variant in enumerate(found.variants):
        world = found.world(variant)
        places = [
            Place(world, variant, task.id) for task in world.tasks if len(world.key(task.id).calls) <= compact.CALLS
        ]
        for place in places:
            for walk in gold_walks([place], tools=compact.ROLLOUT.tools, slips=slips):
                slipped = walk is not None and walk.slip is not None
                made = demonstrations(talk, [walk], compact.ROLLOUT.context)
                out += [Shown(world.name, number, place.name, line, slipped) for line in made.lines]
                dropped.update({} if slipped else made.dropped)
    return out, dict(dropped)


def write(path: Path, found: Sequence[Shown]) -> None:
    """Small: tokens of two bytes, compressed."""
    ids = np.concatenate([np.asarray(one.line.ids, dtype=np.uint16) for one in found])
    said = np.concatenate([np.asarray(one.line.said, dtype=np.uint8) for one in found])
    np.savez_compressed(
        path, ids=ids, said=np.packbits(said), sizes=np.asarray([len(one.line.ids) for one in found], dtype=np.uint32),
        variants=np.asarray([one.variant for one in found], dtype=np.uint16), places=np.asarray([one.place for one in found]),
        families=np.asarray([one.family for one in found]), slipped=np.asarray([one.slipped for one in found]),
    )  # fmt: skip


def read(path: Path) -> list[Shown]:
    with np.load(path) as held:
        sizes = held["sizes"]
        ids = np.split(held["ids"], np.cumsum(sizes)[:-1])
        said = np.split(np.unpackbits(held["said"])[: int(sizes.sum())], np.cumsum(sizes)[:-1])
        rest = zip(held["families"], held["variants"], held["places"], held["slipped"], strict=True)
        return [
            Shown(str(family), int(variant), str(place), Line(one.tolist(), mask.tolist()), bool(slipped))
            for (family, variant, place, slipped), one, mask in zip(rest, ids, said, strict=True)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--parts", default="deep,wide,practice,fresh,held_out")
    parser.add_argument("--slips", type=float, default=0, help="share of the walks that is shown again with a slip")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    for name in given.parts.split(","):
        part = next(one for one in compact.PARTS if one.name == name)
        gyms = [f"{family}:{name}" for family in part.families]
        found: list[Shown] = []
        dropped: Counter[str] = Counter()
        for outcome in mapped(partial(shown, model=given.model, slips=given.slips), gyms, given.workers):
            if outcome.result is None:
                raise SystemExit(f"{outcome.item}: {outcome.error}")
            found += outcome.result[0]
            dropped.update(outcome.result[1])
            print(f"{name}: {len(found)} demonstrations", end="\r", flush=True)
        found.sort(key=lambda one: (one.family, one.variant, one.place, one.slipped))
        write(given.out / f"{name}.npz", found)
        tokens = sum(len(one.line.ids) for one in found)
        slipped = sum(one.slipped for one in found)
        figures = {
            "gyms": gyms,
            "demonstrations": len(found),
            "slipped": slipped,
            "tokens": tokens,
            "left_out": dict(dropped),
        }
        compact.write(
            given.out / f"{name}.json", {**figures, "places": [one.place for one in found if not one.slipped]}
        )
        print(figures | {"gyms": len(gyms)}, flush=True)


if __name__ == "__main__":
    main()
