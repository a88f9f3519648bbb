"""SFT and GRPO with nothing but torch and transformers: one process, one device, worlds in the same process.

Weights and optimizer are kept in fp32. On a GPU a copy in bf16 speaks and learns, so that what is learned from is what was said:
its gradients are gathered in fp32, and it is brought up to date after every step. With LoRA there is one model, whose frozen
weights are bf16 and which learns under autocast. A run that is stopped and resumed takes the same next step: what is drawn
depends on the seed and the number of the step alone.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.core.whole_file import whole_file
from worldwright.train import grouped
from worldwright.train.board import Board, decoder_and_head, recorded_board
from worldwright.train.cache import check_fits
from worldwright.train.learn import advantages, clipped_loss, micro_batches, score, taught
from worldwright.train.metrics import figures
from worldwright.train.rollouts import Learner, Place, Played, Stage, roll
from worldwright.train.settings import Settings
from worldwright.train.talk import Line, Talk

STATE = "state.pt"


def load_model(settings: Settings) -> tuple[Any, Any]:
    """The model and its tokenizer, from a folder or by name."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(settings.model)
        model = AutoModelForCausalLM.from_pretrained(settings.model, dtype=torch.float32, attn_implementation="sdpa")
    except (OSError, ValueError) as e:
        raise UsageError(f"the model {settings.model} cannot be loaded: {str(e).splitlines()[0]}") from None
    return model, tokenizer


