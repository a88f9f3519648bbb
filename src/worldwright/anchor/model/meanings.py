"""What a text means: a kind of text that the Blueprint language can draw, from all that the evidence says of a value.

    meaning_of(("billing_address", "country"), Shape("string", longest=2), ("order",), "Two-letter code")     country_code

Names are read from their end, as English builds them: `customer_email` is an email, `email_type` a type. What a description says
outright (`ISO 4217`) comes before the name, and a vague name (`value`, `code`) gives way to the first words of the description. A
description may say more: bounds, lengths, words, and whether a value may change.
"""

from __future__ import annotations

import re
from functools import lru_cache

from worldwright.anchor.evidence import Shape
from worldwright.anchor.model import meaning_cues as cues
from worldwright.anchor.model.meaning_cues import AMOUNT, CODE, CUES, IDENTITY, NAMED, OWN, WEAK
from worldwright.anchor.names import parts
from worldwright.blueprint.types import SAMPLE_KINDS
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

Words = tuple[str, ...]


def meaning_of(path: Words, shape: Shape, owner: Words, says: str = "") -> str:
    """The kind of a text, or one of `OWN`; empty where nothing tells. `owner` is the noun of the thing that it belongs to."""
    shown = next((e for e in shape.examples if isinstance(e, str) and e), "")
    told = cues.FORMATS.get(shape.format)
    kind = told or _find_kind(path, split_name(shape.format), owner, says or shape.says, shown)
    short = (way for most, way in cues.SHORT.get(kind, ()) if shape.longest is not None and shape.longest <= most)
    ways = (way for pattern, way in cues.FAMILIES.get(kind, ()) if re.fullmatch(pattern, shown))
    kind = next(ways, "") or next(short, kind)
    return kind if kind in OWN or kind in SAMPLE_KINDS else ""


def _find_kind(path: Words, form: Words, owner: Words, said: str, shown: str) -> str:
    words = split_name(path[-1])
    named = _by_name(words, split_name(path[-2]) if len(path) > 1 else owner, owner, said)
    stated = _by_statement(said, words)
    if stated and (named in WEAK or named in OWN or stated == named):
        return stated
    seen = next((kind for kind, pattern in cues.SEEN if pattern.fullmatch(shown)), "")
    if seen and (named in WEAK or named in OWN):
        return seen
    told = _by_description(said, owner) if named in WEAK else ""
    return (told if told not in WEAK else "") or named or told or _by_words(form) or stated


@lru_cache(maxsize=8192)
def split_name(name: str) -> Words:
    """The words of a name, those that are written as one taken apart; what stands before `of` comes last, as it would without."""
    out = [w for part in parts(name) for w in cues.GLUED.get(part, part).split("_")]
    if "of" in out[1:-1]:
        at = out.index("of")
        out = [*out[at + 1 :], *out[:at]]
    return tuple(out)


_NAMED_BESIDE = wordset("name address customer contact person patient recipient")
"""Words of what has a name with a prefix and a suffix."""
_ID = re.compile(r"\bG?ID\b|\bidentifier\b|\b[Uu]uid\b")
_WHOSE = re.compile(
    r"\bname of (?:the|this|a|an|each|your) (\w+(?: \w+){0,3}?)(?= (?:at|of|in|to|that|for|which|when|who)\b|[.,;(]|$)",
    re.IGNORECASE,
)


def _by_name(words: Words, above: Words, owner: Words, said: str) -> str:
    """The kind by the end of a name, with what it stands in where the name alone is too little."""
    if words and words[0] in cues.FLAGS and len(words) > 1:
        return "yes_no"
    while len(words) > 1 and words[-1] in cues.FILLERS:
        words = words[:-1]
    match words:
        case (*before, "name"):
            told = None if before else _WHOSE.search(said)
            whose = split_name(told[1]) if told else tuple(before) or above
            return _by_end(words) or _name_of(whose if whose != owner else (), owner)
        case ("value" | "amount",) if (found := _by_end(above)) not in WEAK - {AMOUNT}:
            return found
        case ("prefix" | "suffix",) if _NAMED_BESIDE & {*above, *owner}:
            return "honorific" if words == ("prefix",) else "name_suffix"
        case (*before, "state") if {*above, *before} & cues.PLACED:
            return "region"
        case ("code",):
            return CUES.get((*above[-1:], "code"), CODE)
        case ("label" | "title",):
            return "title" if set(owner) & cues.TASKS else "label"
        case (*_, done, "by") if done.endswith(("ed", "en", "wn", "nt", "de", "ne")):
            return IDENTITY if _ID.search(said) else "person"
    found = _by_words(words)
    if not found and len(words) == 1 and NAMED.get(words[0]) in ("person", "company"):
        return IDENTITY if _ID.search(said) else NAMED[words[0]]
    return found


