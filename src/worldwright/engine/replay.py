"""Replaying a trajectory: the same calls on a fresh episode, and where it differs, if it does."""

from __future__ import annotations

from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.engine.requester import NAME
from worldwright.people.wording import accept_wording
from worldwright.world.records import Result, Step, Trajectory


def replay_calls(env: Env, trajectory: Trajectory) -> list[Result]:
    """Run the calls again, in an environment over the world's own tools. Returns what they gave now."""
    if trajectory.world != env.digest:
        raise UsageError("the trajectory is of another world")
    env.reset(trajectory.task or None, role=trajectory.role)
    results = [env.call_tool(step.call.tool, step.call.arguments) for step in trajectory.steps]
    if trajectory.submitted:
        env.submit(trajectory.answer, as_it_is=True)
    return results


def _is_worded(step: Step, result: Result) -> bool:
    """Whether a requester's reply stands there in other words that say the same."""
    then = step.result
    if step.call.tool != NAME or not (then.ok and result.ok):
        return False
    said = accept_wording(result.data["reply"], then.data["reply"])
    return said is not None and {**result.data, "reply": said} == then.data


def replay(env: Env, trajectory: Trajectory) -> list[str]:
    """Run the calls again. The differences found, none where the replay is exact."""
    env = env.inside()
    again: list[str] = []
    for number, (step, result) in enumerate(zip(trajectory.steps, replay_calls(env, trajectory), strict=True), start=1):
        if result._replace(done=False) != step.result._replace(done=False) and not _is_worded(step, result):
            again.append(f"call {number} ({step.call.tool}) gave another result")
    fresh = env.trajectory()
    if fresh.final_digest != trajectory.final_digest:
        again.append("the final state is another one")
    return again
