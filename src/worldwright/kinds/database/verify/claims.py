"""Claims: what a text says besides the facts that are demanded of it. Every figure, name and promise must be true here.

True is what the rows near the text hold, what was said in the request or in the text that is answered, today, and the handbook.
A promise is true where it was asked for, or the state says that it is so. How long and how often (`within 30 days`), times of the
day and the marks of a list are asides. Tone is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from worldwright.blueprint.types import Type
from worldwright.core import days
from worldwright.english.said_values import read_number
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.known_names import NameIndex, split_words
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork
from worldwright.kinds.database.verify.answers import find_tolerance
from worldwright.kinds.database.verify.facts import find_mentions, list_labels, list_words
from worldwright.kinds.database.verify.figures import (
    ADDRESS,
    Day,
    Figure,
    WrittenId,
    find_days,
    find_emails,
    find_figures,
    find_ids,
    find_phones,
    is_same_phone,
)
from worldwright.kinds.database.verify.promises import Promise, find_asked, find_promises, is_said_by_state
from worldwright.kinds.database.verify.truths import (
    Fields,
    Neighbourhood,
    RowReader,
    Truths,
    Written,
    join_truths,
    keep_letters_and_digits,
    list_fields,
    list_layers,
    read_text,
    read_value,
)
from worldwright.kinds.database.verify.wording import normalise

_CODE = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)[\w/-]+")
"""One piece of letters and digits: the number of a lot or a parcel, which says nothing."""
_GREETED = re.compile(r"\b(?:[Dd]ear|[Hh]ello|[Hh]i|Mr|Mrs|Ms|Miss|Dr)\.? (?:(?:Mr|Mrs|Ms|Miss|Dr)\.? )?([A-Z][\w'-]+)")
_ABOUT = re.compile(r"\b(?:about|around|roughly|approximately|some|nearly|almost|just over|just under) [$€£]?\Z", re.I)
_TIME_AFTER = re.compile(r" ?(?:a\.?m\b|p\.?m\b|o'clock|hrs?\b|h\b|/7\b)", re.I)
_LIST_MARK_BEFORE, _LIST_MARK_AFTER = re.compile(r"(?:^|\n|[.;:,] ?)[ (]*\Z|\(\Z"), re.compile(r"[.)](?: |$)")
_MAX_LIST_MARK = 20
MIN_ID_DIGITS = 3
"""What has fewer digits after letters is an id only where the world has such ids: `COVID-19`, `A-4`."""


class Claim(NamedTuple):
    """Something that a text says, and how to tell whether it is true."""

    said: str
    is_true: Callable[[Truths], bool]


class Demanded(NamedTuple):
    """A fact that a text must state."""

    text: str
    fact: Any
    kind: Type
    role: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the texts of an episode are held against."""

    compiled: CompiledWorld
    uow: UnitOfWork
    names: NameIndex
    request: str
    demanded: Sequence[Demanded]
    told: Sequence[Any]
    """What the answer must say."""
    rows: Sequence[Row]
    """The rows that the task is about."""
    changed: Sequence[Row]
    """The rows that the episode made and changed."""
    before: Sequence[str]
    """What stood in their texts."""
    written: frozenset[Written]
    """What the episode wrote there: it makes nothing true."""


def find_untrue(text: str, row: Row, around: Surroundings, known: Sequence[Truths] | None = None) -> list[str]:
    """Find what a text of a row says and is not so, in its words; `known` is what is true before any row is looked at."""
    if _CODE.fullmatch(text):
        return []
    said = normalise(text)
    own = [d for d in around.demanded if d.text == text and d.fact is not None]
    near = Neighbourhood(around.compiled, around.uow, [row, *around.rows], around.written)
    misplaced = _list_misplaced(said, own, near, around) if own else []
    claims = list(list_claims(said, around))
    if claims:
        layers = list_layers(near, around.changed)
        for truths in chain(begin_truths(around) if known is None else known, chain.from_iterable(layers)):
            claims = [claim for claim in claims if not claim.is_true(truths)]
            if not claims:
                break
    return [*(claim.said for claim in claims), *misplaced]


