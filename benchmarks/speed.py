"""How fast the engine and the factory are, each against a reference in the same run.

    python -m benchmarks.speed [--domain NAME] [--quick] [--only NAME] [--json]

Exits 1 where a target is missed. See docs/benchmarks.md for what each figure means.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks._measure import Figure, interleaved, once, table
from benchmarks._subject import READ, SEED, WRITE, Subject, called, proven, span_for

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.engine.walk import walk
from worldwright.store.open import open_world, world_of
from worldwright.world.records import Step

ROOT = Path(__file__).resolve().parent.parent
BUILD_ROWS = 2_400
"""The size of the world whose build is measured: the domain's own Blueprint with a history of the length that gives it."""
BATCH = 20
"""Calls in one timing: more than the clock's grain, and less than a scheduler's slice, so that most are undisturbed."""


@dataclass
class Bench:
    """What the measurements share: the world, made when the first of them asks, and how often to repeat."""

    domain: str
    folder: Path
    quick: bool = False

    def rounds(self, many: int) -> int:
        return max(5, many // 10) if self.quick else many

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.domain, self.folder)

    @cached_property
    def builds(self) -> dict[str, float]:
        """Medians over several fresh processes."""
        days = str(span_for(self.domain, BUILD_ROWS))
        runs = [fresh("build", self.domain, days, "3" if self.quick else "7") for _ in range(1 if self.quick else 5)]
        return {key: median(run[key] for run in runs) for key in runs[0]}


def fresh(*arguments: str) -> dict[str, float]:
    """What a measurement in a process of its own found."""
    command = [sys.executable, "-m", "benchmarks._fresh", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr.strip()}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def bare(conn: sqlite3.Connection, sql: str, parameters: list[tuple[Any, ...]]) -> float:
    """Seconds per statement, through Python's sqlite3 and nothing else."""
    execute = conn.execute
    begin = perf_counter()
    for given in parameters:
        execute(sql, given).fetchall()
    return (perf_counter() - begin) / len(parameters)


# episodes


def reset(b: Bench) -> list[Figure]:
    """After an episode of five reads and five writes, and after one that changed a whole table."""
    s = b.subject
    env, conn = s.env(), s.connect()

    def ours(number: int) -> float:
        called(env, READ, s.reads(number, 5))
        called(env, WRITE, s.writes(number, 5))
        return once(env.reset)

    def whole(number: int) -> float:
        called(env, WRITE, s.writes(number, len(s.ids)))
        return once(env.reset)

    def theirs(number: int) -> float:
        # Only reads here: SQLite may crash on a write that was prepared before a warm deserialize into STRICT tables.
        bare(conn, s.plain.select, [(key,) for key in s.keys(number, 5)])
        return once(lambda: conn.deserialize(s.state))

    a, r = interleaved(b.rounds(2_000), ours, theirs, warm_up=20)
    w, x = interleaved(b.rounds(100), whole, theirs, warm_up=5)
    return [
        Figure("reset", "start again after 5 reads, 5 writes", "s", a, "deserialize, warm", r, 2),
        Figure("reset_wide", f"start again after {len(s.ids)} writes", "s", w, "deserialize, warm", x),
    ]


def read(b: Bench) -> list[Figure]:
    s, many = b.subject, BATCH
    env, conn = s.env(), s.connect()
    proven(env, READ, s.reads(0, 1)[0])

    def ours(number: int) -> float:
        env.reset()
        called(env, READ, s.reads(number, 1))
        return called(env, READ, s.reads(number, many))

    def theirs(number: int) -> float:
        return bare(conn, s.plain.select, [(key,) for key in s.keys(number, many)])

    a, r = interleaved(b.rounds(2_000), ours, theirs, warm_up=20)
    return [
        Figure("read", f"a point read of one {s.plain.entity}", "s", a, "SELECT by id", r, 5),
        Figure("reads", "point reads per second", "/s", 1 / a),
    ]


def write(b: Bench) -> list[Figure]:
    s, many = b.subject, BATCH
    env, conn = s.env(), s.connect()
    proven(env, WRITE, s.writes(0, 1)[0])

    def ours(number: int) -> float:
        env.reset()
        called(env, WRITE, s.writes(number, 1))
        return called(env, WRITE, s.writes(number + 1, many))

    def theirs(number: int) -> float:
        given = [(w["new_value"], w[s.plain.entity]) for w in s.writes(number, many)]
        return bare(conn, s.plain.update, given)

    a, r = interleaved(b.rounds(2_000), ours, theirs, warm_up=20)
    return [
        Figure("write", f"a write to one {s.plain.entity}", "s", a, "UPDATE by id", r, 8),
        Figure("writes", "one-row writes per second", "/s", 1 / a),
    ]


