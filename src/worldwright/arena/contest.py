"""An arena as it is held: each agent plays the same field, and what came of it is one document, one page and guidelines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.arena.compare import PairedComparison, compare_paired
from worldwright.arena.evaluate import Evaluation, rank_agents
from worldwright.arena.fresh import EvaluationSet
from worldwright.arena.guidelines import Guidelines, derive_guidelines, write_guidelines
from worldwright.arena.page import page
from worldwright.arena.weakness import count_classes, find_hard_knobs, rank_weaknesses
from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole
from worldwright.rollout.plan import AgentSpec, Plan, plan_episodes
from worldwright.rollout.records import Limits
from worldwright.rollout.report.summary import render_rate

REPORT, PAGE, RUNS = "arena.json", "arena.html", "runs"


@dataclass(frozen=True, slots=True)
class Contest:
    """What came of an arena."""

    field: EvaluationSet
    evaluations: tuple[Evaluation, ...]
    pairs: tuple[PairedComparison, ...]
    advice: Mapping[str, Guidelines]
    """By the fingerprint of the agent."""

    def data(self) -> dict[str, Any]:
        return {
            "field": _field_data(self.field),
            "agents": [self._agent(one) for one in rank_agents(self.evaluations)],
            "compared": [p.data() for p in self.pairs],
        }  # fmt: skip

    def _agent(self, one: Evaluation) -> dict[str, Any]:
        return {
            **one.data(),
            "failures": {kind: n for kind, n, _ in count_classes(one)},
            "weaknesses": [w.data() for w in rank_weaknesses(one)],
            "hard_knobs": [
                {"knob": k.name, "bucket": k.bucket, "rate": render_rate(k.rate)} for k in find_hard_knobs(one)
            ],
            "guidelines": self.advice[one.agent_id].data(),
        }


def _field_data(field: EvaluationSet) -> dict[str, Any]:
    return {
        "name": field.name,
        "worlds": len(field.places),
        "episodes": len(field.spots),
        "domains": sorted({p.domain for p in field.places}),
        "left_out": dict(field.left_out),
    }


def check_same_field(out: Path, field: EvaluationSet, replace: bool) -> None:
    """Refuse a folder that holds an arena on other tasks, unless that may be replaced."""
    try:
        there = json.loads((out / REPORT).read_text(encoding="utf-8"))["field"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if there != _field_data(field) and not replace:
        raise UsageError(f"{out} holds an arena on other tasks; replace it with --force, or name another folder")


def plan_contest(field: EvaluationSet, player: AgentSpec, limits: Limits, face: str = "plain", seed: int = 0) -> Plan:
    """The same field for whoever plays."""
    return plan_episodes(field.name, field.places, field.spots, player, limits, face, seed)


def run_folder(out: Path, plan: Plan) -> Path:
    """Return where an agent's run lies: the same for the same plan, so that a stopped one goes on."""
    return out / RUNS / f"{_make_file_name(plan.agent)}-{plan.digest[:8]}"


def _make_file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "_", name)


def summarise_contest(
    field: EvaluationSet, found: Sequence[Evaluation], baseline: Evaluation | None = None, domains: Sequence[str] = ()
) -> Contest:
    """Summarise what follows from the evaluations. `domains` are those that may be built to train on."""
    pairs = [
        compare_paired(one.agent, one.rows, baseline.agent, baseline.rows)
        for one in found
        if baseline is not None and one.agent_id != baseline.agent_id
    ]
    return Contest(field, tuple(found), tuple(pairs), {one.agent_id: derive_guidelines(one, domains) for one in found})


def write_contest(out: Path, found: Contest) -> None:
    """The document, the page, each agent's guidelines and each failure's diagnosis, as files."""
    write_whole(out / REPORT, pretty_json(found.data()))
    left = "; ".join(f"{n} tasks left out: {why}" for why, n in found.field.left_out.items())
    write_whole(out / PAGE, page(found.field.name, found.evaluations, found.pairs, found.advice, left))
    for one in found.evaluations:
        name = f"{_make_file_name(one.agent)}-{one.agent_id[:8]}"
        write_guidelines(out / f"guidelines-{name}.yaml", found.advice[one.agent_id])
        lines = (json.dumps(f.data(), ensure_ascii=False, default=str) for f in one.failures)
        write_whole(out / name_failures(one.agent, one.agent_id), "".join(f"{line}\n" for line in lines))


def name_failures(agent: str, agent_id: str) -> str:
    """Name the file with the diagnosis of each failure of an agent."""
    return f"failures-{_make_file_name(agent)}-{agent_id[:8]}.jsonl"
