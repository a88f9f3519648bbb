"""The compact curriculum: short tasks that speak of things by id, tools as signatures, a handbook cut to what is asked for.

Families are split once and for all: every fifth of the catalogue, in the order of the alphabet, is never trained on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from worldwright import catalogue
from worldwright.core.pool import mapped
from worldwright.store.open import open_gym
from worldwright.train.demonstrations import Demonstration, demonstrations, gold_walks
from worldwright.train.order import places_of
from worldwright.train.rollouts import Place
from worldwright.train.settings import GrpoSettings, RolloutSettings, Settings, SftSettings
from worldwright.train.talk import Line, Talk
from worldwright.train.talk_settings import TalkSettings

HELD_OUT = catalogue.names()[4::5]
TRAINED = tuple(name for name in catalogue.names() if name not in HELD_OUT)
TALK = TalkSettings(form="compact", handbook=600, optionals=5, rows=5, characters=900)
ROLLOUT = RolloutSettings(turns=7, turn_tokens=120, context=3072, width=1024)
TASKS = 12
"""Of one world, at most."""


def settings(model: str, **more: object) -> Settings:
    """Of every run here; `more` for what one of them has otherwise."""
    usual = {
        "model": model, "gyms": ("compact",), "talk": TALK, "rollout": ROLLOUT, "micro_tokens": 65_536,
        "sft": SftSettings(steps=120, batch=64, rate=3e-4, warmup=10),
        "grpo": GrpoSettings(steps=40, tasks=32, group=16, rate=1e-5, warmup=2, sampling="band"),
    }  # fmt: skip
    return Settings(**{**usual, **more})  # type: ignore[arg-type]


def build(families: Sequence[str], variants: int, tag: str, workers: int, seed: int = 0) -> list[str]:
    """Worlds of these families, as a person would build them; the names of their gyms."""
    command = [
        sys.executable, "-m", "worldwright", "generate", *(part for name in families for part in ("--domain", f"catalogue/{name}")),
        "--variants", str(variants), "--axes", "policy,persona,seed", "--complexity", "low", "--knob", "reference=id",
        "--tasks-per-world", str(TASKS), "--tag", tag, "--workers", str(workers), "--seed", str(seed), "--json",
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return list(json.loads(done.stdout)["references"])


def shown(gym: str, model: str, context: int) -> list[tuple[str, Line]]:
    """The tasks of a gym that can be done in this form, each by its place, with its gold walk as tokens."""
    from transformers import AutoTokenizer  # workers load it, whoever only builds worlds does not

    talk = Talk(AutoTokenizer.from_pretrained(model), TALK)
    out: list[tuple[str, Line]] = []
    places = places_of([gym])
    for place, walk in zip(places, gold_walks(places), strict=True):
        found = demonstrations(talk, [walk] if isinstance(walk, Demonstration) else [], context)
        out += [(place.name, line) for line in found.lines]
    return out


def prepared(gyms: Sequence[str], model: str, workers: int) -> dict[str, Line]:
    """By place, every task that can be done in this form, with its gold walk. Worlds are read in processes of their own."""
    lines: dict[str, Line] = {}
    for outcome in mapped(_shown, [(gym, model, ROLLOUT.context) for gym in gyms], workers):
        if outcome.error is not None:
            raise outcome.error
        lines |= dict(outcome.result or ())
    return dict(sorted(lines.items()))


def opened(gyms: Sequence[str], lines: Mapping[str, Line], variants: int = 0) -> list[Place]:
    """These tasks, in worlds that are open: of each gym the first so many variants, or all."""
    out: list[Place] = []
    for name in gyms:
        gym = open_gym(name)
        for variant in gym.variants[: variants or None]:
            world = gym.world(variant)
            out += [place for task in world.tasks if (place := Place(world, variant, task.id)).name in lines]
    return out


def _shown(given: tuple[str, str, int]) -> list[tuple[str, Line]]:
    return shown(*given)


def write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")
