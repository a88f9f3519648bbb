"""Claims in the descriptions of a contract or a schema: of operations, parameters, fields and errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.kinds import kind_of, kind_of_description, states_range
from worldwright.anchor.claims.sentences import BREAK, LONGEST, split_sentences
from worldwright.anchor.evidence import Claim, Evidence, Operation, Resource, Shape, Source

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
_LEAD = re.compile(r"\A[\s#>*•|-]+|[\s|]+\Z")


@dataclass(frozen=True, slots=True)
class Said:
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
        yield from ((said.name, Claim(c.says, c.kind, said.source, said.heading, c.about, c.why)) for c in seen[key])
    for operation in evidence.operations:
        yield from (("", c) for c in _errors(operation))


def remark_claims(evidence: Evidence) -> Iterator[tuple[str, Claim]]:
    """Yield the claims in what is said of the whole."""
    for one in evidence.remarks:
        yield from (("", replace(c, heading=one.heading)) for c in _claims(Said(one.says, one.source, one.heading)))


def _descriptions(evidence: Evidence) -> Iterator[Said]:
    for operation in evidence.operations:
        at = operation.source or Source("")
        yield Said(operation.says, at, operation.name)
        for p in operation.parameters:
            where = p.source or at
            heading = f"{operation.name} {p.name}"
            yield _said(p.says, p.shape, where, heading, p.name)
            yield from _of_shape(p.shape, where, heading, 1)
        if operation.body is not None and not any(p.place == "body" for p in operation.parameters):
            yield from _of_shape(operation.body, at, f"{operation.name} body", 1)
    for resource in evidence.resources:
        yield from _of_resource(resource)
    for operation in evidence.operations:
        if operation.answer is not None:
            yield from _of_shape(operation.answer, operation.source or Source(""), f"{operation.name} answer", 1)


def _of_resource(resource: Resource) -> Iterator[Said]:
    at = resource.source or Source("")
    if resource.origin == "document":
        return
    yield Said(resource.says, at, resource.name, resource.name)
    for field in resource.fields:
        where = field.source or at
        heading = f"{resource.name} {field.name}"
        yield _said(field.says, field.shape, where, heading, field.name)
        yield from _of_shape(field.shape, where, heading, 1)


def _of_shape(shape: Shape, at: Source, heading: str, depth: int) -> Iterator[Said]:
    if depth > DEEPEST:
        return
    if shape.items is not None:
        yield from _of_shape(shape.items, at, heading, depth + 1)
    for name, field in shape.fields.items():
        where = field.source or at
        yield _said(field.says, field.shape, where, f"{heading} {name}", name)
        yield from _of_shape(field.shape, where, f"{heading} {name}", depth + 1)


def _said(text: str, shape: Shape, at: Source, heading: str, name: str) -> Said:
    """A description of a field; what only its named schema says is said of that schema, wherever it is used."""
    own = not shape.name or (text and text != shape.says)
    return Said(text or shape.says, at, heading, name if own else shape.name, _words(shape))


def _words(shape: Shape) -> tuple[str, ...]:
    found = shape.enum or (shape.items.enum if shape.items is not None else ())
    return tuple(w for w in found if isinstance(w, str) and len(w) > 1)


def _claims(said: Said) -> Iterator[Claim]:
    """The claims in one description."""
    text = clean_description(said.text)
    if not text:
        return
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
    for status, said in operation.errors.items():
        text = clean_description(said).replace(BREAK, "; ")
        whole = " ".join(text.split())
        if (
            not whole
            or _PLAIN_ERROR.match(whole)
            or len(whole) > LONGEST
            or (status == "404" and _UNKNOWN.search(whole))
        ):
            continue
        if status in _BUSINESS_ERRORS or (status[:1] == "4" and kind_of(whole)):
            about, why = about_of(whole)
            yield Claim(whole, "error", operation.source or Source(""), f"{operation.name} {status}", about, why)
