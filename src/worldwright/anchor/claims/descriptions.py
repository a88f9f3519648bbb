"""Claims in the descriptions of a contract or a schema: of operations, parameters, fields and errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.kinds import kind_of, kind_of_description, states_range
from worldwright.anchor.claims.sentences import BREAK, LONGEST, split_sentences
from worldwright.anchor.evidence import Claim, Evidence, Field, Operation, Parameter, Shape, Source

DEEPEST = 6
"""Objects within objects that are looked into."""
_BUSINESS_ERRORS = frozenset({"402", "409", "410", "412", "422", "423", "428", "451"})
"""Statuses that refuse a request for what is so, not for how it was sent."""
_PLAIN_ERROR = re.compile(
    r"(?:(?:default|unexpected|generic|internal|downstream|server|system|client|api|an?|the|http|\d{3}|"
    r"\W)\s?)*(?:bad (?:input|request)|unauthori[sz]ed|forbidden|not (?:found|authori[sz]ed|acceptable|implemented|"
    r"allowed)|conflict|gone|unprocessable (?:entity|content)|too many requests|rate limit(?:ed)?(?: exceeded)?|"
    r"internal(?: server)? error|error(?:s|ed)?(?: response| occurred)?|service unavailable|method not allowed|"
    r"payload too large|precondition failed|validation (?:error|failed)|invalid (?:input|request|parameters?)|failed|"
    r"failure|unsupported media type|server error|payment required|timeout|locked|request timeout|unavailable)\W*\Z",
    re.IGNORECASE,
)
"""What an error says that says nothing."""
_UNKNOWN = re.compile(r"not (?:be )?found|not exist|no such|unknown", re.IGNORECASE)
_MARKUP = re.compile(r"<(?:br|p|li|/p|/li|ul|/ul|tr|/tr)[^>]{0,60}>", re.IGNORECASE)
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|\*\*|!?\[([^\[\]]{0,200})\]\([^()]{0,500}\)")
_BULLET = re.compile(r"\n\s*(?:[-*•]|\d{1,2}[.)]|\|)\s+|\n\s*\n|\n(?=[A-Z#`])")
_FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_LEAD = re.compile(r"\A[\s#>*•|-]+|[\s|]+\Z")


class Said(NamedTuple):
    """A description, and what it describes."""

    text: str
    source: Source
    heading: str
    name: str = ""
    """Of the field or parameter; empty for a whole operation or thing."""
    words: tuple[str, ...] = ()
    """The values that it can have."""


def description_claims(evidence: Evidence) -> Iterator[tuple[str, Claim]]:
    """Yield the claims in all descriptions, each with the name of the field that it is said of."""
    seen: dict[tuple[str, str], tuple[Claim, ...]] = {}
    for said in _descriptions(evidence):
        key = (said.text, said.name)
        if key not in seen:
            seen[key] = tuple(_claims(said))
        yield from ((said.name, replace(c, source=said.source, heading=said.heading)) for c in seen[key])
    for operation in evidence.operations:
        yield from (("", c) for c in _errors(operation))


def remark_claims(evidence: Evidence) -> Iterator[tuple[str, Claim]]:
    """Yield the claims in what is said of the whole."""
    for one in evidence.remarks:
        said = Said(_FENCED.sub("\n\n", one.says), one.source, one.heading)
        yield from (("", replace(c, heading=one.heading)) for c in _claims(said))


def _descriptions(evidence: Evidence) -> Iterator[Said]:
    nowhere = Source("")
    for operation in evidence.operations:
        at = operation.source or nowhere
        yield Said(operation.says, at, operation.name)
        for p in operation.parameters:
            yield from _of_value(p, at, operation.name, 0)
        if operation.body is not None and not any(p.place == "body" for p in operation.parameters):
            yield from _of_shape(operation.body, at, f"{operation.name} body", 1)
    for resource in evidence.resources:
        if resource.origin != "document":
            at = resource.source or nowhere
            yield Said(resource.says, at, resource.name, resource.name)
            for field in resource.fields:
                yield from _of_value(field, at, resource.name, 0)
    for operation in evidence.operations:
        if operation.answer is not None:
            yield from _of_shape(operation.answer, operation.source or nowhere, f"{operation.name} answer", 1)


def _of_value(one: Field | Parameter, at: Source, heading: str, depth: int) -> Iterator[Said]:
    """What is said of a field and of what it holds; what only its named schema says is said of that schema, wherever it is used."""
    shape, at, heading = one.shape, one.source or at, f"{heading} {one.name}"
    own = not shape.name or (one.says and one.says != shape.says)
    yield Said(one.says or shape.says, at, heading, one.name if own else shape.name, _words(shape))
    yield from _of_shape(shape, at, heading, depth + 1)


def _of_shape(shape: Shape, at: Source, heading: str, depth: int) -> Iterator[Said]:
    if depth > DEEPEST:
        return
    if shape.items is not None:
        yield from _of_shape(shape.items, at, heading, depth + 1)
    for field in shape.fields.values():
        yield from _of_value(field, at, heading, depth)


def _words(shape: Shape) -> tuple[str, ...]:
    found = shape.enum or (shape.items.enum if shape.items is not None else ())
    return tuple(w for w in found if isinstance(w, str) and len(w) > 1)


def _claims(said: Said) -> Iterator[Claim]:
    """The claims in one description."""
    text = clean_description(said.text)
    if len(said.words) > 1 and len(text) <= LONGEST and sum(w in text for w in said.words) > 1:
        whole = " ".join(text.replace(BREAK, " ").split())
        if len(whole) > sum(len(w) + 4 for w in said.words):
            yield Claim(whole, "values", said.source, "", *about_of(whole))
            return
    for start, end in split_sentences(text):
        sentence = _LEAD.sub("", " ".join(text[start:end].split()))
        if not sentence or len(sentence) > LONGEST:
            continue
        kind = "bound" if said.name and states_range(sentence) else kind_of_description(sentence)
        if kind:
            yield Claim(sentence, kind, said.source, "", *about_of(sentence))


def clean_description(text: str) -> str:
    """A description without its markup, a break where a line was ended on purpose."""
    plain = _TAGS.sub(lambda m: m[1] or "", _MARKUP.sub("\n\n", text[:20_000]))
    return _BULLET.sub(BREAK, "\n" + plain).strip(BREAK + " \n")


def _errors(operation: Operation) -> Iterator[Claim]:
    """What the errors of an operation state, where they say more than the name of their status."""
    for status, said in operation.errors.items():
        whole = " ".join(clean_description(said).replace(BREAK, "; ").split())
        plain = not whole or len(whole) > LONGEST or _PLAIN_ERROR.match(whole)
        if plain or (status == "404" and _UNKNOWN.search(whole)):
            continue
        if status in _BUSINESS_ERRORS or (status[:1] == "4" and kind_of(whole)):
            at = operation.source or Source("")
            yield Claim(whole, "error", at, f"{operation.name} {status}", *about_of(whole))
