"""One wording for what people write in many: spaces and quotes, numbers in words, days in words, dates with slashes."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, normalize

from worldwright.english.dates import MONTH
from worldwright.english.words import NUMBERS

_ONES = "|".join(w for w, n in NUMBERS.items() if 0 < n < 20)
_TENS = "|".join(w for w, n in NUMBERS.items() if n >= 20)
_SMALL = rf"(?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?:{_ONES}))"
_HUNDREDS = rf"(?:(?:{_SMALL}|an?) hundred(?:(?: and)? {_SMALL})?)"
_THOUSANDS = rf"(?:(?:{_HUNDREDS}|{_SMALL}|an?) thousand(?:,? (?:and )?(?:{_HUNDREDS}|{_SMALL}))?)"
_NUMBER_IN_WORDS = re.compile(rf"(?<![\w-])(?:{_THOUSANDS}|{_HUNDREDS}|(?:{_TENS})(?:[- ](?:{_ONES}))?)(?![\w-])", re.I)
"""From twenty on, or of several words. Shorter ones are words of common speech too: `one of them`."""
_SCALES = {"hundred": 100, "thousand": 1000}

_RANKED = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
    " seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth"
    " twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
_RANKS = _RANKED.split()
_RANK = "|".join(sorted(_RANKS, key=len, reverse=True))
_RANK_AND_MONTH = re.compile(rf"\b(?P<rank>{_RANK})(?= (?:day )?(?:of )?(?:{MONTH})\b)", re.I)
_MONTH_AND_RANK = re.compile(rf"\b(?P<month>{MONTH}),? (?:the )?(?P<rank>{_RANK}|\d{{1,2}}(?:st|nd|rd|th))\b", re.I)
_DASHED_DATE = re.compile(r"(?<![\w./-])(\d{1,2})-(\d{1,2})-(\d{4})(?![\w/-])")
_SLASHED_DATE = re.compile(r"(?<![\w./-])(\d{4})[/.](\d{2})[/.](\d{2})(?![\w/-])")
_SHORT_YEAR = re.compile(rf"\b((?:\d{{1,2}}(?:st|nd|rd|th)? (?:{MONTH})|(?:{MONTH}) \d{{1,2}}),?) '(\d{{2}})\b", re.I)


_MAY_HAVE_RANK = re.compile(r"(?:st|nd|rd|th)\b", re.I)
_MAY_HAVE_NUMBER = re.compile(r"(?:ty|hundred|thousand)\b", re.I)


@lru_cache(maxsize=1024)
def normalise(text: str) -> str:
    """Remove what only looks different, and write numbers and days that stand there in words with digits."""
    if not text.isascii():
        text = "".join(" " if category(ch) == "Zs" else ch for ch in normalize("NFKC", text) if category(ch) != "Cf")
        text = text.replace("’", "'").replace("‘", "'").replace("−", "-")
    if _MAY_HAVE_RANK.search(text):
        text = _RANK_AND_MONTH.sub(lambda m: str(_read_rank(m["rank"])), text)
        text = _MONTH_AND_RANK.sub(_write_month_first, text)
    if "'" in text:
        text = _SHORT_YEAR.sub(r"\1 20\2", text)
    text = _SLASHED_DATE.sub(r"\1-\2-\3", text)
    text = _DASHED_DATE.sub(r"\1/\2/\3", text)
    return _NUMBER_IN_WORDS.sub(lambda m: str(_read_words(m[0])), text) if _MAY_HAVE_NUMBER.search(text) else text


def _read_rank(rank: str) -> int:
    return _RANKS.index(rank.lower()) + 1 if rank.lower() in _RANKS else int(re.sub(r"\D", "", rank))


def _write_month_first(m: re.Match[str]) -> str:
    """`May the 15th` as `May 15`; `you may first call` stays as it is."""
    return f"{m['month']} {_read_rank(m['rank'])}" if m["month"][0].isupper() else m[0]


def _read_words(words: str) -> int:
    total = part = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in ("a", "an"):
            part = 1
        elif word in _SCALES:
            scale = _SCALES[word]
            total, part = (total, part * scale) if scale == 100 else (total + part * scale, 0)
        elif word != "and":
            part += NUMBERS[word]
    return total + part
