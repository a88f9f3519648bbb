"""Encodings of texts, told from their bytes."""

from __future__ import annotations

from collections.abc import Iterator

SNIFFED_BYTES = 100_000
"""Bytes that are looked at to tell an encoding."""
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def decode_text(data: bytes) -> tuple[str, str]:
    """Decode a file, and name the encoding that it was read as. Never raises: what is no text comes out as odd characters."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), encoding
    for encoding in ("utf-8", *_eastern(data[:SNIFFED_BYTES]), "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _eastern(data: bytes) -> Iterator[str]:
    """Encodings of Japanese or Chinese as which bytes that are no UTF-8 make sense: letters of theirs beside one another.

    What is western reads as a stray one of these between Latin letters; Chinese reads as Japanese in half-width letters.
    """
    for encoding in ("cp932", "euc-jp", "gb18030"):
        text = data.decode(encoding, "ignore")
        own = [k for k, ch in enumerate(text) if "\u3040" <= ch <= "\u30ff" or "\u4e00" <= ch <= "\u9fff"]
        odd = sum("\uff61" <= ch <= "\uff9f" or "\ue000" <= ch <= "\uf8ff" for ch in text)
        stray = sum(_latin(text[k - 1 : k]) or _latin(text[k + 1 : k + 2]) for k in own)
        kana = sum(text[k] <= "\u30ff" for k in own)
        if own and 2 * stray < len(own) and 5 * odd < len(own) and (encoding != "euc-jp" or 10 * kana > len(own)):
            yield encoding


def _latin(letter: str) -> bool:
    return letter.isascii() and letter.isalpha()
