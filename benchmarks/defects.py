"""Whether the battery can be trusted: defects planted in the verifiers of catalogue worlds, counted by what became of them.

A defect is caught where the flawed verifier scores an episode of the battery wrongly. One that is not is held against many more
episodes: where it never judges otherwise than the right verifier, it is equivalent (what it leaves out follows from the rest),
and where it does, the battery missed it. Run: python -m benchmarks.defects [--domain NAME] [--seed N] [--most N] [--every N]
[--battery bulk]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping

from tests.assay.planted.defects import KINDS, Catch, catch_rate

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.kinds.database.battery.settings import BATTERIES, FULL, BatterySettings, find_battery
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.store.open import world_of

LEAST = 0.95
"""Of the defects that make a difference, the part that has to be caught."""


def rates(name: str, seed: int, most: int, every: int, battery: BatterySettings) -> Mapping[str, Catch]:
    pack = build(catalogue.load(name), seed).pack
    world = world_of(pack)
    sandbox = Sandbox(Runtime(compile_blueprint(pack.blueprint), pack.state, ""))
    return catch_rate(sandbox, [(t, world.key(t.id)) for t in world.tasks][::every], most, settings=battery)


def added(parts: Iterable[Mapping[str, Catch]]) -> dict[str, Catch]:
    out: dict[str, Catch] = {}
    for part in parts:
        for kind, c in part.items():
            old = out.get(kind, Catch(0, 0, 0))
            out[kind] = Catch(
                old.planted + c.planted, old.caught + c.caught, old.equivalent + c.equivalent, (*old.missed, *c.missed)
            )
    return {kind: out[kind] for kind in KINDS if kind in out}


def table(found: Mapping[str, Catch]) -> str:
    rows = [(kind, c.planted, c.caught, c.equivalent, len(c.missed)) for kind, c in found.items()]
    rows.append(("all", *(sum(row[k] for row in rows) for k in range(1, 5))))  # type: ignore[arg-type, misc]
    width = max(len(row[0]) for row in rows)
    lines = [
        f"| {'defect':{width}} | planted | caught | equivalent | missed |",
        f"| {'-' * width} | ------- | ------ | ---------- | ------ |",
    ]
    lines += [f"| {kind:{width}} | {p:7,} | {c:6,} | {e:10,} | {m:6,} |" for kind, p, c, e, m in rows]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", action="append", choices=catalogue.names(), help="only this world; may be repeated")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, default=3, help="defects of one kind in one task (default 3; 0 for all)")
    parser.add_argument("--every", type=int, default=1, help="look at one task of so many (default all)")
    parser.add_argument(
        "--battery", choices=tuple(BATTERIES), default=FULL.name, help="the one to be tried (default full)"
    )
    options = parser.parse_args()
    parts = []
    for name in options.domain or catalogue.names():
        print(f"{name} ...", file=sys.stderr, flush=True)
        parts.append((name, rates(name, options.seed, options.most, options.every, find_battery(options.battery))))
    found = added(part for _, part in parts)
    print(table(found))
    for name, part in parts:
        for c in part.values():
            for missed in c.missed:
                print(f"missed in {name}: {missed.kind} ({missed.task}, {missed.where})")
    caught = sum(c.caught for c in found.values())
    real = caught + sum(len(c.missed) for c in found.values())
    print(f"{caught:,} of {real:,} defects that make a difference were caught ({caught / real:.2%})")
    return 0 if caught >= LEAST * real else 1


if __name__ == "__main__":
    sys.exit(main())