def diff(b: Bench) -> list[Figure]:
    s = b.subject
    env, opening, now = s.env(), s.connect(), s.connect()
    for given in s.writes(1, 10):
        proven(env, WRITE, given)
        now.execute(s.plain.update, (given["new_value"], given[s.plain.entity]))
    found = env.diff()
    assert {name: len(d.changed) for name, d in found.items()} == {s.plain.entity: 10}

    assert compared(opening, now)[s.plain.entity] == set(found[s.plain.entity].changed)
    a, r = interleaved(b.rounds(300), lambda n: once(env.diff), lambda n: once(lambda: compared(opening, now)))
    return [Figure("diff", "what 10 writes changed", "s", a, "dump both, compare", r, 1 / 20)]


def compared(opening: sqlite3.Connection, now: sqlite3.Connection) -> dict[str, set[str]]:
    """By table, the ids of the rows that differ: what there is to do for whoever has only the two databases."""
    tables = [r[0] for r in opening.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]

    def dumped(conn: sqlite3.Connection) -> dict[str, dict[str, tuple[Any, ...]]]:
        return {t: {r[0]: r for r in conn.execute(f'SELECT * FROM "{t}"').fetchall()} for t in tables}

    before, after = dumped(opening), dumped(now)
    return {t: {k for k in {**before[t], **after[t]} if before[t].get(k) != after[t].get(k)} for t in tables}


def verify(b: Bench) -> list[Figure]:
    """Episodes of many tasks, each its witness and then random calls until ten of them wrote something."""
    world = world_of(build(catalogue.load(b.domain), SEED).pack)
    mutates = {tool.name for tool in world.tools if tool.mutates}
    ends: list[Env] = []
    for number, task in enumerate(world.tasks):
        env, key = world.env(), world.key(task.id)
        env.reset(task.id)
        steps = [Step(call, env.call_tool(call.tool, call.arguments), "") for call in key.calls]
        written = sum(step.result.ok and step.call.tool in mutates for step in steps)
        for step in walk(env, Stream("benchmark", number), 300):
            written += step.result.ok and step.call.tool in mutates
            if written >= 10:
                break
        env.submit(key.answer)
        if written == 10:
            ends.append(env)
    opening, now = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    env = world.env()
    env.reset()
    opening.deserialize(env.snapshot())
    now.deserialize(ends[0].snapshot())
    for env in ends:
        env.verify()  # the first verdict of a task compiles its key

    def ours(number: int) -> float:
        return once(ends[number % len(ends)].verify)

    a, r = interleaved(b.rounds(600), ours, lambda n: once(lambda: compared(opening, now)))
    return [
        Figure("verify", f"the verdict on 10 writes, {len(ends)} tasks", "s", a, "dump both, compare", r, 1 / 20),
        Figure("verdict", "the same, by itself", "s", a, "", None, 1e-3, True),
    ]


def episodes(b: Bench) -> list[Figure]:
    s = b.subject
    env = s.env()

    def ours(number: int) -> float:
        reads, writes = s.reads(number, 5), s.writes(number, 5)
        begin = perf_counter()
        env.reset()
        for one, other in zip(reads, writes, strict=True):
            env.call_tool(READ, one)
            env.call_tool(WRITE, other)
        return perf_counter() - begin

    def theirs(number: int) -> float:
        keys = s.keys(number, 5)
        begin = perf_counter()
        conn = s.connect()
        for key in keys:
            conn.execute(s.plain.select, (key,)).fetchall()
            conn.execute(s.plain.update, (f"note {number}", key)).fetchall()
        took = perf_counter() - begin
        conn.close()
        return took

    a, r = interleaved(b.rounds(500), ours, theirs, warm_up=10)
    return [
        Figure("episode", "reset, 5 reads, 5 writes", "s", a, "bare SQL, a new connection", r),
        Figure("episodes", "such episodes per second", "/s", 1 / a),
    ]


