"""What a value is: its type in the Blueprint, how the contract writes it, a table of its own, or the id of another thing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.model.items import SCALARS, iter_leaves
from worldwright.anchor.model.meanings import meaning_of
from worldwright.anchor.model.records import Attribute, Child, Noun, OperationIntent, Path
from worldwright.anchor.names import fresh, identifier, noun, parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

MAX_WORDS = 60
"""Words of an enum. Longer lists are texts that are drawn from it."""
MONEY = wordset(
    "amount price total subtotal cost fee balance tax discount salary rate payment refund charge credit debit budget "
    "revenue value deposit premium limit"
)
SHARES = wordset("percent percentage pct ratio factor score")
"""Words of numbers that are no amounts of money, whatever else they say."""
RATES = wordset("tax interest exchange conversion discount vat")
"""Words of rates that are such."""
MOMENTS, DAYS = wordset("at timestamp datetime time"), wordset("date day on birthday dob")
STATES = ("status", "state", "stage", "phase")
CODECS = {"text": "text", "int": "integer", "decimal": "number", "money": "number", "bool": "boolean", "date": "date"}
"""By kind, how the contract writes a value; the others depend on more."""


def kind_of(path: tuple[str, ...], shape: Shape) -> str:
    """The kind of value: as a name and a shape suggest, and never what the shape forbids."""
    words = parts(path[-1])
    last = words[-1] if words else ""
    if shape.kind == "boolean":
        return "bool"
    if shape.enum and shape.kind in ("string", "integer", "number") and len(shape.enum) <= MAX_WORDS:
        return "words"
    if shape.kind == "integer":
        seconds = [10**8 < e < 10**10 for e in shape.examples if isinstance(e, int) and not isinstance(e, bool)]
        return "time" if last in MOMENTS | DAYS and seconds and all(seconds) else "int"
    if shape.kind == "number":
        share = SHARES & set(words) or ("rate" in words and RATES & set(words))
        return "money" if MONEY & set(words) and not share else "decimal"
    if shape.kind == "string":
        return _kind_of_text(words, last, shape)
    if shape.kind == "array" and shape.items is not None and shape.items.kind in ("string", "integer"):
        return "list"
    return "json" if shape.kind in ("array", "object") else "text"


def _kind_of_text(words: tuple[str, ...], last: str, shape: Shape) -> str:
    if shape.format == "date":
        return "date"
    if shape.format in ("date-time", "datetime"):
        return "time"
    if shape.format or shape.pattern or shape.enum:
        return "text"
    example = next((e for e in (*shape.examples, shape.default) if isinstance(e, str)), "")
    if last in MOMENTS and len(words) > 1 and (not example or "T" in example):
        return "time"
    if last in DAYS and (not example or (len(example) == 10 and example[4:5] == "-")):
        return "date"
    return "text"


def codec_of(kind: str, shape: Shape, words: Mapping[str, str]) -> dict[str, Any]:
    """Return how the contract writes such a value."""
    if kind in ("words", "state"):
        textual = all(isinstance(w, str) for w in shape.enum)
        return {"as": "words", "words": dict(words)} | ({} if textual else {"plain": False})
    if kind == "list":
        whole = shape.items is not None and shape.items.kind == "integer"
        return {"as": "list"} | ({"of": "integer"} if whole else {})
    if kind == "time":
        return {"as": "seconds" if shape.kind == "integer" else "moment"}
    return {"as": CODECS.get(kind, "json")}


def word_table(shape: Shape) -> dict[str, str]:
    """The words of an enum as the contract writes them, each with a name that a Blueprint can have."""
    out: dict[str, str] = {}
    for word in shape.enum:
        outside = word if isinstance(word, str) else json.dumps(word)
        inside = identifier(parts(outside), "word")
        out.setdefault(outside, fresh(inside, out.values()))
    return out


def state_like(path: tuple[str, ...], kind: str) -> bool:
    words = parts(path[-1])
    return kind == "words" and len(path) == 1 and bool(words) and words[-1] in STATES


def born(a: Attribute) -> bool:
    """Tell whether a date is somebody's birthday: it has nothing to do with what is done here."""
    return bool({"birth", "born", "birthday", "dob"} & set(parts(a.last)))


# Lists of objects inside of a record: each is a table of its own, whose rows hang under the record.
#
#     {"id": 7, "line_items": [{"sku": "A1", "quantity": 2}]}
#
# is an order with lines. A list whose objects are things with operations of their own stays what it is: a view of those.


MAX_CHILD_LISTS, MIN_CHILD_VALUES, MAX_CHILD_VALUES = 3, 2, 10
"""Lists of one record; values of one element below which it is not worth a table, and beyond which the rest is left out."""
RESERVED = wordset("id sort limit offset row x p l r")


