"""Whether complexity layers matter: what the planner scores on the tasks that meet a layer, and on the same without it.

    python -m benchmarks.layers [--layers A,B] [--domains A,B] [--seeds 7,8] [--tasks 40] [--agent planner|hasty|careless]
        [--battery] [--jobs 2] [--json FILE]

For every domain and seed one world is made as it is, and one for each layer that has something to fall on. Tasks are easy ones,
asked as people do. Every task that meets the layer is paired with a task of the world without it: the same request (the same goals
about the same records, asked of the same person) where there is one, else one of the same goals, else one of the same family about
the same kind of record, and else it is left out. The agent plays both, with nothing left to chance: the planner, or for layers that
only catch who does not compare, the planner in a hurry, or an oracle that looks names up and takes the first that comes. Prints a
table: rates with exact 95% intervals, how many pairs got worse and better, and how likely that is by chance (the exact sign test,
one-sided). Exits 1 where a layer does not make the rate fall.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import NamedTuple

from benchmarks._careless import Careless

from worldwright import catalogue
from worldwright.agents.hasty import Hasty
from worldwright.agents.planner import Planner
from worldwright.agents.protocol import Agent
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.service import find_services
from worldwright.core.intervals import binomial_interval
from worldwright.core.memo import Memo
from worldwright.core.whole_file import write_whole
from worldwright.engine.env import Env
from worldwright.engine.tasks import TaskBook
from worldwright.kinds.database.battery.layers import layers_data
from worldwright.kinds.database.builder import PROOF_STAGE, compile_checked, start_draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages
from worldwright.kinds.database.compile.stages.tasks import make_task_files
from worldwright.kinds.database.compile.tasks.knobs import Knobs, knobs
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.runtime import Runtime
from worldwright.rollout.episode import EpisodeSetup, play
from worldwright.rollout.records import EpisodeKey, Limits
from worldwright.variants.inject import find_applicable_layers, inject
from worldwright.variants.layers import LAYERS
from worldwright.world.tasks import Key, Task

EASY: Mapping[str, str] = {"reference": "any"}
"""On top of the profile `low`."""
DECIDED: Mapping[str, str] = {"contrast": "16"}
"""On top of that, for layers of rules: requests that the rules decide."""
DOMAINS = (
    "card_disputes", "enterprise_procurement", "expense_claims", "flight_rebooking", "hotel_booking", "loan_servicing",
    "mailing_campaigns", "matter_management", "motor_claims", "production_control",
)  # fmt: skip
"""Where nothing passes without a layer, nothing can fall."""
AGENTS: Mapping[str, Callable[[Checked, Runtime], Agent]] = {
    "planner": lambda checked, runtime: Planner(0.0),
    "hasty": lambda checked, runtime: Hasty(0.0),
    "careless": Careless,
}
SEEDS = (7, 8)
CHANCE = 0.05
BY = ("request", "goal", "kind")
"""How pairs are found."""


class Seen(NamedTuple):
    """A task that was played."""

    task: str
    request: str
    family: str
    goals: tuple[str, ...]
    kinds: tuple[str, ...]
    """What its goals are about."""
    passed: bool
    layers: tuple[str, ...]
    """Those that it meets."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A task that meets a layer, and its like without."""

    layer: str
    domain: str
    seed: int
    task: str
    by: str
    """What both share: `request`, `goal`, or `kind` of record."""
    off: bool
    on: bool


@dataclass(frozen=True, slots=True)
class Made:
    """A world and its easy tasks."""

    state: bytes
    damaged: Mapping[str, Sequence[tuple[str, str]]]
    tasks: tuple[tuple[Task, Key], ...]


