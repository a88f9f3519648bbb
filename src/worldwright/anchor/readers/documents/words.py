"""Words of a sentence: their singular, and the small ones that part one phrase from the next. English only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[^\W\d_](?:[\w'’\-]{0,60}[^\W_])?|\d[\d.,]{0,20}|[^\w\s]")


def wordset(text: str) -> frozenset[str]:
    """A list of words that is written as one text."""
    return frozenset(text.split())


def wordmap(text: str) -> dict[str, str]:
    """A table from words to words that is written as one text of `this=that`."""
    return dict(pair.split("=", 1) for pair in text.split())


STOP = wordset(
    "a an the this that these those each every any all some no both either neither such same other another own "
    "and or nor but if when while whenever where wherever whether because since unless until till though although "
    "as than then so also too only just even still not never always often usually typically generally normally "
    "optionally to of in on at by for from with without within into onto over under above below between among "
    "through throughout during before after against about around across along via per upon towards toward out off "
    "up down near beyond is are was were be been being am do does did done has have had having can could may "
    "might must shall should will would ought i you he she it we they them him her us me my your his its our "
    "their who whom whose which what how why there here once twice more most less least many much few fewer "
    "several enough very e.g i.e etc using based including include includes regarding online offline immediately "
    "automatically manually directly successfully accordingly respectively else instead again"
)
DETERMINERS = wordset(
    "a an the this that these those each every any all some no both such same other another own my your his her "
    "its our their one two three four five more many multiple several various new existing specific particular "
    "certain given single individual different following respective corresponding associated related relevant "
    "appropriate necessary required additional further previous next current first last final original own valid "
    "invalid entire whole open pending active inactive approved rejected submitted completed registered "
    "authorized unique separate total full partial only selected chosen available possible successful failed such"
)
"""May stand before a noun and are no part of its name."""

_IRREGULAR = wordmap(
    "people=person children=child men=man women=woman staff=staff status=status business=business address=address "
    "access=access process=process data=data series=series analysis=analysis premises=premises goods=goods "
    "customs=customs sms=sms gas=gas bus=bus lens=lens tax=tax bonus=bonus news=news canvas=canvas always=always "
    "less=less across=across basis=basis criteria=criterion buses=bus statuses=status processes=process "
    "addresses=address classes=class boxes=box taxes=tax batches=batch expenses=expense invoices=invoice "
    "leases=lease purchases=purchase cases=case licenses=license responses=response warehouses=warehouse "
    "courses=course databases=database releases=release phases=phase nurses=nurse leaves=leave employees=employee "
    "movies=movie cookies=cookie"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a sentence."""

    text: str
    low: str
    start: int


def words_of(text: str) -> list[Word]:
    return [Word(m[0], m[0].lower().replace("’", "'"), m.start()) for m in _TOKEN.finditer(text)]


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """The singular of a word, in lower case."""
    low = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2]
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
        return low[:-1]
    return low


def plural(word: str) -> str:
    """The plural of a noun, in lower case."""
    low = word.lower()
    if low.endswith("s") and singular(low) != low:
        return low
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return low[:-1] + "ies"
    return low + ("es" if low.endswith(("s", "x", "z", "ch", "sh")) else "s")


def key_of(name: str) -> tuple[str, ...]:
    """A name as its words in the singular: `Purchase Orders` and `purchase order` are one."""
    return tuple(singular(w.text) for w in words_of(name) if w.text[0].isalnum())


def best_form(name: str, written: Mapping[str, int]) -> str:
    """A name in the singular, in the case that is written most, where the document writes its last word so at all."""
    *before, last = name.split()
    one = singular(last)
    forms = sorted((f for f in (one, one.capitalize(), one.upper()) if written.get(f)), key=lambda f: (-written[f], f))
    if not forms:
        return name
    if before and not all(w[0].isupper() for w in before):
        forms = [f for f in forms if f.islower()] or forms
    low = [w.lower() if written.get(w.lower(), 0) > written.get(w, 0) else w for w in before]
    if low and all(w.islower() for w in low) and written.get(one):
        forms = [one]
    return " ".join([*low, forms[0]])
