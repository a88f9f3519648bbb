"""Measure how much of a GRPO step worlds, tools and verifiers take, with a profile of the rest.

    .venv-train/bin/python -m benchmarks.train_step [--domain NAME ...] [--model PATH] [--episodes N] [--steps N] [--json]

The model is that of `--model`, or one of SmolLM2-135M's shape with random weights, which costs the same. A model that knows
nothing would call nothing, so every episode follows its gold walk: the model computes and samples each token as ever,
and the token of the walk is taken. No short episode asks more of worlds. Exits 1 where worlds take more than
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

from benchmarks._smollm2 import make_smollm2_shaped

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.pack.seal import write_pack

SEED = 7
WORLDS = ("retail_returns", "motor_claims")
MAX_WORLD_SHARE = 0.05
"""Largest share of a step that worlds, tools and verifiers may take."""


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
        found = measure(Path(folder) / "gym", given.model, given.episodes, given.steps, given.layers)
    print(json.dumps(found, indent=2) if given.json else render(found))
    return 0 if found["share"] <= MAX_WORLD_SHARE else 1


def measure(gym: Path, model: str | None, episodes: int, steps: int, layers: int) -> dict[str, Any]:
    import torch

    from worldwright.train import rollouts
    from worldwright.train.engine import TrainingEngine, load_model
    from worldwright.train.settings import parse_settings
    from worldwright.train.task_sampling import load_tasks, sample_tasks_evenly

    group_size = 8
    settings = parse_settings(
        {
            "model": model or "random", "gyms": [str(gym)],
            "chat_format": {"style": "compact", "max_handbook_tokens": 400},
            "rollout": {
                "max_turns": 8, "max_turn_tokens": 160, "max_context_tokens": 6_000, "num_parallel_envs": episodes,
            },
            "grpo": {
                "tasks_per_step": max(1, episodes // group_size), "num_generations": group_size, "beta": 0.01,
            },
        },
        "benchmark",
    )  # fmt: skip
    tasks = load_tasks(settings.gyms, max_calls=5)
    engine = TrainingEngine(settings, *(load_model(settings) if model else make_random_model(tasks, layers)))
    engine.start_stage("grpo")
    plain = vars(rollouts)["BatchGenerator"]
    vars(rollouts)["BatchGenerator"] = make_gold_generator(plain, engine.chat_format)
    parts: dict[str, float] = {}
    begin, solved = perf_counter(), []
    for step in range(-1, steps):
        sampled = sample_tasks_evenly(tasks, settings.grpo.tasks_per_step, step + 1, SEED)
        EPISODE_TASKS[:] = [task for task in sampled for _ in range(group_size)]
        metrics, batch = engine.grpo_step(step + 1, sampled)
        if step < 0:  # the first one warms up
            begin = perf_counter()
            continue
        for name, seconds in {**batch.seconds_by_part, "learn": metrics["seconds_learn"]}.items():
            parts[name] = parts.get(name, 0.0) + seconds / steps
        solved.append(metrics["solved"])
    total = (perf_counter() - begin) / steps
    worlds = sum(parts[name] for name in rollouts.WORLD_PARTS)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return {
        "device": device, "episodes": settings.grpo.tasks_per_step * group_size, "solved": sum(solved) / len(solved),
        "seconds": total, "parts": parts, "worlds": worlds, "share": worlds / total, "max_share": MAX_WORLD_SHARE,
    }  # fmt: skip


EPISODE_TASKS: list[Any] = []
"""The task of each episode, by its number."""


def make_gold_generator(plain: Any, chat_format: Any) -> Any:
    """Make a batch generator that computes and samples like any other, and then takes the tokens of the gold walks."""
    import torch

    from worldwright.agents import chat
    from worldwright.engine.submit import name_submit

    class Gold(plain):  # type: ignore[misc]
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self._walks = {number: encode_walk(EPISODE_TASKS[number]) for number in self._conversations}
            self._turns: dict[int, list[int]] = {}

        def _sample(self, logits: Any) -> Any:
            sampled, logprobs = super()._sample(logits)
            tokens = [self._next_token(number) for number in self._conversations[: len(logits)]]
            return torch.tensor(tokens, device=sampled.device), logprobs

        def _next_token(self, number: int) -> int:
            if number in self.active and not self.active[number].token_ids:  # a turn begins
                self._turns[number] = self._walks[number].pop(0) if self._walks[number] else []
            left = self._turns[number] if number in self.active else []
            return left.pop(0) if left else chat_format.eos_token_id

    def encode_walk(task: Any) -> list[list[int]]:
        world, key = task.world, task.world.key(task.task_id)
        submit = name_submit([tool.name for tool in world.tools])
        calls = [*((call.tool, call.arguments) for call in key.calls), (submit, key.answer or {})]
        return [list(chat_format.encode_response(chat.make_call_message([call]))) for call in calls]

    return Gold


def make_random_model(tasks: Any, layers: int) -> tuple[Any, Any]:
    """Make a model of SmolLM2-135M's shape, and a tokenizer trained on the texts of these worlds."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    from worldwright.train.demonstrations import play_gold_walks

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    walks = [walk for walk in play_gold_walks(tasks) if walk is not None]
    texts = [str(message) for walk in walks for message in walk.messages]
    trainer = trainers.BpeTrainer(
        vocab_size=4_000,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    return make_smollm2_shaped(SEED, layers), tokenizer


def render(found: Mapping[str, Any]) -> str:
    lines = [
        f"{found['device']}, {found['episodes']} episodes a step, {found['solved']:.0%} solved, {found['seconds']:.2f} s a step"
    ]
    labels = {
        "open": "opening worlds", "tools": "calling tools", "verify": "judging", "tokenize": "tokens and texts",
        "generate": "generating", "learn": "learning",
    }  # fmt: skip
    lines += [
        f"  {labels[name]:<18}{seconds:>9.3f} s {seconds / found['seconds']:>7.2%}"
        for name, seconds in found["parts"].items()
    ]
    verdict = "holds" if found["share"] <= MAX_WORLD_SHARE else "missed"
    return "\n".join(
        [
            *lines,
            f"worlds, tools and verifiers: {found['share']:.2%} of a step (at most {MAX_WORLD_SHARE:.0%}: {verdict})",
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
