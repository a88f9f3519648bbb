"""What practice in worlds does to a small model, counted in worlds of families that it never saw.

    python -m studies.learning build [--workers 2]                 the worlds (see `compact.PARTS`)
    python -m studies.lines --out DATA --model FOLDER              their gold walks, as tokens
    python -m studies.learning train --data DATA --out DIR --model FOLDER [--families 10] [--steps 100] [--seconds 300] [--seed 0]

The model is taught the gold walks of the first so many of the trained families, and goes on with verdicts alone: in worlds of the
other trained families, or where all were taught, in other worlds of these. After SFT and after GRPO it plays every task of `fresh`
(apart: families that were taught, families that were only practised) and of `held_out` once at temperature 0, and twice at
temperature 1. GRPO ends after its steps, or takes no new one after so many seconds. `--save DIR` keeps the models.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from studies import compact


def build(given: argparse.Namespace) -> None:
    for part in compact.PARTS:
        begin = time.perf_counter()
        gyms = compact.build(part, given.workers)
        print(
            f"{part.name}: {len(gyms)} families, {part.variants} worlds of each, {time.perf_counter() - begin:.0f} s",
            flush=True,
        )


def train(given: argparse.Namespace) -> None:
    from studies.bench import Bench, demonstrations, fields  # whoever only builds worlds needs no torch

    usual = compact.settings(given.model)
    changed = {name: getattr(given, name) for name in ("rate", "tasks", "updates") if getattr(given, name)}
    wanted = compact.settings(
        given.model, seed=given.seed, sft=usual.sft.model_copy(update={"steps": given.steps}),
        grpo=usual.grpo.model_copy(update=changed),
    )  # fmt: skip
    bench = Bench(given.out, wanted)
    taught = compact.TRAINED[: given.families]
    known = fields(given.data, ("fresh", "held_out", "practice"))
    counted_in = {
        "fresh": [place for place in known["fresh"] if place.world.name in taught],
        "practised": [place for place in known["fresh"] if place.world.name not in taught],
        "held_out": known["held_out"],
    }
    counted_in = {name: places for name, places in counted_in.items() if places}
    others = [place for place in known["practice"] if place.world.name not in taught]
    practice = others or known["practice"]
    shown = [one.line for one in demonstrations(given.data, given.families, given.variants)]
    size = {"families": given.families, "demonstrations": len(shown), "tokens": sum(len(one.ids) for one in shown)}
    size |= {"practice": len(practice)} | {name: len(places) for name, places in counted_in.items()}
    bench.note(size)
    compact.write(given.out / "run.json", {**size, "settings": wanted.model_dump(mode="json")})
    if given.untrained:
        bench.counted("untrained", counted_in)
    bench.taught("sft", shown, wanted.sft.steps, given.seed)
    bench.counted("sft", counted_in, warm=True)
    if given.save:
        bench.engine.write_model(given.save / "sft")
    bench.practised("grpo", practice, given.seconds, given.seed)
    bench.counted("grpo", counted_in, warm=True)
    if given.save:
        bench.engine.write_model(given.save / "grpo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("build", "train"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--families", type=int, default=20)
    parser.add_argument("--variants", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=300)
    for name, kind in (("rate", float), ("tasks", int), ("updates", int)):
        parser.add_argument(f"--{name}", type=kind, default=0, help="of GRPO; else as in `compact`")
    parser.add_argument("--untrained", action="store_true", help="count the model as it comes, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    {"build": build, "train": train}[given.stage](given)


if __name__ == "__main__":
    main()
