"""Endpoints that a document lists: a method and a path, with the parameters, bodies, answers and errors that stand below it.

A reference in Markdown gives the tools that a contract would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.claims.sentences import split_sentences
from worldwright.anchor.evidence import Field, Operation, Source
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.readers.documents.resources import header_of, of_cell, of_item, of_row
from worldwright.anchor.readers.openapi.described import Endpoint, describe_endpoints
from worldwright.anchor.readers.openapi.names import placeholders

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
    return describe_endpoints(found[:MOST_ENDPOINTS], file), frozenset(used)


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
