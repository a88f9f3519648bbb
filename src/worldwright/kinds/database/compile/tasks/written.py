"""A candidate as the two records that a pack holds: the task, and its key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.core.names import words
from worldwright.kinds.database.compile.tasks.candidates import Candidate
from worldwright.kinds.database.compile.tasks.plans import New
from worldwright.kinds.database.verify.answers import answer_schema
from worldwright.world.tasks import Key, Task

_FROM = {"said": "the instruction says it", "given": "the instruction names it", "made": "an earlier call made it"}


def write_records(
    candidate: Candidate, name: str, instruction: str, pieces: tuple[str, ...], persona: str, form: str
) -> tuple[Task, Key]:
    """The records of a task under its number."""
    first = candidate.bounds[0]
    features = {**candidate.features, "held_out": any(a.held_out for a in candidate.asked)}
    task = Task(
        name, candidate.family, instruction, first.role, first.actor, persona, form,
        answer_schema(candidate.fields), features, pieces,
    )  # fmt: skip
    provenance = tuple(_provenance(candidate))
    expects = dict(candidate.expects)
    return task, Key(name, candidate.calls, dict(candidate.answer), expects, candidate.program, provenance)


def _provenance(candidate: Candidate) -> Iterator[Mapping[str, str]]:
    """Where each value of the witness comes from, and whether the verifier demands it."""
    for demand in candidate.demands:
        call = candidate.plan[demand.step]
        yield {
            "call": f"{demand.step + 1} {call.tool}",
            "argument": ".".join(map(str, demand.path)),
            "value": _shown(demand.value),
            "from": _FROM.get(demand.why) or _reason(demand.why),
        }


def _reason(why: str) -> str:
    kind, _, rest = why.partition(" ")
    return {
        "open": "nothing demands it: any value that keeps goal and rules is accepted",
        "goal": "the goal fails with another value",
        "rule": f"the rule {words(rest)} forbids another value",
        "refused": f"the tools refuse another value ({rest})",
    }[kind]


def _shown(value: Any) -> str:
    return f"the {words(value.entity)} of call {value.step + 1}" if isinstance(value, New) else str(value)
