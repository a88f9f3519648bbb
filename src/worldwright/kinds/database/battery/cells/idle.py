"""Nothing at all, only reads, only the answer, and what a parrot says that read nothing but the request: must fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Bench, Trial

NAME = "idle"
POSITION = 7

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def episodes(bench: Bench) -> Iterator[Trial]:
    end = bench.end((), fixed=True)
    verdict = bench.verdict(None, submitted=False)
    yield Trial("nothing, not even an answer", (), False, None, verdict, submitted=False)
    answers: list[tuple[str, Any]] = [("nothing, an empty answer", {})]
    if bench.plan:
        answers += [("only the answer", bench.key.answer), ("only what is so anyway", bench.answer(end, fixed=True))]
    for what, answer in (*answers, *(("only a guess", guess) for guess in _some(bench))):
        yield Trial(what, (), False, answer, bench.verdict(answer))
    yield bench.trial("only reads", bench.reads, False, {})
    if bench.plan:
        yield bench.trial("only reads and the answer", bench.reads, False, bench.key.answer)


def _some(bench: Bench) -> list[dict[str, Any]]:
    """All guesses, or some that are others for every task."""
    found = list(guesses(bench))
    most = bench.reach.guesses
    return found if len(found) <= most else Stream("assay", "guess", bench.task.instruction).shuffled(found)[:most]


def guesses(bench: Bench) -> Iterator[dict[str, Any]]:
    """Answers that one can make up from the request, the handbook's list of rules and the schema alone."""
    properties = bench.task.answer_schema.get("properties", {})
    numbers = [float(m[0].replace(",", "")) for m in _NUMBER.finditer(bench.task.instruction)][:4]
    words = [w.strip(".,?!\"'") for w in bench.task.instruction.split() if w[:1].isupper()][:4]
    for outcome in ("done", "refused"):
        base = {"outcome": outcome}
        yield base
        for number, word in zip([*numbers, 0.0, 1.0], [*words, "", "none"], strict=False):
            yield {
                **base,
                **{k: _guess(v, number, word) for k, v in properties.items() if k not in ("outcome", "rule")},
            }
    for rule in bench.ground.compiled.blueprint.policies:
        yield {"outcome": "refused", "rule": rule, **{k: None for k in properties if k not in ("outcome", "rule")}}


def _guess(schema: Any, number: float, word: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", ())
    if "number" in kinds or "integer" in kinds:
        return number
    return [word] if kinds == "array" else word
