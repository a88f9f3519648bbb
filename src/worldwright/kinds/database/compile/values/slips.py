"""Misspelling: one slip of the hand."""

from __future__ import annotations

from worldwright.core.rng import Stream

_NEIGHBOURS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi",
    "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
_SLIPS = ("swap", "double", "drop", "neighbour", "case")
_WEIGHTS = (30, 20, 25, 15, 10)


def typo(text: str, stream: Stream) -> str:
    """The text with one realistic slip: letters swapped, doubled, dropped, hit beside, or in the wrong case.

    It differs from the text whenever that has a letter. The domain of an email address keeps its letters, because a
    misspelt reserved domain may be somebody's real one.
    """
    local, at, domain = text.rpartition("@")
    if at and _letters(local):
        return _slip(local, stream) + at + domain
    if at and (recased := _in_other_case(domain)) != domain:
        return local + at + recased
    return _slip(text, stream) if _letters(text) else text


def _slip(text: str, stream: Stream) -> str:
    spots = _letters(text)
    # People slip inside long words; the first letter is mostly right.
    inner = [i for i in spots if i and text[i - 1].isalpha()] or spots
    slipped = _apply(stream.weighted(_SLIPS, _WEIGHTS), text, stream.pick(inner), stream)
    if slipped != text and slipped.strip():
        return slipped
    spot = spots[-1]
    return text[: spot + 1] + text[spot:]


def _apply(slip: str, text: str, spot: int, stream: Stream) -> str:
    char = text[spot]
    match slip:
        case "swap":
            if spot == 0 or not text[spot - 1].isalpha():
                return text
            first, second = text[spot - 1], char
            if first.isupper() and second.islower():  # "Anna" becomes "Nana", not "nAna"
                first, second = first.lower(), second.upper()
            return text[: spot - 1] + second + first + text[spot + 1 :]
        case "double":
            again = char if spot and text[spot - 1].isalpha() else char.lower()
            return text[: spot + 1] + again + text[spot + 1 :]
        case "drop":
            return text[:spot] + text[spot + 1 :]
        case "neighbour":
            near = _NEIGHBOURS.get(char.lower())
            if near is None:
                return text
            hit = stream.pick(near)
            return text[:spot] + (hit.upper() if char.isupper() else hit) + text[spot + 1 :]
    start = spot
    while start and text[start - 1].isalpha():
        start -= 1
    return text[:start] + text[start].swapcase() + text[start + 1 :]


def _in_other_case(text: str) -> str:
    """With its first cased letter in the other case; case does not matter in a domain."""
    for i, char in enumerate(text):
        if char.swapcase() != char:
            return text[:i] + char.swapcase() + text[i + 1 :]
    return text


def _letters(text: str) -> list[int]:
    return [i for i, char in enumerate(text) if char.isalpha()]
