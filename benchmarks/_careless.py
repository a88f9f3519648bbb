"""The oracle, careless: it knows what is to be done, looks up by name whom it is to be done to, and takes the first that comes.

What a layer of twins costs whoever is perfect otherwise and does not compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name, get_tool_name, read_payload
from worldwright.agents.protocol import Brief
from worldwright.blueprint.checked import Checked, Operation, Search
from worldwright.kinds.database.runtime import Runtime
from worldwright.variants.drafting.twins import find_naming_column
from worldwright.world.records import Call
from worldwright.world.tasks import Key

Named = tuple[str, str, str]
"""(entity, column, text)"""


class Careless:
    name = "careless"
    sees_key = True
    identity: Mapping[str, Any] = {"version": 1}

    def __init__(self, checked: Checked, runtime: Runtime) -> None:
        self._checked = checked
        self._uow = runtime.session("").unit_of_work()

    def begin(self, brief: Brief) -> _Acting:
        assert brief.key is not None
        return _Acting(self, brief.key)

    def looked_up(self, one: Call, request: str) -> Iterator[tuple[str, Named]]:
        """The rows that a call which writes is handed, where the request has a name for them and not the id."""
        operation = self._checked.operations[one.tool]
        for taken in operation.inputs if operation.read is None else ():
            key = one.arguments.get(taken.name)
            if taken.type.kind == "ref" and isinstance(key, str) and not _stands(key, request):
                column = find_naming_column(self._checked, taken.type.entity)
                text = self._text(taken.type.entity, key, column) if column else ""
                if text and _stands(text, request):
                    yield key, (taken.type.entity, column, text)

    def search(self, named: Named, tools: Sequence[Tool]) -> Call | None:
        """A search by that name which needs nothing else."""
        offered = {get_tool_name(tool) for tool in tools}
        for op in self._checked.operations.values():
            if op.name in offered and (given := _filter(op, named)):
                return Call(op.name, {given: named[2]})
        return None

    def _text(self, entity: str, key: str, column: str) -> str:
        row = self._uow.row(entity, key)
        return "" if row is None else str(row.values[self._uow.position(entity, column)] or "")


def _filter(op: Operation, named: Named) -> str:
    """The input by which a search finds a kind of row by a text."""
    read, (entity, column, _) = op.read, named
    if not isinstance(read, Search) or read.entity != entity:
        return ""
    given = next((f.name for f in read.filters if f.column == column and f.op in ("==", "contains")), "")
    return given if all(i.optional or i.default is not None or i.name == given for i in op.inputs) else ""


def _stands(text: str, request: str) -> bool:
    return re.search(rf"\b{re.escape(text)}\b", request) is not None


class _Acting:
    def __init__(self, agent: Careless, key: Key) -> None:
        self._agent, self._key, self._next = agent, key, 0
        self._taken: dict[str, str] = {}
        """By the id that is right, the one that is taken for it."""
        self._asking = ""

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if self._asking:
            self._taken[self._asking], self._asking = _first(messages[-1]) or self._asking, ""
        if self._next == len(self._key.calls):
            return call(get_submit_name(tools), self._key.answer or {}, messages, "")
        one = self._key.calls[self._next]
        for key, named in self._agent.looked_up(one, str(messages[1].get("content") or "")):
            search = None if key in self._taken else self._agent.search(named, tools)
            if search is not None:
                self._asking = key
                return call(search.tool, search.arguments, messages, "")
        self._next += 1
        return call(one.tool, _with(one.arguments, self._taken), messages, "")


def _first(message: Message) -> str:
    found = read_payload(message)
    data = found.get("data") if isinstance(found, Mapping) else None
    items = data.get("items") if isinstance(data, Mapping) else None
    return str(items[0]["id"]) if items else ""


def _with(value: Any, taken: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _with(one, taken) for name, one in value.items()}
    if isinstance(value, list):
        return [_with(one, taken) for one in value]
    return taken.get(value, value) if isinstance(value, str) else value
