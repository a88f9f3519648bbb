"""What an operation answers: its success, with schema and examples, and its errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.inferred import shape_of_values
from worldwright.anchor.readers.openapi.media import FIELDS, contents, examples
from worldwright.anchor.readers.openapi.nodes import Node

_SUCCESS = re.compile(r"2(?:\d\d|[xX]{2})\Z")
_FAILURE = re.compile(r"[45](?:\d\d|[xX]{2})\Z|default\Z")
_READS_WELL = re.compile(r"success|\bok\b|\bcreated\b|\baccepted\b|\breturns?\b", re.IGNORECASE)
_READS_BADLY = re.compile(r"error|fail|unexpected|invalid|denied|unsuccess", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Responses:
    shape: Shape | None = None
    status: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    content: Node | None = None
    """The schema of the success, as it is written."""
    examples: tuple[Node, ...] = ()


def read_responses(bench: ApiContext, operation: Node) -> Responses:
    api = bench.api
    responses = {status.strip(): spot for status, spot in api.children(operation.down("responses"))}
    says = {status: api.text(spot.facts.get("description")) for status, spot in responses.items()}
    good = [status for status in responses if _SUCCESS.match(status)]
    if not good and "default" in responses and _is_success(says["default"]):
        good = ["default"]
    errors = {status: says[status] for status in responses if _FAILURE.match(status) and status not in good}
    for status in good:
        found = _content(bench, responses[status])
        if found is not None:
            schema, said = found
            shape = bench.shapes.with_examples(schema, [e.value for e in said])
            return Responses(shape, status, errors, bench.received.whole(schema), schema, tuple(said))
    for status in good:
        only = [e for _, content in contents(api, responses[status]) for e in examples(api, content)]
        if only:
            api.notes.add(
                "info", "an answer without a schema", "the answer is told from its examples alone", only[0].source
            )
            return Responses(shape_of_values([e.value for e in only]), status, errors)
    return Responses(status=good[0] if good else "", errors=errors)


def _is_success(says: str) -> bool:
    return bool(_READS_WELL.search(says)) and not _READS_BADLY.search(says)


def _content(bench: ApiContext, response: Node) -> tuple[Node, list[Node]] | None:
    """The schema of a response, and examples beside it; None where it has no content with fields."""
    for rank, content in contents(bench.api, response):
        schema = content.down("schema")
        if rank <= FIELDS and isinstance(schema.value, Mapping) and schema.value:
            return schema, examples(bench.api, content)
    return None
