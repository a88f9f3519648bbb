"""The records of a task: the request, its key, and where each value of the witness comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.core.names import to_words
from worldwright.kinds.database.compile.tasks.accept import Demand
from worldwright.kinds.database.compile.tasks.candidates import Candidate
from worldwright.kinds.database.compile.tasks.known import list_values
from worldwright.kinds.database.compile.tasks.plans import NewRow
from worldwright.kinds.database.verify.answers import answer_schema
from worldwright.world.tasks import Key, Requester, Task


def write_records(
    candidate: Candidate,
    name: str,
    instruction: str,
    pieces: tuple[str, ...],
    persona: str,
    form: str,
    requester: Requester | None = None,
) -> tuple[Task, Key]:
    """The records of a task under its number."""
    first = candidate.bounds[0]
    features = {**candidate.features, "held_out": any(a.held_out for a in candidate.asked)}
    task = Task(
        name, candidate.family, instruction, first.role, first.actor, persona, form,
        answer_schema(candidate.fields), features, pieces, requester,
    )  # fmt: skip
    provenance = tuple(_list_provenance(candidate, instruction))
    expects = dict(candidate.expects)
    if "words" in expects:
        expects["words"] = "\n".join(filter(None, (instruction, expects["words"])))
    if requester is not None and candidate.asked[0].misled:
        expects["misled"] = [list(pair) for pair in candidate.asked[0].misled]
    return task, Key(name, candidate.calls, dict(candidate.answer), expects, candidate.program, provenance)


def _list_provenance(candidate: Candidate, instruction: str) -> Iterator[Mapping[str, str]]:
    """Yield where each value of the witness comes from, call by call. Of a call that writes, also whether the verifier demands it,
    and by what."""
    demands = {(demand.step, ".".join(map(str, demand.path))): demand for demand in candidate.demands}
    steps = _number_steps(candidate)
    for at, (call, sources) in enumerate(zip(candidate.calls, candidate.sources, strict=True)):
        for path, value in list_values(call.arguments):
            entry = {"call": f"{at + 1} {call.tool}", "argument": path, "value": str(value), "from": sources[path]}
            demand = demands.get((steps[at], path)) if at in steps else None
            if demand is not None:
                why = _reason(demand, candidate, instruction)
                entry |= {"value": _render_value(demand.value, steps), "from": why, "known": sources[path]}
            yield entry


def _number_steps(candidate: Candidate) -> dict[int, int]:
    """Map the calls that carry out the plan to their steps of it. A program also makes calls that are refused."""
    tools = {call.tool for call in candidate.plan}
    writes = [at for at, call in enumerate(candidate.calls) if call.tool in tools]
    if len(writes) == len(candidate.plan):
        return {at: step for step, at in enumerate(writes)}
    return {at: candidate.plan.index(candidate.calls[at]) for at in writes if candidate.calls[at] in candidate.plan}


def _reason(demand: Demand, candidate: Candidate, instruction: str) -> str:
    kind, _, rest = demand.why.partition(" ")
    source = "the filed request" if candidate.shape[0] == "filed" else "the instruction"
    match kind:
        case "said":
            return f"{source} says it"
        case "given" if str(demand.value) in instruction:
            return "the instruction names it"
        case "given":
            called = next((r.text for a in candidate.asked for r in a.references if r.id == demand.value), "")
            return f"{source} calls it {called}" if called else f"{source} means it, and does not give its id"
    return {
        "made": "an earlier call made it",
        "open": "nothing demands it: any value that keeps goal and rules is accepted",
        "goal": "the goal fails with another value",
        "rule": f"the rule {to_words(rest)} forbids another value",
        "refused": f"the tools refuse another value ({rest})",
    }[kind]


def _render_value(value: Any, steps: Mapping[int, int]) -> str:
    if not isinstance(value, NewRow):
        return str(value)
    made_by = next((at for at, step in steps.items() if step == value.step), value.step)
    return f"the {to_words(value.entity)} of call {made_by + 1}"
