"""Episodes beyond the battery, for flaws that it did not catch: does the flawed verifier ever judge otherwise than the right one?

Where it does, the battery lacks an episode. Where it does not, however far one looks, the flaw changes nothing that an agent can
bring about: what it leaves out follows from what is still asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.core.rng import Stream
from worldwright.engine.walk import Walker
from worldwright.kinds.database.battery.harness import Bench
from worldwright.kinds.database.compile.tasks.plans import Plan, filled, making
from worldwright.kinds.database.compile.tasks.variations import of_optionals, of_shape, of_values
from worldwright.world.records import Call

SIBLINGS = 25
WALKS = 12
STEPS = 25
"""Calls of a walk that starts where the witness ends."""
PAIRS = 25
STRANGE: tuple[Any, ...] = (0, 1, 12345.67, True, "", "no", "done", "refused", "2020-02-29", [], ["XX-00"], {}, None)


def doubts(bench: Bench, plans: Sequence[Plan]) -> Iterator[None]:
    """Play one episode after the other; each time the bench's judge is heard, with several answers."""
    yield from _answered(bench)
    yield from _varied(bench)
    yield from _followed(bench, plans)
    yield from _walked(bench)


def _answered(bench: Bench) -> Iterator[None]:
    """What the witness did, with parts of the answer that are something else altogether."""
    bench.end(bench.key.calls, stop=False, fixed=True)
    right = bench.key.answer
    for name in right:
        for value in STRANGE:
            bench.verdict({**right, name: value})
            yield
    for answer in (*STRANGE, {"outcome": "done"}, {"outcome": "refused"}):
        bench.verdict(answer)
        yield
    bench.verdict(right, submitted=False)
    yield


def _varied(bench: Bench) -> Iterator[None]:
    """One value changed, a value given, another way, and two of these together."""
    seed = ("doubts", bench.task.id)
    found = [v.plan for v in of_values(bench.ground, bench.plan, seed, SIBLINGS)]
    found += [v.plan for v in of_optionals(bench.ground, bench.plan, seed)]
    found += [v.plan for v in of_shape(bench.ground, bench.plan, bench.task.role)]
    stream = Stream(*seed, "pairs")
    for _ in range(PAIRS if len(found) > 1 else 0):
        first = stream.pick(found)
        more = list(of_values(bench.ground, first, (*seed, "second"), 2))
        if more:
            found.append(stream.pick(more).plan)
    for plan in found:
        yield from _heard(bench, plan)


def _followed(bench: Bench, plans: Sequence[Plan]) -> Iterator[None]:
    """What other tasks do, after and before what this one does."""
    for plan in plans:
        if plan != bench.plan:
            yield from _heard(bench, (*bench.plan, *_later(plan, len(bench.plan))))
            yield from _heard(bench, (*plan, *_later(bench.plan, len(plan))))


def _later(plan: Plan, by: int) -> Plan:
    """A plan that starts so many calls later."""
    return tuple(Call(c.tool, _moved(c.arguments, by)) for c in plan)


def _moved(value: Any, by: int) -> Any:
    if isinstance(value, Mapping):
        return {k: _moved(v, by) for k, v in value.items()}
    if isinstance(value, list):
        return [_moved(v, by) for v in value]
    return type(value)(value.step + by, value.entity, value.ordinal) if hasattr(value, "ordinal") else value


def _heard(bench: Bench, plan: Plan) -> Iterator[None]:
    end = bench.end(plan, stop=False)
    bench.verdict(bench.answer(end))
    yield
    bench.verdict(bench.key.answer)
    yield


def _walked(bench: Bench) -> Iterator[None]:
    """Random calls after the witness's, about the rows that it touched; judged after each that changed something."""
    ground = bench.ground
    tools = tuple(t for t in ground.compiled.specs.values() if not t.roles or bench.task.role in t.roles)
    for k in range(WALKS):
        session = ground.start(bench.task.role, bench.task.actor)
        walker = Walker(tools, Stream("doubts", bench.task.id, k), session.clock)
        for call in bench.key.calls:
            walker.learn([dict(call.arguments), session.call(call.tool, call.arguments).data])
        walker.learn([row.id for row in bench.gold.net])
        before = len(session.changes())
        for _ in range(STEPS):
            name, arguments = walker.call()
            result, _ = making(session, Call(name, filled(arguments, ())))
            walker.learn(result.data)
            if result.ok and ground.compiled.tools[name].mutates:
                bench.verdict(bench.key.answer)
                yield
                if len(session.changes()) > before + 2:
                    break
