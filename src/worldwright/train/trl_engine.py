"""The same run through TRL: `SFTTrainer` on our tokens and masks, `GRPOTrainer` with worlds as its environments.

For several GPUs (`accelerate launch -m worldwright train ... --engine trl`), for vLLM, which is used where it is installed,
and for models that the plain engine does not play. TRL wants a chat template that knows tools. What TRL draws is seeded by
TRL: a resumed run goes on from its last checkpoint, and the tasks of every step are laid down beforehand, from what the gate
estimated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from worldwright.adapters.rows import GYM, TASK, VARIANT
from worldwright.adapters.trl import dataset_rows, environment_factory, get_episode
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole
from worldwright.engine.limits import Limits
from worldwright.train.cache import check_fits
from worldwright.train.demonstrations import lines_of
from worldwright.train.evaluate import evaluate
from worldwright.train.metrics import Journal, group_figures
from worldwright.train.order import even_places, gate_estimates, likely, places_of
from worldwright.train.plain_engine import device_of, load_model
from worldwright.train.readiness import readiness
from worldwright.train.rollouts import Place, Stage, roll
from worldwright.train.settings import RUN, Settings, write_settings
from worldwright.train.stages import RESULT, Heard, Unheard
from worldwright.train.talk import Line, Talk

SAFE = Path("sft") / "config.json"
"""There once the demonstrations are through."""
NAMES: Mapping[str, str] = {
    "loss": "loss", "grad_norm": "grad_norm", "learning_rate": "rate", "reward": "reward", "entropy": "entropy", "kl": "kl",
    "completions/mean_length": "length", "tools/call_frequency": "calls", "mean_token_accuracy": "accuracy",
    "completions/clipped_ratio": "cut_off",
}  # fmt: skip
"""Figures of TRL's log under our names."""


def train(
    settings: Settings,
    out: Path,
    resume: bool = False,
    heard: Heard | None = None,
    model: tuple[Any, Any] | None = None,
) -> dict[str, Any]:
    """Do all of it, or what is left of it. The same folder as the plain engine's, with TRL's checkpoints in it."""
    heard = heard or Unheard()
    if (out / RUN).exists() and not resume:
        raise UsageError(f"{out} holds a run already: go on with it (--resume), or name another folder")
    write_settings(settings, out)
    places = places_of(settings.gyms, settings.tasks, settings.most_calls, settings.rollout.face)
    learner, tokenizer = model or load_model(settings)
    talk = Talk(tokenizer, settings.talk)
    if talk.form != "native":
        raise UsageError("TRL needs a model whose chat template takes tools: this one's does not; take --engine plain")
    journal = Journal(out, _steps_there(out))
    ready: dict[str, Any] | None = None
    try:
        if not (out / SAFE).exists():
            _sft(settings, out, learner, talk, places, _Log("sft", settings.sft.steps, journal, heard), heard)
            learner.save_pretrained(out / "sft")
            tokenizer.save_pretrained(out / "sft")
        if settings.algo == "grpo":
            # Read anew: TRL takes its reference from where the model came from, and that is the one after SFT.
            learner, _ = load_model(settings.model_copy(update={"model": str(out / "sft")}))
            ready = _ready(settings, learner, talk, places, heard)
            _grpo(settings, out, learner, tokenizer, places, journal, heard)
    finally:
        journal.close()
    learner.save_pretrained(out / "model")
    tokenizer.save_pretrained(out / "model")
    steps = settings.grpo.steps if settings.algo == "grpo" else settings.sft.steps
    result = {"stage": settings.algo, "steps": steps, "ready": ready, "tasks": len(places), "model": str(out / "model")}
    write_whole(out / RESULT, pretty_json(result))
    return result


def _steps_there(out: Path) -> dict[str, int]:
    """By stage, the step that comes next after the last checkpoint."""
    return {
        stage: 10**9 if stage == "sft" and (out / SAFE).exists() else _last(out, stage)[1] for stage in ("sft", "grpo")
    }


def _last(out: Path, stage: str) -> tuple[str | None, int]:
    """The last checkpoint of a stage that is whole, and its step."""
    found = {}
    for state in (out / f"trl-{stage}").glob("checkpoint-*/trainer_state.json"):
        found[int(json.loads(state.read_text(encoding="utf-8"))["global_step"])] = str(state.parent)
    step = max(found, default=0)
    return found.get(step), step


