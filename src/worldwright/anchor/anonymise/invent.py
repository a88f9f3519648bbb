"""Replacements that look like what they replace. Each is drawn from the key and the value alone."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from worldwright.anchor.anonymise import checksums, words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*\.?")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_DATE = re.compile(r"(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?!\d)", re.ASCII)
DAYS = (30, 400)
"""How far a date of birth is moved back."""


class Draw:
    """Numbers that follow from a key and a text, and from nothing else."""

    def __init__(self, key: str, *path: str) -> None:
        self._seed = hmac.new(
            key.encode("utf-8", "replace"), "\x1f".join(path).encode("utf-8", "replace"), hashlib.sha256
        )
        self._count = 0
        self._left = b""

    def below(self, n: int) -> int:
        if not self._left:
            self._count += 1
            here = self._seed.copy()
            here.update(self._count.to_bytes(4, "big"))
            self._left = here.digest()
        number, self._left = self._left[:8], self._left[8:]
        return int.from_bytes(number, "big") % n

    def pick(self, items: Sequence[str]) -> str:
        return items[self.below(len(items))]


@dataclass(frozen=True, slots=True)
class Inventor:
    """Invents by a key. A further try gives something else for the same value."""

    key: str

    def replacement(self, kind: str, value: str, attempt: int = 0) -> str:
        return MAKERS[kind](self, value, str(attempt))

    def draw(self, kind: str, normal: str, attempt: str) -> Draw:
        return Draw(self.key, kind, normal, attempt)

    def given(self, token: str, attempt: str) -> str:
        draw = self.draw("given", token.casefold().rstrip("."), attempt)
        return _like(draw.pick(words.GIVEN_STARTS) + draw.pick(words.GIVEN_ENDS), token)

    def family(self, token: str, attempt: str) -> str:
        draw = self.draw("family", token.casefold().rstrip("."), attempt)
        made = draw.pick(words.FAMILY_STARTS) + draw.pick(words.FAMILY_MIDDLES) + draw.pick(words.FAMILY_ENDS)
        return _like(made, token)


def normal(kind: str, value: str) -> str:
    """Return what two ways to write one value have in common."""
    if kind in ("phone", "id", "iban", "card"):
        return "".join(ch for ch in value if ch.isalnum()).upper().removeprefix("00")
    if kind == "birth":
        return value
    return " ".join(value.casefold().split())


def name_tokens(value: str) -> list[tuple[int, int, str]]:
    """The words of a name that belong to a person: where each begins and ends, and `given` or `family`."""
    every = list(_WORD.finditer(value))
    found = [match for i, match in enumerate(every) if not _is_beside(match.group(), i, len(every))] or every
    comma = value.find(",")
    first_is_family = comma > 0 and len(found) > 1 and found[0].end() <= comma
    out = []
    for i, match in enumerate(found):
        family = (i == 0) if first_is_family else (i == len(found) - 1 and i > 0)
        out.append((match.start(), match.end(), "family" if family else "given"))
    return out


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


def _name(by: Inventor, value: str, attempt: str) -> str:
    if _SIGNS.search(value):
        return _SIGNS.sub(
            lambda m: _signs(by.draw("signs", m.group(), attempt), m.start() == 0 and " " in value), value
        )
    return _each_token(by, value, attempt, {})


def _signs(draw: Draw, family: bool) -> str:
    made = draw.pick(words.FAMILY_SIGNS) + draw.pick(words.FAMILY_SIGNS)
    return made if family else made + draw.pick(words.GIVEN_SIGNS) + draw.pick(words.GIVEN_SIGNS)


def _each_token(by: Inventor, value: str, attempt: str, always: Mapping[str, str]) -> str:
    out, end = [], 0
    for start, stop, kind in name_tokens(value):
        token = value[start:stop]
        make = by.family if always.get("kind", kind) == "family" else by.given
        out += [value[end:start], make(token, attempt)]
        end = stop
    made = "".join([*out, value[end:]])
    return made if out else by.family("x" + value, attempt)


def _invent_given_name(by: Inventor, value: str, attempt: str) -> str:
    return _name(by, value, attempt) if _SIGNS.search(value) else _each_token(by, value, attempt, {"kind": "given"})


def _family(by: Inventor, value: str, attempt: str) -> str:
    return _name(by, value, attempt) if _SIGNS.search(value) else _each_token(by, value, attempt, {"kind": "family"})


def _mail(by: Inventor, value: str, attempt: str) -> str:
    local, _, domain = value.strip().rpartition("@")
    draw = by.draw("mail", normal("mail", value), attempt)
    tokens = [t for t in re.split(r"[\W\d_]+", local.casefold()) if len(t) > 1]
    if tokens and set(tokens) <= words.ROLES:
        start = ".".join(tokens) + str(10 + draw.below(90))
    else:
        first = by.given(tokens[0] if tokens else local, attempt)
        last = by.family(tokens[-1] if len(tokens) > 1 else local, attempt)
        start = f"{first}.{last}{10 + draw.below(990)}"
    place = by.family(domain.casefold(), attempt)
    return f"{start}@{place}.example".lower()


def _user(by: Inventor, value: str, attempt: str) -> str:
    draw = by.draw("user", normal("user", value), attempt)
    made = f"{by.given(value, attempt)}{by.family(value, attempt)[:4]}{10 + draw.below(990)}"
    return made if value[:1].isupper() else made.lower()


def _phone(by: Inventor, value: str, attempt: str) -> str:
    digits = [i for i, ch in enumerate(value) if ch.isdigit()]
    international = value.lstrip(" (").startswith(("+", "00"))
    kept = 2 if international else 1
    if value.lstrip(" (").startswith("00"):
        kept = 4
    kept = min(kept, max(0, len(digits) - 6))
    draw = by.draw("phone", normal("phone", value), attempt)
    return _digits_changed(value, digits[kept:], draw)


def _digits_changed(value: str, places: Sequence[int], draw: Draw) -> str:
    out = list(value)
    for n, i in enumerate(places):
        out[i] = str(1 + draw.below(9)) if n == 0 else str(draw.below(10))
    return "".join(out)


def _id(by: Inventor, value: str, attempt: str) -> str:
    draw = by.draw("id", normal("id", value), attempt)
    out = []
    for n, ch in enumerate(value):
        if ch.isdigit():
            out.append(str(1 + draw.below(8)) if n == 0 else str(draw.below(10)))
        elif ch.isalpha() and ch.isascii():
            out.append(draw.pick("ABCDEFGHJKLMNPRSTUVWXYZ" if ch.isupper() else "abcdefghjkmnprstuvwxyz"))
        else:
            out.append(ch)
    return checksums.mended(value, "".join(out))


def _card(by: Inventor, value: str, attempt: str) -> str:
    digits = [i for i, ch in enumerate(value) if ch.isdigit()]
    made = _digits_changed(value, digits[1:], by.draw("card", normal("card", value), attempt))
    return checksums.with_luhn(made)


def _iban(by: Inventor, value: str, attempt: str) -> str:
    draw = by.draw("iban", normal("iban", value), attempt)
    out, seen = [], 0
    for ch in value:
        seen += ch.isalnum()
        if seen <= 4 or not ch.isalnum():
            out.append(ch)
        else:
            out.append(str(draw.below(10)) if ch.isdigit() else draw.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    return checksums.with_iban_digits("".join(out))


def _ip(by: Inventor, value: str, attempt: str) -> str:
    draw = by.draw("ip", normal("ip", value), attempt)
    if ":" in value:
        return "2001:db8:" + ":".join(f"{1 + draw.below(0xFFFE):x}" for _ in range(6))
    return f"10.{draw.below(256)}.{draw.below(256)}.{1 + draw.below(254)}"


def _address(by: Inventor, value: str, attempt: str) -> str:
    draw = by.draw("address", normal("address", value), attempt)
    place = draw.pick(words.FAMILY_STARTS) + draw.pick(words.FAMILY_MIDDLES) + draw.pick(words.FAMILY_ENDS)
    number = 1 + draw.below(199)
    town = f", {draw.pick(words.FAMILY_STARTS)}{draw.pick(words.FAMILY_MIDDLES)}stead" if "," in value else ""
    if value[:1].isdigit():
        return f"{number} {place} {draw.pick(words.KINDS_OF_STREET)}{town}"
    return f"{place} {draw.pick(words.KINDS_OF_STREET)} {number}{town}"


def _birth(by: Inventor, value: str, attempt: str) -> str:
    """The date, some days earlier; in the same form, with what stands around it."""
    days = DAYS[0] + by.draw("birth", value, attempt).below(DAYS[1] - DAYS[0])
    found = _DATE.search(value)
    for order in ("ymd", "mdy", "dmy") if found and found[2] == "/" else ("ymd", "dmy", "mdy"):
        if not found:
            break
        given = (found[1], found[3], found[4])
        by_part = dict(zip(order, given, strict=True))
        try:
            moved = dt.date(int(by_part["y"]), int(by_part["m"]), int(by_part["d"])) - dt.timedelta(days)
        except (ValueError, OverflowError):
            continue
        if len(by_part["y"]) != 4:
            continue
        new = {"y": f"{moved.year:04}", "m": str(moved.month), "d": str(moved.day)}
        texts = [new[p].zfill(len(g)) for p, g in zip(order, given, strict=True)]
        return value[: found.start()] + found[2].join(texts) + value[found.end() :]
    return _id(by, value, attempt)


MAKERS: Mapping[str, Callable[[Inventor, str, str], str]] = {
    "mail": _mail, "phone": _phone, "iban": _iban, "card": _card, "id": _id, "ip": _ip, "address": _address, "birth": _birth,
    "name": _name, "given": _invent_given_name, "family": _family, "user": _user,
}  # fmt: skip
"""By kind of value, how a replacement is made. The order is that of preference where one value is of two kinds."""
