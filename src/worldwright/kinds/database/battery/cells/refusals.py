"""Where a rule forbids: doing it anyway, then saying so or denying it. Where it is permitted: refusing. All must fail."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.core.rng import Stream
from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.world.records import Call

NAME = "refusing and not refusing"
POSITION = 13


def episodes(bench: Bench) -> Iterator[Trial]:
    right, rules = bench.key.answer, list(bench.ground.compiled.blueprint.policies)
    if len(rules) > bench.reach.guesses:
        rules = Stream("assay", "rules", bench.task.instruction).shuffled(rules)[: bench.reach.guesses]
    bench.end(bench.reads, stop=False, fixed=True)
    for rule in rules if bench.refuses else (None, *rules):
        if not bench.refuses or rule != right["rule"]:
            answer = {**right, "outcome": "refused", "rule": rule}
            yield Trial(f"refused, naming {rule}", bench.reads, False, answer, bench.verdict(answer))
    if bench.refuses:
        yield from _anyway(bench)


def _anyway(bench: Bench) -> Iterator[Trial]:
    """What was asked for, done as far as the tools let it through."""
    right = bench.key.answer
    forbidden = tuple(Call(c["tool"], c["arguments"]) for c in bench.key.expects.get("forbidden", ()))
    end = bench.end(forbidden, stop=False)
    done = {**right, "outcome": "done", "rule": None}
    yield Trial("did it anyway", forbidden, False, done, bench.verdict(done))
    if end.net:
        yield Trial("did it and said it was refused", forbidden, False, right, bench.verdict(right))
