"""Make demonstrations as tokens, in a file: once, where there are worlds and time, to be read where there is a GPU.

    python -m studies.demonstrations --out DIR --model FOLDER [--parts deep,wide] [--error-recovery 1] [--workers 2]

Writes DIR/PART.npz, by family and variant, and DIR/PART.json: the tasks that can be done in the compact style.
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

from studies import curriculum
from worldwright.core.pool import map_in_processes
from worldwright.store.open import open_gym
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode


@dataclass(frozen=True, slots=True)
class StoredDemonstration:
    """The demonstration of a task that can be done in the compact style."""

    family: str
    variant: int
    """The number of its world in the plan of the family."""
    task: str
    episode: TokenizedEpisode
    has_error: bool = False
    """Whether it recovers from a wrong call."""


def make(gym: str, model: str, error_recovery: float) -> tuple[list[StoredDemonstration], dict[str, int]]:
    """Make the demonstrations of a gym, and count why others were dropped."""
    from transformers import AutoTokenizer  # workers load it, whoever only builds worlds does not

    from worldwright.train.demonstrations import play_gold_walks, tokenize_demonstrations
    from worldwright.train.rollouts import WorldTask

    chat_format = ChatFormat(AutoTokenizer.from_pretrained(model), curriculum.CHAT_FORMAT)
    how = curriculum.ROLLOUT
    made: list[StoredDemonstration] = []
    dropped: Counter[str] = Counter()
    found = open_gym(gym)
    for number, variant in enumerate(found.variants):
        world = found.world(variant)
        short = [task.id for task in world.tasks if len(world.key(task.id).calls) <= curriculum.MAX_CALLS]
        for task in (WorldTask(world, variant, task_id) for task_id in short):
            for walk in play_gold_walks([task], max_tools=how.max_tools, error_recovery=error_recovery):
                has_error = walk is not None and walk.wrong_turn is not None
                tokenized = tokenize_demonstrations(chat_format, [walk], how.max_context_tokens)
                made += [
                    StoredDemonstration(world.name, number, task.name, episode, has_error)
                    for episode in tokenized.episodes
                ]
                dropped.update({} if has_error else tokenized.dropped)
    return made, dict(dropped)


def write(path: Path, found: Sequence[StoredDemonstration]) -> None:
    """Write demonstrations compressed, with two bytes a token."""
    ids = np.concatenate([np.asarray(one.episode.token_ids, dtype=np.uint16) for one in found])
    mask = np.concatenate([np.asarray(one.episode.response_mask, dtype=np.uint8) for one in found])
    sizes = np.asarray([len(one.episode.token_ids) for one in found], dtype=np.uint32)
    np.savez_compressed(
        path, token_ids=ids, response_mask=np.packbits(mask), sizes=sizes,
        variants=np.asarray([one.variant for one in found], dtype=np.uint16), tasks=np.asarray([one.task for one in found]),
        families=np.asarray([one.family for one in found]), has_error=np.asarray([one.has_error for one in found]),
    )  # fmt: skip


def read(path: Path) -> list[StoredDemonstration]:
    with np.load(path) as held:
        sizes = held["sizes"]
        ids = np.split(held["token_ids"], np.cumsum(sizes)[:-1])
        masks = np.split(np.unpackbits(held["response_mask"])[: int(sizes.sum())], np.cumsum(sizes)[:-1])
        rest = zip(held["families"], held["variants"], held["tasks"], held["has_error"], strict=True)
        return [
            StoredDemonstration(
                str(family), int(variant), str(task), TokenizedEpisode(one.tolist(), mask.tolist()), bool(has_error)
            )
            for (family, variant, task, has_error), one, mask in zip(rest, ids, masks, strict=True)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--parts", default="deep,wide,practice,fresh,held_out")
    parser.add_argument("--error-recovery", type=float, default=0, help="share of the walks to add with a wrong call")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    for name in given.parts.split(","):
        part = next(one for one in curriculum.PARTS if one.name == name)
        gyms = [f"{family}:{name}" for family in part.families]
        found: list[StoredDemonstration] = []
        dropped: Counter[str] = Counter()
        work = partial(make, model=given.model, error_recovery=given.error_recovery)
        for outcome in map_in_processes(work, gyms, given.workers):
            if outcome.result is None:
                raise SystemExit(f"{outcome.item}: {outcome.error}")
            found += outcome.result[0]
            dropped.update(outcome.result[1])
            print(f"{name}: {len(found)} demonstrations", end="\r", flush=True)
        found.sort(key=lambda one: (one.family, one.variant, one.task, one.has_error))
        write(given.out / f"{name}.npz", found)
        figures = {
            "gyms": gyms,
            "demonstrations": len(found),
            "with_error": sum(one.has_error for one in found),
            "tokens": sum(len(one.episode.token_ids) for one in found),
            "dropped": dict(dropped),
        }
        tasks = [one.task for one in found if not one.has_error]
        curriculum.write_json(given.out / f"{name}.json", {**figures, "tasks": tasks})
        print(figures | {"gyms": len(gyms)}, flush=True)


if __name__ == "__main__":
    main()
