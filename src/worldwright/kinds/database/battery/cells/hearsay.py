"""Gold with half of a conversation: by who never asks, asks for everything at once, believes what was said first, or acts too soon.

Who does not hear what only the requester knows cannot make the calls that need it; that is played even with the right answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from worldwright.blueprint.checked import KnownFact, Talk
from worldwright.blueprint.expr.nodes import Format, free_names
from worldwright.core.canonical import canonical_json
from worldwright.engine.env import Env
from worldwright.engine.requester import NAME as ASK
from worldwright.engine.tasks import TaskBook, key_data, task_data
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import list_leaves, map_leaves
from worldwright.kinds.database.compile.tasks.variations import drop_call
from worldwright.kinds.database.records import to_json
from worldwright.world.records import Call
from worldwright.world.tasks import Verdict

NAME = "half a conversation"
POSITION = 18
ALL_AT_ONCE = 3
"""So many facts nobody may get out of one message."""


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    requester = harness.task.requester
    talk = None if requester is None or harness.sandbox.contract is not None else _find_talk(harness)
    if requester is None or talk is None:
        return
    yield from _misled(harness)
    hidden = {fact.name: _list_values(harness, talk, fact) for fact in talk.knows}
    every = [value for values in hidden.values() for value in values]
    yield from _unheard(harness, "never asks", every)
    if len(requester.facts) >= ALL_AT_ONCE:
        yield from _all_at_once(harness, hidden)
    hands = {act.tool for act in requester.acts}
    theirs = tuple(call for call in harness.key.calls if call.tool in hands)
    first = tuple(call for call in harness.key.calls if call.tool not in hands)
    if theirs and (*first, *theirs) != harness.key.calls:
        yield harness.try_plan("acts before the requester has done their part", (*first, *theirs))


def _find_talk(harness: VerifierHarness) -> Talk | None:
    """The talk of the goal that is asked for first, where the requester speaks by it."""
    if not harness.bounds or harness.task.requester is None:
        return None
    talk = harness.sandbox.compiled.blueprint.goals[harness.bounds[0].goal].talk
    return talk if talk and {k.name for k in talk.knows} == {f.name for f in harness.task.requester.facts} else None


def _misled(harness: VerifierHarness) -> Iterator[Trial]:
    """What was believed or wished at first, in place of what is right."""
    for right, wrong in harness.key.expects.get("misled", ()):
        put = partial(_put, right, wrong)
        plan = tuple(Call(call.tool, map_leaves(call.arguments, put)) for call in harness.plan)
        if plan != harness.plan:
            yield harness.trial(f"believes {wrong}, where it is {right}", plan, wanted=False)


def _put(right: Any, wrong: Any, value: Any) -> Any:
    return wrong if value == right else value


def _list_values(harness: VerifierHarness, talk: Talk, fact: KnownFact) -> tuple[Any, ...]:
    """What a fact tells of a request, as arguments hold it: values and ids that no opening speaks of."""
    bound, kinds = harness.fixed[0], harness.sandbox.compiled.blueprint.goals[harness.bounds[0].goal].states
    said = {name: to_json(value, kinds[name]) for name, value in bound.said.items()}
    values = {name: key for name, (_, key) in bound.rows.items()} | said
    return tuple(values[name] for name in sorted(_speaks_of((fact.says,)) - _speaks_of(talk.opens)) if name in values)


def _speaks_of(texts: Iterable[Format]) -> frozenset[str]:
    return frozenset(
        n for text in texts for part in text.parts if not isinstance(part, str) for n in free_names(part[0])
    )


def _unheard(harness: VerifierHarness, what: str, missing: Iterable[Any]) -> Iterator[Trial]:
    """Gold without the calls that need a value that was not heard, and with the right answer."""
    values, plan = list(missing), harness.plan
    for i in reversed(range(len(plan))):
        if any(leaf in values for _, leaf in list_leaves(plan[i].arguments)):
            plan = drop_call(plan, i)
    if plan != harness.plan:
        yield harness.trial(what, plan, wanted=False, answer=harness.key.answer)


def _all_at_once(harness: VerifierHarness, hidden: dict[str, tuple[Any, ...]]) -> Iterator[Trial]:
    """Ask for every fact in one message, and go on with what was told."""
    assert harness.task.requester is not None
    facts = harness.task.requester.facts
    files = {
        f"tasks/{harness.task.id}.json": task_data(harness.task),
        f"keys/{harness.task.id}.json": key_data(harness.key),
    }
    book = TaskBook({path: canonical_json(data) for path, data in files.items()})
    with closing(Env(harness.sandbox.runtime.without_services(), "", book=book, face="asking")) as env:
        env.reset(harness.task.id)
        result = env.call_tool(ASK, {"message": " ".join(fact.asked[0] for fact in facts if fact.asked)})
        heard = result.data["reply"].casefold() if result.ok else ""
    unheard = [fact.name for fact in facts if fact.says.casefold() not in heard]
    if not unheard:
        yield Trial("asks for everything at once", harness.key.calls, False, None, Verdict("pass"))
    yield from _unheard(harness, "asks for everything at once", [value for name in unheard for value in hidden[name]])