def device_of(name: str) -> Any:
    if name != "auto":
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PlainEngine:
    """A model that learns. `sft_step` and `grpo_step` move it, `play` lets it act, `save` and `load` keep it."""

    def __init__(self, settings: Settings, model: Any, tokenizer: Any) -> None:
        check_fits(model.config)
        self.settings, self.tokenizer = settings, tokenizer
        self.talk = Talk(tokenizer, settings.talk)
        device = device_of(settings.device)
        wanted = settings.precision if settings.precision != "auto" else ("bf16" if device.type == "cuda" else "fp32")
        self._precision = torch.bfloat16 if wanted == "bf16" else None
        self.model = (_adapted(model, settings) if settings.lora else model.float()).to(device)
        self.model.config.use_cache = False
        if settings.checkpointing:
            self.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        self._copy = self.model
        """The model that acts: the model itself, or its copy in bf16."""
        if self._precision is not None and not settings.lora:
            self._copy = copy.deepcopy(self.model).to(self._precision)
            self._copy.set_attn_implementation(grouped.NAME)
            self._precision = None  # nothing is left to be cast
            for mine, other in zip(self._copy.parameters(), self.model.parameters(), strict=True):
                mine.register_post_accumulate_grad_hook(partial(_hand_over, other))
        self._learner = compiled(self._copy) if settings.compiled else self._copy
        self._reference: Any = None
        self.optimizer: Any = None

    # stages

    def begin(self, stage: str) -> None:
        """A new optimizer, and for GRPO a copy of the model where the distance from it counts."""
        cuda = next(self.model.parameters()).device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            [p for p in self.model.parameters() if p.requires_grad], lr=1.0, betas=(0.9, 0.95),
            weight_decay=self.settings.weight_decay, fused=cuda,
        )  # fmt: skip
        self._catch_up()
        if stage == "grpo" and self.settings.grpo.kl and not self.settings.lora:
            self._reference = copy.deepcopy(self._copy).requires_grad_(False)

    def sft_step(self, step: int, lines: Sequence[Line]) -> dict[str, float]:
        """One step over these demonstrations."""
        how = self.settings.sft
        self._learner.train()
        loss, tokens = taught(self._learner, lines, self.settings.micro_tokens, self._precision)
        norm = self._move(scheduled(how.rate, step, how.steps, how.warmup, how.decay))
        return {"loss": loss, "tokens": float(tokens), "grad_norm": norm}

    def grpo_step(self, step: int, places: Sequence[Place]) -> tuple[dict[str, float], Played]:
        """Play a group at each place and learn from how the episodes of a group differ."""
        how = self.settings.grpo
        groups = [at for at, _ in enumerate(places) for _ in range(how.group)]
        played = self.play([places[at] for at in groups], Stream("rollouts", self.settings.seed, step).below(2**62))
        rolled = played.rolled
        gains = advantages([one.reward for one in rolled], groups, how.by_deviation)
        lines = [one.line for one in rolled]
        # An episode that is no better or worse than its group moves nothing, unless the distance from the reference counts.
        kept = [
            at for at, one in enumerate(rolled)
            if one.reward is not None and one.line.spoken and (gains[at] or self._pulled)
        ]  # fmt: skip
        rate = scheduled(how.rate, step, how.steps, how.warmup, False)
        begin = perf_counter()
        total = sum(one.line.spoken for one in rolled if one.reward is not None)
        told = self._learn(kept, lines, gains, [one.chances for one in rolled], total, rate, step)
        if not kept:  # nothing went through the learner: what was drawn says as much on the average
            drawn = [chance for one in rolled for chance in one.chances]
            told["entropy"] = -sum(drawn) / max(len(drawn), 1)
        clocked = {
            "seconds_rollout": played.seconds,
            "seconds_worlds": played.in_worlds,
            **{f"seconds_{part}": seconds for part, seconds in played.parts.items()},
            "seconds_learn": perf_counter() - begin,
        }
        return {**figures(rolled, groups), **told, **clocked}, played

    @property
    def _pulled(self) -> bool:
        return bool(self.settings.grpo.kl)

    def _learn(
        self, kept: list[int], lines: Sequence[Line], gains: Sequence[float], drawn: Sequence[Sequence[float]],
        total: int, rate: float, step: int,
    ) -> dict[str, float]:  # fmt: skip
        how = self.settings.grpo
        self._learner.train()
        kept = Stream("updates", self.settings.seed, step).shuffled(kept)
        size = math.ceil(len(kept) / how.updates) or 1
        parts = [kept[at : at + size] for at in range(0, len(kept), size)]
        old = self._chances(kept, lines) if len(parts) > 1 else {}
        sums = dict.fromkeys(("loss", "clipped", "kl", "entropy", "gap", "tokens"), 0.0)
        norm = 0.0
        for part in parts:
            for rows in micro_batches([lines[at] for at in part], self.settings.micro_tokens):
                found = self._backward([part[row] for row in rows], lines, gains, drawn, old, total / len(parts))
                sums = {name: sums[name] + found[name] for name in sums}
            norm = self._move(rate)
        tokens = sums["tokens"] or 1.0
        return {
            "loss": sums["loss"] / max(len(parts), 1), "grad_norm": norm, "rate": rate, "learned": float(len(kept)),
            "clipped": sums["clipped"] / tokens, "kl": sums["kl"] / tokens, "entropy": sums["entropy"] / tokens,
            "sampler_gap": sums["gap"] / tokens,
        }  # fmt: skip

    def _backward(
        self, rows: Sequence[int], lines: Sequence[Line], gains: Sequence[float], drawn: Sequence[Sequence[float]],
        old: dict[int, Any], total: float,
    ) -> dict[str, float]:  # fmt: skip
        """Gradients of some episodes, and what there is to say of them, as sums over tokens."""
        how, heat = self.settings.grpo, self.settings.rollout.temperature
        some = [lines[at] for at in rows]
        now = score(self._learner, some, heat, self._precision)
        device = now.chances.device
        before = torch.cat([old[at] for at in rows]) if old else now.chances.detach()
        each = torch.tensor([gains[at] for at in rows for _ in range(lines[at].spoken)], device=device)
        reference = self._reference_chances(some, heat) if self._pulled else None
        found = clipped_loss(now.chances, before, each, how.clip_low, how.clip_high, reference, how.kl)
        (found.loss / max(total, 1)).backward()
        spoken = torch.tensor([chance for at in rows for chance in drawn[at]], device=device)
        return {
            "loss": float(found.loss.detach()) / max(total, 1), "clipped": found.clipped, "kl": found.divergence,
            "entropy": float(now.entropy.sum()), "gap": float((spoken - now.chances.detach()).abs().sum()),
            "tokens": float(len(each)),
        }  # fmt: skip

    @torch.no_grad()
    def _chances(self, rows: Sequence[int], lines: Sequence[Line]) -> dict[int, Any]:
        """What the model gives to what was said before it learns from it, by row."""
        out: dict[int, Any] = {}
        for part in micro_batches([lines[at] for at in rows], self.settings.micro_tokens):
            some = [rows[row] for row in part]
            found = score(self._learner, [lines[at] for at in some], self.settings.rollout.temperature, self._precision)
            out.update(zip(some, found.chances.split([lines[at].spoken for at in some]), strict=True))
        return out

    @torch.no_grad()
    def _reference_chances(self, lines: Sequence[Line], heat: float) -> Any:
        if self.settings.lora:
            with self.model.disable_adapter():
                return score(self.model, lines, heat, self._precision).chances
        return score(self._reference, lines, heat, self._precision).chances

    def _move(self, rate: float) -> float:
        """A step of the optimizer. The norm of the gradient before it was cut."""
        moved = [p for p in self.model.parameters() if p.grad is not None]
        if not moved:
            return 0.0
        norm = float(torch.nn.utils.clip_grad_norm_(moved, self.settings.clip_norm))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        if math.isfinite(norm):
            self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self._catch_up()
        return norm

    # acting

    @property
    def speaker(self) -> Any:
        """The model that speaks, as it is now."""
        return self._copy.eval()

    def play(self, places: Sequence[Place], seed: int, temperature: float | None = None) -> Played:
        """Episodes by the model as it is now."""
        how, learner = self.settings.rollout, Learner(f"policy:{Path(self.settings.model).name}")
        return roll(Stage(self.speaker, self.talk, how, learner, self._board), places, seed, temperature)

    @cached_property
    def _board(self) -> Board | None:
        how = self.settings.rollout
        return recorded_board(self.speaker, self.talk.end_id, how.width, how.context)

    @torch.no_grad()
    def _catch_up(self) -> None:
        if self._copy is not self.model:
            for mine, other in zip(self._copy.parameters(), self.model.parameters(), strict=True):
                mine.copy_(other)

    # keeping

    def save(self, folder: Path, more: dict[str, Any]) -> None:
        """Everything that the next step depends on, in one file that is there whole or not at all."""
        reference = None if self._reference is None else self._reference.state_dict()
        state = {
            "model": self.model.state_dict(), "optimizer": self.optimizer and self.optimizer.state_dict(),
            "reference": reference, "more": more,
        }  # fmt: skip
        with whole_file(folder / STATE) as out:
            torch.save(state, out)

    def load(self, folder: Path) -> dict[str, Any]:
        """Go on from a checkpoint. What was saved beside the weights; its `stage` says which optimizer it was."""
        device = next(self.model.parameters()).device
        state = torch.load(folder / STATE, map_location=device, weights_only=True)
        more: dict[str, Any] = state["more"]
        self.begin(more["stage"])
        self.model.load_state_dict(state["model"])
        if state["optimizer"]:
            self.optimizer.load_state_dict(state["optimizer"])
        if self._reference is not None and state["reference"] is not None:
            self._reference.load_state_dict(state["reference"])
        self._catch_up()
        return more

    def write_model(self, folder: Path) -> None:
        """The weights as transformers loads them; with LoRA, merged."""
        model = copy.deepcopy(self.model).merge_and_unload() if self.settings.lora else self.model
        kept = model.config.use_cache
        model.config.use_cache = True
        model.save_pretrained(folder)
        model.config.use_cache = kept
        self.tokenizer.save_pretrained(folder)


