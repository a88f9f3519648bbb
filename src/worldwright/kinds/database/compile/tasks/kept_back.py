"""What a requester keeps back until they are asked: a request without some of its details, and what each of these is called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from worldwright.blueprint.check.talks import FACT_KINDS
from worldwright.blueprint.checked import Goal
from worldwright.blueprint.expr import nodes as n
from worldwright.core.names import to_words
from worldwright.kinds.database.compile.tasks.describe import Reference
from worldwright.world.tasks import Fact

MAX_KEPT = 2
"""Details of one goal that a requester keeps until asked, where the Blueprint does not say which."""
MAX_NAMES = 5
_NOUNS: Mapping[str, str] = {
    "date": "day",
    "reference": "reference",
    "money": "amount",
    "count": "number",
    "choice": "kind",
    "text": "text",
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words(
    "a all an and are as at before by can each every for from has have her his how in into is it its may more my n new no "
    "not of off old on once one only or other our out per since so still than that the their them then there they this "
    "through to today until up was we were what when where which who why will with you your"
)
_IDENTIFIERS = _words("code id label lot mail note number phone plate postcode receipt reference serial slip")
_SIGN = re.compile(r"(?:\b[A-Z]{3} |[€$£¥])$")
_UNIT = re.compile(r" ?%| per ?cent\b|:00\b| o'clock\b| (?:[A-Z]{3}|euros?|dollars?|pounds?)\b")
_PERCENT = re.compile(r" ?%| per")
_NOUN = re.compile(r" ([a-z]{2,})")
_ARTICLE = re.compile(r"\b(an?|the) $", re.IGNORECASE)
_OF_TIME = frozenset({"year", "hour", "month", "week"})
_NO_NOUN = re.compile(r"(?:ed|ly|\bfirst|\blast|\bnext|\blatest|\bdue|\bgood|\blost|\bpaid|\bshown)$")
_LABEL = re.compile(r"(?:^|[,.;] )([a-z]+(?: [a-z]+)?): $", re.IGNORECASE)
_IDENTIFIER = re.compile(
    rf"\b(?:(?:the|an?|their|its) ((?:[a-z]+ )?(?:{'|'.join(sorted(_IDENTIFIERS))}))|({'|'.join(sorted(_IDENTIFIERS))})) $"
)


class Piece(NamedTuple):
    """A part of a request as it is worded."""

    text: str
    node: n.Node | None = None
    reference: Reference | None = None


def keep_back(pieces: Sequence[Piece], goal: Goal | None) -> tuple[str, tuple[Fact, ...]]:
    """The request without the last of what is stated in it, and that as facts."""
    stated = goal.states if goal is not None else {}
    places = {
        at: p.node.name
        for at, p in enumerate(pieces)
        if isinstance(p.node, n.Var)
        and p.node.name in stated
        and _can_be_left_out(pieces, at, stated[p.node.name].kind)
    }
    last = dict(list(places.items())[-MAX_KEPT:])
    if goal is None or not last or len(set(last.values())) < len(last):
        return "", ()
    texts = ["", *(piece.text for piece in pieces), ""]
    facts = []
    for at, name in last.items():
        kind = FACT_KINDS.get(goal.states[name].kind, "text")
        before, value, after = texts[at : at + 3]
        names = (_end_with_noun(one, kind) for one in _list_names(goal, name, kind, before, after) if one)
        called = tuple(dict.fromkeys(names))[:MAX_NAMES]
        if kind == "text" and any(word in _IDENTIFIERS for name in called for word in name.split()):
            kind = "reference"
        kept = _hide(kind, called[0] if called else _NOUNS[kind], before, value, after)
        texts[at : at + 3] = kept.before, kept.words, kept.after
        if ":" in kept.says and kind == "count":
            kind = "date"
        facts.append(Fact(name, kind, called or (_NOUNS[kind],), kept.says))
    return "".join(texts), tuple(facts)


def _can_be_left_out(pieces: Sequence[Piece], at: int, kind: str) -> bool:
    """Whether a request reads well with `a certain day` in its place: days, amounts, and numbers of something."""
    after = pieces[at + 1].text if at + 1 < len(pieces) else ""
    known = FACT_KINDS.get(kind, "text")
    return known in ("date", "money") or (known == "count" and _is_followed(after) and not _UNIT.match(after))


def _list_names(goal: Goal, name: str, kind: str, before: str, after: str) -> Iterator[str]:
    """Yield what a stated value is called: by itself, in its sentence, as an argument, and as a field."""
    label = _LABEL.search(before)
    yield _trim(name)
    yield _trim(label[1].lower()) if label else ""
    unit = _NOUN.match(after)
    if kind == "count" and unit and unit[1] not in _FILLERS:
        yield f"number of {unit[1]}"
    noun = re.search(r"\b([a-z]{3,}) $", before)
    if noun and noun[1] in _IDENTIFIERS:
        yield noun[1]
    for call in goal.how:
        yield from (_trim(argument) for argument, value in call.args if isinstance(value, n.Var) and value.name == name)
    for test in (node for node in n.walk(goal.wants) if isinstance(node, n.Compare)):
        for one, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(one, n.Var) and one.name == name and isinstance(other, n.Field):
                yield _trim(other.name)


def _end_with_noun(name: str, kind: str) -> str:
    """`planned` is no name of a day: `planned day` is."""
    return f"{name} {_NOUNS[kind]}" if _NO_NOUN.search(name) and kind in _NOUNS else name


def _trim(name: str) -> str:
    """The words of a name without those at its ends that name nothing."""
    words = to_words(name).split()
    while words and (words[-1] in _FILLERS or len(words[-1]) == 1):
        words.pop()
    while words and words[0] in _FILLERS:
        words.pop(0)
    return " ".join(words)


class _Hidden(NamedTuple):
    before: str
    words: str
    after: str
    says: str
    """The value with what stood around it and belongs to it: a currency, a percent sign."""


def _hide(kind: str, noun: str, before: str, value: str, after: str) -> _Hidden:
    """Say that there is a value, and not which."""
    if before.endswith('"') and after.startswith('"'):
        return _Hidden(before[:-1], f"a certain {noun}" if kind == "choice" else "certain words", after[1:], value)
    noun = _NOUNS[kind] if kind in ("date", "money") else noun
    sign, unit = _SIGN.search(before), _UNIT.match(after)
    if sign or unit:
        left, right = sign[0] if sign else "", unit[0] if unit else ""
        noun = "percentage" if _PERCENT.match(right) else "time" if right.startswith((":", " o")) else "amount"
        before, after, value = before[: len(before) - len(left)], after[len(right) :], f"{left}{value}{right}"
    elif kind == "count":
        noun = "number of" if _is_followed(after) else noun if noun in _OF_TIME else "number"
    identifier = _IDENTIFIER.search(before)
    if kind in ("text", "reference") and identifier:
        return _Hidden(before[: identifier.start()], f"a certain {identifier[1] or identifier[2]}", after, value)
    article = _ARTICLE.search(before)
    if article and kind in ("choice", "text", "reference", "count") and _is_followed(after):
        return _Hidden(before, "certain", after, value)
    if re.match(rf" {re.escape(noun)}\b", after):
        noun, after = "", after.lstrip(" ")
    return _Hidden(before[: article.start()] if article else before, f"a certain {noun}", after, value)


def _is_followed(after: str) -> bool:
    """Whether a noun follows, and not `on` or `until`."""
    follows = _NOUN.match(after)
    return follows is not None and follows[1] not in _FILLERS
