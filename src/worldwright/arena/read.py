"""An arena as it lies on disk, read back: what each agent came to, and why its episodes failed, without diagnosing again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from worldwright.arena.compare import PairedComparison
from worldwright.arena.contest import REPORT, RUNS, name_failures
from worldwright.arena.diagnose.records import Diagnosis
from worldwright.arena.evaluate import Evaluation, Failure
from worldwright.arena.guidelines import Guidelines, guidelines_of
from worldwright.arena.weakness import find_focus
from worldwright.core.errors import UsageError
from worldwright.engine.tasks import FAMILIES
from worldwright.rollout.knobs import measure_knobs
from worldwright.rollout.read import Run, open_run
from worldwright.rollout.stats import (
    Group,
    Rate,
    compute_pass_curves,
    compute_rate,
    extract_stats,
    group_by,
)


@dataclass(frozen=True, slots=True)
class KeptContest:
    """What came of an arena, as its folder has it."""

    name: str
    left_out: str
    evaluations: tuple[Evaluation, ...]
    pairs: tuple[PairedComparison, ...]
    advice: Mapping[str, Guidelines]
    """By the fingerprint of the agent."""
    runs: Mapping[str, Run]
    """By the fingerprint of the agent, what it played."""


def read_contest(folder: Path) -> KeptContest:
    """Read an arena from its folder."""
    try:
        data = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        field, agents = data["field"], data["agents"]
        runs = _find_runs(folder, int(field["episodes"]))
        found = tuple(_read_agent(folder, one, runs[str(one["agent_id"])]) for one in agents)
        pairs = tuple(PairedComparison(**{k: v for k, v in one.items() if k != "clear"}) for one in data["compared"])
        advice = {str(one["agent_id"]): guidelines_of(one["guidelines"], str(folder / REPORT)) for one in agents}
        left_out = "; ".join(f"{n} tasks left out: {why}" for why, n in field["left_out"].items())
        return KeptContest(str(field["name"]), left_out, found, pairs, advice, runs)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise UsageError(f"{folder} holds no arena that can be read: {type(e).__name__} {e}") from None


def _find_runs(folder: Path, episodes: int) -> dict[str, Run]:
    """The run of each agent: the newest, where an arena on other tasks was held there before."""
    out: dict[str, Run] = {}
    places = sorted((path.parent for path in (folder / RUNS).glob("*/run.json")), key=lambda path: path.stat().st_mtime)
    for place in places:
        run = open_run(place)
        if run.ended and run.config.get("episodes") == episodes:
            out[str(run.config["agent"]["id"])] = run
    return out


def _read_agent(folder: Path, data: Mapping[str, Any], run: Run) -> Evaluation:
    rows = [extract_stats(episode) for episode in run.episodes()]
    agent, key = str(data["agent"]), str(data["agent_id"])
    return Evaluation(
        agent, key, bool(data["sees_key"]), tuple(rows), compute_rate(rows), compute_pass_curves(rows),
        group_by(rows, lambda r: r.domain), group_by(rows, lambda r: r.family, FAMILIES), _read_groups(data["policies"]),
        _read_groups(data["tools"]), measure_knobs(rows), tuple(_read_failures(folder / name_failures(agent, key))),
    )  # fmt: skip


def _read_groups(data: Mapping[str, Mapping[str, Any]]) -> tuple[Group, ...]:
    names = {field.name for field in fields(Rate)}
    return tuple(Group(name, Rate(**{k: v for k, v in rate.items() if k in names})) for name, rate in data.items())


def _read_failures(path: Path) -> Iterator[Failure]:
    known = {field.name for field in fields(Diagnosis)}
    for line in path.read_text(encoding="utf-8").splitlines():
        data: dict[str, Any] = json.loads(line)
        said: dict[str, Any] = {name: value for name, value in data.items() if name in known}
        diagnosis = Diagnosis(**(said | {"steps": tuple(said.get("steps", ()))}))
        yield Failure(
            data["episode"], data["world"], data["domain"], data["variant"], data["task"], data["family"], data["attempt"],
            diagnosis,
        )  # fmt: skip


def select_failures(failures: Sequence[Failure], which: Mapping[str, str]) -> list[Failure]:
    """The failures that have something in common: `kind`, `domain`, `family`, or `at`, what they are about (`tool pay_vendor`)."""
    return [
        one for one in failures if all(TRAITS[name](one) == value for name, value in which.items() if name in TRAITS)
    ]


TRAITS: Mapping[str, Callable[[Failure], str]] = {
    "kind": lambda one: one.diagnosis.kind,
    "domain": lambda one: one.domain,
    "family": lambda one: one.family,
    "at": lambda one: " ".join(find_focus(one)),
}
"""What failures can have in common."""
