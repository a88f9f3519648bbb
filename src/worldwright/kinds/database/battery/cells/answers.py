"""Gold with another answer: each part a little off, of another kind, left out or contradicted; or the right one never submitted.

All must fail, but for the right one written in another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.blueprint.types import DATE, TEXT, Type
from worldwright.core import days
from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.answer_parts import OUTCOME

NAME = "another answer"
POSITION = 8

STRANGER = "XX-00"
"""An id that no world has."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    right = harness.key.answer
    harness.end(harness.key.calls, stop=False, fixed=True)
    spoilt = list(_spoil_parts(harness, right))
    if len(spoilt) > harness.settings.guesses:
        spoilt = Stream("assay", "answers", harness.task.instruction).shuffled(spoilt)[: harness.settings.guesses]
    for what, answer in spoilt:
        yield Trial(what, harness.key.calls, False, answer, harness.verdict(answer))
    for what, answer in _written_otherwise(harness, right):
        yield Trial(what, harness.key.calls, True, answer, harness.verdict(answer))
    verdict = harness.verdict(right, submitted=False)
    yield Trial("gold, not submitted", harness.key.calls, False, right, verdict, submitted=False)


def _spoil_parts(harness: VerifierHarness, right: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, wanted in harness.key.expects.get("answer", {}).items():
        for what, value in _list_wrong(harness, wanted, right.get(name)):
            yield f"gold, {name} {what}", {**right, name: value}
        if right.get(name) is not None:
            yield f"gold without {name}", {k: v for k, v in right.items() if k != name}
    for name, part in harness.task.answer_schema.get("properties", {}).items():
        if name not in harness.key.expects.get("answer", {}) and name != "record":
            yield f"gold and a {name}", {**right, name: _make_up(harness, name, part)}


def _make_up(harness: VerifierHarness, name: str, part: Mapping[str, Any]) -> Any:
    """Make up something to say where nothing is to be said."""
    if name == "rule":
        return next(iter(harness.sandbox.compiled.blueprint.policies), STRANGER)
    kinds = part.get("type", ())
    return 1 if "number" in kinds or "integer" in kinds else "2031-01-31" if "format" in part else STRANGER


def _written_otherwise(harness: VerifierHarness, right: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The right answer as others write it."""
    said = {k: v for k, v in right.items() if v is not None and not isinstance(v, (list, bool))}
    numbers = {k: f"{v:,}" for k, v in said.items() if isinstance(v, (int, float))}
    texts = {k: [v] for k, v in said.items() if isinstance(v, str)}
    rule = {"rule": f"the {right['rule'].replace('_', ' ')} rule"} if right.get("rule") else {}
    for what, other in (("numbers as text", numbers), ("texts in a list", texts), ("the rule in words", rule)):
        if other:
            yield f"gold, {what}", {**right, **other}


def _list_wrong(harness: VerifierHarness, wanted: Mapping[str, Any], right: Any) -> Iterator[tuple[str, Any]]:
    if "set" in wanted:
        yield from _sets(right)
        return
    kind = _kind(harness, wanted)
    if right is None:
        yield "made up", 1 if kind.numeric else "2031-01-31" if kind.kind == "date" else STRANGER
        return
    yield "missing", None
    yield "twice", [right, right]
    if kind.kind == "bool":
        yield "turned round", not right
    elif kind.numeric:
        unit = 10.0**-kind.places if kind.places else 1
        for sign in (1, -1):
            yield "a little off", round(right + sign * unit, kind.places) if kind.places else right + sign
        yield "of another sign", -right if right else 1
    elif kind.kind == "date":
        for n in (1, -1):
            yield "a day off", days.add_days(right, n)
        yield "in doubt", f"{right} or {days.add_days(right, 1)}"
    else:
        yield "another word", next((v for v in kind.values if v != right), STRANGER)
        yield "in doubt", f"{right}, {STRANGER}"


def _sets(right: list[str]) -> Iterator[tuple[str, Any]]:
    yield "with a stranger", [*right, STRANGER]
    if len(right) > 1:
        yield "as a text", ", ".join(right)
    if right:
        yield "without the last", right[:-1]
        yield "with one twice", [*right, right[0]]
        yield "with another for the last", [*right[:-1], STRANGER]


def _kind(harness: VerifierHarness, wanted: Mapping[str, Any]) -> Type:
    if "number" in wanted:
        return Type("decimal", places=int(wanted.get("places", 0)))
    if "date" in wanted:
        return DATE
    if "tells" in wanted:
        bound = harness.bounds[int(wanted.get("goal", 0))]
        return harness.sandbox.goals[bound.goal].tells[wanted["tells"]][1]
    return OUTCOME if wanted.get("is") in OUTCOME.values else TEXT