def begin_truths(around: Surroundings) -> list[Truths]:
    """Gather what is true before any row is looked at."""
    compiled, uow = around.compiled, around.uow
    today = days.parse_day(uow.today)
    truths = [
        read_text(around.request)._replace(asked=find_asked(normalise(around.request))),
        compiled.derive(read_handbook),
        Truths(
            states="".join(f" {' '.join(demanded.role)} " for demanded in around.demanded),
            days=frozenset(() if today is None else (today,)),
        ),
        *(read_value(demanded.fact) for demanded in around.demanded),
        *(read_value(value) for value in (*around.told, *around.before)),
    ]
    if uow.actor is not None:
        truths.append(compiled.derive(RowReader).read(uow.actor, states=True, unproven=around.written))
    return truths


def read_handbook(compiled: CompiledWorld) -> Truths:
    """Read what the handbook says."""
    return join_truths(map(read_text, render_handbook(compiled.blueprint).splitlines()))


# what a text claims


def list_claims(text: str, around: Surroundings) -> Iterator[Claim]:
    """List everything in a text, normalised, that must be true."""
    taken = []
    for at, end, digits in find_phones(text):
        taken.append((at, end))
        yield Claim(text[at:end], partial(_is_phone, digits))
    for at, end, address in find_emails(text):
        taken.append((at, end))
        yield Claim(text[at:end], partial(_is_email, address))
    for day in find_days(text):
        taken.append((day.at, day.end))
        yield Claim(text[day.at : day.end], partial(_is_day, day, int(around.uow.today[:4])))
    prefixes = {e.key.prefix.rstrip("-") for e in around.compiled.blueprint.schema.entities.values()}
    for i in find_ids(text):
        if i.prefix in prefixes or (len(i.number) >= MIN_ID_DIGITS and text[i.at : i.at + len(i.prefix)].isupper()):
            taken.append((i.at, i.end))
            yield Claim(text[i.at : i.end], partial(_is_id, i, _find_code(text, i.at, i.end), _find_name(i, around)))
    for f in find_figures(text, counts=True):
        if not any(at <= f.at < end for at, end in taken) and not _is_aside(text, f, around.uow.today):
            about = _ABOUT.search(text[: f.at]) is not None
            yield Claim(text[f.at : f.end], partial(_is_figure, f, about, _find_code(text, f.at, f.end)))
    for name in around.names.find(split_words(text)):
        yield Claim(" ".join(name), partial(_is_name, " ".join(name)))
    for m in _GREETED.finditer(text):
        word = m[1].casefold().removesuffix("'s")
        if word in around.names.personal:
            yield Claim(m[0], partial(_is_name, word))
    for m in ADDRESS.finditer(text):
        yield Claim(m[0], partial(_is_name, " ".join(split_words(m[0]))))
    for promise in find_promises(text):
        yield Claim(promise.words, partial(_is_promise, promise))


def _find_name(found: WrittenId, around: Surroundings) -> str:
    """Find what the record of an id is called; empty where it has no name, or there is none."""
    for table, entity in around.compiled.blueprint.schema.entities.items():
        if entity.key.prefix.rstrip("-") == found.prefix and found.number.isdigit():
            row = around.uow.row(table, entity.key.make(int(found.number)))
            position = around.compiled.tables[table].position
            named = [c for c in entity.stored if c.type.kind == "text" and c.name == "name"]
            value = row.values[position[named[0].name]] if row is not None and named else None
            return " ".join(split_words(normalise(value))) if value else ""
    return ""


def _is_phone(digits: str, truths: Truths) -> bool:
    return any(is_same_phone(digits, known) for known in truths.phones)


def _is_email(address: str, truths: Truths) -> bool:
    return address in truths.emails


def _is_id(found: WrittenId, code: Code, name: str, truths: Truths) -> bool:
    """A record is near, or bears the name of one that is: `entered twice, see VEN-0041`."""
    if (found.prefix, found.number) in truths.ids or _is_code(code, truths):
        return True
    return bool(name) and f" {name} " in truths.heard


