"""Several runs beside each other: what they are called, and how far each is from the first."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.rollout.report.summary import Summary
from worldwright.rollout.stats import RateDifference, compare_rates


def name_runs(found: Sequence[Summary]) -> list[str]:
    """How runs are called beside each other: by agent, and by folder as well where that does not tell them apart."""
    agents = [one.agent for one in found]
    out = [one.agent if agents.count(one.agent) == 1 else f"{one.agent} ({one.name})" for one in found]
    return [name if out.count(name) == 1 else f"{name} {at}" for at, name in enumerate(out, start=1)]


def compare_runs(found: Sequence[Summary]) -> list[RateDifference]:
    """Each run but the first against the first."""
    return [compare_rates(one.rows, found[0].rows) for one in found[1:]]
