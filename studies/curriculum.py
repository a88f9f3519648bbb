"""The curriculum of the studies: short tasks that name things by id, six tools as signatures, a trimmed handbook.

Families are split once and for all: every fifth of the catalogue, in alphabetical order, is never trained on. The others have an
order that was sampled once; a study that trains on four families takes the first four.
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
from worldwright.train.settings import ChatFormatSettings, GrpoSettings, RolloutSettings, Settings, SftSettings

HELD_OUT = catalogue.names()[4::5]
TRAINED = tuple(Stream("families of the studies").shuffled([n for n in catalogue.names() if n not in HELD_OUT]))
CHAT_FORMAT = ChatFormatSettings(
    style="compact", max_handbook_tokens=300, max_optional_parameters=8, max_result_rows=4, max_result_chars=600
)
ROLLOUT = RolloutSettings(
    max_turns=6, max_turn_tokens=120, max_context_tokens=1_792, num_parallel_envs=1024, max_tools=6, workers=3
)
MAX_TASKS_PER_WORLD = 12
MAX_CALLS = 3
"""Calls of a gold walk, its answer aside."""


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
"""Demonstrations are of `deep` and `wide`. GRPO trains in `practice`. Evaluation is in `fresh` (new worlds of trained families) and
in `held_out`. Long runs of GRPO train in `more_practice` too, and are evaluated in `more_held_out` and `last_held_out` too."""


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
"""Arms of the study of scaling: number of families, and worlds of each."""


def make_settings(model: str, **more: object) -> Settings:
    """Make the settings of a run; `more` replaces what one of them has otherwise."""
    usual = {
        "model": model, "gyms": ("compact",), "chat_format": CHAT_FORMAT, "rollout": ROLLOUT, "micro_batch_tokens": 49_152,
        "max_calls": MAX_CALLS, "torch_compile": True,
        "sft": SftSettings(steps=300, batch_size=64, learning_rate=5e-4, warmup_steps=20),
        "grpo": GrpoSettings(
            steps=400, tasks_per_step=32, num_generations=16, learning_rate=2e-5, warmup_steps=2, sampling="band"
        ),
    }  # fmt: skip
    return Settings(**{**usual, **more})  # type: ignore[arg-type]


def build_worlds(part: Part, workers: int, more: Sequence[str] = ()) -> list[str]:
    """Build the worlds of a part with `worldwright generate`. Return the names of their gyms."""
    command = [
        sys.executable, "-m", "worldwright", "generate",
        *(word for name in part.families for word in ("--domain", f"catalogue/{name}")),
        "--variants", str(part.variants), "--axes", "policy,persona,seed,tools", "--siblings", "4", "--complexity", "low",
        "--knob", "reference=id", "--knob", f"calls=0..{MAX_CALLS}", "--tasks-per-world", str(MAX_TASKS_PER_WORLD),
        "--tag", part.name, "--workers", str(workers), "--seed", str(part.seed), "--json", *more,
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return list(json.loads(done.stdout)["references"])


def write_json(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")
