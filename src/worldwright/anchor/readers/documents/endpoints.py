"""Endpoints that a document lists: a method and a path, with the parameters, bodies, answers and errors that stand below it.

They are laid out as an OpenAPI document and read like one, so that a reference in Markdown gives the tools that a contract would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldwright.anchor.claims.kinds import is_function
from worldwright.anchor.claims.sentences import split_sentences
from worldwright.anchor.evidence import Field, Operation, Shape, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.names import fresh, identifier
from worldwright.anchor.names import parts as words_of
from worldwright.anchor.readers import openapi
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.anchor.readers.documents.fields import header_of, of_cell, of_item, of_row
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.openapi.names import made_name, placeholders

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
class _Endpoint:
    """An endpoint as it is gathered."""

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
    found: list[_Endpoint] = []
    used: set[int] = set()
    at: tuple[_Endpoint, Part] | None = None
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


def _opened(part: Part) -> list[_Endpoint]:
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
    return [_Endpoint(found[1], _braced(found[2]), block.at, _ENDPOINT.sub("", title).strip(" :–—-"))]


def _rows(part: Part) -> Iterator[_Endpoint]:
    for row, at in zip(part.block.rows, part.block.places, strict=True):
        cells = [squeezed(c).strip("`* ") for c in row]
        found = _ENDPOINT.search(" ".join(cells[:3]))
        if found:
            says = [c for c in cells if c and c not in (found[1], found[2]) and not _ENDPOINT.match(c)]
            yield _Endpoint(found[1], _braced(found[2]), at, says[0] if says else "", says[:1])


def _braced(path: str) -> str:
    """A path with its variables in braces, whatever the document writes them in."""
    return _VARIABLE.sub(lambda m: f"{{{m[1] or m[2]}}}", path).rstrip(".")


def _gather(one: _Endpoint, part: Part, mode: str, file: str) -> tuple[str, bool]:
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
    typed = of_item(block, Source(file, block.at), strict=True) if block.kind == "item" else None
    if typed is not None:
        _put(one, typed, mode, "")
        return mode, True
    if block.kind == "paragraph":
        one.says.append(text)
    for start, end in split_sentences(text):
        for code in _REFUSES.findall(text[start:end]):
            one.statuses.setdefault(code, text[start:end].strip())
    return mode, False


def _table(one: _Endpoint, part: Part, mode: str, file: str) -> bool:
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


def _put(one: _Endpoint, found: Field, mode: str, said: str) -> None:
    """Put a field where it belongs: as its table says, as its name is in the path, or as the method takes values."""
    place = said if said in ("path", "query", "header", "body") else mode
    if found.name in placeholders(one.path) and place != "answer":
        place = "path"
    elif place not in ("query", "header", "answer") or (place == "body" and one.method in ("GET", "DELETE")):
        place = "query" if one.method in ("GET", "DELETE") else "body"
    one.fields.setdefault(place, []).append(found)


def _example(one: _Endpoint, text: str, mode: str) -> bool:
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


# As an OpenAPI document.


def _operations(found: Sequence[_Endpoint], file: str) -> tuple[Operation, ...]:
    """The endpoints as operations; of one that is named twice, the fuller description."""
    best: dict[tuple[str, str], _Endpoint] = {}
    for one in found:
        old = best.get((one.method, one.path))
        if old is None or _told(one) > _told(old):
            best[one.method, one.path] = one
    if not best:
        return ()
    paths: dict[str, Any] = {}
    taken: dict[str, None] = {}
    places: dict[str, _Endpoint] = {}
    for one in best.values():
        title = [w for w in words_of(one.title) if w not in _SMALL]
        made = (
            identifier(title, "call") if is_function(one.title) and len(title) <= 6 else made_name(one.method, one.path)
        )
        name = fresh(made, taken)
        taken[name], places[name] = None, one
        paths.setdefault(one.path, {})[one.method.lower()] = {"operationId": name, **_described(one)}
    whole = {"openapi": "3.0.3", "info": {"title": "", "version": ""}, "paths": paths}
    return tuple(
        _placed(operation, places[operation.name], file)
        for operation in openapi.read([Upload(file, json.dumps(whole).encode())]).operations
        if operation.name in places
    )


def _told(one: _Endpoint) -> int:
    return sum(map(len, one.fields.values())) + 2 * len(one.examples) + len(one.statuses) + bool(one.says)


def _placed(operation: Operation, one: _Endpoint, file: str) -> Operation:
    """An operation with places in the document."""
    own = Source(file, one.at)
    places = {f.name: f.source for fields in one.fields.values() for f in fields}
    parameters = tuple(replace(p, source=places.get(p.name) or own) for p in operation.parameters)
    return replace(operation, parameters=parameters, source=own)


def _described(one: _Endpoint) -> dict[str, Any]:
    known = {f.name: f for f in one.fields.get("path", ())}
    listed = [known.get(name) or Field(name, Shape("string")) for name in placeholders(one.path)]
    parameters = [
        {
            "name": f.name,
            "in": place,
            "required": place == "path" or f.required,
            "description": f.says,
            "schema": _schema(f),
        }
        for place, fields in (("path", listed), *((p, one.fields.get(p, [])) for p in ("query", "header")))
        for f in fields
    ]
    out: dict[str, Any] = {"summary": one.title, "description": " ".join(one.says[:4]), "parameters": parameters}
    body, answer = (_whole(one.fields.get(k, []), one.examples.get(k)) for k in ("body", "answer"))
    if body:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    good = next((s for s in one.statuses if s.startswith("2")), "201" if one.method == "POST" else "200")
    content = {"content": {"application/json": {"schema": answer}}} if answer else {}
    out["responses"] = {good: {"description": one.statuses.get(good, "") or "ok", **content}}
    out["responses"] |= {s: {"description": text} for s, text in one.statuses.items() if s != good}
    return out


def _schema(one: Field) -> dict[str, Any]:
    shape = one.shape
    facts = {"format": shape.format, "enum": list(shape.enum), "description": one.says}
    kind = {"type": shape.kind} if shape.kind != "any" else {}
    items: dict[str, Any] = {"items": {}} if shape.kind == "array" else {}
    return {**kind, **items, **{k: v for k, v in facts.items() if v}}


def _whole(fields: Sequence[Field], example: Any) -> dict[str, Any]:
    """The schema of an object with these fields, and with what an example has beside them; nothing where there is neither."""
    seen = _of_value(example) if example is not None else {}
    if not fields:
        return seen
    inner = seen.get("properties", {}) if seen.get("type") == "object" else {}
    named = {f.name: {**inner.get(f.name, {}), **_schema(f)} for f in fields}
    return {"type": "object", "properties": {**inner, **named}, "required": [f.name for f in fields if f.required]}


def _of_value(value: Any, depth: int = 0) -> dict[str, Any]:
    """The schema that an example shows."""
    if isinstance(value, dict) and depth < 8:
        inner = {str(k): _of_value(v, depth + 1) for k, v in value.items()}
        return {"type": "object", "properties": inner}
    if isinstance(value, list) and depth < 8:
        return {"type": "array", "items": _of_value(value[0], depth + 1) if value else {}}
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))
    kind = next((name for form, name in kinds if isinstance(value, form)), "")
    return {"type": kind, "example": value} if kind else {}