def child_of(
    path: Path, part: Field, what: Noun, names: Mapping[Noun, str], taken: Collection[str], used: Collection[str],
    said: Field | None,
) -> Child | None:  # fmt: skip
    """The table that a list is; None for what is no list of objects, or one of things that there are already.

    `said` is the list as somebody gives it who makes a record; None where nobody does."""
    items = part.shape.items
    if part.shape.kind != "array" or items is None or items.kind != "object":
        return None
    own = noun(path[-1])
    found = [(p, f) for p, f in iter_leaves(items) if f.shape.kind in SCALARS and len(p) <= 2][:MAX_CHILD_VALUES]
    known = own in names or (*what, *own) in names
    if not own or known or not all(w.isascii() for w in own) or len(found) < MIN_CHILD_VALUES:
        return None
    given = said.shape.items if said is not None else None
    told = dict(iter_leaves(given)) if given is not None else {}
    attributes: dict[str, Attribute] = {}
    for at, field in found:
        attribute = _attribute(at, field, told.get(at), own, {names[what], *attributes, *RESERVED})
        attributes[attribute.name] = attribute
    name = fresh(identifier((*what, *own), "part"), {*names.values(), *used})
    way = fresh(identifier([w for step in path for w in parts(step)], "parts"), {*taken, *RESERVED})
    return Child(name, path, own, tuple(attributes.values()), way, names[what], said is not None, part.source)


def _attribute(path: Path, field: Field, told: Field | None, what: Noun, taken: Collection[str]) -> Attribute:
    kind = kind_of(path, field.shape)
    words = word_table(field.shape) if kind == "words" else {}
    name = fresh(identifier([w for step in path for w in parts(step)], "field"), taken)
    return Attribute(
        name, path, field.shape, kind, codec_of(kind, field.shape, words), told is None or not told.required or len(path) > 1,
        meaning_of(path, field.shape, what, field.says) if kind == "text" else "", words, given=told is not None,
        says=field.says or field.shape.says,
    )  # fmt: skip


# Which values are ids of other things: told by names, by what is said of them, and by how those things are named elsewhere.


ID_WORDS = wordset("id uuid gid uid sid guid")
CODES = wordset("code number key reference slug name")
"""Last words of what may name a record, where its own thing is named so."""
PEOPLE = ("user", "member", "team member", "employee", "agent", "staff", "person", "contact", "account")
"""Things that people are, the likeliest first."""
ROLES = wordset(
    "assignee owner author creator requester reporter responder approver manager supervisor sender recipient reviewer organizer "
    "assigner submitter editor uploader inviter resolver"
)
DOERS = ("created by", "updated by", "assigned to", "requested by", "approved by", "owned by")
"""What somebody is called in a record."""
_SAID = re.compile(
    r"(?:the |an? |unique |internal )*(?:id|identifier|uuid|gid|key)s? (?:of|for) "
    r"(?:the |an? |this |its |that )*([a-z][a-z \-]{2,40})",
    re.IGNORECASE,
)
_MENTIONS = re.compile(r"\b(?:ids?|identifiers?|uuids?|gids?)\b", re.IGNORECASE)


class References:
    """The things of an API, and by what each is named."""

    def __init__(self, names: Mapping[Noun, str], intents: Iterable[OperationIntent]) -> None:
        first = Counter(n[0] for n in names if len(n) > 1).most_common(1)
        common = first[0][0] if first and first[0][1] > len(names) // 2 else ""
        self.names = {**{n[1:]: name for n, name in names.items() if n[0] == common and n[1:]}, **names}
        self.codes = {(i.noun, parts(i.by)[-1]) for i in intents if i.by and parts(i.by)}
        self.people = next((names[n] for n in (tuple(p.split()) for p in PEOPLE) if n in names), "")

    def find(self, path: Path, part: Field, own: str) -> str:
        """The thing that a value is the id of; empty where it is none."""
        if part.refers_to:
            return self.thing(noun(part.refers_to))
        match parts(path[-1]):
            case ("id" | "uuid" | "gid",):
                return self._called(parts(path[-2]), own) if len(path) > 1 else ""
            case (_, *_, last) as words if last in ID_WORDS:
                return self._called(words[:-1], own)
            case ("id", _, *_) as words:
                return self._called(words[1:], own)
            case (_, *_, last) as words if last in CODES:
                return self.names.get(words[:-1], "") if (words[:-1], last) in self.codes else ""
            case words:
                found = self._told(words, part, part.says or part.shape.says, own)
                return found if found != own else ""

    def _told(self, words: Noun, part: Field, says: str, own: str) -> str:
        """The thing that a description names, or that a value is called after which is said to be an id."""
        said, mentions = _SAID.match(says), _MENTIONS.search(says)
        if said is not None:
            told = parts(said[1])[:3]
            starts = ((*told[: k - 1], singular(told[k - 1])) for k in range(len(told), 0, -1))
            return next((self.names[n] for n in starts if n in self.names), "") or self._called(words, own)
        numbered = mentions or part.shape.kind == "integer" or part.shape.format == "uuid"
        person = self._somebody(words) if numbered else ""
        return person or (self.names.get(noun("_".join(words)), "") if mentions else "")

    def _called(self, words: Noun, own: str) -> str:
        found = self.thing(words)
        return found or (own if words[:1] == ("parent",) else self._somebody(words))

    def _somebody(self, words: Noun) -> str:
        """People, where a value is called after what one of them does."""
        return self.people if " ".join(words) in DOERS or (words and words[-1] in ROLES) else ""

    def thing(self, words: tuple[str, ...]) -> str:
        """The thing that these words, or the last of them, are the name of."""
        return next((self.names[words[k:]] for k in range(len(words)) if words[k:] in self.names), "")
