"""The record inside of an answer or a body: envelopes taken off, nested objects laid flat.

    {"data": [{"id": 1, "owner": {"name": "Ann"}}], "meta": {...}}

is a list of records under `data`; each has `id` and `owner.name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from worldwright.anchor.evidence import Field, Operation, Parameter, Shape
from worldwright.anchor.model.described import read_description
from worldwright.anchor.model.records import Noun, OperationIntent, Path
from worldwright.anchor.names import noun, parts
from worldwright.english.words import wordset

WRAPPERS = wordset("data items results result records entries list value values content rows elements response")
"""Names of properties that only hold what was asked for."""
PAGING = wordset(
    "meta links total count page pages next previous prev cursor limit offset has size per paging pagination metadata "
    "object type url errors error success status message warnings search criteria first last self order token"
)
"""First words of properties beside a list that are about the list."""
BESIDE = wordset("errors warnings links messages included facets aggregations")
"""Names of lists that come with an answer and are not what was asked for."""
MAX_FLATTENED_DEPTH = 3
"""Levels of objects that are laid flat."""
SCALARS = frozenset({"string", "integer", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class Item:
    """A record, or a list of records, and where it stands."""

    path: Path
    shape: Shape
    many: bool


def find_item(shape: Shape | None, what: Noun, listed: bool = False) -> Item | None:
    """The record in a shape; None where there is nothing like one. `listed` says that a list is looked for, where there is one."""
    if shape is None:
        return None
    if shape.kind == "array" and shape.items is not None:
        return Item((), shape.items, True) if shape.items.kind in ("object", "any") else None
    if shape.kind != "object":
        return None
    found = _inside(shape, what, listed)
    if found is not None:
        return found
    return Item((), shape, False) if shape.fields or shape.open else None


def _inside(shape: Shape, what: Noun, listed: bool) -> Item | None:
    """Return what an envelope holds: the one list of objects, or the object under a name that says so."""
    every = list(shape.fields.values())
    around = [f for f in every if parts(f.name)[:1] and parts(f.name)[0] in PAGING]
    lists = [f for f in every if f.shape.kind == "array" and f.shape.items and f.shape.items.kind == "object"]
    lists = [f for f in lists if f.name.lower() not in BESIDE or noun(f.name) == what[-1:]]
    named = [f for f in lists if _names(f.name, what)] or [f for f in lists if listed and _ends(f.name, what)]
    others = [f for f in every if f not in lists]
    of_one = any(parts(f.name)[-1:] in (("id",), ("uuid",), ("gid",), ("name",)) for f in others)
    if not named and len(lists) == 1 and ((listed and not of_one) or all(f in around for f in others)):
        named = lists
    if named and named[0].shape.items is not None:
        return Item((named[0].name,), named[0].shape.items, True)
    objects = [f for f in every if f.shape.kind == "object" and f.shape.fields]
    objects = [f for f in objects if _names(f.name, what) or _ends(f.name, what)]
    if not objects or any(f not in objects and f not in around for f in every):
        return None
    own = _ends(objects[0].name, what) and not listed
    inner = Item((), objects[0].shape, False) if own else find_item(objects[0].shape, what, listed)
    return Item((objects[0].name, *inner.path), inner.shape, inner.many) if inner is not None else None


def _ends(name: str, what: Noun) -> bool:
    """Tell whether a name is that of a thing, with more before it: `gift_card_activity` of an activity."""
    return (bool(what) and noun(name)[-len(what) :] == what) or noun(name) == what[-1:]


def _names(name: str, what: Noun) -> bool:
    words = noun(name)
    return bool(words) and (words[-1] in WRAPPERS or "_".join(parts(name)) in WRAPPERS or words in (what, what[-1:]))


def iter_leaves(shape: Shape, before: Path = ()) -> Iterator[tuple[Path, Field]]:
    """The values in a record, each with its path; lists and free objects as one value."""
    for name, part in shape.fields.items():
        inner = part.shape
        if inner.kind == "object" and inner.fields and not inner.cut and len(before) + 1 < MAX_FLATTENED_DEPTH:
            yield from iter_leaves(inner, (*before, name))
        else:
            yield (*before, name), part


# What somebody says who makes or changes a record: each value with its place in the record and its place in the arguments.
#
# Arguments may wrap a record (`{"ticket": {"subject": ...}}`), lie flat, or come as one body. The place in the record is the same
# in all of these, so that what is said in one action is what another one answers.


CONTROLS = wordset(
    "limit offset page per size sort order cursor fields include expand embed format locale lang language token start "
    "count skip top select filter query q search opt dry async callback idempotency notify"
)
"""First words of parameters that steer an answer and say nothing of a record."""
COMMON = wordset("order format language locale start count size page query fields idempotency")
"""Those of them that a record may well have."""
BODIES = wordset("body entity payload attributes properties params input request record object")


@dataclass(frozen=True, slots=True)
class RecordInput:
    """One value that an action takes for a record."""

    path: Path
    """In the record."""
    at: Path
    """In the arguments."""
    field: Field


def record_inputs(intent: OperationIntent) -> Iterator[RecordInput]:
    """Everything that an operation takes for a record, the ids of records aside, each with its place in the whole record."""
    named = {intent.by, *(parameter for _, parameter in intent.under)}
    operation = intent.operation
    for p in operation.parameters:
        if p.name in named or p.place in ("path", "header", "cookie") or is_control(p):
            continue
        wraps = _wraps(p.name, p.shape, intent)
        part = Field(p.name, p.shape, p.required, says=p.says, source=p.source)
        for path, inner in iter_leaves(p.shape if wraps else Shape("object", fields={p.name: part})):
            yield RecordInput((*intent.part, *path), (p.name, *path) if wraps else path, inner)
    if operation.body is not None and not any(p.place == "body" for p in operation.parameters):
        for path, inner in iter_leaves(operation.body):
            yield RecordInput((*intent.part, *path), ("body", *path), inner)


def is_control(p: Parameter) -> bool:
    """Tell whether a parameter is about the answer. In a body that is rare, and only a word by itself."""
    words = parts(p.name)
    longest = 1 if p.place == "body" else 2
    known = words[:1] and words[0] in (CONTROLS - COMMON if p.place == "body" else CONTROLS)
    return not words or (bool(known) and len(words) <= longest and words[-1:] not in (("id",), ("date",)))


def _wraps(name: str, shape: Shape, intent: OperationIntent) -> bool:
    words = noun(name)
    if shape.kind != "object" or not shape.fields or not words:
        return False
    own = item_noun(intent)
    return words in (own, own[-1:]) or words[-1] in BODIES or words[-1] in WRAPPERS


def id_form(shape: Shape) -> str:
    """How an id of some shape is written: integer, uuid, text, or a text of its own with a number (`se-#`)."""
    if shape.kind in ("integer", "number"):
        return "integer"
    return "uuid" if shape.format == "uuid" else fit_id_form(shape.pattern) or "text"


_LEAD = re.compile(r"\^?([A-Za-z][A-Za-z0-9_:]{0,7})(?![?*{+|])")
_SAMPLES = (1, 10, 987, 65432)
"""Short ones: no pattern takes long over them."""
MAX_PATTERN_CHARS = 200


@cache
def fit_id_form(pattern: str) -> str:
    """The form of ids that a pattern asks for: what it begins with and a number. Empty where none is found."""
    lead = _LEAD.match(pattern)
    before = ("", *(lead[1] + mark for mark in ("-", "_", ""))) if lead else ("",)
    try:
        checks = re.compile(pattern if 0 < len(pattern) <= MAX_PATTERN_CHARS else r"\Z\A.")
    except (re.error, OverflowError, RecursionError):
        return ""
    return next((f"{b}#" for b in before if all(checks.search(f"{b}{n}") for n in _SAMPLES)), "")


def item_noun(intent: OperationIntent) -> Noun:
    """What an answer or a body is called: the record, or the part of it that an operation is about."""
    return noun(intent.part[-1]) if intent.part else intent.noun


def needed_parameters(operation: Operation) -> Iterator[str]:
    """The parameters without which an operation makes no sense, whether or not the body as a whole is said to be required."""
    body = operation.body.fields if operation.body is not None else {}
    for p in operation.parameters:
        if p.required or (p.place == "body" and p.name in body and body[p.name].required):
            yield p.name


# How a list is paged: by a size and a number, or by a cursor that each page gives for the next.


WHOLE = 1000
"""Records of a list whose pages cannot be turned."""


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """Names of one or more words, written as one text."""
    return frozenset(tuple(name.split("_")) for name in text.split())


LIMITS = phrases("limit per_page page_size pagesize size count top max_results first")
OFFSETS = phrases("offset skip start from")
PAGES = phrases("page page_number current_page")
CURSORS = phrases(
    "cursor page_token starting_after next_token marker after pagetoken continuation_token next_page_token page_cursor "
    "next_cursor start_cursor bookmark offset"
)
NEXTS = phrases(
    "next_cursor cursor next_page_token next_token next_page continuation_token next next_marker end_cursor next_offset "
    "next_bookmark nextpagetoken"
)
MORE = phrases("has_more has_next_page has_next more")
"""What parameters of lists, and values beside a list, are called that are about its pages."""


@dataclass(frozen=True, slots=True)
class Paging:
    """The parameters for the size of a page and for which one, and where a page says what comes next."""

    limit: Parameter | None = None
    turns: Parameter | None = None
    how: str = ""
    """offset, page or cursor; empty where pages cannot be turned"""
    next: Path = ()
    more: Path = ()

    @property
    def size(self) -> int:
        """How many records a page has at most: what it says, all of them where pages cannot be turned."""
        if not self.how:
            return WHOLE
        most = read_description(self.limit.says, self.limit.shape)[0].maximum if self.limit is not None else None
        return int(most) if most is not None and 1 <= most <= WHOLE else 100 if self.limit is not None else 50


def is_paged(operation: Operation) -> bool:
    """Tell whether an operation takes the size of a page, or which one: it gives a list then."""
    names = LIMITS | PAGES | OFFSETS | CURSORS
    return any(parts(p.name) in names and p.place != "body" for p in operation.parameters)


def paging(operation: Operation) -> Paging:
    """Return how the list that an action gives is paged."""
    whole = [p for p in operation.parameters if p.shape.kind in ("integer", "number")]
    limit = next((p for p in whole if parts(p.name) in LIMITS), None)
    more = _beside(operation.answer, MORE, "boolean")
    for how, names in (("offset", OFFSETS), ("page", PAGES)):
        turns = next((p for p in whole if parts(p.name) in names), None)
        if turns is not None:
            return Paging(limit, turns, how, more=more)
    cursor = next((p for p in operation.parameters if p.shape.kind == "string" and parts(p.name) in CURSORS), None)
    place = ("next_cursor",) if operation.output_schema is None else _beside(operation.answer, NEXTS, "string")
    if cursor is not None and place:
        return Paging(limit, cursor, "cursor", place, more)
    return Paging(limit)


def _beside(answer: Shape | None, names: frozenset[tuple[str, ...]], kind: str) -> Path:
    """Return where a value stands beside the list, at the top or one level down."""
    top = answer.fields if answer is not None and answer.kind == "object" else {}
    every: list[tuple[Path, Shape]] = [((name,), f.shape) for name, f in top.items()]
    every += [((*p, n), f.shape) for p, s in every if s.kind == "object" for n, f in s.fields.items()]
    fitting = (p for p, s in every if parts(p[-1]) in names and s.kind == kind and not s.format and not s.enum)
    return next(fitting, ())
