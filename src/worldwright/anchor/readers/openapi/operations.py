"""Operations: found under the paths of an API, and made into actions; and the refusals that their error responses spell out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.evidence import Claim, Operation
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.arguments import read_arguments
from worldwright.anchor.readers.openapi.context import FIELDS, ApiContext, contents, examples
from worldwright.anchor.readers.openapi.documents import METHODS, Node, texts
from worldwright.anchor.readers.openapi.names import PathOperation
from worldwright.anchor.readers.openapi.shapes import shape_of_values

MAX_OPERATIONS = 5_000
CALLS_OUT = "the service calls this itself; there is nothing that an agent could call"
_SUCCESS = re.compile(r"2(?:\d\d|[xX]{2})\Z")
_FAILURE = re.compile(r"[45](?:\d\d|[xX]{2})\Z|default\Z")
_READS_WELL = re.compile(r"success|\bok\b|\bcreated\b|\baccepted\b|\breturns?\b", re.IGNORECASE)
_READS_BADLY = re.compile(r"error|fail|unexpected|invalid|denied|unsuccess", re.IGNORECASE)
_REFUSES = re.compile(r"4(?:\d\d|[xX]{2})\Z")
_ABOUT_THE_CALL = frozenset({"401", "406", "415", "429"})
_SAYS = ("description", "message", "detail", "reason", "error")
_INTO = ("allOf", "anyOf", "oneOf", "properties", "items", "details", "errors", "error", "schema", "content")
MAX_REFUSAL_DEPTH, MAX_REFUSALS = 14, 400


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
            for name, callback in end.down("callbacks").each():
                api.notes.skip(f"callback {name} of {method.upper()} {path}", CALLS_OUT, callback.source)
            lost = "$ref" in spot.value and end.key == spot.key
            yield PathOperation(api, method.upper(), path, item, end, lost)
    for section in ("webhooks", "x-webhooks"):
        for name, spot in api.top.down(section).each():
            api.notes.skip(f"webhook {name}", CALLS_OUT, spot.source)


def read_operation(bench: ApiContext, operation: PathOperation, name: str) -> tuple[Operation, Node | None, list[Node]]:
    """An operation as an action, and the schema of its answer with examples of it."""
    api, facts = bench.api, operation.spot.facts
    parameters, body, input_schema = read_arguments(bench, operation)
    responses = {status.strip(): spot for status, spot in api.children(operation.spot.down("responses"))}
    meanings = {status: api.text(spot.facts.get("description")) for status, spot in responses.items()}
    good = [status for status in responses if _SUCCESS.match(status)]
    usual = meanings.get("default", "")
    if not good and _READS_WELL.search(usual) and not _READS_BADLY.search(usual):
        good = ["default"]
    status, schema, said = _find_success(api, {s: responses[s] for s in good})
    values: list[Any] = [e.value for e in said]
    told = shape_of_values(values) if said else None
    title, says = (
        api.text(facts.get(key)) or api.text(operation.item.facts.get(key)) for key in ("summary", "description")
    )
    made = Operation(
        name,
        says=says if says.startswith(title) else f"{title}\n\n{says}".strip(),
        title=title,
        method=operation.method,
        path=operation.path,
        parameters=parameters,
        body=body,
        answer=bench.shapes.of(schema, values) if schema is not None else told,
        status=status,
        errors={s: meanings[s] for s in responses if _FAILURE.match(s) and s not in good},
        input_schema=input_schema,
        output_schema=bench.received.whole(schema) if schema is not None else None,
        tags=tuple(dict.fromkeys(texts(facts.get("tags")))),
        scopes=_scopes(api, operation.spot),
        source=operation.spot.source,
    )
    return made, schema, said


def _find_success(api: Api, responses: Mapping[str, Node]) -> tuple[str, Node | None, list[Node]]:
    """The status of a success, with its schema and examples beside it; where none has fields, all examples there are."""
    held = {status: contents(api, response) for status, response in responses.items()}
    for status, found in held.items():
        for rank, content in found:
            schema = content.down("schema")
            if rank <= FIELDS and isinstance(schema.value, Mapping) and schema.value:
                return status, schema, examples(api, content)
    for status, found in held.items():
        only = [e for _, content in found for e in examples(api, content)]
        if only:
            says = "the answer is told from its examples alone"
            api.notes.add("info", "an answer without a schema", says, only[0].source)
            return status, None, only
    return next(iter(responses), ""), None, []


def _scopes(api: Api, operation: Node) -> tuple[str, ...]:
    """The scopes that an operation asks for; the name of a scheme stands for itself where it has none."""
    asked = operation.facts.get("security", api.top.facts.get("security"))
    schemes = [one for one in asked if isinstance(one, Mapping)] if isinstance(asked, list) else []
    return tuple(dict.fromkeys(s for one in schemes for name, wanted in one.items() for s in texts(wanted) or [name]))


def refusal_claims(api: Api, operations: Sequence[tuple[PathOperation, str]]) -> Iterator[Claim]:
    """Yield every message that an error response spells out once, where it stands first."""
    seen: set[str] = set()
    for operation, name in operations:
        for status, response in api.children(operation.spot.down("responses")):
            if not _REFUSES.match(status.strip()) or status.strip() in _ABOUT_THE_CALL:
                continue
            for spot, text in _messages(api, response, 0, set()):
                if len(seen) < MAX_REFUSALS and spot.key not in seen:
                    seen.add(spot.key)
                    yield Claim(text, "error", spot.source, f"{name} {status}", *about_of(text))


def _messages(api: Api, spot: Node, depth: int, above: set[str]) -> Iterator[tuple[Node, str]]:
    """Yield the objects of a schema whose message is fixed, with that message."""
    spot = api.follow(spot)
    if depth > MAX_REFUSAL_DEPTH or spot.key in above:
        return
    members = spot.facts.get("properties")
    for name in _SAYS if isinstance(members, dict) else ():
        facts = api.follow(spot.down("properties", name)).facts
        fixed = texts(facts.get("enum")) or texts([facts.get("const")])
        if len(fixed) == 1 and len(fixed[0].split()) > 2:
            yield spot, " ".join(fixed[0].split())
            return
    for key, inner in spot.each():
        if key in _INTO or key.isdigit() or depth in (1, 2) or spot.at.endswith("/properties"):
            yield from _messages(api, inner, depth + 1, above | {spot.key})
