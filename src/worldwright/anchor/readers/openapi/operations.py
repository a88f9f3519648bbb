"""Operations: found under the paths of an API, and made into actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Operation, Shape
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.arguments import read_arguments
from worldwright.anchor.readers.openapi.context import ApiContext, scopes
from worldwright.anchor.readers.openapi.documents import METHODS, Node, texts
from worldwright.anchor.readers.openapi.media import FIELDS, contents, examples
from worldwright.anchor.readers.openapi.names import PathOperation
from worldwright.anchor.readers.openapi.shapes import shape_of_values

MAX_OPERATIONS = 5_000
CALLS_OUT = "the service calls this itself; there is nothing that an agent could call"
WEBHOOKS = ("webhooks", "x-webhooks")


def find_operations(api: Api) -> Iterator[PathOperation]:
    """Every method on every path, in order. Webhooks and callbacks are skipped."""
    count = 0
    for path, written in api.top.down("paths").each():
        if path.startswith("x-"):
            continue
        item = api.follow(written)
        for method, spot in item.each() if isinstance(item.value, Mapping) else ():
            if method.lower() not in METHODS or not isinstance(spot.value, Mapping):
                continue
            count += 1
            if count > MAX_OPERATIONS:
                api.notes.skip("operations", f"only the first {MAX_OPERATIONS:,} operations are read", spot.source)
                return
            end = api.follow(spot)
            lost = "$ref" in spot.value and end.key == spot.key
            _callbacks(api, method, path, end)
            yield PathOperation(api, method.upper(), path, item, end, lost)
    for section in WEBHOOKS:
        for name, spot in api.top.down(section).each():
            api.notes.skip(f"webhook {name}", CALLS_OUT, spot.source)


def _callbacks(api: Api, method: str, path: str, operation: Node) -> None:
    for name, spot in operation.down("callbacks").each():
        api.notes.skip(f"callback {name} of {method.upper()} {path}", CALLS_OUT, spot.source)


def read_operation(bench: ApiContext, operation: PathOperation, name: str) -> tuple[Operation, Responses]:
    """An operation as an action, and its answers for whoever wants their examples."""
    api, facts = bench.api, operation.spot.facts
    taken = read_arguments(bench, operation)
    given = read_responses(bench, operation.spot)
    summary = api.text(facts.get("summary")) or api.text(operation.item.facts.get("summary"))
    says = api.text(facts.get("description")) or api.text(operation.item.facts.get("description"))
    made = Operation(
        name,
        says=_joined(summary, says),
        title=summary,
        method=operation.method,
        path=operation.path,
        parameters=taken.parameters,
        body=taken.body,
        answer=given.shape,
        status=given.status,
        errors=given.errors,
        input_schema=taken.schema,
        output_schema=given.schema,
        tags=tuple(dict.fromkeys(texts(facts.get("tags")))),
        scopes=scopes(api, operation.spot),
        source=operation.spot.source,
    )
    return made, given


def _joined(summary: str, says: str) -> str:
    if not summary or says.startswith(summary):
        return says
    return f"{summary}\n\n{says}" if says else summary


# What an operation answers: its success, with schema and examples, and its errors.


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