def compiled(model: Any) -> Any:
    """The same weights in layers that are compiled: one after the other, so that all share what is compiled for the first."""
    out = copy.deepcopy(model, {id(one): one for one in model.parameters()})
    layers = getattr(decoder_and_head(out)[0], "layers", None)
    if layers is None:
        raise UsageError("the layers of this model cannot be found: train it without `compiled`")
    for layer in layers:
        layer.compile(dynamic=True)
    return out


def _hand_over(kept: Any, learned: Any) -> None:
    """The gradient of a weight of the copy, to the weight that it is a copy of."""
    if kept.grad is None:
        kept.grad = learned.grad.to(kept.dtype)
    else:
        kept.grad += learned.grad
    learned.grad = None


def scheduled(rate: float, step: int, steps: int, warmup: int, decay: bool) -> float:
    """The learning rate of a step, counted from 0: rising over `warmup` steps, then level or falling to a tenth."""
    if step < warmup:
        return rate * (step + 1) / (warmup + 1)
    if not decay or steps <= warmup:
        return rate
    along = min(1.0, (step - warmup) / max(1, steps - warmup))
    return rate * (0.1 + 0.45 * (1 + math.cos(math.pi * along)))


def _adapted(model: Any, settings: Settings) -> Any:
    try:
        from peft import LoraConfig, get_peft_model  # noqa: PLC0415 - only runs with adapters need it
    except ModuleNotFoundError:
        raise UsageError("LoRA needs peft: pip install worldwright[train]") from None
    if settings.precision == "bf16" or (settings.precision == "auto" and torch.cuda.is_available()):
        model = model.to(torch.bfloat16)
    torch.manual_seed(settings.seed)
    kind = LoraConfig(r=settings.lora, lora_alpha=2 * settings.lora, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, kind)
