"""The names of operations: as they are written, or made from method and path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from worldwright.anchor.names import fresh
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.documents import Node

MAX_NAME_CHARS = 100
_PLACEHOLDER = re.compile(r"\{[+/?#.;&]?([^{}*]*)\*?\}")
_ODD = re.compile(r"\W+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class PathOperation:
    """A method on a path."""

    api: Api
    method: str
    path: str
    item: Node
    """What stands under the path, references followed."""
    spot: Node
    """What stands under the method, references followed."""
    lost: bool = False
    """Whether it is a reference that leads nowhere."""


def placeholders(path: str) -> list[str]:
    """The names in a path that stand for values, in order: `id` and `line` for `/orders/{id}/lines/{line}`."""
    return list(dict.fromkeys(name.strip() for name in _PLACEHOLDER.findall(path) if name.strip()))


def made_name(method: str, path: str) -> str:
    """`get_orders_by_id` for GET `/orders/{id}`."""
    words = []
    for piece in path.removesuffix(".json").removesuffix(".xml").split("/"):
        named = _PLACEHOLDER.sub(lambda m: f" by {m[1]} ", piece)
        words.append(_ODD.sub("_", _HUMP.sub("_", named)).strip("_").lower())
    text = "_".join(w for w in words if w) or "root"
    return f"{method.lower()}_{text}"[:MAX_NAME_CHARS].rstrip("_")


def name_all(operations: Sequence[PathOperation]) -> list[str]:
    """One name for each, no two the same: `operationId` for the first that has it, names that are made for all others."""
    said = [_read_operation_id(o) for o in operations]
    taken = {s for s in said if s}
    given: set[str] = set()
    out: list[str] = []
    for operation, name in zip(operations, said, strict=True):
        made = name
        if not name or name in given:
            made = fresh(made_name(operation.method, operation.path), taken)
            taken.add(made)
            why = f"the operationId `{name[:100]}` of another operation" if name else "no operationId"
            says = f"{operation.method} {operation.path[:200]} has {why}; it is called `{made}` after its path"
            level, kind = ("warning", "an operationId given twice") if name else ("info", "no operationId")
            operation.api.notes.add(level, kind, says, operation.spot.source)
        given.add(made)
        out.append(made)
    return out


def _read_operation_id(operation: PathOperation) -> str:
    value = operation.spot.facts.get("operationId")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else ""
