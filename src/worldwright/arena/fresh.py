"""Where agents are evaluated: worlds that nobody trained on, and tasks in them that nobody has seen.

Families of a training gym are left out as a whole, worlds of it by their digest, and requests of it by their words. Where there are
no held-out worlds yet, fresh ones are ordered from the factory under a seed of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worldwright import catalogue
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.factory.order import Order, WorldOptions
from worldwright.factory.sources import source_of_domain
from worldwright.rollout.plan import PlannedWorld, TaskFilter, hash_instruction
from worldwright.rollout.records import EpisodeKey
from worldwright.store.open import find_gym_packs, open_world


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """What an agent may have seen."""

    domains: frozenset[str] = frozenset()
    worlds: frozenset[str] = frozenset()
    requests: frozenset[str] = frozenset()
    """Digests of instructions."""


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """What is played: worlds, and tasks in them."""

    name: str
    places: tuple[PlannedWorld, ...]
    spots: tuple[EpisodeKey, ...]
    left_out: dict[str, int] = field(default_factory=dict)
    """Why tasks were left out, and how many."""


def find_trained_on(gyms: Iterable[str]) -> TrainedOn:
    """Find what the gyms hold that an agent was trained on."""
    domains, worlds, requests = set(), set(), set()
    for gym in gyms:
        for path in find_gym_packs(gym).values():
            world = open_world(path)
            domains.add(world.name)
            worlds.add(world.digest)
            requests |= {hash_instruction(task.instruction) for task in world.tasks}
    return TrainedOn(frozenset(domains), frozenset(worlds), frozenset(requests))


def gather_field(
    gyms: Sequence[str],
    choice: TaskFilter,
    attempts: int = 1,
    seed: int = 0,
    trained: TrainedOn | None = None,
    held_out: Sequence[str] = (),
) -> EvaluationSet:
    """Gather the tasks of gyms that an agent has not seen; with `held_out`, only of these domains."""
    seen = trained or TrainedOn()
    places: dict[str, PlannedWorld] = {}
    spots: list[EpisodeKey] = []
    left_out = {"domain trained on": 0, "world trained on": 0, "request trained on": 0, "domain not held out": 0}
    for gym in gyms:
        for variant, path in find_gym_packs(gym).items():
            world = open_world(path)
            if world.digest in places:
                continue
            why = _explain_exclusion(world.name, world.digest, seen, held_out)
            tasks = choice.select(world, seed)
            if why:
                left_out[why] += len(tasks)
                continue
            chosen = [t for t in tasks if hash_instruction(t.instruction) not in seen.requests]
            left_out["request trained on"] += len(tasks) - len(chosen)
            if chosen:
                places[world.digest] = PlannedWorld(world.digest, world.name, variant, str(Path(path).resolve()))
                spots += [EpisodeKey(world.digest, t.id, n) for t in chosen for n in range(1, attempts + 1)]
    if not spots:
        why = ", ".join(f"{n} tasks: {why}" for why, n in left_out.items() if n) or "no task is among those asked for"
        raise UsageError(f"{', '.join(gyms)} leave nothing to evaluate on ({why})")
    name = ", ".join(Path(gym).name for gym in gyms)
    return EvaluationSet(name, tuple(places.values()), tuple(spots), {k: n for k, n in left_out.items() if n})


def _explain_exclusion(domain: str, digest: str, seen: TrainedOn, held_out: Sequence[str]) -> str:
    if digest in seen.worlds:
        return "world trained on"
    if held_out:
        return "" if domain in held_out else "domain not held out"
    return "domain trained on" if domain in seen.domains else ""


def choose_held_out_domains(trained: TrainedOn, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the domains that are named, or every domain of the catalogue that was not trained on."""
    known = catalogue.names()
    for name in named:
        if name not in known:
            raise UsageError(f"the catalogue has no domain {name!r}; {suggest(name, known)}")
    found = tuple(named) or tuple(name for name in known if name not in trained.domains)
    if not found:
        raise UsageError("every domain of the catalogue was trained on: name held-out ones, or train on fewer")
    return found


def order_fresh_worlds(domains: Sequence[str], worlds: int, seed: int = 900_001, tasks: int = 12) -> Order:
    """Order fresh worlds of these domains, as many of each, spread over the axes."""
    sources = tuple(source_of_domain(name) for name in domains)
    return Order(sources, worlds, seed=seed, siblings=1, asked=WorldOptions(knobs=(("most", str(tasks)),)))
