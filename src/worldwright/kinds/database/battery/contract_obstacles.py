"""Whether a task can be done with the tools of the contract alone: its witness made through them, seeing only what they show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.core.ids import prefix_of
from worldwright.engine.contract import Contract, answer, call_inside, call_outside, shown_after
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Key, Task


def find_contract_obstacle(contract: Contract, runtime: Runtime, task: Task, key: Key) -> str:
    """Say why the tools of a contract cannot carry a task out; empty where they can."""
    session = runtime.session(task.role, task.actor)
    seen = json.dumps([task.instruction, *task.turns, task.actor])
    try:
        for call in key.calls:
            tool = contract.of_call(call)
            if tool is None:
                return f"there is no tool for {call.tool}"
            arguments = call_outside(tool, call)
            hidden = next((i for i in _ids(arguments) if i not in seen), "")
            if hidden:
                return f"nothing shows {hidden}"
            inside, problem = call_inside(tool, json.loads(json.dumps(arguments)))
            if problem:
                return f"{tool.name}: {problem}"
            result = session.call(inside.tool, inside.arguments)
            if not result.ok:
                return f"{tool.name} refuses it"
            seen += json.dumps(answer(tool, shown_after(tool, result, session.call)).data)
        unseen = next((i for i in _ids(key.answer) if i not in seen), "")
        if unseen:
            return f"nothing shows {unseen}"
        verdict = runtime.judge(key.expects).verdict(session, key.answer, True)
        return "" if verdict.status == "pass" else "what it shows does not lead there"
    finally:
        session.close()


def _ids(value: Any) -> Iterator[str]:
    """Every id in some arguments or an answer, as text."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _ids(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _ids(inner)
    elif isinstance(value, (str, int)) and not isinstance(value, bool) and prefix_of(str(value)):
        yield str(value)
