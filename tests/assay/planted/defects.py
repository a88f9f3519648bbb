"""The battery's own proof: defects planted in verifiers, and how many of them it catches.

A planted defect is caught where the flawed verifier scores an episode of the battery otherwise than that episode must be scored.
One that is not caught is held against many more episodes. Where it never judges otherwise than the right verifier, it is
`equivalent`: it leaves out only what follows from the rest. Where it does, the battery missed a real defect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from tests.assay.planted import judging, keys
from tests.assay.planted.doubts import doubts
from tests.assay.planted.judging import Flawed

from worldwright.core.errors import TamperedPack
from worldwright.core.memo import Memo
from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.activity import RoleActivity, activity_of
from worldwright.kinds.database.battery.cells.conversation import NAME as CONVERSATION
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import CELLS
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.accept import exact
from worldwright.kinds.database.compile.tasks.plans import Plan
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import rank_nearest_rows
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.verify.judge import SessionJudge
from worldwright.kinds.database.verify.match import match
from worldwright.kinds.database.verify.patterns import pattern_data
from worldwright.kinds.database.verify.spec import Episode, Specification
from worldwright.kinds.database.verify.verdict import judge_episode
from worldwright.kinds.database.verify.verifier import Verifier, specification
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task, Verdict

T = TypeVar("T")
KINDS: tuple[str, ...] = (
    *(name for name, _, _ in keys.KINDS),
    *(f"{name}, and no goal looked at" for name, _ in keys.LOOSER),
    *(name for name, _, _ in judging.KINDS),
)


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect in one task's verifier."""

    task: str
    kind: str
    where: str


@dataclass(frozen=True, slots=True)
class Catch:
    """What became of the planted defects of one kind."""

    planted: int
    caught: int
    equivalent: int
    missed: tuple[Defect, ...] = ()

    @property
    def rate(self) -> float:
        """Of the defects that make a difference, the part that was caught."""
        real = self.planted - self.equivalent
        return self.caught / real if real else 1.0


class Panel(Verifier):
    """The right verifier of a key, with flawed ones that hear every episode with it."""

    def __init__(self, sandbox: Sandbox, key: Key) -> None:
        super().__init__(sandbox.compiled, key.expects)
        self.listening: dict[Defect, Flawed] = {}
        self.heard: tuple[Verdict, Mapping[Defect, str]] | None = None
        """The last verdict, and what each flawed verifier made of that episode."""
        self.parts = _parts(self.spec)

    def judge(self, episode: Episode, brief: bool = False) -> Verdict:
        verdict = super().judge(episode)
        failing = {
            part
            for part, alone in self.parts.items()
            if judge_episode(self.compiled, alone.spec, alone.seen(episode)).status == "fail"
        }
        said = {
            d: "fail" if failing - f.touches else judge_episode(self.compiled, f.spec, f.seen(episode)).status
            for d, f in self.listening.items()
        }
        self.heard = verdict, said
        return verdict


def _parts(spec: Specification) -> dict[str, Flawed]:
    """Parts of a verdict that stand for themselves: one that fails makes any verifier fail that still looks at it."""
    nothing = Specification(framed=False, no_others=False)
    said = tuple(a for a in spec.answers if a.works_out is None)
    parts = {
        "rules": Flawed(replace(nothing, rules=spec.rules, no_others=spec.no_others)),
        "answer": Flawed(replace(nothing, answers=said), lambda e: _say_only(e, {a.name for a in said})),
    }
    if not any(at.label for goal in spec.goals for at in goal.names.rows.values()):
        parts["goals"] = Flawed(replace(nothing, goals=spec.goals))
    return parts


def _say_only(episode: Episode, names: Set[str]) -> Episode:
    """The episode with these parts of its answer alone: what is worked out on the final state is judged by the whole verifier."""
    if not isinstance(episode.answer, Mapping):
        return episode
    return replace(episode, answer={k: v for k, v in episode.answer.items() if k in names})


def catch_rate(
    sandbox: Sandbox,
    tasks: Sequence[tuple[Task, Key]],
    most: int = 0,
    search: bool = True,
    settings: BatterySettings = FULL,
) -> dict[str, Catch]:
    """By kind of defect, what the battery makes of it over these tasks.

    At most `most` of a kind are planted in one task, all with 0. Without `search`, what is not caught is not looked into and
    counts as missed.
    """
    planted: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    missed: dict[str, list[Defect]] = {}
    activity = activity_of(sandbox, settings, Memo())
    plans = _plans(sandbox, tasks)
    for task, key in tasks:
        report = _task(
            sandbox,
            task,
            key,
            activity.sample(task.role, settings.walks),
            plans.get(task.role, ()),
            most,
            search,
            settings,
        )
        for defect, fate in report.items():
            planted[defect.kind] += 1
            caught[defect.kind] += fate == "caught"
            if fate == "missed":
                missed.setdefault(defect.kind, []).append(defect)
    return {
        kind: Catch(
            planted[kind],
            caught[kind],
            planted[kind] - caught[kind] - len(missed.get(kind, ())),
            tuple(missed.get(kind, ())),
        )
        for kind in KINDS
        if planted[kind]
    }


