"""What every world promises, as checks that run over any world.

Each check raises nothing: it gives the sentences that do not hold. An empty answer is a world that keeps its promises.
"""

from __future__ import annotations

from collections.abc import Callable

from worldwright.core.rng import Stream
from worldwright.engine.replay import replay
from worldwright.engine.walk import walk
from worldwright.engine.world import World
from worldwright.world.records import Trajectory

CALLS = 40
EPISODES = 4


def check_world(world: World, seed: int = 0) -> list[str]:
    """Every promise that this world breaks."""
    return [problem for check in CHECKS for problem in check(world, seed)]


def _episode(world: World, seed: int, number: int) -> Trajectory:
    env = world.env()
    env.reset(role=_role(world, number))
    for _ in walk(env, Stream(seed, "conformance", number), CALLS):
        pass
    out = env.trajectory()
    env.close()
    return out


def _role(world: World, number: int) -> str | None:
    return world.roles[number % len(world.roles)] if world.roles else None


def reset_is_total(world: World, seed: int) -> list[str]:
    """After any episode, reset gives the opening state again, to the digest."""
    env = world.env()
    env.reset()
    opening = env.state_digest()
    out = [] if opening == world.manifest.state else ["the opening state is not the one the manifest names"]
    for number in range(EPISODES):
        env.reset(role=_role(world, number))
        for _ in walk(env, Stream(seed, "conformance", number), CALLS):
            pass
        env.reset()
        if env.state_digest() != opening:
            out.append(f"episode {number} left something behind after reset")
        if env.diff():
            out.append(f"episode {number}: a fresh episode has a diff")
    env.close()
    return out


def replay_is_exact(world: World, seed: int) -> list[str]:
    """The same calls give the same observations and the same final state."""
    env = world.env()
    out = []
    for number in range(EPISODES):
        out += [f"episode {number}: {p}" for p in replay(env, _episode(world, seed, number))]
    env.close()
    return out


def episodes_are_apart(world: World, seed: int) -> list[str]:
    """Interleaved episodes end as they would have one after the other."""
    alone = [_episode(world, seed, number) for number in range(EPISODES)]
    envs = [world.env() for _ in alone]
    for number, env in enumerate(envs):
        env.reset(role=_role(world, number))
    for i in range(max(len(t.steps) for t in alone)):
        for env, trajectory in zip(envs, alone, strict=True):
            if i < len(trajectory.steps):
                call = trajectory.steps[i].call
                env.call_tool(call.tool, call.arguments)
    out = [
        f"episode {number} ended otherwise side by side with others"
        for number, (env, trajectory) in enumerate(zip(envs, alone, strict=True))
        if env.state_digest() != trajectory.final_digest
    ]
    for env in envs:
        env.close()
    return out


def forks_are_apart(world: World, seed: int) -> list[str]:
    """What happens on a fork does not happen on the original, and the other way round."""
    env = world.env()
    env.reset(role=_role(world, 1))
    walker = walk(env, Stream(seed, "conformance", "fork"), CALLS)
    for _ in range(CALLS // 2):
        next(walker, None)
    before = env.state_digest()
    twin = env.fork()
    for _ in walk(twin, Stream(seed, "conformance", "twin"), CALLS):
        pass
    out = [] if env.state_digest() == before else ["a fork changed the episode it came from"]
    if env.diff() != env.fork().diff():
        out.append("a fork forgets what was touched")
    twin.close()
    env.close()
    return out


def refusals_change_nothing(world: World, seed: int) -> list[str]:
    """A call that is refused leaves state, clock and ids as they were."""
    env = world.env()
    out: list[str] = []
    for number in range(EPISODES):
        env.reset(role=_role(world, number))
        before, clock = env.state_digest(), env.agent.clock()
        for step in walk(env, Stream(seed, "conformance", "refusals", number), CALLS // 2):
            if step.result.ok:
                before, clock = env.state_digest(), env.agent.clock()
            elif (env.state_digest(), env.agent.clock()) != (before, clock):
                out.append(f"{step.call.tool} was refused and changed something")
    env.close()
    return out


def reading_is_free(world: World, seed: int) -> list[str]:
    """A tool that says it does not mutate changes neither state nor clock."""
    env = world.env()
    env.reset(role=_role(world, 0))
    reads = {t.name for t in world.tools if not t.mutates}
    out = [
        f"{step.call.tool} reads and moved the clock"
        for step in walk(env, Stream(seed, "conformance", "reads"), CALLS)
        if step.call.tool in reads and step.clock != env.agent.clock()
    ]
    env.close()
    return out


def agent_cannot_reach_the_controller(world: World, seed: int) -> list[str]:
    """Nothing on the agent's face leads to reset, snapshot, diff or the session."""
    env = world.env()
    env.reset()
    names = [name for name in dir(env.agent) if not name.startswith("__")]
    extra = sorted(set(names) - {"call", "clock", "list", "submit"})
    env.close()
    return [f"the agent's face has `{name}`" for name in extra]


CHECKS: tuple[Callable[[World, int], list[str]], ...] = (
    reset_is_total,
    replay_is_exact,
    episodes_are_apart,
    forks_are_apart,
    refusals_change_nothing,
    reading_is_free,
    agent_cannot_reach_the_controller,
)
