"""Nothing at all, only reads, only the answer, and what a parrot says that read nothing but the request: must fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness

NAME = "idle"
POSITION = 7

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    end = harness.end((), fixed=True)
    verdict = harness.verdict(None, submitted=False)
    yield Trial("nothing, not even an answer", (), False, None, verdict, submitted=False)
    answers: list[tuple[str, Any]] = [("nothing, an empty answer", {})]
    if harness.plan:
        answers += [
            ("only the answer", harness.key.answer),
            ("only what is so anyway", harness.answer(end, fixed=True)),
        ]
    for what, answer in (*answers, *(("only a guess", guess) for guess in _choose_guesses(harness))):
        yield Trial(what, (), False, answer, harness.verdict(answer))
    yield harness.trial("only reads", harness.reads, False, {})
    yield from harness.try_through("only reads", harness.reads, False, {})
    if harness.plan:
        yield harness.trial("only reads and the answer", harness.reads, False, harness.key.answer)


def _choose_guesses(harness: VerifierHarness) -> list[dict[str, Any]]:
    """Choose all guesses, or some that are others for every task."""
    found = list(guesses(harness))
    most = harness.settings.guesses
    return found if len(found) <= most else Stream("assay", "guess", harness.task.instruction).shuffled(found)[:most]


def guesses(harness: VerifierHarness) -> Iterator[dict[str, Any]]:
    """Answers that one can make up from the request, the handbook's list of rules and the schema alone."""
    properties = harness.task.answer_schema.get("properties", {})
    numbers = [float(m[0].replace(",", "")) for m in _NUMBER.finditer(harness.task.instruction)][:4]
    words = [w.strip(".,?!\"'") for w in harness.task.instruction.split() if w[:1].isupper()][:4]
    for outcome in ("done", "partly", "refused"):
        base = {"outcome": outcome}
        yield base
        for number, word in zip([*numbers, 0.0, 1.0], [*words, "", "none"], strict=False):
            yield {
                **base,
                **{k: _guess(v, number, word) for k, v in properties.items() if k not in ("outcome", "rule")},
            }
    for rule in harness.sandbox.compiled.blueprint.policies:
        yield {"outcome": "refused", "rule": rule, **{k: None for k in properties if k not in ("outcome", "rule")}}


def _guess(schema: Any, number: float, word: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", ())
    if "number" in kinds or "integer" in kinds:
        return number
    return [word] if kinds == "array" else word
