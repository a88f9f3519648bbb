"""What somebody says who makes or changes a record: each value with its place in the record and its place in the arguments.

Arguments may wrap a record (`{"ticket": {"subject": ...}}`), lie flat, or come as one body. The place in the record is the same in
all of these, so that what is said in one action is what another one answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.anchor.evidence import Field, Parameter, Shape
from worldwright.anchor.model.intents import OperationIntent
from worldwright.anchor.model.items import WRAPPERS, iter_leaves
from worldwright.anchor.model.records import Path
from worldwright.anchor.names import noun, parts

CONTROLS = frozenset(
    {
        "limit", "offset", "page", "per", "size", "sort", "order", "cursor", "fields", "include", "expand", "embed", "format",
        "locale", "lang", "language", "token", "start", "count", "skip", "top", "select", "filter", "query", "q", "search",
        "opt", "dry", "async", "callback", "idempotency", "notify",
    }
)  # fmt: skip
"""First words of parameters that steer an answer and say nothing of a record."""
COMMON = frozenset(
    {"order", "format", "language", "locale", "start", "count", "size", "page", "query", "fields", "idempotency"}
)
"""Those of them that a record may well have."""
BODIES = frozenset({"body", "payload", "attributes", "properties", "params", "input", "request", "record", "object"})


@dataclass(frozen=True, slots=True)
class RecordInput:
    """One value that an action takes for a record."""

    path: Path
    """In the record."""
    at: Path
    """In the arguments."""
    field: Field


def record_inputs(intent: OperationIntent) -> Iterator[RecordInput]:
    """Everything that an action takes for a record, the ids in its path aside."""
    named = {intent.by, *(parameter for _, parameter in intent.under)}
    for p in intent.operation.parameters:
        if p.name in named or p.place in ("path", "header", "cookie") or is_control(p):
            continue
        part = Field(p.name, p.shape, p.required, says=p.says, source=p.source)
        if _wraps(p.name, p.shape, intent):
            for path, inner in iter_leaves(p.shape):
                yield RecordInput(path, (p.name, *path), inner)
        elif p.shape.kind == "object" and p.shape.fields:
            for path, inner in iter_leaves(Shape("object", fields={p.name: part})):
                yield RecordInput(path, path, inner)
        else:
            yield RecordInput((p.name,), (p.name,), part)
    if intent.operation.body is not None and not any(p.place == "body" for p in intent.operation.parameters):
        for path, inner in iter_leaves(intent.operation.body):
            yield RecordInput(path, ("body", *path), inner)


def is_control(p: Parameter) -> bool:
    """Whether a parameter is about the answer. In a body that is rare, and only a word by itself."""
    words = parts(p.name)
    longest = 1 if p.place == "body" else 2
    known = words[:1] and words[0] in (CONTROLS - COMMON if p.place == "body" else CONTROLS)
    return not words or (bool(known) and len(words) <= longest and words[-1:] not in (("id",), ("date",)))


def _wraps(name: str, shape: Shape, intent: OperationIntent) -> bool:
    words = noun(name)
    if shape.kind != "object" or not shape.fields or not words:
        return False
    return words in (intent.noun, intent.noun[-1:]) or words[-1] in BODIES or words[-1] in WRAPPERS
