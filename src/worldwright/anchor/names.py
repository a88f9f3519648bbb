"""Names as they are written anywhere, as words, and as names that a Blueprint can have.

`purchaseOrders`, `PURCHASE_ORDER`, `purchase-orders` and `Purchase Orders` are the same two words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import Any

from worldwright.blueprint.expr.library import is_variable_name
from worldwright.english.nouns import singular

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_VERSION = re.compile(r"v\d+\Z")
LONGEST = 40


@lru_cache(maxsize=50_000)
def parts(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(ch for ch in plain if not unicodedata.combining(ch))
    return tuple(p.lower() for p in _PARTS.findall(plain))


@lru_cache(maxsize=50_000)
def noun(name: str) -> tuple[str, ...]:
    """The words of a name with the last one in the singular, without versions and file endings: what a thing is called."""
    found = [p for p in parts(name.removesuffix(".json").removesuffix(".xml")) if not _VERSION.match(p)]
    return (*found[:-1], singular(found[-1])) if found else ()


def count_common(names: Sequence[Sequence[str]], stops: Callable[[str], Any] = lambda word: False) -> int:
    """How many words nearly all names begin with, such as `ps` or `hr`; none where there are few names."""
    k = 0
    while len(names) >= 4:
        [(word, often)] = Counter(n[k] for n in names if len(n) > k + 1).most_common(1) or [("", 0)]
        if often < 0.8 * len(names) or stops(word):
            break
        k += 1
    return k


def plural_like(name: str) -> bool:
    """Tell whether a name is written as a plural."""
    found = parts(name)
    return bool(found) and singular(found[-1]) != found[-1]


def identifier(words: Iterable[str], otherwise: str) -> str:
    """The words as a name in a Blueprint: `purchase_order`. Words that are not in ASCII are left out."""
    text = "_".join(w for w in words if w.isascii() and w.isalnum())[:LONGEST].strip("_")
    if not text or not text[0].isalpha():
        text = f"{otherwise}_{text}".strip("_") if text else otherwise
    if is_variable_name(text):
        return text
    longer = f"{text}_{otherwise if otherwise != text else 'value'}"
    return longer if is_variable_name(longer) else f"the_{longer}"[:LONGEST]


def fresh(name: str, taken: Container[str]) -> str:
    """The name, or with the first number that makes it a new one."""
    if name not in taken:
        return name
    return next(f"{name}_{k}" for k in range(2, 100_000) if f"{name}_{k}" not in taken)
