"""The figures behind the grade of one built world, and the file that keeps them in its pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.assay.grade import FIGURES, GRADE, Grade, Share, grade_world
from worldwright.assay.measures import Measures, measure_world
from worldwright.blueprint.checked import Checked
from worldwright.core.canonical import pretty_json
from worldwright.engine.contract import Contract
from worldwright.kinds.database.runtime import Runtime


def grade_built_world(
    checked: Checked, contract: Contract | None, counts: Mapping[str, int], runtime: Runtime, asked: float = 1.0
) -> Grade:
    """Grade a world by its Blueprint, its contract, its tasks by family and its columns."""
    measured = measure_world(checked, contract)
    evidence = checked.blueprint.evidence
    shares = {
        **_measured_shares(measured),
        "claims": Share(evidence.get("bound", 0), evidence.get("business", 0)),
        "values": Share(0, 0),
    }
    families = {name.removeprefix("tasks_"): n for name, n in counts.items() if name.startswith("tasks_")}
    return grade_world(shares, {"tasks": counts.get("tasks", 0), **families}, asked)


def _measured_shares(m: Measures) -> dict[str, Share]:
    return {
        "writes": Share(m.writes_with_effect, m.writes),
        "reads": Share(m.reads_of_state, m.reads),
        "parameters": Share(m.parameters_used, m.parameters),
        "answers": Share(m.answers_backed, m.answers),
        "stated": Share(m.rules - m.rules_assumed, m.rules),
    }


def write_grade(grade: Grade) -> dict[str, bytes]:
    return {GRADE: pretty_json(grade.data()).encode()}


def describe_grade(data: Mapping[str, Any]) -> list[str]:
    """The figures of a grade as lines for a person, what is lacking first."""
    lines = [f"for more: {said}" for said in data["lacking"]]
    for name, says in FIGURES.items():
        good, of = data["shares"].get(name, (0, 0))
        if of:
            lines.append(f"{good:,} of {of:,} {says} ({good / of:.0%})")
    return lines
