"""The referee's word against the verifier's, over legal play around each task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from worldwright.kinds.database.referee.around import Episode, Surroundings
from worldwright.kinds.database.referee.contradict import list_contradictions
from worldwright.kinds.database.referee.decide import RIGHT, UNDECIDED, Decision, Referee
from worldwright.kinds.database.referee.replay import Step
from worldwright.kinds.database.referee.request import read_request
from worldwright.kinds.database.referee.settings import EVERYTHING, PlaySettings
from worldwright.kinds.database.referee.stray import list_stray_writes
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.world.tasks import Key, Task, Verdict


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An episode on which referee and verifier differ."""

    task: str
    play: str
    """What kind of play it is."""
    what: str
    calls: tuple[Mapping[str, Any], ...]
    """The writes of the episode, as they were made on the opening state."""
    answer: Any
    referee: str
    """right or wrong, and why"""
    verifier: str
    """pass, fail or error, and why"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the play around one task."""

    task: str
    episodes: int
    agreements: int
    undecided: Mapping[str, int]
    """By reason."""
    disagreements: tuple[Disagreement, ...]

    @property
    def holds(self) -> bool:
        return not self.disagreements


def count_comparisons(found: Iterable[Comparison]) -> dict[str, int]:
    """Count episodes by what became of them, as a datasheet has it; what is not decided comes first."""
    every = tuple(found)
    return {
        "undecided": sum(sum(one.undecided.values()) for one in every),
        "disagreements": sum(len(one.disagreements) for one in every),
        "agreements": sum(one.agreements for one in every),
        "episodes": sum(one.episodes for one in every),
    }


def compare_tasks(
    runtime: Runtime, tasks: Iterable[tuple[Task, Key]], settings: PlaySettings = EVERYTHING
) -> Iterator[Comparison]:
    """Play around each task and hold the referee's word against the verifier's."""
    sessions: dict[str, Session] = {}
    for task, key in tasks:
        if task.role not in sessions:
            sessions[task.role] = runtime.session(task.role, task.actor)
        yield compare_task(runtime, task, key, sessions[task.role], settings)
    for session in sessions.values():
        session.close()


def compare_task(
    runtime: Runtime, task: Task, key: Key, session: Session, settings: PlaySettings = EVERYTHING
) -> Comparison:
    """Play around one task and hold the referee's word against the verifier's."""
    referee = Referee(runtime, read_request(runtime.compiled, task, key), session, settings.thorough)
    judge = runtime.judge(key.expects)
    told = key.answer if isinstance(key.answer, Mapping) else {}
    unknown = {part: told[part] for part in referee.unknown if part in told}
    undecided: Counter[str] = Counter()
    found: list[Disagreement] = []
    episodes = agreements = 0
    for episode in _list_episodes(referee, settings, told):
        end = referee.end(episode.steps)
        answer = dict(episode.answer) if episode.answer is not None else {**unknown, **end.answer}
        verdict = judge.verdict(session, answer, episode.submitted)
        changed = None if episode.steps is referee.steps else _list_changed(referee, episode.steps)
        decision = referee.decide(end, answer, episode.submitted, changed)
        episodes += 1
        agrees = _agrees(decision, verdict)
        if agrees is None:
            undecided[decision.why if decision.word == UNDECIDED else f"answer {', '.join(decision.unknown)}"] += 1
        elif agrees:
            agreements += 1
        else:
            found.append(_describe(task.id, episode, answer, decision, verdict))
    return Comparison(task.id, episodes, agreements, dict(sorted(undecided.items())), tuple(found))


def _list_episodes(referee: Referee, settings: PlaySettings, answer: Mapping[str, Any]) -> Iterator[Episode]:
    """Yield every episode around a task. Where it is refused, what is done beside it is reported as refused and as done."""
    surroundings = Surroundings(referee, settings)
    around = chain(surroundings.list_episodes(), list_stray_writes(surroundings))
    right = dict(answer) if referee.request.refuses else {**answer, **referee.witness.answer}
    contradicting = list(list_contradictions(referee, right, settings.answers))
    others = surroundings.choose(contradicting, settings.contradictions)
    if not referee.request.refuses:
        return chain(around, others)
    twice = (e for one in around for e in (one, Episode(one.play, f"{one.what}, refused", one.steps, right)))
    return chain((Episode("refused", "and nothing done", (), right),), twice, others)


def _list_changed(referee: Referee, steps: Sequence[Step]) -> frozenset[int]:
    own = {step.number: step.call for step in referee.steps}
    return frozenset(step.number for step in steps if own.get(step.number) != step.call)


def _agrees(decision: Decision, verdict: Verdict) -> bool | None:
    """Return whether both say the same; None where the referee cannot say."""
    if decision.word == UNDECIDED:
        return None
    right = decision.word == RIGHT
    if verdict.status == "error":
        return False
    if right and decision.unknown:
        of_unknown = [f"answer {part}" for part in decision.unknown]
        others = [a for a in verdict.assertions if not a.ok and a.name not in of_unknown and " answers: " not in a.name]
        return False if others else None
    return right == (verdict.status == "pass")


def _describe(task: str, episode: Episode, answer: Any, decision: Decision, verdict: Verdict) -> Disagreement:
    failed = next((a for a in verdict.assertions if not a.ok), None)
    why = verdict.reason if failed is None else f"{failed.name}: expected {failed.expected}, found {failed.found}"
    return Disagreement(
        task,
        episode.play,
        episode.what,
        tuple({"tool": s.call.tool, "arguments": _show(s.call.arguments)} for s in episode.steps),
        answer,
        f"{decision.word}: {decision.why}",
        f"{verdict.status}: {why}" if why else verdict.status,
    )


def _show(value: Any) -> Any:
    """Arguments as JSON; a row that an earlier call makes by that call."""
    if isinstance(value, Mapping):
        return {name: _show(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_show(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
