"""The request as the planner reads it: who acts, what is asked in which order, and every value that is mentioned.

A mention keeps the words around it, because they tell what it is for: `good until 30 November` is a different date from
`raised on 30 November`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from worldwright.agents.planner.dates import find_dates_in
from worldwright.agents.planner.words import STOP
from worldwright.english.dates import MONTHS, WEEKDAYS
from worldwright.english.money import COMMON_CURRENCY_CODES
from worldwright.english.words import NUMBERS

CONTEXT_CHARS = 34
"""How many characters around a mention belong to it."""
_ACTOR = re.compile(r"\byou are ([A-Z][A-Z0-9]*-\d+)\b", re.IGNORECASE)
_ROLE = re.compile(r"\byou act as (?:the |an? )?([\w ]+)", re.IGNORECASE)
_CLOCK = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d)?Z?)?")
_WANTED = re.compile(r"^[^\n]*\bsubmit an answer\b", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»\n]{2,160})[\"“”«»]")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ID = re.compile(r"\b[A-Z]{1,6}-\d{2,}\b")
_CODE = re.compile(r"\b(?=[A-Z0-9/-]*\d{3})(?:[A-Z]{1,6}[-/]?\d[\dA-Z/-]*|\d{5,}|\d{2,}-\d{2,})\b")
_PLATE = re.compile(r"\b([A-Z]{2,5}) \d{3,7}(?:-\d)?\b")
_MONEY = re.compile(
    r"(?:(?:[£$€]|\b[A-Z]{3} )\s?)?(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?:[£$€]\s?|\b[A-Z]{3} )?(?<![\w.,-])\d+(?:\.\d+)?"
)
_TIME = re.compile(r"\b(\d{1,2})(?::(\d\d)| ?o'clock)(?:\s?(am|pm))?", re.IGNORECASE)
_COUNTED = re.compile(r"\b(" + "|".join(NUMBERS) + r"|single)\b", re.IGNORECASE)
_WHICH_ONE = re.compile(r"\b(?:which|this|that|another|every|each|the|only|any|some|no)\s+$", re.IGNORECASE)
_ONE_OF = re.compile(r"\s*(?:[.,;?!]|of\b|is\b|that\b|$)")
_SENTENCE = re.compile(r"(?<=[.?!])[\"”']?\s+(?=[A-Z\"“(])|\n\s*\n")
_SHORTENED = re.compile(r"\b(?:Inc|Ltd|Co|Corp|Dr|Mr|Mrs|Ms|St|No|Nr|approx|[A-Z])\.$")
_NEXT = re.compile(
    r"^(?:and |so )?(?:then|after that|afterwards|next|finally|lastly|also|once|when|as soon as|in addition|secondly|thirdly)\b",
    re.I,
)
_JOINER = r"(?:\s+(?:&|de|van|von)\s+(?=[A-Z]))"
_CAPITAL = r"(?:(?:Inc|Ltd|Co|Corp|Jr|Sr|Dr|St|[A-Z])\.|[A-Z][\w’'-]*)"
_NAME = re.compile(rf"{_CAPITAL}(?:(?:\s+|{_JOINER}){_CAPITAL})*")
_NEVER_NAMES = frozenset(
    {*MONTHS, *(m[:3] for m in MONTHS), *WEEKDAYS, *STOP, "please", "hello", "hi", "dear", "good", "thanks", "thank"}
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value of the request."""

    kind: str
    """date, number, code, id, mail, quoted, name or hour"""
    value: Any
    start: int
    end: int
    before: str = ""
    after: str = ""
    money: bool = False
    """Whether it is written like an amount: with a currency, or with cents."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a user message asks."""

    text: str
    actor: str
    role: str
    today: date
    steps: tuple[str, ...]
    """The things to do, in order: `Do this. After that, do that.` has two."""
    mentions: tuple[Mention, ...]
    spots: tuple[tuple[int, int], ...] = field(default=())
    """Where each of `steps` stands in `text`."""

    def mentions_of(self, *kinds: str, step: int | None = None) -> list[Mention]:
        """Return the mentions of some kinds, of one step or of all."""
        low, high = (0, len(self.text)) if step is None or step >= len(self.spots) else self.spots[step]
        return [m for m in self.mentions if m.kind in kinds and low <= m.start < high]


def read_request(told: str, heard: str, kinds: Collection[str] = ()) -> Request:
    """Read the system message and the user's. An id is one only where its letters are those of a kind that is known."""
    clock = _CLOCK.search(told)
    today = date(2000, 1, 1)
    if clock and 1 <= int(clock[2]) <= 12 and 1 <= int(clock[3]) <= 28:
        today = date(int(clock[1]), int(clock[2]), int(clock[3]))
    elif clock:
        found = find_dates_in(clock[0][:10], today)
        today = found[0].on if found else today
    role, actor = _ROLE.search(told), _ACTOR.search(heard) or _ACTOR.search(told)
    text = _body(heard)
    mentions = tuple(find_mentions(text, today, kinds))
    spots = _steps(text, [m.start for m in mentions if m.kind not in ("number", "hour") or m.money])
    steps = tuple(text[low:high] for low, high in spots)
    who = re.split(r"\.|\bit is\b", role[1], flags=re.IGNORECASE)[0].strip() if role else ""
    return Request(text, actor[1] if actor else "", who, today, steps, mentions, spots)


def add_to_request(heard: str, more: str) -> str:
    """Add to the request itself, before what the answer holds."""
    if not more:
        return heard
    ends = _WANTED.search(heard)
    return (
        f"{heard}\n\n{more}"
        if ends is None
        else f"{heard[: ends.start()].rstrip()}\n\n{more}\n\n{heard[ends.start() :]}"
    )