def _by_words(words: Words) -> str:
    """The kind that the end of a name says; else that of the last word in it that is one by itself."""
    known = (CUES[(w,)] for w in reversed(words[:-1]) if (w,) in CUES)
    return _by_end(words) or next((kind for kind in known if kind not in WEAK | OWN), "")


def _by_end(words: Words) -> str:
    """The kind that the longest known end of a name says; a number in the end, or the plural, may be left away."""
    forms = (words, words[:-1] if words[-1:] and words[-1].isdigit() else ())
    ends = (e for form in forms for k in range(len(form)) for e in (form[k:], (*form[k:-1], singular(form[-1]))))
    return next((CUES[end] for end in ends if end in CUES), "")


def _name_of(whose: Words, owner: Words) -> str:
    """What the name of somebody or something is."""
    if "by" in whose:
        return "person"
    own = [w for w in whose if w not in cues.PLAIN] or owner
    head = [w for w in own if w not in cues.RECORDS] or own
    return NAMED.get(singular(head[-1]), "label") if head else "label"


def _by_statement(said: str, words: Words) -> str:
    for kind, pattern in cues.STATED:
        found = pattern.search(said)
        if found is not None:
            standard = found[0][:3].upper() in ("RFC", "ISO")
            if kind not in cues.OVERRULED or found.start() < 10 or standard or kind.partition("_")[0] in words:
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


def _by_description(said: str, owner: Words) -> str:
    """The kind by the first words of a description: `The first line of the address` is about a line."""
    head = _LEADING.sub("", said.strip())
    words = () if _CLAUSE.match(head) else split_name(_HEAD_END.split(head, maxsplit=1)[0])[:6]
    return _by_end(words) or (_name_of(words[:-1], owner) if words[-1:] == ("name",) else _by_words(words))


_LISTS = re.compile(
    r"(?:values?(?: are| include| is)?|one of|options?(?: are)?|either|can be|must be|may be|allowed|status(?:es)?|types?|e\.g\."
    r"|such as|for example|like|accepts?|supported)\s*:?\s*(?P<list>[`'\"(]?[^.;\n]{3,200})|\((?P<aside>[^()]{3,160})\)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"([`'\"])([^`'\"\s][^`'\"]{0,40})\1")
_BARE = re.compile(r"(?!(?:\S+\s+){4})[A-Za-z][\w -]{1,24}")
MAX_OPTIONS = 12


def options_in(says: str) -> Words:
    """Values that a description lists, such as `(Draft, Unpaid, Paid, etc.)`; none where it lists fewer than two."""
    for found in _LISTS.finditer(says):
        listed = found["list"] or found["aside"]
        options = [option for _, option in _QUOTED.findall(listed)]
        if len(options) < 2:
            pieces = [p.strip(" .`'\"()") for p in re.split(r",|\bor\b|\||/", listed)]
            pieces = [p for p in pieces if p and p.lower() not in ("etc", "and", "etc.")]
            bare = len(pieces) >= (3 if found["aside"] else 2) and all(_BARE.fullmatch(p) for p in pieces)
            options = pieces if bare else []
        fitting = [o for o in dict.fromkeys(options) if len(o) > 1 and len(o.split()) <= 4]
        if len(fitting) > 1:
            return tuple(fitting[:MAX_OPTIONS])
    return ()


_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|example|such as|format|like)[,:]?\s*(?:is\s+)?[`'\"](?P<it>[^`'\"\s]{2,60})[`'\"]",
    re.IGNORECASE,
)


def example_in(says: str) -> str:
    """A value that a description shows, such as `HR-EMP-00001`; empty where it shows none."""
    found = _EXAMPLE.search(says)
    return found["it"] if found else ""
