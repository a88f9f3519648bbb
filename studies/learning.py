"""Train a small model with SFT and GRPO, and evaluate it in worlds of families that it never saw.

    python -m studies.learning build [--workers 2] [--parts fresh]  the worlds (see `curriculum.PARTS`)
    python -m studies.demonstrations --out DATA --model FOLDER     their gold walks, as tokens
    python -m studies.learning train --data DATA --out DIR --model FOLDER [--families 10] [--steps 100] [--seconds 300] [--seed 0]

SFT is on the gold walks of the first so many of the trained families. GRPO goes on in worlds of the other trained families, or
where all were demonstrated, in other worlds of these. After SFT and after GRPO the model plays every task of `fresh` (apart:
families with demonstrations, families with practice only) and of `held_out` once at temperature 0.

GRPO ends after its steps, or begins no new one after so many seconds, or once there is a file OUT/stop. `--save DIR` keeps the
models; with `--model DIR/sft --steps 0` a run continues from there.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from studies import curriculum

if TYPE_CHECKING:
    from studies.study_run import StudyRun
    from worldwright.train.chat_format import TokenizedEpisode
    from worldwright.train.rollouts import WorldTask


GRPO_OPTIONS: dict[str, type] = {
    "learning_rate": float,
    "tasks_per_step": int,
    "num_generations": int,
    "updates_per_step": int,
}
"""Settings of GRPO that have an option."""


def build(given: argparse.Namespace) -> None:
    for part in curriculum.PARTS:
        if given.parts and part.name not in given.parts.split(","):
            continue
        begin = time.perf_counter()
        gyms = curriculum.build_worlds(part, given.workers)
        seconds = time.perf_counter() - begin
        print(f"{part.name}: {len(gyms)} families, {part.variants} worlds of each, {seconds:.0f} s", flush=True)


def train(given: argparse.Namespace) -> None:
    from studies.study_run import StudyRun, load_demonstrations  # whoever only builds worlds needs no torch

    usual = curriculum.make_settings(given.model)
    changed = {name: getattr(given, name) for name in GRPO_OPTIONS if getattr(given, name)}
    settings = curriculum.make_settings(
        given.model, seed=given.seed, torch_compile=not given.no_compile,
        sft=usual.sft.model_copy(update={"steps": given.steps}), grpo=usual.grpo.model_copy(update=changed),
    )  # fmt: skip
    run = StudyRun(given.out, settings)
    demonstrated = curriculum.TRAINED[: given.families]
    opening = ThreadPoolExecutor(1).submit(open_tasks, given, demonstrated)  # while SFT runs
    stored = load_demonstrations(given.data, given.families, given.variants, given.error_recovery)
    episodes = [one.episode for one in stored]
    if not given.untrained:
        run_sft(run, episodes, given)
    eval_sets, practice = opening.result()
    gc.freeze()  # worlds stay to the end: each garbage collection would take seconds
    size = {
        "families": given.families,
        "demonstrations": len(episodes),
        "tokens": sum(len(one.token_ids) for one in episodes),
    }
    size |= {"practice": len(practice)} | {name: len(tasks) for name, tasks in eval_sets.items()}
    run.note(size)
    curriculum.write_json(given.out / "run.json", {**size, "settings": settings.model_dump(mode="json")})
    if given.untrained:
        run.evaluate("untrained", eval_sets)
        run_sft(run, episodes, given)
    if given.steps:
        run.evaluate("sft", eval_sets, given.sampled)
    if not given.seconds:
        return
    held_out = {name: tasks for name, tasks in eval_sets.items() if name.endswith("held_out")}
    run.run_grpo("grpo", practice, given.seconds, given.seed, given.eval_every, held_out)
    run.evaluate("grpo", eval_sets, given.sampled)
    if given.save:
        run.engine.write_model(given.save / "grpo")


def run_sft(run: StudyRun, episodes: Sequence[TokenizedEpisode], given: argparse.Namespace) -> None:
    """Run SFT; nothing where it has no steps: the model is one that was trained before."""
    run.run_sft("sft", episodes, given.steps, given.seed)
    if given.save and given.steps:
        run.engine.write_model(given.save / "sft")


def open_tasks(
    given: argparse.Namespace, demonstrated: Sequence[str]
) -> tuple[dict[str, list[WorldTask]], list[WorldTask]]:
    """Open the worlds to evaluate in, and those to practise in where there is GRPO."""
    from studies.study_run import load_eval_sets

    held_out = ("held_out", "more_held_out", "last_held_out") if given.more else ("held_out",)
    others = [name for name in curriculum.TRAINED if name not in demonstrated] or curriculum.TRAINED
    parts = ("practice", "more_practice") if given.more else ("practice",)
    practised = load_eval_sets(given.data, parts, families=others) if given.seconds else {}
    known = load_eval_sets(given.data, ("fresh", *held_out))
    eval_sets = {
        "fresh": [task for task in known["fresh"] if task.world.name in demonstrated],
        "practised": [task for task in known["fresh"] if task.world.name not in demonstrated],
        **{name: known[name] for name in held_out},
    }
    practice = [task for tasks in practised.values() for task in tasks]
    return {name: tasks for name, tasks in eval_sets.items() if tasks}, practice


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("build", "train"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--families", type=int, default=20)
    parser.add_argument("--variants", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300, help="of SFT")
    parser.add_argument("--seconds", type=float, default=300, help="of GRPO; 0: SFT alone")
    for name, kind in GRPO_OPTIONS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=kind, default=0, help="of GRPO; else as in `curriculum`"
        )
    parser.add_argument("--more", action="store_true", help="add `more_practice`, `more_held_out` and `last_held_out`")
    parser.add_argument(
        "--eval-every", type=int, default=0, help="evaluate in held-out worlds after so many steps of GRPO"
    )
    parser.add_argument("--parts", default="", help="build these alone, as fresh,held_out")
    parser.add_argument("--error-recovery", action="store_true", help="add error-recovery demonstrations")
    parser.add_argument("--sampled", action="store_true", help="evaluate at temperature 1, too, twice each")
    parser.add_argument("--no-compile", action="store_true", help="do not compile the layers that are trained")
    parser.add_argument("--untrained", action="store_true", help="evaluate the model before training, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    {"build": build, "train": train}[given.stage](given)


if __name__ == "__main__":
    main()