def made(checked: Checked, seed: int, asked: Knobs, battery: bool) -> Made:
    for _, draft in run_stages(COMPILE_STAGES, start_draft(checked, seed, Memo(), knobs=asked)):  # noqa: B007  the last one is wanted
        pass
    assert draft.made is not None
    tasks = draft.made.tasks
    if battery:
        book = TaskBook(PROOF_STAGE.run(draft).files)
        tasks = tuple((task, book.key(task.id)) for task in book.tasks())
    return Made(draft.state.data, draft.state.messed_rows, tasks)


def played(checked: Checked, found: Made, name: str) -> list[Seen]:
    """Every task, played once."""
    compiled = compile_checked(checked, Memo())
    agent = AGENTS[name](checked, Runtime(compiled, found.state, ""))
    met = layers_data(Sandbox(Runtime(compiled, found.state, "")), found.tasks, found.damaged)
    runtime = Runtime(compiled, found.state, render_handbook(checked), find_services(checked))
    env = Env(runtime, checked.digest, book=TaskBook(make_task_files(compiled, found.tasks)))
    out = []
    for task, key in found.tasks:
        spot = EpisodeKey(checked.digest, task.id, 0)
        setting = EpisodeSetup(task.id, spot, checked.blueprint.blueprint, "", "plain", 0, agent.name)
        passed = play(env, agent, setting, Limits()).status == "pass"
        goals = [use["goal"] for use in key.expects["goals"]] or [key.expects.get("asked", "")]
        layers = tuple(layer for layer, one in met.items() if task.id in one["tasks"])
        given = [kind.entity for goal in goals if goal for kind in checked.goals[goal].given.values()]
        out.append(Seen(task.id, request(task, key), task.family, tuple(goals), tuple(given[:1]), passed, layers))
    env.close()
    return out


def request(task: Task, key: Key) -> str:
    """What is asked for, of whom, about which records: whatever words it is asked in, and whatever comes of it."""
    asked = key.expects["goals"] or [key.expects.get("asked"), key.expects.get("forbidden")]
    return json.dumps([task.actor, asked, task.instruction if task.family == "program" else ""], sort_keys=True)


def paired(layer: str, domain: str, seed: int, off: Sequence[Seen], on: Sequence[Seen]) -> Iterator[Pair]:
    """Tasks that meet the layer with their like. Where several are alike, they are taken in turn."""
    shelves: dict[tuple[object, ...], list[Seen]] = {}
    for one in off:
        for shelf in _shelves(one):
            shelves.setdefault(shelf, []).append(one)
    used: Counter[tuple[object, ...]] = Counter()
    for one in on:
        for shelf in [shelf for shelf in _shelves(one) if shelf in shelves and layer in one.layers][:1]:
            other = shelves[shelf][used[shelf] % len(shelves[shelf])]
            used[shelf] += 1
            yield Pair(layer, domain, seed, one.task, str(shelf[0]), other.passed, one.passed)


def _shelves(one: Seen) -> Iterator[tuple[object, ...]]:
    """What a task may be found by, the most telling first."""
    yield "request", one.request
    yield "goal", one.goals, one.family
    yield "goal", one.goals
    yield "kind", one.kinds, one.family


def measured(
    domain: str, seed: int, asked: Sequence[str], tasks: int, battery: bool, agent: str = "planner"
) -> list[Pair]:
    """All pairs of one domain and seed. What was made is told on the way."""
    base = catalogue.load(domain)
    here = [layer for layer in find_applicable_layers(base) if layer in asked]
    if not here:
        return []
    begin = time.perf_counter()
    without: dict[bool, tuple[Made, list[Seen]]] = {}
    out: list[Pair] = []
    for layer in here:
        kind, checked = LAYERS[layer].kind, inject(base, [layer])
        easy = knobs("low", {**EASY, **(DECIDED if kind == "rules" else {}), "most": str(tasks)})
        if (kind == "rules") not in without:
            usual = made(base, seed, easy, battery)
            without[kind == "rules"] = usual, played(base, usual, agent)
        usual, off = without[kind == "rules"]
        # What has only another face has the same state and the same tasks: tests hold it to that.
        own = usual if kind == "surface" else made(checked, seed, easy, battery)
        found = list(paired(layer, domain, seed, off, played(checked, own, agent)))
        out += found
        rates = f"{sum(p.off for p in found)} without, {sum(p.on for p in found)} with, of {len(found)}"
        print(f"  {time.perf_counter() - begin:6.0f} s  {domain} {seed} {layer}: {rates}", file=sys.stderr, flush=True)
    return out