def _task(
    sandbox: Sandbox,
    task: Task,
    key: Key,
    activity: RoleActivity,
    plans: Sequence[Plan],
    most: int,
    search: bool,
    settings: BatterySettings,
) -> dict[Defect, str]:
    """What becomes of each defect in one task's verifier: caught, equivalent or missed. Nothing for a task that does not hold."""
    judge = SessionJudge(sandbox.compiled, key.expects)
    panel = Panel(sandbox, key)
    judge.verifier = panel
    harness = VerifierHarness(sandbox, task, key, judge, settings, activity)
    fates: dict[Defect, str] = {}
    for defect, flawed in plant(harness, most):
        if flawed is None:
            fates[defect] = "caught"  # a key that cannot be read is not sealed
        else:
            panel.listening[defect] = flawed
    for name, episodes in CELLS:
        for trial in () if name == CONVERSATION else episodes(harness):  # which judges in an environment of its own
            verdict, heard = panel.heard or (None, {})
            assert verdict is trial.verdict
            if not trial.right:
                return {}  # the battery drops this task, whatever is planted in it
            right = "pass" if trial.wanted else "fail"
            for defect in [d for d, status in heard.items() if status != right]:
                if panel.listening.pop(defect, None) is not None:
                    fates[defect] = "caught"
    left = dict.fromkeys(panel.listening, "equivalent")
    if not search:
        return {**fates, **dict.fromkeys(left, "missed")}
    for _ in doubts(harness, plans) if left else ():
        assert panel.heard is not None
        verdict, heard = panel.heard
        for defect in [d for d, status in heard.items() if status != verdict.status]:
            left[defect] = "missed"
            del panel.listening[defect]
        if not panel.listening:
            break
    return {**fates, **left}


def plant(harness: VerifierHarness, most: int = 0) -> Iterator[tuple[Defect, Flawed | None]]:
    """Every defect of every kind in one task's verifier; None for a key that is refused when it is read."""
    task, compiled, expects = harness.task.id, harness.sandbox.compiled, harness.key.expects
    witness = _witness(harness)
    for kind, flaws, touches in keys.KINDS:
        for where, wrong in _some(list(flaws(expects, witness)), most, (task, kind)):
            yield Defect(task, kind, where), _read(compiled, wrong, touches)
    spec = specification(compiled, expects)
    for kind, flaws in keys.LOOSER:
        if spec.texts and flaws is keys.nothing_demanded:
            continue  # a text that has to be said is not in the untouched state: it demands the row again
        kind = f"{kind}, and no goal looked at"
        for where, wrong in _some(list(flaws(expects, witness)) if expects["goals"] else [], most, (task, kind)):
            flawed = _read(compiled, wrong, keys.CHANGES | keys.GOALS)
            yield Defect(task, kind, where), flawed and replace(flawed, spec=replace(flawed.spec, goals=()))
    for kind, faults, touches in judging.KINDS:
        for where, flawed in _some(list(faults(spec)), most, (task, kind)):
            yield Defect(task, kind, where), replace(flawed, touches=touches)


def _read(compiled: CompiledWorld, wrong: keys.Expects, touches: frozenset[str]) -> Flawed | None:
    try:
        return Flawed(specification(compiled, wrong), touches=touches)
    except TamperedPack:
        return None


def _some(found: list[T], most: int, seed: tuple[str, str]) -> list[T]:
    return found if not most or len(found) <= most else Stream("defects", *seed).shuffled(found)[:most]


def _witness(harness: VerifierHarness) -> keys.Witness:
    sandbox, expects = harness.sandbox, harness.key.expects
    spec = specification(sandbox.compiled, expects)
    found = match(spec.accepts[0], harness.gold.net, harness.gold.span)
    rows = {p: harness.gold.net[rows[0]] for p, rows in found.rows.items()}
    forbidden = harness.end(tuple(Call(c["tool"], c["arguments"]) for c in expects.get("forbidden", ())), stop=False)
    siblings = {}
    for bound in harness.bounds:
        for entity, key in bound.rows.values():
            if isinstance(key, str):
                siblings[key] = next(iter(rank_nearest_rows(sandbox, entity, key, ("defects", entity))), key)
    return keys.Witness(
        sandbox.schema,
        rows,
        harness.key.answer,
        [pattern_data(p, sandbox.schema) for p in exact(forbidden, sandbox.schema.entities)],
        _writable(harness),
        {key: other for key, other in siblings.items() if other != key},
        tuple(sandbox.compiled.blueprint.policies),
    )


def _writable(harness: VerifierHarness) -> dict[tuple[str, str], frozenset[str]]:
    ops = {"add": "added", "set": "changed", "remove": "removed"}
    out: dict[tuple[str, str], set[str]] = {}
    for tool in harness.tools.values():
        if not tool.roles or harness.task.role in tool.roles:
            for write in tool.effects.writes:
                if not harness.sandbox.schema.entities[write.entity].log and not write.derived:
                    out.setdefault((ops[write.verb], write.entity), set()).update(write.columns)
    return {touch: frozenset(columns) for touch, columns in sorted(out.items())}


def _plans(sandbox: Sandbox, tasks: Sequence[tuple[Task, Key]]) -> dict[str, list[Plan]]:
    """By role, what its tasks have done, each once."""
    out: dict[str, dict[str, Plan]] = {}
    for task, key in tasks:
        plan = VerifierHarness(sandbox, task, key).plan
        if plan:
            out.setdefault(task.role, {}).setdefault("+".join(c.tool for c in plan), plan)
    return {role: list(found.values()) for role, found in out.items()}
