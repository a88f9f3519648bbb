"""Where a rule forbids: doing it anyway, then saying so or denying it. Where it is permitted: refusing. All must fail."""

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
    if harness.refuses:
        yield from _do_anyway(harness)


def _do_anyway(harness: VerifierHarness) -> Iterator[Trial]:
    """Do what was asked for as far as the tools let it through."""
    right = harness.key.answer
    forbidden = tuple(Call(c["tool"], c["arguments"]) for c in harness.key.expects.get("forbidden", ()))
    end = harness.end(forbidden, stop=False)
    done = {**right, "outcome": "done", "rule": None}
    yield Trial("did it anyway", forbidden, False, done, harness.verdict(done))
    if end.net:
        yield Trial("did it and said it was refused", forbidden, False, right, harness.verdict(right))