def by_chance(worse: int, better: int) -> float:
    """How often a fair coin gives so many that are worse, or more."""
    n = worse + better
    return float(sum(comb(n, k) for k in range(worse, n + 1)) / 2**n)


def row(layer: str, pairs: Sequence[Pair]) -> tuple[list[str], bool]:
    """The cells of a layer, and whether the rate falls."""
    n, off, on = len(pairs), sum(p.off for p in pairs), sum(p.on for p in pairs)
    worse, better = sum(p.off and not p.on for p in pairs), sum(p.on and not p.off for p in pairs)
    chance = by_chance(worse, better)
    cells = [
        f"`{layer}`", str(len({p.domain for p in pairs})), str(n), *(f"{sum(p.by == by for p in pairs) / n:.0%}" for by in BY),
        _rate(off, n), _rate(on, n), str(worse), str(better), "<0.001" if chance < 0.001 else f"{chance:.3f}",
    ]  # fmt: skip
    return cells, on < off and chance < CHANCE


def _rate(k: int, n: int) -> str:
    low, high = binomial_interval(k, n)
    return f"{k / n:.0%} ({low:.0%} to {high:.0%})"


def table(found: Mapping[str, Sequence[Pair]]) -> bool:
    """Print it. Whether every layer matters."""
    heads = [
        "layer",
        "domains",
        "tasks",
        *(f"same {by}" for by in BY),
        "without",
        "with",
        "worse",
        "better",
        "by chance",
    ]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    matters = True
    for layer, pairs in found.items():
        if not pairs:
            print(f"| `{layer}` | 0 | 0 |" + " |" * (len(heads) - 3))
            matters = False
            continue
        cells, falls = row(layer, pairs)
        print(f"| {' | '.join(cells)} |", flush=True)
        matters &= falls
    return matters


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", default="", help="names with commas between; all if left out")
    parser.add_argument(
        "--domains",
        default="",
        help="names with commas between, or all; ten that the planner can do something in if left out",
    )
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)))
    parser.add_argument("--tasks", type=int, default=40, help="of each world, at most")
    parser.add_argument("--agent", choices=sorted(AGENTS), default="planner")
    parser.add_argument("--battery", action="store_true", help="only tasks that the battery keeps, as a build does")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write every pair to this file")
    given = parser.parse_args()
    layers = [one for one in LAYERS if not given.layers or one in given.layers.split(",")]
    named = catalogue.names() if given.domains == "all" else [one for one in given.domains.split(",") if one]
    domains = list(named or DOMAINS)
    found: dict[str, list[Pair]] = {layer: [] for layer in layers}
    begin = time.perf_counter()
    with ProcessPoolExecutor(given.jobs) as pool:
        running = [
            pool.submit(measured, domain, seed, layers, given.tasks, given.battery, given.agent)
            for seed in map(int, given.seeds.split(","))
            for domain in domains
        ]
        for future in as_completed(running):
            for pair in future.result():
                found[pair.layer].append(pair)
    order = {domain: k for k, domain in enumerate(domains)}
    for pairs in found.values():
        pairs.sort(key=lambda p: (order[p.domain], p.seed, p.task))
    if given.json:
        write_whole(given.json, json.dumps([asdict(p) for pairs in found.values() for p in pairs], indent=1))
    matters = table(found)
    print(f"\n{given.agent}, {len(domains)} domains, seeds {given.seeds}, {time.perf_counter() - begin:.0f} s")
    return 0 if matters else 1


if __name__ == "__main__":
    raise SystemExit(main())
