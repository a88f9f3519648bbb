"""Digits that check other digits: whether they are right, and what makes them right again.

`python-stdnum` computes the same digits. It has no way to set them inside of a number as it is written, and its check of an IBAN
refuses countries and lengths that it does not know: here such a number is somebody's account all the same, and is replaced.
"""

from __future__ import annotations


def luhn(text: str) -> bool:
    """Tell whether the last digit is what most cards and many identity numbers ask for."""
    digits = [int(ch) for ch in reversed(text) if ch.isdigit()]
    doubled = [2 * d - (9 if d > 4 else 0) for d in digits[1::2]]
    return len(digits) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def with_luhn(text: str) -> str:
    """A number with the last digit that its others ask for."""
    last = max((i for i, ch in enumerate(text) if ch.isdigit()), default=0)
    tries = (f"{text[:last]}{digit}{text[last + 1 :]}" for digit in range(10))
    return next(filter(luhn, tries), text)


def iban(text: str) -> bool:
    """Tell whether the check digits of an account number are right."""
    plain = "".join(text.split()).upper()
    if not 15 <= len(plain) <= 34 or not plain.isascii() or not plain.isalnum() or not plain[:2].isalpha():
        return False
    return plain[2:4].isdigit() and int("".join(str(int(ch, 36)) for ch in plain[4:] + plain[:4])) % 97 == 1


def with_iban_digits(text: str) -> str:
    """An IBAN with the check digits that its other characters ask for."""
    first, second = [i for i, ch in enumerate(text) if ch.isalnum()][2:4]
    tries = (f"{text[:first]}{n // 10}{text[first + 1 : second]}{n % 10}{text[second + 1 :]}" for n in range(2, 99))
    return next(filter(iban, tries), text)
