"""Episodes beyond the battery, for flaws that it did not catch: does the flawed verifier ever judge otherwise than the right one?

Where it does, the battery lacks an episode. Where it does not, however far one looks, the flaw changes nothing that an agent can
bring about: what it leaves out follows from what is still asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import Plan, fill_new, make_call
from worldwright.kinds.database.compile.tasks.variations import vary_optionals, vary_shape, vary_values
from worldwright.world.records import Call

SIBLINGS = 25
WALKS = 12
STEPS = 25
"""Calls of a walk that starts where the witness ends."""
PAIRS = 25
STRANGE: tuple[Any, ...] = (0, 1, 12345.67, True, "", "no", "done", "refused", "2020-02-29", [], ["XX-00"], {}, None)


def doubts(harness: VerifierHarness, plans: Sequence[Plan]) -> Iterator[None]:
    """Play one episode after the other; each time the harness's judge is heard, with several answers."""
    yield from _answered(harness)
    yield from _varied(harness)
    yield from _followed(harness, plans)
    yield from _walked(harness)


def _answered(harness: VerifierHarness) -> Iterator[None]:
    """What the witness did, with parts of the answer that are something else altogether."""
    harness.end(harness.key.calls, stop=False, fixed=True)
    right = harness.key.answer
    for name in right:
        for value in STRANGE:
            harness.verdict({**right, name: value})
            yield
    for answer in (*STRANGE, {"outcome": "done"}, {"outcome": "refused"}):
        harness.verdict(answer)
        yield
    harness.verdict(right, submitted=False)
    yield


def _varied(harness: VerifierHarness) -> Iterator[None]:
    """One value changed, a value given, another way, and two of these together."""
    seed = ("doubts", harness.task.id)
    found = [v.plan for v in vary_values(harness.sandbox, harness.plan, seed, SIBLINGS)]
    found += [v.plan for v in vary_optionals(harness.sandbox, harness.plan, seed)]
    found += [v.plan for v in vary_shape(harness.sandbox, harness.plan, harness.task.role)]
    stream = Stream(*seed, "pairs")
    for _ in range(PAIRS if len(found) > 1 else 0):
        first = stream.pick(found)
        more = list(vary_values(harness.sandbox, first, (*seed, "second"), 2))
        if more:
            found.append(stream.pick(more).plan)
    for plan in found:
        yield from _heard(harness, plan)


def _followed(harness: VerifierHarness, plans: Sequence[Plan]) -> Iterator[None]:
    """What other tasks do, after and before what this one does."""
    for plan in plans:
        if plan != harness.plan:
            yield from _heard(harness, (*harness.plan, *_later(plan, len(harness.plan))))
            yield from _heard(harness, (*plan, *_later(harness.plan, len(plan))))


def _later(plan: Plan, by: int) -> Plan:
    """A plan that starts so many calls later."""
    return tuple(Call(c.tool, _moved(c.arguments, by)) for c in plan)


def _moved(value: Any, by: int) -> Any:
    if isinstance(value, Mapping):
        return {k: _moved(v, by) for k, v in value.items()}
    if isinstance(value, list):
        return [_moved(v, by) for v in value]
    return type(value)(value.step + by, value.entity, value.ordinal) if hasattr(value, "ordinal") else value


def _heard(harness: VerifierHarness, plan: Plan) -> Iterator[None]:
    end = harness.end(plan, stop=False)
    harness.verdict(harness.answer(end))
    yield
    harness.verdict(harness.key.answer)
    yield


def _walked(harness: VerifierHarness) -> Iterator[None]:
    """Random calls after the witness's, about the rows that it touched; judged after each that changed something."""
    ground = harness.sandbox
    tools = tuple(t for t in ground.compiled.specs.values() if not t.roles or harness.task.role in t.roles)
    for k in range(WALKS):
        session = ground.start(harness.task.role, harness.task.actor)
        walker = Walker(tools, Stream("doubts", harness.task.id, k), session.clock)
        for call in harness.key.calls:
            walker.learn([dict(call.arguments), session.call(call.tool, call.arguments).data])
        walker.learn([row.id for row in harness.gold.net])
        before = len(session.changes())
        for _ in range(STEPS):
            name, arguments = walker.call()
            result, _ = make_call(session, Call(name, fill_new(arguments, ())))
            walker.learn(result.data)
            if result.ok and ground.compiled.tools[name].mutates:
                harness.verdict(harness.key.answer)
                yield
                if len(session.changes()) > before + 2:
                    break
