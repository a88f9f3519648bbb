"""Endpoints that a document lists: a method and a path, with the parameters, bodies, answers and errors that stand below it.

A reference in Markdown gives the tools that a contract would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.claims.kinds import is_function
from worldwright.anchor.claims.sentences import split_sentences
from worldwright.anchor.evidence import Field, Operation, Parameter, Shape, Source
from worldwright.anchor.names import fresh, identifier
from worldwright.anchor.names import parts as words_of
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.documents.resources import header_of, of_cell, of_item, of_row
from worldwright.anchor.readers.openapi.arguments import is_of_connection
from worldwright.anchor.readers.openapi.names import made_name, placeholders
from worldwright.anchor.readers.openapi.shapes import schema_of_values
from worldwright.anchor.schema.shapes import shape_of

MOST_ENDPOINTS = 500
_METHODS = r"(GET|POST|PUT|PATCH|DELETE)"
_ENDPOINT = re.compile(rf"\b{_METHODS}\s*[:|]?\s+(?:https?://[\w.:-]+)?(/[\w{{}}:<>./~%-]*)")
_VARIABLE = re.compile(r":(\w+)|<(\w+)>")
_STATUS = re.compile(r"\W*\b([1-5]\d\d)\b(?:\s(?:[A-Z][a-z]+ ?){1,3}(?=[:–—-]))?\s?[:–—\s-]*")
_REFUSES = re.compile(r"\b(4\d\d)\b")
_MODES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (mode, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for mode, words in (
        ("errors", "errors?|status codes?|failures?"),
        ("answer", "responses?|returns?|answers?|output"),
        ("path", "path param\\w*"),
        ("query", "query|filters?"),
        ("header", "headers?"),
        ("body", "request|body|payload|input|parameters?|fields?|arguments?"),
    )
)
_SMALL = frozenset({"a", "an", "the", "of", "for"})


@dataclass(slots=True)
class Endpoint:
    """A method on a path, with what is known of it."""

    method: str
    path: str
    at: str
    title: str = ""
    says: list[str] = field(default_factory=list)
    fields: dict[str, list[Field]] = field(default_factory=dict)
    """By place: path, query, header, body or answer."""
    examples: dict[str, Any] = field(default_factory=dict)
    """Of the body and of the answer."""
    statuses: dict[str, str] = field(default_factory=dict)


def endpoints(parts: Sequence[Part], file: str) -> tuple[tuple[Operation, ...], frozenset[int]]:
    """The operations of the endpoints that a document lists, and the parts that only describe their parameters and answers."""
    found: list[Endpoint] = []
    used: set[int] = set()
    at: tuple[Endpoint, Part] | None = None
    mode = ""
    for number, part in enumerate(parts):
        opened = _opened(part)
        if opened:
            found += opened
            at, mode = (opened[-1], part) if part.block.kind != "table" else None, ""
            used |= {number} if part.block.kind in ("table", "code") else set()
        elif at is not None and part.path[: len(at[1].path)] != at[1].path:
            at = None
        if at is not None and (not opened or part.block.kind == "code"):
            mode, taken = _gather(at[0], part, mode, file)
            used |= {number} if taken else set()
    return _operations(found[:MOST_ENDPOINTS], file), frozenset(used)


def _opened(part: Part) -> list[Endpoint]:
    """The endpoints that a part names: a heading, a line of its own, the first line of code, or rows of a table."""
    block = part.block
    if block.kind == "table":
        return list(_rows(part))
    text = squeezed(block.text.split("\n")[0] if block.kind == "code" else block.text[:300])
    found = _ENDPOINT.search(text)
    near = 200 if block.kind == "heading" else 0 if block.kind == "code" else 24
    if not found or found.start() > near or (block.kind == "paragraph" and len(text.split()) > 14):
        return []
    rest = squeezed(f"{text[: found.start()]} {text[found.end() :]}").strip(" :–—-|.()`")
    title = rest or (part.heading if block.kind != "item" else "")
    return [Endpoint(found[1], _braced(found[2]), block.at, _ENDPOINT.sub("", title).strip(" :–—-"))]


def _rows(part: Part) -> Iterator[Endpoint]:
    for row, at in zip(part.block.rows, part.block.places, strict=True):
        cells = [squeezed(c).strip("`* ") for c in row]
        found = _ENDPOINT.search(" ".join(cells[:3]))
        if found:
            says = [c for c in cells if c and c not in (found[1], found[2]) and not _ENDPOINT.match(c)]
            yield Endpoint(found[1], _braced(found[2]), at, says[0] if says else "", says[:1])


def _braced(path: str) -> str:
    """A path with its variables in braces, whatever the document writes them in."""
    return _VARIABLE.sub(lambda m: f"{{{m[1] or m[2]}}}", path).rstrip(".")


def _gather(one: Endpoint, part: Part, mode: str, file: str) -> tuple[str, bool]:
    """Put what a part says to an endpoint; what the parts after it are about, and whether the part says nothing else."""
    block = part.block
    text = squeezed(block.text[:600])
    if (
        block.kind == "heading"
        or (text.endswith(":") and len(text.split()) <= 12)
        or (block.lead and text == block.lead)
    ):
        return next((m for m, form in _MODES if form.search(text)), "" if block.kind == "heading" else mode), False
    if block.kind == "code":
        return mode, _example(one, block.text, mode)
    if block.kind == "table":
        return mode, _table(one, part, mode, file)
    status = _STATUS.match(text)
    if block.kind == "item" and status:
        one.statuses.setdefault(status[1], text[status.end() :])
        return mode, False
    typed = of_item(block, Source(file, block.at)) if block.kind == "item" else None
    if typed is not None:
        _put(one, typed, mode, "")
        return mode, True
    if block.kind == "paragraph":
        one.says.append(text)
    for start, end in split_sentences(text):
        for code in _REFUSES.findall(text[start:end]):
            one.statuses.setdefault(code, text[start:end].strip())
    return mode, False


def _table(one: Endpoint, part: Part, mode: str, file: str) -> bool:
    block = part.block
    columns = header_of(block)
    if not columns:
        for row in block.rows:
            status = re.fullmatch(r"([1-5]\d\d)\b.*", squeezed(row[0]).strip("`* "))
            if status:
                one.statuses.setdefault(status[1], of_cell(row[-1]))
        return False
    for row, at in zip(block.rows[1:], block.places[1:], strict=True):
        found = of_row(row, columns, Source(file, at))
        if found is not None:
            _put(one, found, mode, squeezed(row[columns["place"]]).lower() if "place" in columns else "")
    return True


def _put(one: Endpoint, found: Field, mode: str, said: str) -> None:
    """Put a field where it belongs: as its table says, as its name is in the path, or as the method takes values."""
    place = said if said in ("path", "query", "header", "body") else mode
    if found.name in placeholders(one.path) and place != "answer":
        place = "path"
    elif place not in ("query", "header", "answer") or (place == "body" and one.method in ("GET", "DELETE")):
        place = "query" if one.method in ("GET", "DELETE") else "body"
    one.fields.setdefault(place, []).append(found)


def _example(one: Endpoint, text: str, mode: str) -> bool:
    start = min((n for n in (text.find("{"), text.find("[")) if n >= 0), default=-1)
    if start < 0 or re.match(r"\s*(?:curl|\$)", text):
        return False
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return False
    asked = mode == "body" or (mode not in ("answer", "errors") and one.method in ("POST", "PUT", "PATCH"))
    answers = mode == "answer" or text.lstrip().startswith("HTTP/") or not asked or "body" in one.examples
    if mode != "errors":
        one.examples.setdefault("answer" if answers else "body", value)
    return True


# Endpoints as operations.


def _operations(found: Sequence[Endpoint], file: str) -> tuple[Operation, ...]:
    """The endpoints as operations; of one that is named twice, the fuller description."""
    best: dict[tuple[str, str], Endpoint] = {}
    for one in found:
        old = best.setdefault((one.method, one.path), one)
        best[one.method, one.path] = one if _told(one) > _told(old) else old
    out: dict[str, Operation] = {}
    paths = list(dict.fromkeys(path for _, path in best))
    for one in sorted(best.values(), key=lambda one: paths.index(one.path)):
        title = [w for w in words_of(one.title) if w not in _SMALL]
        said = is_function(one.title) and len(title) <= 6
        name = fresh(identifier(title, "call") if said else made_name(one.method, one.path), out)
        out[name] = _operation(one, name, Source(file, one.at))
    return tuple(out.values())


def _told(one: Endpoint) -> int:
    return sum(map(len, one.fields.values())) + 2 * len(one.examples) + len(one.statuses) + bool(one.says)


def _operation(one: Endpoint, name: str, source: Source) -> Operation:
    known = {f.name: f for f in one.fields.get("path", ())}
    given = [("path", known.get(n) or Field(n, Shape("string"))) for n in placeholders(one.path)]
    given += [(p, f) for p in ("query", "header") for f in one.fields.get(p, ()) if not is_of_connection(p, f.name)]
    body, answer = (_whole(one.fields.get(k, []), one.examples.get(k)) for k in ("body", "answer"))
    held = body.get("properties", {"body": body} if body else {})
    properties = {f.name: _schema(f) for _, f in given}
    needed = [f.name for place, f in given if place == "path" or f.required] + body.get("required", [])
    schema: dict[str, Any] = {"type": "object", "properties": {**properties, **held, **properties}}
    schema |= {"required": list(dict.fromkeys(needed))} if needed else {}
    places = {f.name: (place, f.source) for place, f in given}
    sources = {f.name: f.source for f in one.fields.get("body", ())}
    listed = [(*places.get(f.name, ("body", sources.get(f.name))), f) for f in shape_of(schema).fields.values()]
    says = " ".join(one.says[:4])
    return Operation(
        name,
        says=says if says.startswith(one.title) else f"{one.title}\n\n{says}".strip(),
        title=one.title,
        method=one.method,
        path=one.path,
        parameters=tuple(Parameter(f.name, at, f.shape, f.required, f.says, own or source) for at, own, f in listed),
        body=shape_of(body) if body else None,
        answer=shape_of(answer) if answer else None,
        status=next((s for s in one.statuses if s.startswith("2")), "201" if one.method == "POST" else "200"),
        errors={s: text for s, text in one.statuses.items() if s[0] in "45"},
        input_schema=schema,
        output_schema=answer or None,
        source=source,
    )


def _schema(one: Field) -> dict[str, Any]:
    shape = one.shape
    facts = {"format": shape.format, "enum": list(shape.enum), "description": one.says}
    kind = {"type": shape.kind} if shape.kind != "any" else {}
    items: dict[str, Any] = {"items": {}} if shape.kind == "array" else {}
    return {**kind, **items, **{k: v for k, v in facts.items() if v}}


def _whole(fields: Sequence[Field], example: Any) -> dict[str, Any]:
    """The schema of an object with these fields, and with what an example has beside them; nothing where there is neither."""
    seen = schema_of_values([example])
    if not fields:
        return seen
    inner = seen.get("properties", {}) if seen.get("type") == "object" else {}
    named = {f.name: {**inner.get(f.name, {}), **_schema(f)} for f in fields}
    return {"type": "object", "properties": {**inner, **named}, "required": [f.name for f in fields if f.required]}
