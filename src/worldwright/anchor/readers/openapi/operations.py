"""Operations: found under the paths of an API, and made into actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worldwright.anchor.evidence import Operation
from worldwright.anchor.readers.openapi.answers import Responses, read_responses
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.arguments import read_arguments
from worldwright.anchor.readers.openapi.context import ApiContext
from worldwright.anchor.readers.openapi.documents import METHODS
from worldwright.anchor.readers.openapi.names import PathOperation
from worldwright.anchor.readers.openapi.nodes import Node, texts
from worldwright.anchor.readers.openapi.security import scopes

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
        deprecated=facts.get("deprecated") is True,
        source=operation.spot.source,
    )
    return made, given


def _joined(summary: str, says: str) -> str:
    if not summary or says.startswith(summary):
        return says
    return f"{summary}\n\n{says}" if says else summary
