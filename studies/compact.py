"""The compact curriculum: short tasks that speak of things by id, a handful of tools as signatures, a handbook cut to what is asked
for.

Families are split once and for all: every fifth of the catalogue, in the order of the alphabet, is never trained on. What is left
stands in an order that was drawn once; whoever trains on four families takes the first four.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from worldwright import catalogue
from worldwright.core.rng import Stream
from worldwright.train.settings import GrpoSettings, RolloutSettings, Settings, SftSettings
from worldwright.train.talk_settings import TalkSettings

HELD_OUT = catalogue.names()[4::5]
TRAINED = tuple(Stream("families of the studies").shuffled([n for n in catalogue.names() if n not in HELD_OUT]))
TALK = TalkSettings(form="compact", handbook=300, optionals=8, rows=4, characters=600)
ROLLOUT = RolloutSettings(turns=6, turn_tokens=120, context=1_792, width=1024, tools=6, workers=3)
TASKS = 12
"""Of one world, at most."""
CALLS = 3
"""Of a gold walk, at most, its answer aside."""


class Part(NamedTuple):
    """Worlds that are built for one purpose."""

    name: str
    families: tuple[str, ...]
    variants: int
    seed: int


PARTS = (
    Part("deep", TRAINED[:4], 64, 0),
    Part("wide", TRAINED[4:], 24, 0),
    Part("practice", TRAINED, 6, 3),
    Part("fresh", TRAINED, 2, 2),
    Part("held_out", HELD_OUT, 16, 1),
    Part("more_practice", TRAINED, 12, 5),
    Part("more_held_out", HELD_OUT, 16, 4),
    Part("last_held_out", HELD_OUT, 16, 6),
)
"""Demonstrations are of `deep` and `wide`. GRPO practises in `practice`. Counted is in `fresh` (new worlds of trained families) and
in `held_out`. Long runs of GRPO practise in `more_practice` too, and are counted in `more_held_out` and `last_held_out` too."""


ARMS = {
    "1 family x 64": (1, 64),
    "4 families x 16": (4, 16),
    "12 families x 5": (12, 5),
    "20 families x 3": (20, 3),
    "4 families x 1": (4, 1),
    "4 families x 8": (4, 8),
    "4 families x 64": (4, 64),
    "20 families x 24": (20, 24),
}
"""For the study of scaling: families, and worlds of each."""


def settings(model: str, **more: object) -> Settings:
    """Of every run here; `more` for what one of them has otherwise."""
    usual = {
        "model": model, "gyms": ("compact",), "talk": TALK, "rollout": ROLLOUT, "micro_tokens": 49_152,
        "most_calls": CALLS, "compiled": True,
        "sft": SftSettings(steps=300, batch=64, rate=5e-4, warmup=20),
        "grpo": GrpoSettings(steps=400, tasks=32, group=16, rate=2e-5, warmup=2, sampling="band"),
    }  # fmt: skip
    return Settings(**{**usual, **more})  # type: ignore[arg-type]


def build(part: Part, workers: int, more: Sequence[str] = ()) -> list[str]:
    """The worlds of a part, as a person would build them; the names of their gyms."""
    command = [
        sys.executable, "-m", "worldwright", "generate",
        *(word for name in part.families for word in ("--domain", f"catalogue/{name}")),
        "--variants", str(part.variants), "--axes", "policy,persona,seed,tools", "--siblings", "4", "--complexity", "low",
        "--knob", "reference=id", "--knob", f"calls=0..{CALLS}", "--tasks-per-world", str(TASKS), "--tag", part.name,
        "--workers", str(workers), "--seed", str(part.seed), "--json", *more,
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return list(json.loads(done.stdout)["references"])


def write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")
