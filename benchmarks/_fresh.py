"""What has to be measured in a process of its own. Run by `speed`; prints JSON.

python -m benchmarks._fresh build DOMAIN DAYS SEEDS
python -m benchmarks._fresh sessions PACK COUNT
python -m benchmarks._fresh open PACK
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from functools import partial
from hashlib import blake2b
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks._measure import once
from benchmarks._subject import READ, WRITE, plain_target, with_span

from worldwright import catalogue
from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.engine.env import Env
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import open_world

COLUMNS = 12


def reference_work(rows: int) -> None:
    """A fixed piece of Python and SQLite that grows with the rows: draw, insert and read back each one."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute(
        f"CREATE TABLE t (id TEXT PRIMARY KEY, {', '.join(f'c{i} TEXT' for i in range(COLUMNS))}) WITHOUT ROWID"
    )
    insert = f"INSERT INTO t VALUES ({', '.join('?' * (COLUMNS + 1))})"
    conn.execute("BEGIN")
    for number in range(rows):
        key = f"ROW-{number:06d}"
        drawn = [blake2b(f"{key} {i}".encode(), digest_size=8).hexdigest() for i in range(COLUMNS)]
        conn.execute(insert, (key, *drawn))
        row = conn.execute("SELECT * FROM t WHERE id = ?", (key,)).fetchall()[0]
        assert sorted(dict(enumerate(row)).values())
    conn.execute("COMMIT")
    conn.close()


def measure_build(domain: str, days: int, seeds: int) -> dict[str, float]:
    """The first build of a process without tasks, imports excluded, then other seeds of the same variant.

    In seconds of one core: a build waits for nothing, and what else the machine does is not its time.
    """
    text = with_span(catalogue.text(domain), days)
    begin = process_time()
    checked = load_text(text, f"{domain}.yaml")
    loaded = process_time() - begin
    built = build(checked, 0, with_tasks=False)
    first = process_time() - begin
    rows = built.pack.manifest.counts["rows"]
    again, reference = [], []
    for seed in range(1, seeds + 1):
        reference.append(once(partial(reference_work, rows), process_time))
        again.append(once(partial(build, checked, seed, with_tasks=False), process_time))
    return {
        "rows": rows, "load": loaded, "first": first, "again": median(again), "reference": median(reference),
    }  # fmt: skip


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_sessions(path: str, count: int) -> dict[str, float]:
    """Memory that live episodes take, each with a read and a write behind it."""
    world = open_world(Path(path))
    assert isinstance(world.runtime, Runtime)
    plain = plain_target(world.runtime.compiled)
    first = world.env()
    first.reset()
    key = _any_id(first, plain.entity)
    before = resident()
    begin = perf_counter()
    alive: list[Env] = []
    for i in range(count):
        env = world.env()
        env.reset()
        assert env.call_tool(READ, {plain.entity: key}).ok
        assert env.call_tool(WRITE, {plain.entity: key, "new_value": f"note {i}"}).ok
        alive.append(env)
    took = perf_counter() - begin
    grown = resident() - before
    return {"mib": grown / 2**20, "state_mib": len(first.snapshot()) * count / 2**20, "seconds": took / len(alive)}


def _any_id(env: Env, entity: str) -> str:
    conn = sqlite3.connect(":memory:")
    conn.deserialize(env.snapshot())
    return str(conn.execute(f'SELECT id FROM "{entity}" ORDER BY id LIMIT 1').fetchall()[0][0])


def measure_open(path: str) -> dict[str, float]:
    """Opening the first pack of a process: its Blueprint is parsed, checked and compiled too."""
    return {"first": once(lambda: open_world(Path(path)))}


def main(arguments: list[str]) -> None:
    match arguments:
        case ["build", domain, days, seeds]:
            found = measure_build(domain, int(days), int(seeds))
        case ["sessions", path, count]:
            found = measure_sessions(path, int(count))
        case ["open", path]:
            found = measure_open(path)
        case _:
            raise SystemExit(__doc__)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
