"""What a text means: a kind of text that the Blueprint language can draw, from all that the evidence says of a value.

    meaning_of(("billing_address", "country"), Shape("string", longest=2), ("order",), "Two-letter code")     country_code

Names are read from their end, as English builds them: `customer_email` is an email, `email_type` a type. What a description says
outright (`ISO 4217`) comes before the name, and a vague name (`value`, `code`) gives way to the first words of the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from worldwright.anchor.evidence import Shape
from worldwright.anchor.model.meaning_cues import (
    AMOUNT,
    CODE,
    COMPANIES,
    CUES,
    FAMILIES,
    FILLERS,
    FLAGS,
    FORMATS,
    GLUED,
    IDENTITY,
    NAME_SUFFIX,
    NAMED,
    OVERRULED,
    OWN,
    PEOPLE,
    PLACED,
    PLAIN,
    RECORDS,
    SEEN,
    SHORT,
    STATED,
    TASKS,
    WEAK,
)
from worldwright.anchor.names import parts
from worldwright.blueprint.types import SAMPLE_KINDS
from worldwright.english.nouns import singular


def meaning_of(path: tuple[str, ...], shape: Shape, owner: tuple[str, ...], says: str = "") -> str:
    """The kind of a text, or one of `OWN`; empty where nothing tells. `owner` is the noun of the thing that it belongs to."""
    said = says or shape.says
    kind = _with_way(_find_kind(path, shape, owner, said), shape)
    return kind if kind in OWN or kind in SAMPLE_KINDS else ""


def _find_kind(path: tuple[str, ...], shape: Shape, owner: tuple[str, ...], said: str) -> str:
    if shape.format in FORMATS:
        return FORMATS[shape.format]
    words = split_name(path[-1])
    above = split_name(path[-2]) if len(path) > 1 else owner
    named = _by_name(words, above, owner, said)
    stated = _by_statement(said, words)
    if stated and (named in WEAK or named in OWN or stated == named):
        return stated
    seen = _by_example(shape.examples)
    if seen and (named in WEAK or named in OWN):
        return seen
    if named in WEAK and (told := _by_description(said, owner)) and told not in WEAK:
        return told
    return named or _by_description(said, owner) or _by_words(format_words(shape.format)) or stated


def format_words(text: str) -> tuple[str, ...]:
    """The words of a format that somebody made up: `ppaas_common_currency_code_v2`."""
    return tuple(w for w in parts(text) if not re.fullmatch(r"v|\d+", w))


@lru_cache(maxsize=8192)
def split_name(name: str) -> tuple[str, ...]:
    """The words of a name, those that are written as one taken apart; what stands before `of` comes last, as it would without."""
    out = [w for part in parts(name) for w in GLUED.get(part, part).split()]
    if "of" in out[1:-1]:
        at = out.index("of")
        out = [*out[at + 1 :], *out[:at]]
    return tuple(out)


def _by_name(words: tuple[str, ...], above: tuple[str, ...], owner: tuple[str, ...], said: str) -> str:
    """The kind by the end of a name, with what it stands in where the name alone is too little."""
    if words and words[0] in FLAGS and len(words) > 1:
        return "yes_no"
    while len(words) > 1 and words[-1] in FILLERS:
        words = words[:-1]
    if words and words[-1] == "name":
        told = _WHOSE.search(said)
        whose = split_name(told[1]) if told and words == ("name",) else words[:-1] or above
        return _by_end(words) or _name_of(whose if whose != owner else (), owner)
    if words in (("value",), ("amount",)) and (found := _by_end(above)) not in WEAK - {AMOUNT}:
        return found
    if words in (("prefix",), ("suffix",)) and _NAMED_BESIDE & {*above, *owner}:
        return "honorific" if words == ("prefix",) else NAME_SUFFIX
    if words[-1:] == ("state",) and {*above, *words[:-1]} & PLACED:
        return "region"
    if words == ("code",):
        return CUES.get((*above[-1:], "code"), CODE)
    if words == ("label",) or words == ("title",):
        return "title" if set(owner) & TASKS else "label"
    if words[-1:] == ("by",) and len(words) > 1 and words[-2].endswith(("ed", "en", "wn", "nt", "de", "ne")):
        return IDENTITY if _ID.search(said) else "person"
    found = _by_words(words)
    if not found and len(words) == 1 and words[0] in PEOPLE | COMPANIES:
        return IDENTITY if _ID.search(said) else "person" if words[0] in PEOPLE else "company"
    return found


_NAMED_BESIDE = frozenset({"name", "address", "customer", "contact", "person", "patient", "recipient"})
"""Words of what has a name with a prefix and a suffix."""
_ID = re.compile(r"\bG?ID\b|\bidentifier\b|\b[Uu]uid\b")
_WHOSE = re.compile(
    r"\bname of (?:the|this|a|an|each|your) (\w+(?: \w+){0,3}?)(?= (?:at|of|in|to|that|for|which|when|who)\b|[.,;(]|$)",
    re.IGNORECASE,
)


def _by_words(words: tuple[str, ...]) -> str:
    """The kind that the end of a name says; else that of the last word in it that is one by itself."""
    known = (CUES[(w,)] for w in reversed(words[:-1]) if (w,) in CUES)
    return _by_end(words) or next((kind for kind in known if kind not in WEAK | OWN), "")


def _by_end(words: tuple[str, ...]) -> str:
    """The kind that the longest known end of a name says."""
    numbered = words[-1:] != () and words[-1].isdigit()
    for form in (words, words[:-1] if numbered and len(words) > 1 else ()):
        for k in range(len(form)):
            for end in (form[k:], (*form[k:-1], singular(form[-1]))):
                if end in CUES:
                    return CUES[end]
    return ""


def _name_of(whose: tuple[str, ...], owner: tuple[str, ...]) -> str:
    """What the name of somebody or something is."""
    if "by" in whose:
        return "person"
    own = [w for w in whose if w not in PLAIN] or owner
    head = ([w for w in own if w not in RECORDS] or [*own])[-1:]
    return next((kind for word in head for kind, known in NAMED if singular(word) in known), "label")


def _by_statement(said: str, words: tuple[str, ...]) -> str:
    for pattern, kind in STATED:
        found = pattern.search(said)
        if found is None:
            continue
        standard = found[0][:3].upper() in ("RFC", "ISO")
        fits = kind not in OVERRULED or found.start() < 10 or standard or kind.partition("_")[0] in words
        if fits:
            return kind
    return ""


_LEADING = re.compile(
    r"^(?:(?:the|a|an|this|your|optional|unique|required|current|full|human[- ]readable|identifies|describes|specifies|represents"
    r"|indicates|filters?|results|by|partial|exact|match|on|only)\s+)+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:if|when|whether|allows?|used|returns?|defines|must|should|can|use)\b", re.IGNORECASE)
"""Beginnings of descriptions that name nothing."""
_HEAD_END = re.compile(
    r"\b(?:of|for|that|which|to|in|used|where|when|from|with|on|by|as|is|are|will|shown|can|all)\b|[.,;:(\[`'\"<{]|\s-\s"
)


def _by_description(said: str, owner: tuple[str, ...]) -> str:
    """The kind by the first words of a description: `The first line of the address` is about a line."""
    head = _LEADING.sub("", said.strip())
    if _CLAUSE.match(head):
        return ""
    cut = _HEAD_END.search(head)
    words = split_name(head[: cut.start()] if cut else head)[:6]
    if not words:
        return ""
    return _by_end(words) or (_name_of(words[:-1], owner) if words[-1] == "name" else _by_words(words))


def _by_example(examples: Iterable[object]) -> str:
    first = next((e for e in examples if isinstance(e, str) and e), "")
    return next((kind for pattern, kind in SEEN if pattern.fullmatch(first)), "")


def _with_way(kind: str, shape: Shape) -> str:
    """The kind in the way that an example writes it, or that there is room for."""
    first = next((e for e in shape.examples if isinstance(e, str) and e), "")
    for pattern, way in FAMILIES.get(kind, ()):
        if re.fullmatch(pattern, first):
            return way
    longest = shape.longest
    return next((way for most, way in SHORT.get(kind, ()) if longest is not None and longest <= most), kind)


_LISTS = re.compile(
    r"(?:values?(?: are| include| is)?|one of|options?(?: are)?|either|can be|must be|may be|allowed|status(?:es)?|types?|e\.g\."
    r"|such as|for example|like|accepts?|supported)\s*:?\s*(?P<list>[`'\"(]?[^.;\n]{3,200})|\((?P<aside>[^()]{3,160})\)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\s][^`]{0,40})`|'([^'\s][^']{0,40})'|\"([^\"\s][^\"]{0,40})\"")
_BARE = re.compile(r"[A-Za-z][\w -]{1,24}")
MAX_OPTIONS = 12


def options_in(says: str) -> tuple[str, ...]:
    """Values that a description lists, such as `(Draft, Unpaid, Paid, etc.)`; none where it lists fewer than two."""
    for found in _LISTS.finditer(says):
        listed = found["list"] or found["aside"]
        quoted = [a or b or c for a, b, c in _QUOTED.findall(listed)]
        options = quoted if len(quoted) > 1 else list(_bare_options(listed, 3 if found["aside"] else 2))
        fitting = [o for o in dict.fromkeys(options) if 1 < len(o) <= 40 and len(o.split()) <= 4]
        if len(fitting) > 1:
            return tuple(fitting[:MAX_OPTIONS])
    return ()


def _bare_options(listed: str, fewest: int) -> Iterator[str]:
    """Words in a row with commas between them; nothing where a piece is more than a few words."""
    pieces = [p.strip(" .`'\"()") for p in re.split(r",|\bor\b|\||/", listed)]
    pieces = [p for p in pieces if p and p.lower() not in ("etc", "and", "etc.")]
    if len(pieces) >= fewest and all(_BARE.fullmatch(p) and len(p.split()) <= 4 for p in pieces):
        yield from pieces


_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|example|such as|format|like)[,:]?\s*(?:is\s+)?[`'\"](?P<it>[^`'\"\s]{2,60})[`'\"]",
    re.IGNORECASE,
)


def example_in(says: str) -> str:
    """A value that a description shows, such as `HR-EMP-00001`; empty where it shows none."""
    found = _EXAMPLE.search(says)
    return found["it"] if found else ""
