"""SFT and GRPO with nothing but torch and transformers: one process, one device, worlds in the same process.

Weights and optimizer are kept in fp32. On a GPU a copy in bf16 generates and is trained, so that gradients are of the model that
played: they are accumulated in fp32, and the copy is synchronised after every update. With LoRA there is one model, whose frozen
weights are bf16 and which is trained under autocast. A run that is stopped and resumed takes the same next step: sampling depends
on the seed and the number of the step alone.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.core.whole_file import replace_file
from worldwright.train.batch_decoder import ATTENTION_NAME, BatchDecoder, create_graph_decoder, split_model
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode
from worldwright.train.kv_cache import check_full_attention
from worldwright.train.losses import (
    backward_sft_loss,
    compute_advantages,
    compute_grpo_loss,
    compute_logprobs,
    split_micro_batches,
)
from worldwright.train.metrics import summarise_rollouts
from worldwright.train.rollouts import PolicyAgent, Rollout, RolloutBatch, RolloutPolicy, WorldTask, play_rollouts
from worldwright.train.settings import Settings

STATE_FILE = "state.pt"


def load_model(settings: Settings) -> tuple[Any, Any]:
    """Load the model and its tokenizer, from a folder or by name."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(settings.model)
        model = AutoModelForCausalLM.from_pretrained(settings.model, dtype=torch.float32, attn_implementation="sdpa")
    except (OSError, ValueError) as e:
        raise UsageError(f"the model {settings.model} cannot be loaded: {str(e).splitlines()[0]}") from None
    return model, tokenizer


