"""Digits that check other digits: whether they are right, and what makes them right again.

`python-stdnum` computes the same digits. It has no way to set them inside of a number as it is written, and its check of an IBAN
refuses countries and lengths that it does not know: here such a number is somebody's account all the same, and is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS_OF_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_DNI = re.compile(r"\d{8}-?[A-Za-z]\Z", re.ASCII)


def _digits(text: str) -> list[int]:
    return [int(ch) for ch in text if ch.isdigit()]


def luhn(text: str) -> bool:
    """Tell whether the last digit is what most cards and many identity numbers ask for."""
    digits = _digits(text)
    return len(digits) > 1 and _luhn_sum(digits[:-1]) == digits[-1]


def _luhn_sum(digits: Sequence[int]) -> int:
    doubled = [2 * d - (9 if d > 4 else 0) if i % 2 == 0 else d for i, d in enumerate(reversed(digits))]
    return -sum(doubled) % 10


def with_luhn(text: str) -> str:
    digits = _digits(text)
    return _with_last(text, [_luhn_sum(digits[:-1])]) if len(digits) > 1 else text


def _with_last(text: str, digits: Sequence[int]) -> str:
    """The text with its last digits set."""
    out = list(text)
    places = [i for i, ch in enumerate(text) if ch.isdigit()][-len(digits) :]
    for i, d in zip(places, digits, strict=True):
        out[i] = str(d)
    return "".join(out)


def iban(text: str) -> bool:
    plain = "".join(text.split()).upper()
    if not 15 <= len(plain) <= 34 or not plain.isascii() or not plain.isalnum() or not plain[:2].isalpha():
        return False
    return plain[2:4].isdigit() and _mod_97(plain[4:] + plain[:4]) == 1


def _mod_97(text: str) -> int:
    return int("".join(str(int(ch, 36)) for ch in text)) % 97


def with_iban_digits(text: str) -> str:
    """An IBAN with the check digits that its other characters ask for."""
    places = [i for i, ch in enumerate(text) if ch.isalnum()]
    plain = "".join(text[i] for i in places).upper()
    if len(plain) < 5 or not plain.isascii():
        return text
    check = 98 - _mod_97(plain[4:] + plain[:2] + "00")
    out = list(text)
    out[places[2]], out[places[3]] = str(check // 10), str(check % 10)
    return "".join(out)


def _cpf_digits(nine: Sequence[int]) -> list[int]:
    out = list(nine)
    for _ in range(2):
        rest = sum(d * (len(out) + 1 - i) for i, d in enumerate(out)) * 10 % 11
        out.append(0 if rest == 10 else rest)
    return out[9:]


def mended(original: str, made: str) -> str:
    """A number of identity with the check digits right, where those of the original are."""
    digits = _digits(original)
    if _DNI.match(original) and _LETTERS_OF_DNI[int(original[:8]) % 23] == original[-1].upper():
        return made[:-1] + _LETTERS_OF_DNI[int(made[:8]) % 23]
    if len(digits) == 11 and _cpf_digits(digits[:9]) == digits[9:]:
        return _with_last(made, _cpf_digits(_digits(made)[:9]))
    return with_luhn(made) if len(digits) >= 9 and luhn(original) else made
