"""What is left of a pack after a gate and a look for contamination, read from the files beside it."""

from __future__ import annotations

from worldwright.gate import results


def load_kept_tasks(world: str, agent_id: str | None = None) -> tuple[str, ...]:
    """The tasks that the agent's gate, or the last one, kept, less those that were dropped because a benchmark has them."""
    gated = results.load_latest(world) if agent_id is None else results.load(world, agent_id)
    assert gated is not None
    without = results.load_dropped_tasks(world)
    return tuple(task for task in gated.list_kept() if task not in without)
