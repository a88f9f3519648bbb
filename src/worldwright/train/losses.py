"""Log-probabilities of responses, advantages within a group, and the losses of SFT and GRPO. Nothing here knows of worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.batch_decoder import split_model
from worldwright.train.chat_format import TokenizedEpisode

STD_EPSILON = 1e-4
"""Added to a standard deviation, so that a group of equal rewards does not divide by zero."""


class ResponseLogprobs(NamedTuple):
    """Log-probabilities and entropies at the response tokens of some episodes, one episode after the other."""

    logprobs: Any
    entropy: Any


def split_micro_batches(episodes: Sequence[TokenizedEpisode], max_tokens: int) -> list[list[int]]:
    """Split episodes into batches of similar lengths with at most `max_tokens` padded tokens. Return their indices."""
    batches: list[list[int]] = []
    for at in sorted(range(len(episodes)), key=lambda at: (-len(episodes[at].token_ids), at)):
        if batches and (len(batches[-1]) + 1) * len(episodes[batches[-1][0]].token_ids) <= max_tokens:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches


def compute_logprobs(
    model: Any, episodes: Sequence[TokenizedEpisode], temperature: float = 1.0, precision: Any = None
) -> ResponseLogprobs:
    """Compute the log-probabilities that a model gives to the response tokens of episodes.

    Episodes are padded on the right, so that causal attention needs no mask: no token that counts attends to padding."""
    decoder, head = split_model(model)
    device = next(model.parameters()).device
    longest = max(len(one.token_ids) for one in episodes)
    ids = torch.tensor([_pad(one.token_ids, longest) for one in episodes], device=device)
    mask = torch.tensor([_pad(one.response_mask, longest) for one in episodes], device=device).bool()
    mask[:, 0] = False  # nothing comes before the first token
    with torch.autocast(device.type, dtype=precision, enabled=precision is not None):
        hidden = decoder(input_ids=ids, use_cache=False).last_hidden_state
        logits = head(hidden[:, :-1][mask[:, 1:]])
    logits = logits.float() / (temperature or 1.0)
    distribution = logits.log_softmax(-1)
    logprobs = distribution.gather(-1, ids[:, 1:][mask[:, 1:]][:, None])[:, 0]
    with torch.no_grad():
        entropy = -(distribution.exp() * distribution).sum(-1)
    return ResponseLogprobs(logprobs, entropy)


def _pad(values: Sequence[int], length: int) -> list[int]:
    return [*values, *[0] * (length - len(values))]


def compute_advantages(
    rewards: Sequence[float | None], groups: Sequence[int], scale_rewards: bool = True
) -> list[float]:
    """Compute how much better than its group each episode did. One without a reward (the world failed) gets 0, out of its group."""
    by_group: dict[int, list[float]] = {}
    for reward, group in zip(rewards, groups, strict=True):
        if reward is not None:
            by_group.setdefault(group, []).append(reward)
    advantages = []
    for reward, group in zip(rewards, groups, strict=True):
        known = by_group.get(group, [])
        if reward is None or len(known) < 2:
            advantages.append(0.0)
            continue
        mean = sum(known) / len(known)
        std = (sum((r - mean) ** 2 for r in known) / (len(known) - 1)) ** 0.5
        advantages.append((reward - mean) / (std + STD_EPSILON) if scale_rewards else reward - mean)
    return advantages


class GrpoLoss(NamedTuple):
    """The loss of GRPO and its figures, as sums over tokens."""

    loss: Any
    clipped: float
    """Tokens whose ratio was clipped."""
    kl: float
    """KL divergence from the reference model, where there is one (k3 estimator)."""


def compute_grpo_loss(
    logprobs: Any, old_logprobs: Any, advantages: Any, epsilon: float, epsilon_high: float,
    reference_logprobs: Any = None, beta: float = 0.0,
) -> GrpoLoss:  # fmt: skip
    """Compute the clipped loss of GRPO over response tokens. `advantages` holds the advantage of each token's episode."""
    ratio = (logprobs - old_logprobs).exp()
    bounded = ratio.clamp(1 - epsilon, 1 + epsilon_high)
    loss = -torch.minimum(ratio * advantages, bounded * advantages)
    kl = torch.zeros(())
    if reference_logprobs is not None:
        gap = reference_logprobs - logprobs
        each = gap.exp() - gap - 1
        loss = loss + beta * each
        kl = each.detach().sum()
    clipped = ((ratio * advantages) > (bounded * advantages)).sum()
    return GrpoLoss(loss.sum(), float(clipped), float(kl))


def backward_sft_loss(
    model: Any, episodes: Sequence[TokenizedEpisode], max_tokens: int, precision: Any = None
) -> tuple[float, int]:
    """Accumulate the gradients of the mean negative log-probability of responses. Return the loss and its number of tokens."""
    total = sum(one.num_response_tokens for one in episodes)
    loss = 0.0
    for batch in split_micro_batches(episodes, max_tokens):
        logprobs = compute_logprobs(model, [episodes[at] for at in batch], precision=precision).logprobs
        part = -logprobs.sum() / max(total, 1)
        part.backward()
        loss += float(part.detach())
    return loss, total
