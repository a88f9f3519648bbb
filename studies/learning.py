"""What practice in worlds does to a small model, counted in worlds of families that it never saw.

    python -m studies.learning build --out DIR [--variants 10] [--held-out 10] [--workers 16]
    python -m studies.learning train --out DIR --model FOLDER [--minutes 12] [--seed 0]

`build` makes the worlds. `train` teaches the model the gold walks of the trained families, and goes on with verdicts from tasks of
the same worlds. Untrained, after SFT and after GRPO, the model plays every held-out task once, at temperature 0. Figures go to DIR
as they come. GRPO ends after its steps, or takes no new one after --minutes since the start.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studies import compact

GRPO_VARIANTS = 4
"""Of each family, the worlds that GRPO is played in: opening one takes half a second."""


def build(given: argparse.Namespace) -> None:
    begin = time.perf_counter()
    gyms = compact.build(compact.TRAINED, given.variants, "study", given.workers)
    held = compact.build(compact.HELD_OUT, given.held_out, "study-held-out", given.workers, seed=1)
    found = {"trained": gyms, "held_out": held, "seconds": round(time.perf_counter() - begin, 1)}
    compact.write(given.out / "worlds.json", found)
    print(json.dumps(found), flush=True)


class Log:
    """What comes of a run, as it comes."""

    def __init__(self, out: Path) -> None:
        self.out, self._begin = out, time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def note(self, *said: object) -> None:
        print(f"{self.seconds:7.1f} s ", *said, flush=True)

    def step(self, stage: str, step: int, found: dict[str, float]) -> None:
        with (self.out / "steps.jsonl").open("a") as file:
            file.write(json.dumps({"stage": stage, "step": step, "seconds": round(self.seconds, 2), **found}) + "\n")
        if step % (20 if stage == "sft" else 1) == 0:
            shown = (
                "loss",
                "reward",
                "solved",
                "all_0",
                "all_1",
                "entropy",
                "formed",
                "seconds_rollout",
                "seconds_worlds",
            )
            self.note(stage, step, {k: round(found[k], 4) for k in shown if k in found})

    def counted(self, engine: Any, places: Sequence[Any], name: str) -> None:
        """Every place once, at temperature 0."""
        from worldwright.train.evaluate import evaluate  # whoever only builds worlds needs no torch

        found = evaluate(engine.play, places).data()
        compact.write(self.out / f"{name}.json", found)
        by_family = {family: round(one["solved"], 3) for family, one in found["by_world"].items()}
        self.note(name, {k: found[k] for k in ("solved", "interval", "episodes", "seconds")}, by_family)


def train(given: argparse.Namespace) -> None:
    from worldwright.train.order import Seen, even, likely, noted
    from worldwright.train.plain_engine import PlainEngine, load_model

    log = Log(given.out)
    worlds = json.loads((given.out / "worlds.json").read_text())
    lines = compact.prepared(worlds["trained"], given.model, given.workers)
    allowed = compact.prepared(worlds["held_out"], given.model, given.workers)
    held = compact.opened(worlds["held_out"], allowed)
    wanted = compact.settings(given.model, seed=given.seed)
    engine = PlainEngine(wanted, *load_model(wanted))
    size = {"demonstrations": len(lines), "held_out": len(held), "tokens": sum(len(one.ids) for one in lines.values())}
    compact.write(given.out / "run.json", {**size, **worlds, "settings": wanted.model_dump(mode="json")})
    log.note(size)
    log.counted(engine, held, "untrained")
    engine.begin("sft")
    taught = list(lines.values())
    for step in range(wanted.sft.steps):
        log.step("sft", step, engine.sft_step(step, even(taught, wanted.sft.batch, step, given.seed, "demonstrations")))
    log.counted(engine, held, "sft")
    places = compact.opened(worlds["trained"], lines, GRPO_VARIANTS)
    log.note(f"{len(places)} tasks for GRPO")
    engine.begin("grpo")
    seen = Seen()
    for step in range(wanted.grpo.steps):
        if given.minutes and log.seconds > 60 * given.minutes:
            break
        found, played = engine.grpo_step(step, likely(places, seen, wanted.grpo.tasks, step, given.seed))
        seen = noted(seen, ((one.place, one.reward) for one in played.rolled))
        log.step("grpo", step, {**found, "seconds_rollout": played.seconds, "seconds_worlds": played.in_worlds})
    log.counted(engine, held, "grpo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("build", "train"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="")
    parser.add_argument("--variants", type=int, default=10)
    parser.add_argument("--held-out", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    {"build": build, "train": train}[given.stage](given)


if __name__ == "__main__":
    main()