def insert_letter(request: Request, step: int, letter: str, kinds: Collection[str]) -> Request:
    """Read a letter that a step refers to into the request: what the letter mentions belongs to the step."""
    low, high = request.spots[step]
    added = "\n" + letter.strip() + "\n"
    text = request.text[:high] + added + request.text[high:]
    spots = [(a, b) if b <= low else (a + len(added) * (a >= high), b + len(added)) for a, b in request.spots]
    steps = tuple(text[a:b] for a, b in spots)
    mentions = tuple(find_mentions(text, request.today, kinds))
    return replace(request, text=text, steps=steps, mentions=mentions, spots=tuple(spots))


def _body(heard: str) -> str:
    """The request itself: without who is addressed, what the answer holds, quote marks of mails, and the signature."""
    cut = _WANTED.search(heard)
    text = heard[: cut.start()] if cut else heard
    text = _ACTOR.sub("", text, count=1).lstrip(" .\n")
    lines = [re.sub(r"^\s*(?:>\s?)+", "", line).strip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) > 1 and len(lines[-1].split()) <= 7 and not lines[-1].endswith((".", "?", "!")):
        lines.pop()
    return "\n".join(lines).strip()


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text stand. `Hall Supply Inc. offers` is not cut."""
    start = 0
    for m in _SENTENCE.finditer(text):
        if not _SHORTENED.search(text[start : m.start()]) or "\n" in m[0]:
            yield start, m.start()
            start = m.end()
    if start < len(text):
        yield start, len(text)


def _steps(text: str, mentioned: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """A new step begins where a sentence says so. What stands before the first sentence that mentions anything is small talk."""
    out: list[tuple[int, int]] = []
    spans = list(split_sentences(text))
    first = next((n for n, (low, high) in enumerate(spans) if any(low <= at < high for at in mentioned)), 0)
    for low, high in spans[first:]:
        if out and not _NEXT.match(text[low:high]):
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out) or ((0, len(text)),)


def find_mentions(text: str, today: date, kinds: Collection[str] = ()) -> list[Mention]:
    """Find every value of a text, in order. What is found first keeps its place: the digits of a date are no count."""
    taken: list[tuple[int, int]] = []
    out: list[Mention] = []

    def take(kind: str, value: Any, start: int, end: int, *, money: bool = False, over: bool = False) -> None:
        if not over and any(start < high and low < end for low, high in taken):
            return
        taken.append((start, end))
        out.append(
            Mention(
                kind,
                value,
                start,
                end,
                text[max(0, start - CONTEXT_CHARS) : start],
                text[end : end + CONTEXT_CHARS],
                money,
            )
        )

    for m in _QUOTED.finditer(text):
        take("quoted", m[1].strip(), m.start(), m.end())
    for m in _MAIL.finditer(text):
        take("mail", m[0].rstrip("."), m.start(), m.end())
    for d in find_dates_in(text, today):
        take("date", d.on, d.start, d.end)
    for m in _ID.finditer(text):
        take("id" if m[0].split("-")[0] in kinds else "code", m[0], m.start(), m.end())
    for m in _PLATE.finditer(text):
        if m[1] not in COMMON_CURRENCY_CODES:
            take("code", m[0], m.start(), m.end())
    for m in _TIME.finditer(text):
        take("hour", int(m[1]) + (12 if (m[3] or "").lower() == "pm" and int(m[1]) < 12 else 0), m.start(), m.end())
    for m in _CODE.finditer(text):
        take("code", m[0], m.start(), m.end())
    for start, end, value, money in _numbers(text):
        take("number", value, start, end, money=money)
    for start, end, name in _names(text):
        quoted = any(m.kind == "quoted" and m.start <= start < m.end and m.end - m.start > end - start + 4 for m in out)
        take("name", name, start, end, over=quoted)
    return sorted(out, key=lambda one: one.start)


def _numbers(text: str) -> Iterator[tuple[int, int, float, bool]]:
    for m in _MONEY.finditer(text):
        digits = re.sub(r"[^\d.]", "", m[0])
        around = text[m.end() : m.end() + 8]
        money = (
            "." in digits
            or not m[0][0].isdigit()
            or bool(re.match(r"\s?(?:[A-Z]{3}\b|euro|pound|dollar|[€£$])", around))
        )
        yield m.start(), m.end(), float(digits.rstrip(".")), money
    for m in _COUNTED.finditer(text):
        if m[1].lower() == "one" and (_WHICH_ONE.search(text[: m.start()]) or _ONE_OF.match(text[m.end() :])):
            continue
        yield m.start(), m.end(), float(NUMBERS.get(m[1].lower(), 1)), False


def _names(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of capitalised words. One that only starts a sentence is none, unless it goes on with another."""
    firsts = {low for low, _ in split_sentences(text)} | {m.end() for m in re.finditer(r"\n|[:;?!] ", text)}
    for m in _NAME.finditer(text):
        words = m[0].split()
        start = m.start()
        while words and words[0].lower().strip(".'’") in _NEVER_NAMES:
            start += len(words[0]) + 1
            words = words[1:]
        if not words or (start in firsts and len(words) == 1):
            continue
        name = re.sub(r"['’]s$", "", " ".join(words))
        if len(name) > 1:
            yield start, start + len(" ".join(words)), name


def names_first(mentions: Sequence[Mention]) -> list[Mention]:
    """Longer names first: they say more."""
    return sorted(mentions, key=lambda m: (-len(str(m.value).split()), m.start))