class TrainingEngine:
    """A model in training: `sft_step` and `grpo_step` update it, `play` rolls it out, checkpoints keep it."""

    def __init__(self, settings: Settings, model: Any, tokenizer: Any) -> None:
        check_full_attention(model.config)
        self.settings, self.tokenizer = settings, tokenizer
        self.chat_format = ChatFormat(tokenizer, settings.chat_format)
        device = torch.device(
            settings.device if settings.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
        )
        auto_precision = "bf16" if device.type == "cuda" else "fp32"
        bf16 = (auto_precision if settings.precision == "auto" else settings.precision) == "bf16"
        self._autocast = torch.bfloat16 if bf16 and settings.lora else None
        self.model = (_add_lora(model, settings) if settings.lora else model.float()).to(device)
        self.model.config.use_cache = False
        if settings.gradient_checkpointing:
            self.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        self._policy = self.model
        """The model that plays: the model itself, or its copy in bf16."""
        if bf16 and not settings.lora:
            self._policy = copy.deepcopy(self.model).to(torch.bfloat16)
            self._policy.set_attn_implementation(ATTENTION_NAME)
            for copied, weight in zip(self._policy.parameters(), self.model.parameters(), strict=True):
                copied.register_post_accumulate_grad_hook(partial(_move_gradient, weight))
        self._trained = compile_layers(self._policy) if settings.torch_compile else self._policy
        """The model that gradients are computed with: the policy, with compiled layers where that is wanted."""
        self._reference: Any = None
        self.optimizer: Any = None

    # stages

    def start_stage(self, stage: str) -> None:
        """Create a new optimizer, and for GRPO a reference model where the KL divergence from it counts."""
        cuda = next(self.model.parameters()).device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            [p for p in self.model.parameters() if p.requires_grad], lr=1.0, betas=(0.9, 0.95),
            weight_decay=self.settings.weight_decay, fused=cuda,
        )  # fmt: skip
        self._sync_policy()
        if stage == "grpo" and self.settings.grpo.beta and not self.settings.lora:
            self._reference = copy.deepcopy(self._policy).requires_grad_(False)

    def sft_step(self, step: int, episodes: Sequence[TokenizedEpisode]) -> dict[str, float]:
        """Make one update from demonstrations. Return its metrics."""
        how = self.settings.sft
        self._trained.train()
        loss, tokens = backward_sft_loss(self._trained, episodes, self.settings.micro_batch_tokens, self._autocast)
        norm = self._apply_gradients(
            compute_learning_rate(how.learning_rate, step, how.steps, how.warmup_steps, how.cosine_decay)
        )
        return {"loss": loss, "tokens": float(tokens), "grad_norm": norm}

    def grpo_step(self, step: int, tasks: Sequence[WorldTask]) -> tuple[dict[str, float], RolloutBatch]:
        """Play a group of episodes of each task and learn from how they differ. Return metrics and rollouts."""
        how = self.settings.grpo
        groups = [at for at, _ in enumerate(tasks) for _ in range(how.num_generations)]
        batch = self.play([tasks[at] for at in groups], Stream("rollouts", self.settings.seed, step).below(2**62))
        rollouts = batch.rollouts
        advantages = compute_advantages([one.reward for one in rollouts], groups, how.scale_rewards)
        learning_rate = compute_learning_rate(how.learning_rate, step, how.steps, how.warmup_steps, False)
        begin = perf_counter()
        learned = self._learn(rollouts, advantages, learning_rate, step)
        seconds = {
            "seconds_rollout": batch.seconds,
            "seconds_worlds": batch.world_seconds,
            **{f"seconds_{part}": seconds for part, seconds in batch.seconds_by_part.items()},
            "seconds_learn": perf_counter() - begin,
        }
        return {**summarise_rollouts(rollouts, groups), **learned, **seconds}, batch

    def _learn(
        self, rollouts: Sequence[Rollout], advantages: Sequence[float], learning_rate: float, step: int
    ) -> dict[str, float]:
        """Update the model from rollouts. Return the metrics of the updates."""
        # An episode that is no better or worse than its group has no gradient, unless the KL divergence counts.
        trained = [
            at for at, one in enumerate(rollouts)
            if one.reward is not None and one.tokens.num_response_tokens and (advantages[at] or self.settings.grpo.beta)
        ]  # fmt: skip
        total = sum(one.tokens.num_response_tokens for one in rollouts if one.reward is not None)
        self._trained.train()
        trained = Stream("updates", self.settings.seed, step).shuffled(trained)
        size = math.ceil(len(trained) / self.settings.grpo.updates_per_step) or 1
        parts = [trained[at : at + size] for at in range(0, len(trained), size)]
        old = self._compute_old_logprobs(trained, rollouts) if len(parts) > 1 else {}
        sums = dict.fromkeys(("loss", "clipped", "kl", "entropy", "logprob_diff", "tokens"), 0.0)
        norm = 0.0
        for part in parts:
            episodes = [rollouts[at].tokens for at in part]
            for batch in split_micro_batches(episodes, self.settings.micro_batch_tokens):
                found = self._backward([part[at] for at in batch], rollouts, advantages, old, total / len(parts))
                sums = {name: sums[name] + found[name] for name in sums}
            norm = self._apply_gradients(learning_rate)
        tokens = sums["tokens"] or 1.0
        if not trained:  # no forward pass was made: the sampled log-probabilities say as much on the average
            sampled = [logprob for one in rollouts for logprob in one.logprobs]
            sums["entropy"] = -sum(sampled) / max(len(sampled), 1)
        return {
            "loss": sums["loss"] / max(len(parts), 1), "grad_norm": norm, "learning_rate": learning_rate,
            "trained_episodes": float(len(trained)), "clip_ratio": sums["clipped"] / tokens, "kl": sums["kl"] / tokens,
            "entropy": sums["entropy"] / tokens, "sampling_logprob_diff": sums["logprob_diff"] / tokens,
        }  # fmt: skip

    def _backward(
        self, chosen: Sequence[int], rollouts: Sequence[Rollout], advantages: Sequence[float], old: Mapping[int, Any],
        total: float,
    ) -> dict[str, float]:  # fmt: skip
        """Accumulate the gradients of some rollouts. Return their metrics as sums over tokens."""
        how, temperature = self.settings.grpo, self.settings.rollout.temperature
        episodes = [rollouts[at].tokens for at in chosen]
        now = compute_logprobs(self._trained, episodes, temperature, self._autocast)
        device = now.logprobs.device
        before = torch.cat([old[at] for at in chosen]) if old else now.logprobs.detach()
        by_token = [advantages[at] for at in chosen for _ in range(rollouts[at].tokens.num_response_tokens)]
        reference = self._compute_reference_logprobs(episodes, temperature) if how.beta else None
        found = compute_grpo_loss(
            now.logprobs, before, torch.tensor(by_token, device=device), how.epsilon, how.epsilon_high, reference, how.beta
        )  # fmt: skip
        (found.loss / max(total, 1)).backward()
        sampled = torch.tensor([logprob for at in chosen for logprob in rollouts[at].logprobs], device=device)
        return {
            "loss": float(found.loss.detach()) / max(total, 1), "clipped": found.clipped, "kl": found.kl,
            "entropy": float(now.entropy.sum()), "logprob_diff": float((sampled - now.logprobs.detach()).abs().sum()),
            "tokens": float(len(by_token)),
        }  # fmt: skip

    @torch.no_grad()
    def _compute_old_logprobs(self, chosen: Sequence[int], rollouts: Sequence[Rollout]) -> dict[int, Any]:
        """Compute the log-probabilities of rollouts before the first update from them, by index of the rollout."""
        old: dict[int, Any] = {}
        episodes = [rollouts[at].tokens for at in chosen]
        for batch in split_micro_batches(episodes, self.settings.micro_batch_tokens):
            some = [episodes[at] for at in batch]
            found = compute_logprobs(self._trained, some, self.settings.rollout.temperature, self._autocast)
            sizes = [one.num_response_tokens for one in some]
            old.update(zip((chosen[at] for at in batch), found.logprobs.split(sizes), strict=True))
        return old

    @torch.no_grad()
    def _compute_reference_logprobs(self, episodes: Sequence[TokenizedEpisode], temperature: float) -> Any:
        if self.settings.lora:
            with self.model.disable_adapter():
                return compute_logprobs(self.model, episodes, temperature, self._autocast).logprobs
        return compute_logprobs(self._reference, episodes, temperature, self._autocast).logprobs

    def _apply_gradients(self, learning_rate: float) -> float:
        """Make a step of the optimizer. Return the norm of the gradient before clipping."""
        weights = [p for p in self.model.parameters() if p.grad is not None]
        if not weights:
            return 0.0
        norm = float(torch.nn.utils.clip_grad_norm_(weights, self.settings.max_grad_norm))
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        if math.isfinite(norm):
            self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self._sync_policy()
        return norm

    # playing

    @property
    def policy_model(self) -> Any:
        """The model that generates, with the weights of now."""
        return self._policy.eval()

    def play(self, tasks: Sequence[WorldTask], seed: int, temperature: float | None = None) -> RolloutBatch:
        """Play episodes with the weights of now."""
        agent = PolicyAgent(f"policy:{Path(self.settings.model).name}")
        policy = RolloutPolicy(self.policy_model, self.chat_format, self.settings.rollout, agent, self._decoder)
        return play_rollouts(policy, tasks, seed, temperature)

    @cached_property
    def _decoder(self) -> BatchDecoder | None:
        how = self.settings.rollout
        return create_graph_decoder(
            self.policy_model, self.chat_format.eos_token_id, how.num_parallel_envs, how.max_context_tokens
        )

    @torch.no_grad()
    def _sync_policy(self) -> None:
        """Copy the weights to the model that plays."""
        if self._policy is not self.model:
            for copied, weight in zip(self._policy.parameters(), self.model.parameters(), strict=True):
                copied.copy_(weight)

    # checkpoints

    def save_checkpoint(self, folder: Path, progress: dict[str, Any]) -> None:
        """Write everything that the next step depends on, in one file that is there whole or not at all."""
        reference = None if self._reference is None else self._reference.state_dict()
        state = {
            "model": self.model.state_dict(), "optimizer": self.optimizer and self.optimizer.state_dict(),
            "reference": reference, "progress": progress,
        }  # fmt: skip
        with replace_file(folder / STATE_FILE) as out:
            torch.save(state, out)

    def load_checkpoint(self, folder: Path) -> dict[str, Any]:
        """Restore a checkpoint. Return the progress that was saved with it; its `stage` decides the optimizer."""
        device = next(self.model.parameters()).device
        state = torch.load(folder / STATE_FILE, map_location=device, weights_only=True)
        progress: dict[str, Any] = state["progress"]
        self.start_stage(progress["stage"])
        self.model.load_state_dict(state["model"])
        if state["optimizer"]:
            self.optimizer.load_state_dict(state["optimizer"])
        if self._reference is not None and state["reference"] is not None:
            self._reference.load_state_dict(state["reference"])
        self._sync_policy()
        return progress

    def write_model(self, folder: Path) -> None:
        """Write the weights as transformers loads them; with LoRA, merged."""
        model = copy.deepcopy(self.model).merge_and_unload() if self.settings.lora else self.model
        use_cache = model.config.use_cache
        model.config.use_cache = True
        model.save_pretrained(folder)
        model.config.use_cache = use_cache
        self.tokenizer.save_pretrained(folder)


