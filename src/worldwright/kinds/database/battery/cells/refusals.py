"""Where a rule forbids it, or a part of it: doing it anyway, then saying so or denying it. Where it is permitted: refusing.

All must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.world.records import Call

NAME = "refusing and not refusing"
POSITION = 13


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    right, rules = harness.key.answer, list(harness.sandbox.compiled.blueprint.policies)
    if len(rules) > harness.settings.guesses:
        rules = Stream("assay", "rules", harness.task.instruction).shuffled(rules)[: harness.settings.guesses]
    harness.end(harness.reads, stop=False, fixed=True)
    for rule in rules if harness.refuses else (None, *rules):
        if not harness.refuses or rule != right["rule"]:
            answer = {**right, "outcome": "refused", "rule": rule}
            yield Trial(f"refused, naming {rule}", harness.reads, False, answer, harness.verdict(answer))
    yield from _do_anyway(harness)


def _do_anyway(harness: VerifierHarness) -> Iterator[Trial]:
    """Do what was asked for as far as the tools let it through."""
    right = harness.key.answer
    forbidden = tuple(Call(c["tool"], c["arguments"]) for c in harness.key.expects.get("forbidden", ()))
    if not forbidden:
        return
    calls = forbidden if harness.refuses else (*harness.key.calls, *forbidden)
    end = harness.end(calls, stop=False, fixed=not harness.refuses)
    done = {**right, "outcome": "done", "rule": None}
    yield Trial("did it anyway", calls, False, done, harness.verdict(done))
    if end.net if harness.refuses else not harness.is_gold(end):
        yield Trial("did it and said it was refused", calls, False, right, harness.verdict(right))
