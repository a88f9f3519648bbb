"""Replaying a trajectory: the same calls on a fresh episode, and where it differs, if it does."""

from __future__ import annotations

from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.world.records import Trajectory


def replay(env: Env, trajectory: Trajectory) -> list[str]:
    """Run the calls again. The differences found, none where the replay is exact."""
    env = env.inside()
    env.reset(trajectory.task or None, role=trajectory.role)
    again: list[str] = []
    for number, step in enumerate(trajectory.steps, start=1):
        result = env.call_tool(step.call.tool, step.call.arguments)
        if result._replace(done=False) != step.result._replace(done=False):
            again.append(f"call {number} ({step.call.tool}) gave another result")
    if trajectory.submitted:
        env.submit(trajectory.answer)
    fresh = env.trajectory()
    if fresh.world != trajectory.world:
        raise UsageError("the trajectory is of another world")
    if fresh.final_digest != trajectory.final_digest:
        again.append("the final state is another one")
    return again
