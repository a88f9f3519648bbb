"""What moves the weights: probabilities of what was said, advantages of a group, and the two losses.

Nothing here knows of worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from worldwright.train.board import decoder_and_head
from worldwright.train.talk import Line

SMALL = 1e-4
"""Added to a deviation, so that a group of equals divides by something."""


class Scored(NamedTuple):
    """What a model makes of the said tokens of some lines, one line after the other."""

    chances: Any
    """Log-probabilities."""
    entropy: Any


def micro_batches(lines: Sequence[Line], tokens: int) -> list[list[int]]:
    """Which lines go through the model together: similar lengths, and no more padded tokens than so many."""
    out: list[list[int]] = []
    for at in sorted(range(len(lines)), key=lambda at: (-len(lines[at].ids), at)):
        if out and (len(out[-1]) + 1) * len(lines[out[-1][0]].ids) <= tokens:
            out[-1].append(at)
        else:
            out.append([at])
    return out


def score(model: Any, lines: Sequence[Line], temperature: float = 1.0, precision: Any = None) -> Scored:
    """Right-padded, so that causal attention needs no mask: no token that counts ever sees padding."""
    decoder, head = decoder_and_head(model)
    device = next(model.parameters()).device
    wide = max(len(line.ids) for line in lines)
    ids = torch.tensor([[*line.ids, *[0] * (wide - len(line.ids))] for line in lines], device=device)
    said = torch.tensor([[*line.said, *[0] * (wide - len(line.said))] for line in lines], device=device).bool()
    said[:, 0] = False  # nothing comes before the first token
    with torch.autocast(device.type, dtype=precision, enabled=precision is not None):
        hidden = decoder(input_ids=ids, use_cache=False).last_hidden_state
        logits = head(hidden[:, :-1][said[:, 1:]])
    logits = logits.float() / (temperature or 1.0)
    every = logits.log_softmax(-1)
    chances = every.gather(-1, ids[:, 1:][said[:, 1:]][:, None])[:, 0]
    with torch.no_grad():
        entropy = -(every.exp() * every).sum(-1)
    return Scored(chances, entropy)


def advantages(rewards: Sequence[float | None], groups: Sequence[int], by_deviation: bool = True) -> list[float]:
    """How much better than its group each episode did. Without a reward (the world failed) it counts for nothing, nowhere."""
    held: dict[int, list[float]] = {}
    for reward, group in zip(rewards, groups, strict=True):
        if reward is not None:
            held.setdefault(group, []).append(reward)
    out = []
    for reward, group in zip(rewards, groups, strict=True):
        others = held.get(group, [])
        if reward is None or len(others) < 2:
            out.append(0.0)
            continue
        mean = sum(others) / len(others)
        spread = (sum((r - mean) ** 2 for r in others) / (len(others) - 1)) ** 0.5
        out.append((reward - mean) / (spread + SMALL) if by_deviation else reward - mean)
    return out


class Clipped(NamedTuple):
    """Sums over tokens."""

    loss: Any
    clipped: float
    """Tokens whose ratio was cut."""
    divergence: float
    """From the reference, where there is one (k3 estimator)."""


def clipped_loss(
    now: Any, old: Any, advantage: Any, low: float, high: float, reference: Any = None, kl: float = 0.0
) -> Clipped:
    """GRPO's loss over said tokens, summed. `advantage` is that of the line of each token."""
    ratio = (now - old).exp()
    bounded = ratio.clamp(1 - low, 1 + high)
    loss = -torch.minimum(ratio * advantage, bounded * advantage)
    divergence = torch.zeros(())
    if reference is not None:
        gap = reference - now
        each = gap.exp() - gap - 1
        loss = loss + kl * each
        divergence = each.detach().sum()
    cut = ((ratio * advantage) > (bounded * advantage)).sum()
    return Clipped(loss.sum(), float(cut), float(divergence))


def taught(model: Any, lines: Sequence[Line], tokens: int, precision: Any = None) -> tuple[float, int]:
    """Gradients of the mean negative log-probability of what was said. The loss, and how many tokens it is of."""
    total = sum(line.spoken for line in lines)
    loss = 0.0
    for rows in micro_batches(lines, tokens):
        part = -score(model, [lines[at] for at in rows], precision=precision).chances.sum() / max(total, 1)
        part.backward()
        loss += float(part.detach())
    return loss, total