def compile_layers(model: Any) -> Any:
    """Return a model with the same weights and compiled layers: one by one, so that all share what is compiled for the first."""
    out = copy.deepcopy(model, {id(one): one for one in model.parameters()})
    layers = getattr(split_model(out)[0], "layers", None)
    if layers is None:
        raise UsageError("the layers of this model cannot be found: train it without `torch_compile`")
    for layer in layers:
        layer.compile(dynamic=True)
    return out


def _move_gradient(weight: Any, copied: Any) -> None:
    """Move the gradient of a copy in bf16 to the weight that it is a copy of."""
    if weight.grad is None:
        weight.grad = copied.grad.to(weight.dtype)
    else:
        weight.grad += copied.grad
    copied.grad = None


def compute_learning_rate(peak: float, step: int, steps: int, warmup_steps: int, cosine_decay: bool) -> float:
    """Compute the learning rate of a step, counted from 0: rising in warm-up, then constant or falling to a tenth."""
    if step < warmup_steps:
        return peak * (step + 1) / (warmup_steps + 1)
    if not cosine_decay or steps <= warmup_steps:
        return peak
    progress = min(1.0, (step - warmup_steps) / max(1, steps - warmup_steps))
    return peak * (0.1 + 0.45 * (1 + math.cos(math.pi * progress)))


def _add_lora(model: Any, settings: Settings) -> Any:
    try:
        from peft import LoraConfig, get_peft_model  # noqa: PLC0415 - only runs with adapters need it
    except ModuleNotFoundError:
        raise UsageError("LoRA needs peft: pip install 'worldwright[train]'") from None
    if settings.precision == "bf16" or (settings.precision == "auto" and torch.cuda.is_available()):
        model = model.to(torch.bfloat16)
    torch.manual_seed(settings.seed)
    config = LoraConfig(
        r=settings.lora, lora_alpha=2 * settings.lora, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    return get_peft_model(model, config)