def _is_name(name: str, truths: Truths) -> bool:
    return f" {name} " in truths.heard


def _is_promise(promise: Promise, truths: Truths) -> bool:
    """What was asked for may be said; a promise of everything, only that. Anything else where the state says that it is so."""
    asked = promise.name in truths.asked
    return asked or (not promise.sweeping and is_said_by_state(promise.name, truths.states))


def _is_aside(text: str, figure: Figure, today: str) -> bool:
    before, after = text[: figure.at], text[figure.end :]
    value = figure.value
    if figure.lasts or _TIME_AFTER.match(after) or before.endswith("24/"):
        return True
    if value is not None and value.denominator == 1 and text[figure.at : figure.end].isdigit():
        if len(text[figure.at : figure.end]) == 4 and abs(value - int(today[:4])) <= 1:
            return True  # a year
        return 0 < value <= _MAX_LIST_MARK and bool(_LIST_MARK_BEFORE.search(before) and _LIST_MARK_AFTER.match(after))
    return False


def _is_day(day: Day, near: int, truths: Truths) -> bool:
    return any(day.is_on(known, near) for known in truths.days) or any(
        (m, d) in truths.part_days for _, m, d in day.readings
    )


def _is_figure(figure: Figure, about: bool, code: Code, truths: Truths) -> bool:
    value = figure.value
    if _is_code(code, truths):
        return True
    if value is None:
        return False
    if value in truths.numbers or -value in truths.numbers:
        return True
    if figure.percent and value / 100 in truths.numbers:
        return True
    return about and any(abs(value - known) <= max(Fraction(1), abs(known) / 20) for known in truths.numbers)


class Code(NamedTuple):
    """Letters and digits of the piece around a place in a text, and of the whole text."""

    piece: str
    whole: str


def _find_code(text: str, at: int, end: int) -> Code:
    start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    stop = min((p for p in (text.find(" ", end), text.find("\n", end)) if p >= 0), default=len(text))
    return Code(keep_letters_and_digits(text[start:stop]), keep_letters_and_digits(text))


def _is_code(code: Code, truths: Truths) -> bool:
    """Return whether a piece of a text is written so somewhere near: a number plate, an account, a room."""
    piece, whole = code
    if piece in truths.codes:
        return True
    return any(len(known) > len(piece) and piece in known and known in whole for known in truths.codes)


# a fact in another's role


def _list_misplaced(text: str, demanded: Iterable[Demanded], near: Neighbourhood, around: Surroundings) -> list[str]:
    """List demanded facts that are said of something else only: of a field near the text that holds another value."""
    asked = {*list_words(around.request)}
    fields: Fields | None = None
    found = []
    for one in demanded:
        role = {*list_words(" ".join(one.role))}
        if not role or not (one.kind.numeric or one.kind.kind == "date"):
            continue
        mentions = find_mentions(text, one.fact, one.kind, int(around.uow.today[:4]))
        labels = [label for m, label in zip(mentions, list_labels(text, mentions), strict=True) if m.right]
        if not labels or any(role <= label for label in labels):
            continue
        if fields is None:
            fields = list_fields(around.compiled, [*near.rows, *near.list_referred(near.rows)])
        if all(_is_of_other(label, role, asked, one, fields) for label in labels):
            found.append(f"{one.fact} in another role")
    return found


def _is_of_other(label: frozenset[str], role: set[str], asked: set[str], demanded: Demanded, fields: Fields) -> bool:
    value = days.parse_day(str(demanded.fact)) if demanded.kind.kind == "date" else read_number(demanded.fact)
    named = [(words, held) for words, held in fields if words <= label and words - role - asked]
    return bool(named) and not any(_is_equal(held, value, demanded.kind) for _, held in named)


def _is_equal(held: Any, value: Any, kind: Type) -> bool:
    if isinstance(held, Fraction) and isinstance(value, Fraction):
        return abs(held - value) <= find_tolerance(kind)
    return isinstance(held, date) and held == value
