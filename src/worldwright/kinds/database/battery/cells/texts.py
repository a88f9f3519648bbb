"""A text that must state a fact: without it, denied, with another figure, stuffed with every figure. All must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import Path, Plan, list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.variations import find_input
from worldwright.world.records import Call

NAME = "texts"
POSITION = 14


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    goals = harness.sandbox.compiled.blueprint.goals
    if not any(goals[b.goal].mentions for b in harness.bounds):
        return
    for step, call in enumerate(harness.plan):
        operation = harness.sandbox.compiled.blueprint.operations[call.tool]
        for path, value in list_leaves(call.arguments):
            kind = find_input(operation, path)
            if kind is None or kind.type.kind != "text" or not isinstance(value, str) or not value:
                continue
            if harness.end(_with_text(harness, step, path, "We are looking into it.")).reached:
                continue  # a text that nothing is demanded of
            for what, text in _spoil(value):
                yield harness.trial(what, _with_text(harness, step, path, text), False)


def _with_text(harness: VerifierHarness, step: int, path: Path, text: str) -> Plan:
    call = harness.plan[step]
    changed = Call(call.tool, replace_at(call.arguments, path, text))
    return (*harness.plan[:step], changed, *harness.plan[step + 1 :])


def _spoil(text: str) -> Iterator[tuple[str, str]]:
    yield "without the fact", "We are looking into it."
    yield "denied", f"It is not true that {text[0].lower()}{text[1:]}"
    yield "stuffed", f"{text} Or is it 12.00, 450.75 or 9,999.99? Due on 2031-01-31 or 2031-02-28."
    yield (
        "another figure",
        "".join("7" if ch.isdigit() else ch for ch in text) if any(map(str.isdigit, text)) else "Yes.",
    )
