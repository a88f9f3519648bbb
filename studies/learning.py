"""What practice in worlds does to a small model, counted in worlds of families that it never saw.

    python -m studies.learning build [--workers 2] [--parts fresh]  the worlds (see `compact.PARTS`)
    python -m studies.lines --out DATA --model FOLDER              their gold walks, as tokens
    python -m studies.learning train --data DATA --out DIR --model FOLDER [--families 10] [--steps 100] [--seconds 300] [--seed 0]

The model is taught the gold walks of the first so many of the trained families, and goes on with verdicts alone: in worlds of the
other trained families, or where all were taught, in other worlds of these. After SFT and after GRPO it plays every task of `fresh`
(apart: families that were taught, families that were only practised) and of `held_out` once at temperature 0.

GRPO ends after its steps, or takes no new one after so many seconds, or once there is a file OUT/stop. `--save DIR` keeps the
models; with `--model DIR/sft --steps 0` a run goes on from there.
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

from studies import compact

if TYPE_CHECKING:
    from studies.bench import Bench
    from worldwright.train.rollouts import Place
    from worldwright.train.talk import Line


GRPO: dict[str, type] = {"rate": float, "tasks": int, "group": int, "updates": int}
"""Settings of GRPO that a run may have otherwise."""


def build(given: argparse.Namespace) -> None:
    for part in compact.PARTS:
        if given.parts and part.name not in given.parts.split(","):
            continue
        begin = time.perf_counter()
        gyms = compact.build(part, given.workers)
        print(
            f"{part.name}: {len(gyms)} families, {part.variants} worlds of each, {time.perf_counter() - begin:.0f} s",
            flush=True,
        )


def train(given: argparse.Namespace) -> None:
    from studies.bench import Bench, demonstrations  # whoever only builds worlds needs no torch

    usual = compact.settings(given.model)
    changed = {name: getattr(given, name) for name in GRPO if getattr(given, name)}
    wanted = compact.settings(
        given.model, seed=given.seed, compiled=not given.plain, sft=usual.sft.model_copy(update={"steps": given.steps}),
        grpo=usual.grpo.model_copy(update=changed),
    )  # fmt: skip
    bench = Bench(given.out, wanted)
    taught = compact.TRAINED[: given.families]
    opening = ThreadPoolExecutor(1).submit(opened, given, taught)  # while the model learns
    shown = [one.line for one in demonstrations(given.data, given.families, given.variants, given.slips)]
    if not given.untrained:
        learn_lines(bench, shown, given)
    counted_in, practice = opening.result()
    gc.freeze()  # worlds stay to the end: each search for garbage would take seconds
    size = {"families": given.families, "demonstrations": len(shown), "tokens": sum(len(one.ids) for one in shown)}
    size |= {"practice": len(practice)} | {name: len(places) for name, places in counted_in.items()}
    bench.note(size)
    compact.write(given.out / "run.json", {**size, "settings": wanted.model_dump(mode="json")})
    if given.untrained:
        bench.counted("untrained", counted_in)
        learn_lines(bench, shown, given)
    if given.steps:
        bench.counted("sft", counted_in, given.warm)
    if not given.seconds:
        return
    along = {name: places for name, places in counted_in.items() if name.endswith("held_out")}
    bench.practised("grpo", practice, given.seconds, given.seed, along=(given.every, along))
    bench.counted("grpo", counted_in, given.warm)
    if given.save:
        bench.engine.write_model(given.save / "grpo")


def learn_lines(bench: Bench, shown: Sequence[Line], given: argparse.Namespace) -> None:
    """SFT; nothing where it has no steps: the model is one that was taught before."""
    bench.taught("sft", shown, given.steps, given.seed)
    if given.save and given.steps:
        bench.engine.write_model(given.save / "sft")


def opened(given: argparse.Namespace, taught: Sequence[str]) -> tuple[dict[str, list[Place]], list[Place]]:
    """Where the model is counted, and where it practises, if it does."""
    from studies.bench import fields

    held_out = ("held_out", "more_held_out", "last_held_out") if given.more else ("held_out",)
    others = [name for name in compact.TRAINED if name not in taught] or compact.TRAINED
    parts = ("practice", "more_practice") if given.more else ("practice",)
    practised = fields(given.data, parts, families=others) if given.seconds else {}
    known = fields(given.data, ("fresh", *held_out))
    counted_in = {
        "fresh": [place for place in known["fresh"] if place.world.name in taught],
        "practised": [place for place in known["fresh"] if place.world.name not in taught],
        **{name: known[name] for name in held_out},
    }
    practice = [place for places in practised.values() for place in places]
    return {name: places for name, places in counted_in.items() if places}, practice


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
    parser.add_argument("--seconds", type=float, default=300, help="of GRPO; 0: SFT alone")
    for name, kind in GRPO.items():
        parser.add_argument(f"--{name}", type=kind, default=0, help="of GRPO; else as in `compact`")
    parser.add_argument(
        "--more", action="store_true", help="practise in `more_practice` and count in more held-out worlds, too"
    )
    parser.add_argument("--every", type=int, default=0, help="count in held-out worlds after so many steps of GRPO")
    parser.add_argument("--parts", default="", help="build these alone, as fresh,held_out")
    parser.add_argument("--slips", action="store_true", help="show walks in which a call goes wrong first, too")
    parser.add_argument("--warm", action="store_true", help="count at temperature 1, too, twice each")
    parser.add_argument("--plain", action="store_true", help="do not compile the layers that learn")
    parser.add_argument("--untrained", action="store_true", help="count the model as it comes, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    {"build": build, "train": train}[given.stage](given)


if __name__ == "__main__":
    main()
