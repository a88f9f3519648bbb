"""Names of companies: an invented root or a family with a trade, or two families."""

from __future__ import annotations

from functools import cache

from worldwright.kinds.database.compile.values.atlas import LOCALES
from worldwright.kinds.database.compile.values.places import locate
from worldwright.kinds.database.compile.values.row import DrawContext, count_blocks, head, owns, tail

SUFFIXES: tuple[str, ...] = tuple(
    sorted(
        (suffix for locale in LOCALES.values() for suffix in locale.suffixes), key=lambda suffix: (-len(suffix), suffix)
    )
)
"""The legal forms of all locales, longest first."""

_PAIRS = 0.18
_ROOTS = 0.6


def company(row: DrawContext) -> str:
    """The legal form is that of the country, where the row has one already."""
    stream = row.stream
    name = _name(row)
    if stream.chance(0.1):
        return name
    return f"{name} {stream.favourite(locate(row)[0].suffixes)}"


def _name(row: DrawContext) -> str:
    locale, stream = row.locale, row.stream
    kind = stream.uniform()
    if kind < _PAIRS:
        blocks = count_blocks(len(locale.families))
        chosen = head(row, len(locale.families), blocks)
        follower = tail(row, chosen, len(locale.families), blocks)
        return f"{locale.families[chosen]} & {locale.families[follower]}"
    rooted = kind < _PAIRS + _ROOTS
    names, trades = (locale.roots, locale.root_trades) if rooted else (locale.families, locale.family_trades)
    blocks = count_blocks(len(trades))
    chosen = head(row, len(names), blocks)
    trade = trades[tail(row, chosen, len(trades), blocks)]
    return f"{names[chosen]} {trade}" if rooted or locale.family_first else f"{trade} {names[chosen]}"


def split_suffix(text: str) -> tuple[str, str]:
    """Split a name from its legal form; the form is empty where there is none."""
    for suffix in SUFFIXES:
        if text.endswith(suffix) and text[: -len(suffix)].endswith(" ") and len(text) > len(suffix) + 1:
            return text[: -len(suffix) - 1], suffix
    return text, ""


def is_rows_own(row: DrawContext, text: str) -> bool:
    """Return whether no other row of the entity can have this company name, its legal form aside."""
    name, _ = split_suffix(text)
    code = row.locale.code
    first, sign, second = name.partition(" & ")
    if sign:
        return _is_pair_of_row(row, first, second, _index(code, "families"), _index(code, "families"))
    words = name.split(" ")
    for i in range(1, len(words)):
        left, right = " ".join(words[:i]), " ".join(words[i:])
        if _is_pair_of_row(row, left, right, _index(code, "roots"), _index(code, "root_trades")):
            return True
        family, trade = (left, right) if row.locale.family_first else (right, left)
        if _is_pair_of_row(row, family, trade, _index(code, "families"), _index(code, "family_trades")):
            return True
    return False


def _is_pair_of_row(row: DrawContext, first: str, second: str, heads: dict[str, int], tails: dict[str, int]) -> bool:
    chosen, follower = heads.get(first), tails.get(second)
    if chosen is None or follower is None:
        return False
    return owns(row, chosen, follower, len(tails), count_blocks(len(tails)))


@cache
def _index(code: str, part: str) -> dict[str, int]:
    names: tuple[str, ...] = getattr(LOCALES[code], part)
    return {name: i for i, name in enumerate(names)}
