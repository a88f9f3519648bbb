"""What every world promises, as checks that run over any world.

Each check raises nothing: it gives the sentences that do not hold. An empty answer is a world that keeps its promises.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import islice, zip_longest

from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.engine.replay import replay
from worldwright.engine.walk import walk
from worldwright.engine.world import World
from worldwright.world.records import Trajectory

MAX_CALLS = 40
NUM_EPISODES = 4


def check_world(world: World, seed: int = 0) -> list[str]:
    """List every promise that this world breaks."""
    return [problem for check in CHECKS for problem in check(world, seed)]


def _take_walk(env: Env, seed: int, *path: str | int) -> None:
    for _ in walk(env, Stream(seed, "conformance", *path), MAX_CALLS):
        pass


def _episode(world: World, seed: int, number: int) -> Trajectory:
    with closing(world.env()) as env:
        env.reset(role=_role(world, number))
        _take_walk(env, seed, number)
        return env.trajectory()


def _role(world: World, number: int) -> str | None:
    return world.roles[number % len(world.roles)] if world.roles else None


def reset_is_total(world: World, seed: int) -> list[str]:
    """After any episode, reset gives the opening state again, to the digest."""
    with closing(world.env()) as env:
        env.reset()
        opening = env.state_digest()
        out = [] if opening == world.manifest.state else ["the opening state is not the one the manifest names"]
        for number in range(NUM_EPISODES):
            env.reset(role=_role(world, number))
            _take_walk(env, seed, number)
            env.reset()
            if env.state_digest() != opening:
                out.append(f"episode {number} left something behind after reset")
            if env.diff():
                out.append(f"episode {number}: a fresh episode has a diff")
    return out


def replay_is_exact(world: World, seed: int) -> list[str]:
    """The same calls give the same observations and the same final state."""
    with closing(world.env()) as env:
        return [
            f"episode {number}: {problem}"
            for number in range(NUM_EPISODES)
            for problem in replay(env, _episode(world, seed, number))
        ]


def episodes_are_apart(world: World, seed: int) -> list[str]:
    """Interleaved episodes end as they would have one after the other."""
    alone = [_episode(world, seed, number) for number in range(NUM_EPISODES)]
    with ExitStack() as stack:
        envs = [stack.enter_context(closing(world.env())) for _ in alone]
        for number, env in enumerate(envs):
            env.reset(role=_role(world, number))
        for steps in zip_longest(*(trajectory.steps for trajectory in alone)):
            for env, step in zip(envs, steps, strict=True):
                if step is not None:
                    env.call_tool(step.call.tool, step.call.arguments)
        return [
            f"episode {number} ended otherwise side by side with others"
            for number, (env, trajectory) in enumerate(zip(envs, alone, strict=True))
            if env.state_digest() != trajectory.final_digest
        ]


def forks_are_apart(world: World, seed: int) -> list[str]:
    """Return what happens on a fork does not happen on the original, and the other way round."""
    with closing(world.env()) as env:
        env.reset(role=_role(world, 1))
        for _ in islice(walk(env, Stream(seed, "conformance", "fork"), MAX_CALLS), MAX_CALLS // 2):
            pass
        before = env.state_digest()
        with closing(env.fork()) as twin:
            _take_walk(twin, seed, "twin")
        out = [] if env.state_digest() == before else ["a fork changed the episode it came from"]
        if env.diff() != env.fork().diff():
            out.append("a fork forgets what was touched")
    return out


def refusals_change_nothing(world: World, seed: int) -> list[str]:
    """A call that is refused leaves state, clock and ids as they were."""
    out: list[str] = []
    with closing(world.env()) as env:
        for number in range(NUM_EPISODES):
            env.reset(role=_role(world, number))
            before, clock = env.state_digest(), env.agent.clock()
            for step in walk(env, Stream(seed, "conformance", "refusals", number), MAX_CALLS // 2):
                if step.result.ok:
                    before, clock = env.state_digest(), env.agent.clock()
                elif (env.state_digest(), env.agent.clock()) != (before, clock):
                    out.append(f"{step.call.tool} was refused and changed something")
    return out


def reading_is_free(world: World, seed: int) -> list[str]:
    """A tool that says it does not mutate changes neither state nor clock."""
    reads = {t.name for t in world.tools if not t.mutates}
    with closing(world.env()) as env:
        env.reset(role=_role(world, 0))
        return [
            f"{step.call.tool} reads and moved the clock"
            for step in walk(env, Stream(seed, "conformance", "reads"), MAX_CALLS)
            if step.call.tool in reads and step.clock != env.agent.clock()
        ]


def agent_cannot_reach_the_controller(world: World, seed: int) -> list[str]:
    """Nothing on the agent's face leads to reset, snapshot, diff or the session."""
    with closing(world.env()) as env:
        env.reset()
        names = {name for name in dir(env.agent) if not name.startswith("__")}
    return [f"the agent's face has `{name}`" for name in sorted(names - {"call", "clock", "list", "submit"})]


CHECKS: tuple[Callable[[World, int], list[str]], ...] = (
    reset_is_total,
    replay_is_exact,
    episodes_are_apart,
    forks_are_apart,
    refusals_change_nothing,
    reading_is_free,
    agent_cannot_reach_the_controller,
)
