"""Error statuses that a contract declares, brought about: by calls that deserve them, else by faults of the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from worldwright.core.ids import KeyFormat
from worldwright.engine.codecs import outward
from worldwright.engine.contract import Contract, ContractTool, call_outside, put, status_of
from worldwright.engine.env import Env
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call

NOBODY = {"integer": 999_999_999, "uuid": "00000000-0000-4000-8000-000000000000", "text": "no-such-record"}
"""By form, an id that no record has."""
RECORDS = 8
"""Records of the opening state that a call is tried on."""
CALLS = 6
"""Calls of one tool that are made once more: a record that was only made on the walk is not there again."""
Status = tuple[str, str]
"""A tool, and a status that it answered."""


def deserved(runtime: Runtime, contract: Contract, made: Sequence[Call]) -> tuple[Status, ...]:
    """Statuses that calls of the contract get for good reasons. `made` are calls that went through, to be spoilt."""
    good: dict[str, list[Call]] = {}
    for call in made:
        known = good.setdefault(call.tool, [])
        if len(known) < CALLS and call not in known:
            known.append(call)
    out: dict[Status, None] = {}
    env = Env(runtime, "", contract=contract)
    for role in runtime.roles or ("",):
        for tool in contract.tools.values():
            if not tool.declares:
                continue
            for k, call in enumerate(good.get(tool.operation) or [Call(tool.operation, {})]):
                base = call_outside(tool, call)
                for arguments in (*_spoilt(tool, base), *_elsewhere(runtime, tool, base)) if k == 0 else (base,):
                    env.reset(role=role or None)
                    for _ in range(2):
                        _note(env, tool, arguments, out)
    env.close()
    return tuple(s for s in out if s[1] in contract.tools[s[0]].declares)


def _elsewhere(runtime: Runtime, tool: ContractTool, base: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same call about records of the opening state: some are in no state for it, and none is a second time."""
    take = next((t for t in tool.takes.values() if t.codec.get("as") == "id"), None)
    schema = runtime.compiled.blueprint.schema
    own = [e for e in schema.entities.values() if take is not None and KeyFormat.parse(take.codec["key"]) == e.key]
    if take is None or not own:
        return
    for number in range(1, RECORDS + 1):
        yield _with(base, take.at, outward(take.codec, own[0].key.make(number)))


def _note(env: Env, tool: ContractTool, arguments: Any, out: dict[Status, None]) -> None:
    status = status_of(env.call_tool(tool.name, arguments))
    if status:
        out[tool.name, status] = None


def _spoilt(tool: ContractTool, base: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The call itself, twice; without something it needs; with a value of another type; about records that are not there."""
    yield base
    required = list(tool.input_schema.get("required", ()))
    for name in required[:1]:
        yield {k: v for k, v in base.items() if k != name}
    for take in tool.takes.values():
        if take.codec.get("as") in ("integer", "number", "boolean", "date", "moment", "words"):
            yield _with(base, take.at, [[]])
            break
    for take in tool.takes.values():
        if take.codec.get("as") == "id":
            yield _with(base, take.at, NOBODY[take.codec["form"]])
    yield {**base, "no_such_parameter": True}


def _with(base: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    return put(deepcopy(base), {path: value})


def forced(runtime: Runtime, contract: Contract, rest: Sequence[Status]) -> tuple[Status, ...]:
    """Of statuses that no call deserves (not signed in, too many calls, out of order), those that a fault brings about."""
    out: dict[Status, None] = {}
    for name, status in rest:
        env = Env(runtime, "", contract=contract, faults={name: (status,)})
        for role in runtime.roles or ("",):
            if (name, status) not in out:
                env.reset(role=role or None)
                _note(env, contract.tools[name], {}, out)
        env.close()
    return tuple(s for s in rest if s in out)
