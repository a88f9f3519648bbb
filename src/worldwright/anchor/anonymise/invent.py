"""Replacements that look like what they replace. Each is drawn from the key and the value alone."""

from __future__ import annotations

import datetime as dt
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from worldwright.anchor.anonymise import checksums, words
from worldwright.core.rng import Stream

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?")
_DATE = re.compile(r"(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?!\d)", re.ASCII)
DAYS = (30, 399)
"""How far a date of birth is moved back."""


@dataclass(frozen=True, slots=True)
class Inventor:
    """Invents by a key. A further try gives something else for the same value."""

    key: str

    def replacement(self, kind: str, value: str, attempt: int = 0) -> str:
        """A value of the same kind that nobody has."""
        return MAKERS[kind](self, value, str(attempt), self.draw(kind, normal(kind, value), str(attempt)))

    def draw(self, *path: str) -> Stream:
        """Numbers that follow from the key and a text, and from nothing else."""
        text = "\x1f".join(path).encode("utf-8", "replace")
        return Stream(hmac.new(self.key.encode("utf-8", "replace"), text, "sha256").hexdigest())

    def given(self, token: str, attempt: str) -> str:
        draw = self.draw("given", token.casefold().rstrip("."), attempt)
        return _like(draw.pick(words.GIVEN_STARTS) + draw.pick(words.GIVEN_ENDS), token)

    def family(self, token: str, attempt: str) -> str:
        return _like(_place(self.draw("family", token.casefold().rstrip("."), attempt)), token)


def _place(draw: Stream) -> str:
    return draw.pick(words.FAMILY_STARTS) + draw.pick(words.FAMILY_MIDDLES) + draw.pick(words.FAMILY_ENDS)


def normal(kind: str, value: str) -> str:
    """Return what two ways to write one value have in common."""
    if kind in ("phone", "id", "iban", "card"):
        return "".join(ch for ch in value if ch.isalnum()).upper().removeprefix("00")
    return value if kind == "birth" else " ".join(value.casefold().split())


def name_tokens(value: str) -> list[tuple[int, int, str]]:
    """The words of a name that belong to a person: where each begins and ends, and `given` or `family`."""
    every = list(_WORD.finditer(value))
    found = [match for i, match in enumerate(every) if not _is_beside(match.group(), i, len(every))] or every
    comma = value.find(",")
    family = 0 if comma > 0 and len(found) > 1 and found[0].end() <= comma else (len(found) - 1 or -1)
    return [(m.start(), m.end(), "family" if i == family else "given") for i, m in enumerate(found)]


def _is_beside(token: str, i: int, count: int) -> bool:
    """Tell whether a word of a name is a title, an ending or a small word between others."""
    plain = token.rstrip(".").casefold()
    if i == 0:
        return count > 1 and plain in words.TITLES
    if i == count - 1:
        return count > 2 and plain in words.ENDINGS
    return plain in words.PARTICLES and token.islower()


def _like(made: str, token: str) -> str:
    """A word in the letters' case of another; an initial for an initial."""
    bare = token.rstrip(".")
    if len(bare) == 1:
        made = made[0] + token[1:]
    return made.lower() if bare.islower() else made.upper() if bare.isupper() and len(bare) > 1 else made


def _name(by: Inventor, value: str, attempt: str, draw: Stream, always: str = "") -> str:
    """A name with each of its words replaced; what stands beside them stays."""
    out, end = "", 0
    for start, stop, kind in name_tokens(value):
        make = by.family if (always or kind) == "family" else by.given
        out += value[end:start] + make(value[start:stop], attempt)
        end = stop
    return out + value[end:] if out else by.family("x" + value, attempt)


def _mail(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    local, _, domain = value.strip().rpartition("@")
    tokens = [t for t in re.split(r"[\W\d_]+", local.casefold()) if len(t) > 1]
    if tokens and set(tokens) <= words.ROLES:
        start = ".".join(tokens) + str(draw.between(10, 99))
    else:
        first = by.given(tokens[0] if tokens else local, attempt)
        last = by.family(tokens[-1] if len(tokens) > 1 else local, attempt)
        start = f"{first}.{last}{draw.between(10, 999)}"
    return f"{start}@{by.family(domain.casefold(), attempt)}.example".lower()


def _user(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    made = f"{by.given(value, attempt)}{by.family(value, attempt)[:4]}{draw.between(10, 999)}"
    return made if value[:1].isupper() else made.lower()


def _scrambled(value: str, kept: int, draw: Stream, *, letters: bool = False) -> str:
    """A number with every digit after the first so many replaced, and the letters too where they count."""
    out, seen = "", 0
    for ch in value:
        counts = ch.isdigit() or (letters and ch.isascii() and ch.isalpha())
        seen += counts
        if not counts or seen <= kept:
            out += ch
        elif ch.isdigit():
            out += str(draw.between(1 if seen == kept + 1 else 0, 9))
        else:
            made = draw.pick("ABCDEFGHJKLMNPRSTUVWXYZ")
            out += made if ch.isupper() else made.lower()
    return out


def _phone(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    start = value.lstrip(" (")
    kept = 4 if start.startswith("00") else 2 if start.startswith("+") else 1
    return _scrambled(value, min(kept, max(0, sum(ch.isdigit() for ch in value) - 6)), draw)


def _id(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    made = _scrambled(value, 0, draw, letters=True)
    return checksums.with_luhn(made) if sum(ch.isdigit() for ch in value) >= 9 and checksums.luhn(value) else made


def _card(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    return checksums.with_luhn(_scrambled(value, 1, draw))


def _iban(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    return checksums.with_iban_digits(_scrambled(value, 4, draw, letters=True))


def _ip(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    if ":" in value:
        return "2001:db8:" + ":".join(f"{draw.between(1, 0xFFFE):x}" for _ in range(6))
    return f"10.{draw.below(256)}.{draw.below(256)}.{draw.between(1, 254)}"


def _address(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    street, number = f"{_place(draw)} {draw.pick(words.KINDS_OF_STREET)}", draw.between(1, 199)
    town = f", {draw.pick(words.FAMILY_STARTS)}{draw.pick(words.FAMILY_MIDDLES)}stead" if "," in value else ""
    return f"{number} {street}{town}" if value[:1].isdigit() else f"{street} {number}{town}"


def _birth(by: Inventor, value: str, attempt: str, draw: Stream) -> str:
    """The date, some days earlier; in the same form, with what stands around it."""
    found = _DATE.search(value)
    for order in ("ymd", "mdy", "dmy") if found and found[2] == "/" else ("ymd", "dmy", "mdy"):
        given = dict(zip(order, found.group(1, 3, 4), strict=True)) if found else {}
        try:
            date = dt.date(int(given["y"]), int(given["m"]), int(given["d"])) - dt.timedelta(draw.between(*DAYS))
        except (KeyError, ValueError, OverflowError):
            continue
        if found and len(given["y"]) == 4:
            moved = {"y": f"{date.year:04}", "m": str(date.month), "d": str(date.day)}
            texts = [moved[part].zfill(len(text)) for part, text in given.items()]
            return value[: found.start()] + found[2].join(texts) + value[found.end() :]
    return _id(by, value, attempt, draw)


MAKERS: Mapping[str, Callable[[Inventor, str, str, Stream], str]] = {
    "mail": _mail, "phone": _phone, "iban": _iban, "card": _card, "id": _id, "ip": _ip, "address": _address, "birth": _birth,
    "name": _name, "given": partial(_name, always="given"), "family": partial(_name, always="family"), "user": _user,
}  # fmt: skip
"""By kind of value, how a replacement is made. The order is that of preference where one value is of two kinds."""
