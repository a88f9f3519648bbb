"""A key as an agent's calls have it: under a contract, every call and every value in the contract's own names and forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.engine.contract import Contract, call_outside, show_call
from worldwright.world.records import Call
from worldwright.world.tasks import Key

_MISSHAPEN = (TypeError, ValueError, AttributeError, LookupError)
"""What following a path runs into where the data has another shape."""


def show_key(contract: Contract | None, key: Key) -> Key:
    """Show a key with its calls as an agent makes them, and with where their values come from under the same numbers."""
    if contract is None:
        return replace(key, provenance=tuple(_list_entries(key)))
    expects = dict(key.expects)
    if expects.get("forbidden"):
        forbidden = (Call(str(one["tool"]), one.get("arguments", {})) for one in expects["forbidden"])
        expects["forbidden"] = [show_call(contract, call)._asdict() for call in forbidden]
    calls = tuple(show_call(contract, call) for call in key.calls)
    return replace(key, calls=calls, expects=expects, provenance=tuple(_list_outside(contract, key)))


def _list_entries(key: Key) -> Iterator[Mapping[str, str]]:
    """Yield the entries that speak of a call of the key; a pack may list anything there."""
    labels = {f"{n} {call.tool}" for n, call in enumerate(key.calls, start=1)}
    listed: Sequence[object] = key.provenance
    for entry in listed:
        if isinstance(entry, Mapping) and entry.get("call") in labels:
            yield entry


def _list_outside(contract: Contract, key: Key) -> Iterator[Mapping[str, str]]:
    calls = {f"{n} {call.tool}": (n, call) for n, call in enumerate(key.calls, start=1)}
    for entry in _list_entries(key):
        n, call = calls[entry["call"]]
        tool = contract.find_tool(call)
        name, *rest = str(entry.get("argument", "")).split(".")
        take = tool.takes.get(name) if tool is not None else None
        if tool is None or take is None or (not rest and call.arguments.get(name) is None):
            continue  # what the contract fixes, or nobody says, nobody gives
        inner = (step for part in rest for step in (take.each[part].at if part in take.each else (part,)))
        path = [*take.at, *inner]
        value = _follow(call_outside(tool, call), path)
        yield {**entry, "call": f"{n} {tool.name}", "argument": ".".join(path), "value": value}


def _follow(value: Any, path: Sequence[str]) -> Any:
    try:
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except _MISSHAPEN:
        return ""
    return value
