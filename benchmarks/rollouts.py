"""How fast episodes are played: with an agent that costs nothing, everything written down, in one process.

    python -m benchmarks.rollouts [--domain NAME ...] [--seconds 10] [--json]

Without `--domain`, three worlds: `boat_hire`, the small one of `examples/` (5 tables), and two of the catalogue, whose tools do
more. `calls` is tool calls per second of one core: random agent, tools, messages, changes of every step, verdict, and the line in a
file. `overhead` is what `env.call_tool` costs over the tool's own function, on the calls that the agent made: arguments read, the
function run, and a transaction around a write, which no tool goes without. `machine` says how fast plain Python is at this moment,
because the rate of calls is nothing without it. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks._measure import Figure, interleaved, table

from worldwright import catalogue
from worldwright.agents.protocol import Agent, fingerprint, make_agent
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.siblings import load_cached
from worldwright.compiler.build import build
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.world import World
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Refusal
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.parts import PARTS, PartWriter
from worldwright.rollout.plan import derive_seed
from worldwright.rollout.records import EpisodeKey, Limits
from worldwright.store.open import world_of
from worldwright.world.records import Call

SEED = 7
WANTED = 8_000
"""Tool calls per second of one core."""
OVERHEAD = 1.25
SMALL = "boat_hire"
WORLDS = (SMALL, "retail_returns", "enterprise_procurement")
EXAMPLES = Path(__file__).parents[1] / "examples"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(WORLDS), choices=(*catalogue.names(), SMALL))
    parser.add_argument("--seconds", type=float, default=10.0, help="for the rate of calls")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = [compiled()]
    for name in given.domain:
        world = world_of(build(_blueprint(name), SEED).pack)
        figures += [*rate(world, given.seconds), overhead(world)]
    if given.json:
        print(json.dumps([f.data() for f in figures], indent=2))
    else:
        print(table(figures))
    return 0 if all(f.holds is not False for f in figures) else 1


def _blueprint(name: str) -> Checked:
    if name != SMALL:
        return catalogue.load(name)
    return load_cached((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"), f"{name}.yaml")


def compiled() -> Figure:
    """How fast this machine is at this moment: what shares its cores can halve everything below, and this with it."""
    steps, kept = 1_000_000, {}
    begin = process_time()
    for n in range(steps):
        kept[n & 255] = (str(n), n)
        kept.get(n)
    return Figure(
        "machine",
        "a step of a plain loop: a text, a tuple, a dict written and read",
        "s",
        (process_time() - begin) / steps,
    )


def rate(world: World, seconds: float) -> list[Figure]:
    """Whole episodes, over and over: the second of a core is its own time, whatever else the machine does."""
    who, limits, openings = make_agent("random"), Limits(), Openings()
    name, env = fingerprint(who), world.env(EngineLimits(calls=limits.calls))
    spent: dict[str, float] = {"agent": 0.0, "tools": 0.0, "verifier": 0.0, "file": 0.0}
    calls = episodes = 0
    with tempfile.TemporaryDirectory() as folder:
        part = PartWriter(Path(folder) / PARTS)
        _episode(world, env, who, name, limits, openings, part, world.tasks[0].id, 0)
        begin, until = process_time(), perf_counter() + seconds
        attempt = 1
        while perf_counter() < until:
            for task in world.tasks:
                timing, made = _episode(world, env, who, name, limits, openings, part, task.id, attempt)
                for key, value in timing.items():
                    spent[key] = spent.get(key, 0.0) + value
                calls += made
                episodes += 1
            attempt += 1
        took = process_time() - begin
        part.close()
    shares = ", ".join(f"{key} {spent[key] / calls * 1e6:.0f}" for key in ("agent", "tools", "verifier", "file"))
    says = f"{world.name}: tool calls of {episodes:,} whole episodes (µs a call: {shares})"
    return [
        Figure("calls", says, "/s", calls / took),
        Figure("call", f"{world.name}: one of them", "s", took / calls, f"target: 1/{WANTED:,} s", 1 / WANTED, 1.0),
    ]


def _episode(
    world: World,
    env: Env,
    who: Agent,
    name: str,
    limits: Limits,
    openings: Openings,
    part: PartWriter,
    task: str,
    attempt: int,
) -> tuple[Mapping[str, float], int]:
    spot = EpisodeKey(world.digest, task, attempt)
    setting = EpisodeSetup("0", spot, world.name, "v", "plain", derive_seed(SEED, spot), name)
    episode = play(env, who, setting, limits, openings)
    begin = perf_counter()
    part.write(episode, openings.by_id[episode.opening])
    return {**episode.timing, "file": perf_counter() - begin}, len(episode.steps)


def overhead(world: World) -> Figure:
    """The calls of random episodes, through the engine and by hand."""
    who = make_agent("random")
    played = [_calls(world, who, task.id) for task in world.tasks[:20]]
    env = world.env(EngineLimits(calls=10_000))

    def ours(number: int) -> float:
        task, calls = played[number % len(played)]
        env.reset(task)
        call_tool = env.call_tool
        begin = perf_counter()
        for call in calls:
            call_tool(call.tool, call.arguments)
        return (perf_counter() - begin) / len(calls)

    def by_hand(number: int) -> float:
        task, calls = played[number % len(played)]
        env.reset(task)
        session: Any = env._session
        begin = perf_counter()
        for call in calls:
            _by_hand(session, call)
        return (perf_counter() - begin) / len(calls)

    mine, other = interleaved(400, ours, by_hand)
    says = f"{world.name}: a call through the engine, {sum(len(c) for _, c in played)} calls of random episodes"
    return Figure("overhead", says, "s", mine, "the tool's own function", other, OVERHEAD)


def _calls(world: World, who: Agent, task: str) -> tuple[str, Sequence[Call]]:
    spot = EpisodeKey(world.digest, task, 1)
    setting = EpisodeSetup("0", spot, world.name, "v", "plain", derive_seed(SEED, spot), "")
    episode = play(world.env(), who, setting, Limits())
    return task, [Call(s["tool"], s["arguments"]) for s in episode.steps]


def _by_hand(session: Session, call: Call) -> None:
    """The tool's own function and nothing else; a write in a transaction."""
    uow, conn = session._uow, session._conn
    tool = session._opening.compiled.tools[call.tool]
    uow.begin()
    if uow.actor is None:
        uow.actor = uow.row(session._opening.compiled.blueprint.schema.actor, session._actor or "")
    try:
        frame = tool.reader.read(uow, call.arguments)
        if not tool.mutates:
            tool.perform(uow, frame)
            return
    except Refusal:
        return
    counters = dict(uow.counters)
    conn.execute("BEGIN")
    try:
        tool.perform(uow, frame)
        for watch in tool.watches if uow.wrote else ():
            with uow.read_only():
                watch.check(uow, uow.touched, session._opening.find_excused)
        conn.execute("COMMIT")
        session._touched.update({at: before for at, before in uow.touched.items() if at not in session._touched})
    except (Refusal, sqlite3.Error):
        conn.execute("ROLLBACK")
        uow.counters, uow.actor = counters, None
    uow.touched = {}


if __name__ == "__main__":
    raise SystemExit(main())
