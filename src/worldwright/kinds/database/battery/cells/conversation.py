"""Gold as a conversation, each thing asked for in the words of each example: must pass, and go on passing whatever is said after
the end. What is not told in two messages counts as not told, and gold without it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from worldwright.core.canonical import canonical_json
from worldwright.engine.env import Env
from worldwright.engine.requester import NAME as ASK
from worldwright.engine.tasks import TaskBook, key_data, task_data
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.world.records import Call
from worldwright.world.tasks import Act, Fact, Verdict

NAME = "a conversation"
POSITION = 17


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    requester, key = harness.task.requester, harness.key
    if requester is None or harness.sandbox.contract is not None:
        return
    theirs = [act for act in requester.acts if Call(act.tool, act.arguments) in key.calls]
    facts = [fact for fact in requester.facts if fact.asked]
    if not theirs and not facts:
        return
    files = {f"tasks/{harness.task.id}.json": task_data(harness.task), f"keys/{harness.task.id}.json": key_data(key)}
    book = TaskBook({path: canonical_json(data) for path, data in files.items()})
    with closing(Env(harness.sandbox.runtime.without_services(), "", book=book, face="asking")) as env:
        for number in range(max(map(len, (*(act.asked for act in theirs), *(fact.asked for fact in facts))))):
            env.reset(harness.task.id)
            silent = [fact.name for fact in facts if not _tells(env, fact, number)]
            for call in key.calls:
                _make(env, call, theirs, number)
            env.submit(key.answer, as_it_is=True)
            verdict = env.verify()
            if silent:
                verdict = Verdict("fail", reason=f"example {number + 1} did not get {', '.join(silent)}")
            yield Trial(f"asked in words, example {number + 1}", key.calls, True, key.answer, verdict)
        for one in theirs:
            env.call_tool(ASK, {"message": one.asked[0]})
        yield Trial("asked once more after the end", key.calls, True, key.answer, env.verify())


def _tells(env: Env, fact: Fact, number: int) -> bool:
    """Ask for a fact, and say that it is meant where they ask back; whether it was told."""
    messages = (
        fact.asked[number % len(fact.asked)],
        f"Yes, the {fact.called[0]}.",
        f"Are you sure about the {fact.called[0]}?",
    )
    for message in messages if fact.thinks else messages[:2]:
        result = env.call_tool(ASK, {"message": message})
        if result.ok and fact.says.casefold() in result.data["reply"].casefold():
            return True
    return False


def _make(env: Env, call: Call, acts: list[Act], number: int) -> None:
    """Make a call, or ask for it; where they ask back whether that is meant, say yes."""
    act = next((act for act in acts if Call(act.tool, act.arguments) == call), None)
    if act is None:
        env.call_tool(call.tool, call.arguments)
        return
    result = env.call_tool(ASK, {"message": act.asked[number % len(act.asked)]})
    if result.ok and "did" not in result.data:
        env.call_tool(ASK, {"message": f"Yes, please {act.called[0]}."})
