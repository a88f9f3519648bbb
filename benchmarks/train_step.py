"""How much of a GRPO step worlds, tools and verifiers take, with a profile of the rest.

    .venv-train/bin/python -m benchmarks.train_step [--domain NAME ...] [--model PATH] [--episodes N] [--steps N] [--json]

The model is that of `--model`, or one of SmolLM2-135M's shape with random weights, which costs the same. A model that knows
nothing would call nothing, so every episode says what the gold walk says: the model computes and draws each token as ever,
and the right one is taken. That is the most that worlds are asked for in a short episode. Exits 1 where worlds take more than
5 % of a step. Where torch is not installed nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks._smollm2 import smollm2_shaped

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.pack.seal import write_pack

SEED = 7
WORLDS = ("retail_returns", "motor_claims")
MOST = 0.05
"""Of a step."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(WORLDS), choices=catalogue.names())
    parser.add_argument("--model", help="a folder with a model and its tokenizer")
    parser.add_argument("--episodes", type=int, default=64, help="of one step")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument(
        "--layers", type=int, default=30, help="of the random model; fewer cost less, and flatter nobody"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not find_spec("torch"):
        print("torch is not installed here: nothing was measured (`make train-test` brings an environment that has it)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for name in given.domain:
            write_pack(build(catalogue.load(name), SEED).pack.files, Path(folder) / "gym" / name)
        found = measured(Path(folder) / "gym", given.model, given.episodes, given.steps, given.layers)
    print(json.dumps(found, indent=2) if given.json else shown(found))
    return 0 if found["share"] <= MOST else 1


def measured(gym: Path, model: str | None, episodes: int, steps: int, layers: int) -> dict[str, Any]:
    import torch

    from worldwright.train import rollouts
    from worldwright.train.order import even_places, places_of
    from worldwright.train.plain_engine import PlainEngine, load_model
    from worldwright.train.settings import settings_of

    group = 8
    settings = settings_of(
        {
            "model": model or "random", "gyms": [str(gym)], "talk": {"form": "compact", "handbook": 400},
            "rollout": {"turns": 8, "turn_tokens": 160, "context": 6_000, "width": episodes},
            "grpo": {"tasks": max(1, episodes // group), "group": group, "kl": 0.01},
        },
        "benchmark",
    )  # fmt: skip
    places = places_of(settings.gyms, most_calls=5)
    engine = PlainEngine(settings, *(load_model(settings) if model else random_model(places, layers)))
    engine.begin("grpo")
    vars(rollouts)["Choir"] = gold_choir(vars(rollouts)["Choir"], engine.talk)
    parts: dict[str, float] = {}
    begin, solved = perf_counter(), []
    for step in range(-1, steps):
        drawn = even_places(places, settings.grpo.tasks, step + 1, SEED)
        GOLD[:] = [place for place in drawn for _ in range(group)]
        found, played = engine.grpo_step(step + 1, drawn)
        if step < 0:  # the first one warms up
            begin = perf_counter()
            continue
        for name, seconds in {**played.parts, "learn": found["seconds_learn"]}.items():
            parts[name] = parts.get(name, 0.0) + seconds / steps
        solved.append(found["solved"])
    total = (perf_counter() - begin) / steps
    worlds = sum(parts[name] for name in rollouts.IN_WORLDS)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return {
        "device": device, "episodes": settings.grpo.tasks * group, "solved": sum(solved) / len(solved), "seconds": total,
        "parts": parts, "worlds": worlds, "share": worlds / total, "most": MOST,
    }  # fmt: skip


GOLD: list[Any] = []
"""By number of the episode, where it is played."""


def gold_choir(plain: Any, talk: Any) -> Any:
    """A choir that computes and draws like any other, and then says what the gold walks say."""
    import torch

    from worldwright.agents import chat
    from worldwright.engine.submit import submit_name

    class Gold(plain):  # type: ignore[misc]
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self._walks = {row: walk(GOLD[row]) for row in self._rows}
            self._now: dict[int, list[int]] = {}

        def _draw(self, logits: Any) -> Any:
            drawn, chances = super()._draw(logits)
            right = [self._next(row) if row in self.speaking else talk.end_id for row in self._rows[: len(logits)]]
            return torch.tensor(right, device=drawn.device), chances

        def _next(self, row: int) -> int:
            if not self.speaking[row].ids:  # a turn begins
                self._now[row] = self._walks[row].pop(0) if self._walks[row] else []
            return self._now[row].pop(0) if self._now[row] else talk.end_id

    def walk(place: Any) -> list[list[int]]:
        world, key = place.world, place.world.key(place.task)
        submit = submit_name([tool.name for tool in world.tools])
        calls = [*((call.tool, call.arguments) for call in key.calls), (submit, key.answer or {})]
        return [list(talk.said(chat.make_call_message([call]))) for call in calls]

    return Gold


def random_model(places: Any, layers: int) -> tuple[Any, Any]:
    """SmolLM2-135M's shape, and a tokenizer made on the spot from what these worlds say."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    from worldwright.train.demonstrations import gold_walks

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    walks = [walk for walk in gold_walks(places) if walk is not None]
    texts = [str(message) for walk in walks for message in walk.messages]
    trainer = trainers.BpeTrainer(
        vocab_size=4_000,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    return smollm2_shaped(SEED, layers), tokenizer


def shown(found: Mapping[str, Any]) -> str:
    lines = [
        f"{found['device']}, {found['episodes']} episodes a step, {found['solved']:.0%} solved, {found['seconds']:.2f} s a step"
    ]
    says = {
        "open": "opening worlds", "tools": "calling tools", "verify": "judging", "talk": "tokens and texts",
        "speak": "the model speaks", "learn": "the model learns",
    }  # fmt: skip
    lines += [
        f"  {says[name]:<18}{seconds:>9.3f} s {seconds / found['seconds']:>7.2%}"
        for name, seconds in found["parts"].items()
    ]
    verdict = "holds" if found["share"] <= MOST else "missed"
    return "\n".join(
        [*lines, f"worlds, tools and verifiers: {found['share']:.2%} of a step (at most {MOST:.0%}: {verdict})"]
    )


if __name__ == "__main__":
    raise SystemExit(main())
