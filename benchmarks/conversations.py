"""What a turn of conversation costs, and whether episodes side by side end as they do alone.

    python -m benchmarks.conversations [--domain hotel_booking] [--episodes 1000] [--json]

The first figure asks everything that the requesters of a world's tasks can be asked, in the examples' words and as if it had never
been asked before, and takes tool calls of the same tasks for the reference. The second plays the witness of every task under the
face `asking`, several times each: alone, and a hundred side by side, one call of each in turn. Exits 1 where a turn costs more than
twice a tool call, or where one episode ends otherwise, by the digest of its state, the text of its trajectory or its verdict.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from itertools import cycle, islice
from time import perf_counter

from benchmarks._measure import Figure, interleaved, table

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.engine.env import Env
from worldwright.engine.requester import NAME
from worldwright.engine.trajectories import trajectory_text
from worldwright.engine.world import World
from worldwright.people import understand
from worldwright.store.open import world_of
from worldwright.world.records import Call
from worldwright.world.tasks import Task

SEED = 7
ROUNDS = 15
MAX_AT_ONCE = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="hotel_booking")
    parser.add_argument("--episodes", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    world = world_of(build(catalogue.load(given.domain), SEED).pack)
    turn, call = measure_turns(world)
    figure = Figure("a turn of conversation", "understood and answered", "s", turn, "a tool call", call, 2.0)
    other = count_other_ends(world, given.episodes)
    if given.json:
        print(json.dumps({"turn": figure.data(), "episodes": given.episodes, "ended otherwise": other}, indent=2))
    else:
        print(
            f"{table([figure])}\n\n{given.episodes:,} episodes of {given.domain}, interleaved: {other} ended otherwise than alone"
        )
    return int(other > 0 or not figure.holds)


def measure_turns(world: World) -> tuple[float, float]:
    """Seconds of a turn that was never asked before, and of a tool call, in the same episodes."""
    tasks = [task for task in world.tasks if task.requester is not None and task.requester.facts]
    env = world.env(face="asking")

    def turns(number: int) -> float:
        took, count = 0.0, 0
        understand._understand.cache_clear()
        for task in tasks:
            env.reset(task.id)
            messages = (
                [f.asked[number % len(f.asked)] for f in task.requester.facts if f.asked] if task.requester else []
            )
            begin = perf_counter()
            for message in messages:
                env.call_tool(NAME, {"message": message})
            took += perf_counter() - begin
            count += len(messages)
        return took / count

    def calls(number: int) -> float:
        took, count = 0.0, 0
        for task in tasks:
            env.reset(task.id)
            begin = perf_counter()
            for call in world.key(task.id).calls:
                env.call_tool(call.tool, call.arguments)
            took += perf_counter() - begin
            count += len(world.key(task.id).calls)
        return took / count

    turn, call = interleaved(ROUNDS, turns, calls)
    return turn, call


def count_other_ends(world: World, episodes: int) -> int:
    """How many episodes end otherwise when they are played side by side."""
    spots = list(islice(cycle(world.tasks), episodes))
    alone = {task.id: _end(_start(world, task), world, list(list_calls(world, task))) for task in world.tasks}
    other = 0
    for at in range(0, episodes, MAX_AT_ONCE):
        running = [(task, _start(world, task), list_calls(world, task)) for task in spots[at : at + MAX_AT_ONCE]]
        going = list(running)
        while going:
            going = [one for one in going if _step(one[1], one[2])]
        other += sum(_end(env, world, []) != alone[task.id] for task, env, _ in running)
    return other


def list_calls(world: World, task: Task) -> Iterator[Call]:
    """What there is to ask, and then the witness, asking for what only the requester can do."""
    requester = task.requester
    for fact in requester.facts if requester is not None else ():
        yield Call(NAME, {"message": fact.asked[0] if fact.asked else f"What is the {fact.called[0]}?"})
    for _ in task.turns[1:]:
        yield Call(NAME, {"message": "Is there anything else?"})
    acts = {act.tool: act for act in requester.acts} if requester is not None else {}
    for call in world.key(task.id).calls:
        yield Call(NAME, {"message": acts[call.tool].asked[0]}) if call.tool in acts else call


def _start(world: World, task: Task) -> Env:
    env = world.env(face="asking")
    env.reset(task.id)
    return env


def _step(env: Env, calls: Iterator[Call]) -> bool:
    call = next(calls, None)
    if call is not None:
        env.call_tool(call.tool, call.arguments)
    return call is not None


def _end(env: Env, world: World, calls: list[Call]) -> tuple[str, str, str]:
    for call in calls:
        env.call_tool(call.tool, call.arguments)
    assert env.task is not None
    env.submit(world.key(env.task.id).answer)
    found = (
        env.state_digest(),
        hashlib.sha256(trajectory_text(env.trajectory()).encode()).hexdigest(),
        env.verify().status,
    )
    env.close()
    return found


if __name__ == "__main__":
    raise SystemExit(main())
