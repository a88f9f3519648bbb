"""The loop: evaluate, diagnose, build what targets the weakness, gate it, train, evaluate again.

Everything lies in one folder, a step a file, so that an evolution which was stopped in any way goes on where it was:

    settings.json            what was asked for
    start/held_out/          the run of the first agent on the held-out worlds
    round_01/dev/            the run on the development worlds
    round_01/guidelines.yaml what to build
    round_01/built.json      what was built
    round_01/kept.json       by world, the tasks in the learnable band
    round_01/gym/            the worlds with such tasks, as packs; tasks.json names the tasks for a training command
    round_01/train/          what the command wrote; trained.json names the agent that came out
    round_01/held_out/       the run of that agent on the held-out worlds
    round_01/set_01/         its run on the tasks that round 1 kept, and so on
    lineage.jsonl            every world, its round and the guideline that asked for it
    evolve.json, evolve.html the report
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldwright import catalogue
from worldwright.arena.compare import PairedComparison, compare_paired
from worldwright.arena.contest import plan_contest
from worldwright.arena.evaluate import Evaluation, Worlds, evaluate, traits_of
from worldwright.arena.evolve.actions import Actions, gate_worlds
from worldwright.arena.evolve.records import BuiltWorld, Round, Settings, WorldOrigin
from worldwright.arena.evolve.training import TrainingInputs, player_data, read_player, train
from worldwright.arena.fresh import EvaluationSet, find_trained_on, gather_field
from worldwright.arena.guidelines import (
    Guideline,
    Guidelines,
    control_guidelines,
    derive_guidelines,
    plan_orders,
    read_guidelines,
    write_guidelines,
)
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import BuildError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.english.nouns import count_noun
from worldwright.factory.order import Order
from worldwright.gate.records import Terms
from worldwright.gate.run import Order as GateOrder
from worldwright.pack.seal import write_pack
from worldwright.rollout.plan import AgentSpec, PlannedWorld, TaskFilter
from worldwright.rollout.records import EpisodeKey
from worldwright.store.store import Store

SETTINGS, LINEAGE = "settings.json", "lineage.jsonl"
SEEDS_PER_ROUND = 10_000
"""Between the seeds of two rounds."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """What came of it."""

    settings: Settings
    start: Evaluation
    """The first agent on the held-out worlds."""
    rounds: tuple[Round, ...]
    born: tuple[WorldOrigin, ...]

    @property
    def overall(self) -> PairedComparison:
        """The last agent against the first, on the held-out worlds."""
        last = self.rounds[-1].after if self.rounds else self.start
        return compare_paired(f"{last.agent} now", last.rows, f"{self.start.agent} at the start", self.start.rows)


def evolve(
    settings: Settings, out: Path, hands: Actions, report: Callable[[Evolution], None] = lambda found: None
) -> Evolution:
    """Round after round, until one brings nothing or all are done. `report` is told after each."""
    _check_settings(settings, out)
    grounds = _EvolutionWorlds(settings, out, hands)
    start = last = grounds.evaluate_held_out(settings.player, out / "start")
    player, rounds, born = settings.player, list[Round](), list[WorldOrigin]()
    for number in range(1, settings.rounds + 1):
        done = _Round(number, grounds, player, rounds, last).run()
        rounds.append(done)
        born += _list_origins(done)
        lines = (json.dumps(asdict(one), ensure_ascii=False) for one in born)
        write_whole(out / LINEAGE, "".join(f"{line}\n" for line in lines))
        report(Evolution(settings, start, tuple(rounds), tuple(born)))
        hands.say(f"round {number}: {done.verdict}")
        if not done.goes_on:
            break
        player, last = done.trained or player, done.after
    return Evolution(settings, start, tuple(rounds), tuple(born))


def _check_settings(settings: Settings, out: Path) -> None:
    path = out / SETTINGS
    if path.exists():
        there = json.loads(path.read_text(encoding="utf-8")).get("digest")
        if there != settings.digest:
            raise UsageError(f"{out} holds another evolution; choose another folder, or remove it")
    write_whole(path, pretty_json({"digest": settings.digest, **_settings_data(settings)}))


def _settings_data(settings: Settings) -> dict[str, Any]:
    data = asdict(settings)
    return {**data, "player": player_data(settings.player)}


class _EvolutionWorlds:
    """The worlds of an evolution, and how an agent does on them."""

    def __init__(self, settings: Settings, out: Path, hands: Actions) -> None:
        self.settings, self.out, self.hands = settings, out, hands
        choice = TaskFilter(sample=settings.sample)
        self.dev = gather_field(settings.dev, choice, settings.attempts, settings.seed)
        seen = find_trained_on(settings.dev)
        self.held_out = gather_field(settings.held_out, choice, settings.attempts, settings.seed, seen)
        self.domains = tuple(sorted({place.domain for place in self.dev.places} & set(catalogue.names())))
        if not self.domains:
            raise UsageError("no development world is of the catalogue, so nothing like it can be built")
        self._worlds = {id(field): Worlds(field.places) for field in (self.dev, self.held_out)}

    def evaluate(self, field: EvaluationSet, player: AgentSpec, folder: Path) -> Evaluation:
        plan = plan_contest(field, player, self.settings.limits, seed=self.settings.seed)
        run = self.hands.play(plan, folder)
        return evaluate(run, self._worlds.get(id(field)) or Worlds(field.places))

    def evaluate_held_out(self, player: AgentSpec, folder: Path) -> Evaluation:
        return self.evaluate(self.held_out, player, folder / "held_out")


class _Round:
    """One round while it goes on."""

    def __init__(
        self, number: int, grounds: _EvolutionWorlds, player: AgentSpec, earlier: list[Round], before: Evaluation
    ) -> None:
        self.number, self.grounds, self.player, self.earlier, self.before = number, grounds, player, earlier, before
        self.folder = grounds.out / f"round_{number:02d}"
        self.settings, self.hands = grounds.settings, grounds.hands

    def run(self) -> Round:
        self.hands.say(f"round {self.number}: evaluating {self.player.spec} on the development worlds")
        dev = self.grounds.evaluate(self.grounds.dev, self.player, self.folder / "dev")
        advice = self._advice(dev)
        built = self._build(advice)
        places = self._places(built)
        kept = self._gate(built, places)
        sets = self._list_fields(places, kept)
        trains = bool(self.settings.train) and any(kept.values())
        then = {number: self._evaluate_before(number, field) for number, field in sets.items()} if trains else {}
        trained = self._train(places, kept) if trains else None
        after = self.before if trained is None else self.grounds.evaluate_held_out(trained, self.folder)
        names = (f"{after.agent} after round {self.number}", f"{self.before.agent} before it")
        change = compare_paired(names[0], after.rows, names[1], self.before.rows)
        verdict, goes_on = _conclude(advice, kept, trained, change)
        again = () if trained is None else tuple(self._compare_again(sets, then, trained))
        return Round(
            self.number, dev.agent, dev.agent_id, dev, built, kept, trained, self.before, after, change, again, verdict, goes_on
        )  # fmt: skip

    # steps; each is read where it was done before

    def _step(self, name: str, make: Callable[[], Any]) -> Any:
        path = self.folder / name
        if not path.exists():
            write_whole(path, pretty_json(make()))
        return json.loads(path.read_text(encoding="utf-8"))

    def _advice(self, dev: Evaluation) -> Guidelines:
        path = self.folder / "guidelines.yaml"
        if not path.exists():
            found = derive_guidelines(dev, self.grounds.domains)
            control = found.items and not self.settings.targeted
            write_guidelines(path, control_guidelines(dev.agent, self.grounds.domains) if control else found)
        return read_guidelines(path)

    def _build(self, advice: Guidelines) -> tuple[BuiltWorld, ...]:
        problems: list[str] = []

        def make() -> list[dict[str, Any]]:
            seed = self.settings.seed + SEEDS_PER_ROUND * self.number
            asked = plan_orders(advice, self.settings.worlds, self.settings.tasks, seed)
            done = [asdict(b) for one, order in asked for b in self._worlds_of(one, order, problems)]
            if problems and not done:
                raise BuildError(
                    f"none of the worlds of round {self.number} could be built; the first one because {problems[0]}"
                )
            return done

        found = self._step("built.json", make)
        return tuple(BuiltWorld(**{**one, "wanted": tuple(one["wanted"])}) for one in found)

    def _worlds_of(self, one: Guideline, order: Order, problems: list[str]) -> Iterator[BuiltWorld]:
        tag = f"evolve-{order.digest[:12]}"
        self.hands.say(
            f"round {self.number}: building {count_noun(order.variants, 'world')} of "
            f"{count_noun(len(order.sources), 'domain')} for {one.id}"
        )
        report = self.hands.build(order, tag)
        problems += [str(row.get("problem")) for row in report.get("failed", ())]
        for row in report.get("worlds", ()):
            if not row.get("digest") or not row.get("tasks"):
                continue
            place = PlannedWorld(row["digest"], row["family"], row["variant"], str(Store().find_digest(row["digest"])))
            scenes = Worlds([place])(place.digest)
            every = [task.id for task in scenes.world.tasks]
            wanted = [task for task in every if one.wants(traits_of(scenes(task)))]
            yield BuiltWorld(
                row["digest"], row["family"], row["variant"], row["seed"], order.digest, one.id, one.why, f"{row['family']}:{tag}",
                len(every), tuple(wanted or every),
            )  # fmt: skip

    def _places(self, built: tuple[BuiltWorld, ...]) -> tuple[PlannedWorld, ...]:
        store = Store()
        return tuple(
            {
                b.world: PlannedWorld(b.world, b.family, b.variant, str(store.find_digest(b.world))) for b in built
            }.values()
        )

    def _gate(self, built: tuple[BuiltWorld, ...], places: tuple[PlannedWorld, ...]) -> dict[str, tuple[str, ...]]:
        tasks = {b.world: b.wanted for b in built}

        def make() -> dict[str, Any]:
            many = count_noun(sum(map(len, tasks.values())), "task")
            self.hands.say(f"round {self.number}: gating {many} of {count_noun(len(places), 'world')}")
            terms = Terms(self.settings.seed, limits=self.settings.limits)
            order = GateOrder(self.settings.band)
            return dict(gate_worlds(places, tasks, self.player, terms, order, self.hands.workers))

        return {world: tuple(ids) for world, ids in self._step("kept.json", make).items()}

    def _train(self, places: tuple[PlannedWorld, ...], kept: Mapping[str, tuple[str, ...]]) -> AgentSpec:
        used = [place for place in places if kept.get(place.digest)]
        gym = self._gym(used)
        paths = {p.digest: str(gym / f"{p.domain}-{p.digest[:12]}") for p in used}
        chosen = [{"world": p.digest, "path": paths[p.digest], "task": task} for p in used for task in kept[p.digest]]
        tasks = self.folder / "tasks.json"
        write_whole(
            tasks, pretty_json({"round": self.number, **player_data(self.player), "gym": str(gym), "tasks": chosen})
        )
        lesson = TrainingInputs(
            self.number, self.player, str(gym), tasks, self.folder / "guidelines.yaml", self.folder / "train"
        )

        def make() -> dict[str, Any]:
            self.hands.say(f"round {self.number}: training on {count_noun(len(chosen), 'task')}")
            return player_data(train(self.settings.train, lesson))

        return read_player(self._step("trained.json", make))

    def _gym(self, places: Sequence[PlannedWorld]) -> Path:
        """The worlds of this round that have tasks to learn from, as a folder of packs: what any command takes for a gym."""
        gym, store = (self.folder / "gym").resolve(), Store()
        for place in places:
            target = gym / f"{place.domain}-{place.digest[:12]}"
            if not target.exists():
                write_pack(store.pack(place.digest).files, target)
        return gym

    def _list_fields(
        self, places: tuple[PlannedWorld, ...], kept: Mapping[str, tuple[str, ...]]
    ) -> dict[int, EvaluationSet]:
        """Map each round, this one included, to the tasks that it kept."""
        found = {one.number: _set(self._places(one.built), one.kept, self.settings) for one in self.earlier}
        found[self.number] = _set(places, kept, self.settings)
        return {number: field for number, field in found.items() if field is not None}

    def _evaluate_before(self, number: int, field: EvaluationSet) -> Evaluation:
        """Evaluate the agent on the tasks of a round before training, which may change what stands behind its name."""
        last = self.grounds.out / f"round_{self.number - 1:02d}"
        mine = number == self.number
        folder = self.folder / f"set_{number:02d}_before" if mine else last / f"set_{number:02d}"
        return self.grounds.evaluate(field, self.player, folder)

    def _compare_again(
        self, sets: Mapping[int, EvaluationSet], then: Mapping[int, Evaluation], trained: AgentSpec
    ) -> Iterator[tuple[int, PairedComparison]]:
        """Compare the new agent with the one before this round, on the tasks of every round so far."""
        for number, field in sets.items():
            now = self.grounds.evaluate(field, trained, self.folder / f"set_{number:02d}")
            yield number, compare_paired(now.agent, now.rows, then[number].agent, then[number].rows)


def _set(
    places: tuple[PlannedWorld, ...], kept: Mapping[str, tuple[str, ...]], settings: Settings
) -> EvaluationSet | None:
    """The tasks that a round kept, as something to play."""
    spots = [
        EpisodeKey(p.digest, t, n)
        for p in places
        for t in kept.get(p.digest, ())
        for n in range(1, settings.attempts + 1)
    ]
    used = {spot.world for spot in spots}
    return EvaluationSet("kept", tuple(p for p in places if p.digest in used), tuple(spots)) if spots else None


def _conclude(
    advice: Guidelines, kept: Mapping[str, tuple[str, ...]], trained: AgentSpec | None, change: PairedComparison
) -> tuple[str, bool]:
    """Say what a round brought, and whether to go on."""
    if not advice.items:
        return "nothing fails any more on the development worlds: there is nothing to target", False
    number = sum(map(len, kept.values()))
    if not number:
        return "no task of what was built is in the band that the agent can learn from", False
    if trained is None:
        return f"{number} tasks in the learnable band; nobody trains", True
    points = f"{change.difference * 100:+.1f} points on the held-out worlds ({change.low * 100:+.1f} to {change.high * 100:+.1f})"
    return f"{number} tasks in the learnable band; {points}", change.difference > 0


def _list_origins(done: Round) -> Iterator[WorldOrigin]:
    for b in done.built:
        yield WorldOrigin(
            done.number, b.world, b.family, b.variant, b.seed, b.order, b.guideline, b.why, done.agent_id, b.tasks,
            len(b.wanted), len(done.kept.get(b.world, ())),
        )  # fmt: skip