def fork(b: Bench) -> list[Figure]:
    s = b.subject
    env, conn = s.env(), s.connect()
    for given in s.writes(1, 10):
        env.call_tool(WRITE, given)

    def ours(number: int) -> float:
        begin = perf_counter()
        twin = env.fork()
        took = perf_counter() - begin
        twin.close()
        return took

    def theirs(number: int) -> float:
        begin = perf_counter()
        twin = sqlite3.connect(":memory:")
        twin.deserialize(conn.serialize())
        took = perf_counter() - begin
        twin.close()
        return took

    a, r = interleaved(b.rounds(500), ours, theirs, warm_up=10)
    return [Figure("fork", "an independent copy of an episode", "s", a, "serialize, connect, deserialize", r)]


def snapshot(b: Bench) -> list[Figure]:
    s = b.subject
    env, conn = s.env(), s.connect()
    a, r = interleaved(b.rounds(500), lambda n: once(env.snapshot), lambda n: once(conn.serialize), warm_up=10)
    return [Figure("snapshot", "the state as bytes", "s", a, "serialize", r)]


def sessions(b: Bench) -> list[Figure]:
    count = 1_000
    found = fresh("sessions", str(b.subject.path), str(count))
    says = f"{count:,} live episodes, a read and a write each"
    return [
        Figure("sessions", says, "MiB", found["mib"], "their states' bytes", found["state_mib"], 1024, True),
        Figure("session", "start one of them", "s", found["seconds"]),
    ]


# packs and builds


def opening(b: Bench) -> list[Figure]:
    s = b.subject

    def files(number: int) -> float:
        return once(lambda: [p.read_bytes() for p in sorted(s.path.rglob("*")) if p.is_file()])

    a, r = interleaved(b.rounds(100), lambda n: once(lambda: open_world(s.path)), files)
    first = median(fresh("open", str(s.path))["first"] for _ in range(2 if b.quick else 5))
    return [
        Figure("open", "open a pack whose Blueprint is known", "s", a, "reading its files", r),
        Figure("open_first", "open the first pack of a process", "s", first),
    ]


def imports(b: Bench) -> list[Figure]:
    times: dict[str, list[float]] = {"pass": [], "import worldwright": [], "from worldwright import open_world": []}
    for _ in range(5 if b.quick else 15):
        for code, found in times.items():
            found.append(once(partial(subprocess.run, [sys.executable, "-c", code], check=True)))
    start, package, opener = (min(found) for found in times.values())
    return [
        Figure(
            "import", "import worldwright, less a bare start", "s", package - start, "a bare start", start, 0.3, True
        ),
        Figure("import_open", "the same with open_world loaded", "s", opener - start, "a bare start", start),
    ]


def builds(b: Bench) -> list[Figure]:
    found = b.builds
    work, rows = found["reference"], f"{found['rows']:,.0f} rows, Python and SQLite"
    return [
        Figure("build", f"the first {b.domain} of a process, no tasks", "s", found["first"], rows, work, 2.0, True),
        Figure("build_load", "of that, reading and checking", "s", found["load"], rows, work),
        Figure("build_again", "another seed of the same variant", "s", found["again"], rows, work, 0.5, True),
    ]


MEASUREMENTS: dict[str, Callable[[Bench], list[Figure]]] = {
    "reset": reset,
    "read": read,
    "write": write,
    "diff": diff,
    "verify": verify,
    "sessions": sessions,
    "import": imports,
    "build": builds,
    "episode": episodes,
    "fork": fork,
    "snapshot": snapshot,
    "open": opening,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.splitlines()[0])
    parser.add_argument("--domain", default="enterprise_procurement", choices=catalogue.names())
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: rougher figures in a few seconds")
    parser.add_argument("--only", action="append", choices=MEASUREMENTS, metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--json", action="store_true", help="print data, not a table")
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(options.domain, Path(folder), options.quick)
        for name in options.only or MEASUREMENTS:
            figures += MEASUREMENTS[name](b)
    compiled = {
        "python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "cores": os.cpu_count(),
        "domain": options.domain,
    }  # fmt: skip
    missed = [f.name for f in figures if f.holds is False]
    if options.json:
        print(json.dumps({**compiled, "figures": [f.data() for f in figures], "missed": missed}, indent=2))
        return 1 if missed else 0
    print(", ".join(f"{key} {value}" for key, value in compiled.items()))
    print(table(figures))
    print(f"missed: {', '.join(missed)}" if missed else "every target holds")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
