"""Sentences of a text: where each of them starts and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldwright.english.words import wordset

BREAK = "\x0b"
"""Inside of a text: a line that was ended on purpose. A plain line feed is only where a line was full."""
LONGEST = 1_500
"""Characters. What is longer is no sentence that anybody wrote."""
_END = re.compile(
    rf"{BREAK}\s*|\n(?=[ \t]{{0,8}}[A-Z][\w /-]{{1,30}}:\s)|[.!?]{{1,5}}[\"'”’»)\]]{{0,3}}(?=\s)|"
    rf"[。！？]{{1,5}}[」』”）]{{0,2}}|؟"
)
_LAST_WORD = re.compile(r"[^\s(\[/]*\Z")
_SHORT = wordset(
    "e.g i.e eg ie vs cf mr mrs ms dr prof st no nos fig sec ch art approx min max incl excl resp ca inc ltd co "
    "corp dept est u.s u.k a.m p.m z.b d.h u.a bzw ggf evtl inkl zzgl nr abs ca p.ej sr sra ud uds núm art p.ex m "
    "mme bijv o.a d.w.z"
)
"""Abbreviations that a stop does not end."""


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a text starts and ends."""
    start = 0
    for found in _END.finditer(text):
        if found[0][0] not in BREAK + "\n。！？؟" and not _ends(text, start, found.start(), found.end(), found[0]):
            continue
        end = found.start() if found[0][0] in BREAK + "\n" else found.end()
        if text[start:end].strip():
            yield _trimmed(text, start, end)
        start = found.end()
    if text[start:].strip():
        yield _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end


def _ends(text: str, start: int, dot: int, after: int, mark: str) -> bool:
    """Tell whether a stop ends a sentence."""
    if mark[0] in "!?":
        return True
    if dot - start <= 3 and not text[start:dot].strip().isalpha():
        return False
    found = _LAST_WORD.search(text[max(start, dot - 15) : dot])
    word = found[0].lower() if found else ""
    follows = text[after : after + 6].lstrip(" \t\r\n\"'“‘«([*")[:1]
    if word in _SHORT or (len(word) == 1 and word.isalpha() and text[dot - 1].isupper()):
        return False
    return not follows.islower()
