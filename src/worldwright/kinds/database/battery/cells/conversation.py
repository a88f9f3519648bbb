"""Gold as a conversation, where some of it only the requester can do, asked for in the words of each example: must pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from worldwright.core.canonical import canonical_json
from worldwright.engine.env import Env
from worldwright.engine.requester import NAME as ASK
from worldwright.engine.tasks import TaskBook, key_data, task_data
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.world.records import Call
from worldwright.world.tasks import Act

NAME = "a conversation"
POSITION = 17


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    requester, key = harness.task.requester, harness.key
    acts = () if requester is None else requester.acts
    theirs = [act for act in acts if Call(act.tool, act.arguments) in key.calls]
    if not theirs or harness.sandbox.contract is not None:
        return
    files = {f"tasks/{harness.task.id}.json": task_data(harness.task), f"keys/{harness.task.id}.json": key_data(key)}
    book = TaskBook({path: canonical_json(data) for path, data in files.items()})
    with closing(Env(harness.sandbox.runtime.without_services(), "", book=book, face="asking")) as env:
        for number in range(max(len(act.asked) for act in theirs)):
            env.reset(harness.task.id)
            for call in key.calls:
                _make(env, call, theirs, number)
            env.submit(key.answer, as_it_is=True)
            yield Trial(f"asked in words, example {number + 1}", key.calls, True, key.answer, env.verify())


def _make(env: Env, call: Call, acts: list[Act], number: int) -> None:
    """Make a call, or ask for it; where they ask back whether that is meant, say yes."""
    act = next((act for act in acts if Call(act.tool, act.arguments) == call), None)
    if act is None:
        env.call_tool(call.tool, call.arguments)
        return
    result = env.call_tool(ASK, {"message": act.asked[number % len(act.asked)]})
    if result.ok and "did" not in result.data:
        env.call_tool(ASK, {"message": f"Yes, please {act.called[0]}."})