class _Log(TrainerCallback):
    """What TRL says of a step, under our names, to where all runs write it."""

    def __init__(self, stage: str, steps: int, journal: Journal, heard: Heard) -> None:
        self._stage, self._steps, self._journal, self._heard = stage, steps, journal, heard
        self.beside: dict[str, float] = {}
        """What is known of a step besides what TRL says."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        found = {ours: float(logs[theirs]) for theirs, ours in NAMES.items() if logs.get(theirs) is not None}
        if "loss" in found and state.is_world_process_zero:
            found.update(self.beside)
            self._journal.write(self._stage, state.global_step - 1, found)
            self._heard.step(self._stage, state.global_step - 1, self._steps, found)


def _common(settings: Settings, folder: Path, steps: int, rate: float, warmup: int) -> dict[str, Any]:
    cpu = device_of(settings.device).type == "cpu"
    return {
        "output_dir": str(folder), "max_steps": steps, "learning_rate": rate, "warmup_steps": warmup, "seed": settings.seed,
        "weight_decay": settings.weight_decay, "max_grad_norm": settings.clip_norm, "logging_steps": 1, "report_to": [],
        "disable_tqdm": True, "use_cpu": cpu, "bf16": settings.precision == "bf16" or (settings.precision == "auto" and not cpu),
        "gradient_checkpointing": settings.checkpointing, "save_strategy": "steps" if settings.save_every else "no",
        "save_steps": settings.save_every or 500, "save_total_limit": 1,
    }  # fmt: skip


def _adapters(settings: Settings) -> Any:
    if not settings.lora:
        return None
    from peft import LoraConfig  # noqa: PLC0415 - only runs with adapters need it

    return LoraConfig(r=settings.lora, lora_alpha=2 * settings.lora, target_modules="all-linear", task_type="CAUSAL_LM")


def _sft(
    settings: Settings, out: Path, learner: Any, talk: Talk, places: Sequence[Place], log: _Log, heard: Heard
) -> None:
    how = settings.sft
    if not how.steps:
        return
    lines = lines_of(settings, talk, places, heard.note)
    args = SFTConfig(
        **_common(settings, out / "trl-sft", how.steps, how.rate, how.warmup), per_device_train_batch_size=how.batch,
        lr_scheduler_type="cosine" if how.decay else "constant_with_warmup", max_length=settings.rollout.context,
    )  # fmt: skip
    trainer = SFTTrainer(
        model=learner, args=args, train_dataset=Dataset.from_list([_labelled(line) for line in lines]),
        processing_class=talk.tokenizer, callbacks=[log], peft_config=_adapters(settings),
    )  # fmt: skip
    trainer.train(resume_from_checkpoint=_last(out, "sft")[0])


def _labelled(line: Line) -> dict[str, list[int]]:
    """Our tokens and our mask, as TRL takes them."""
    return {
        "input_ids": line.ids,
        "labels": [token if said else -100 for token, said in zip(line.ids, line.said, strict=True)],
    }


def _ready(
    settings: Settings, learner: Any, talk: Talk, places: Sequence[Place], heard: Heard
) -> dict[str, Any] | None:
    """The gate between the stages, played by our own engine where it can play the model."""
    try:
        check_fits(learner.config)
    except UsageError as e:
        heard.note(f"readiness was not measured: {e}")
        return None
    stage = Stage(learner.eval().to(device_of(settings.device)), talk, settings.rollout)
    tried = even_places(places, settings.ready.episodes, 0, settings.seed)
    found = readiness(
        evaluate(
            lambda *given: roll(stage, *given), tried, temperature=settings.rollout.temperature, seed=settings.seed
        ),
        settings.ready,
    )
    heard.note(f"readiness: {'yes' if found.ready else 'no, ' + found.why}")
    if settings.ready.insist and not found.ready:
        raise UsageError(f"the model is not ready for GRPO: {found.why}")
    return found.data()


def rows_of(settings: Settings, places: Sequence[Place]) -> list[dict[str, Any]]:
    """The tasks of all steps, one step after the other. Rows hold nothing of keys."""
    by_place = {
        (row[VARIANT], row["world"], row[TASK]): row
        for gym in settings.gyms
        for row in dataset_rows(gym, face=settings.rollout.face)
    }
    how, seen = settings.grpo, gate_estimates(places)
    drawn = [
        place
        for step in range(how.steps)
        for place in (
            likely(places, seen, how.tasks, step, settings.seed)
            if how.sampling == "band"
            else even_places(places, how.tasks, step, settings.seed)
        )
    ]
    return [by_place[place.variant, place.world.digest, place.task] for place in drawn]


def _grpo(
    settings: Settings, out: Path, learner: Any, tokenizer: Any, places: Sequence[Place], journal: Journal, heard: Heard
) -> None:
    how, rollout = settings.grpo, settings.rollout
    if not how.steps:
        return
    log = _Log("grpo", how.steps, journal, heard)
    processes = torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1
    rows = rows_of(settings, places)
    factories: dict[str, Any] = {}
    for gym in dict.fromkeys(row[GYM] for row in rows):
        factories |= environment_factory(gym, face=rollout.face, limits=Limits(calls=4 * rollout.turns))
    vllm = find_spec("vllm") is not None
    args = GRPOConfig(
        **_common(settings, out / "trl-grpo", how.steps, how.rate, how.warmup), lr_scheduler_type="constant_with_warmup",
        per_device_train_batch_size=how.group, gradient_accumulation_steps=max(1, how.tasks // processes),
        num_generations=how.group, max_completion_length=rollout.context, temperature=rollout.temperature or 1.0,
        max_tool_calling_iterations=rollout.turns, beta=how.kl, epsilon=how.clip_low, epsilon_high=how.clip_high,
        num_iterations=how.updates, scale_rewards="group" if how.by_deviation else "none", shuffle_dataset=False,
        use_vllm=vllm, vllm_mode="colocate",
        generation_kwargs={"max_tokens" if vllm else "max_new_tokens": rollout.turn_tokens},
    )  # fmt: skip

    def observed(environments: Sequence[Any], **_: Any) -> list[float | None]:
        """No reward of its own: it looks at how groups came out, which TRL does not log."""
        rewards = [one.get_reward() for one in environments]
        calls = [step.result.ok for one in environments for step in get_episode(one).log().steps]
        log.beside = group_figures(rewards, [at // how.group for at in range(len(rewards))])
        log.beside["tool_errors"] = calls.count(False) / max(len(calls), 1)
        return [None if reward is None else 0.0 for reward in rewards]

    try:
        trainer = GRPOTrainer(
            model=learner, args=args, train_dataset=Dataset.from_list(rows), processing_class=tokenizer,
            reward_funcs=[observed], environment_factory=factories, callbacks=[log], peft_config=_adapters(settings),
        )  # fmt: skip
    except ValueError as e:  # a chat template that it does not know, sizes that do not divide
        raise UsageError(f"TRL does not take this: {e}") from None
    trainer.train(resume_from_checkpoint=_last(out, "grpo")[0])
