"""Types as people write them in tables and diagrams: `money`, `varchar(20)`, `one of low, high`. They become shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Shape

_KINDS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(form, re.IGNORECASE), kind, format_)
    for form, kind, format_ in (
        (r"\b(?:uuid|guid)\b", "string", "uuid"),
        (r"\b(?:date-?time|timestamp|datetime|date and time|date/time)\w*", "string", "date-time"),
        (r"\bdates?\b|日期|日付|\bdatum\b|\bfecha\b", "string", "date"),
        (r"\btime\b", "string", "time"),
        (r"\be-?mail\b", "string", "email"),
        (r"\b(?:phone|telephone)\b", "string", "phone"),
        (r"\b(?:url|uri|link)\b", "string", "uri"),
        (r"\b(?:boolean|bool|yes/no|flag|checkbox|true/false)\b", "boolean", ""),
        (
            r"\b(?:money|currency|amount|price|monetary)\b|金额|金額|\bbetrag\b|\bmontant\b|\bimporte\b",
            "number",
            "currency",
        ),
        (r"\b(?:decimal|numeric)\b", "number", "decimal"),
        (r"\b(?:integer|int|int32|int64|bigint|smallint|long|whole number|count|serial)\b|整数", "integer", ""),
        (r"\b(?:number|float|double|percentage|percent|real|zahl|nombre|número)\b|数値|数字", "number", ""),
        (r"\b(?:array|list|collection|set)\b|\[\]", "array", ""),
        (r"\b(?:object|json|map|dict(?:ionary)?|struct)\b", "object", ""),
        (r"\b(?:file|image|document|attachment|binary|blob)\b", "string", "byte"),
        (
            r"\b(?:string|text|varchar|char|nvarchar|alphanumeric|free text|enum(?:eration)?|choice|dropdown|"
            r"select|picklist|texto?|texte|zeichenkette)\b|字符串|文本|文字列",
            "string",
            "",
        ),
    )
)
_LENGTH = re.compile(
    r"\b(?:var)?char(?:acter)?s?\s?\((\d{1,6})\)|\b(?:max(?:imum)?|up to)\.?\s?(\d{1,6})\s?(?:chars?|characters)\b|"
    r"\b(?:string|text)\s?\((\d{1,6})\)",
    re.IGNORECASE,
)
_CHOICES = re.compile(
    r"\b(?:one of|enum(?:eration)?|values?|options?|either)\s?[:(\[{]?\s*([^.()\[\]{}]{3,300})", re.IGNORECASE
)
_PIPED = re.compile(r"[\w'\"` -]{1,40}(?:\s?\|\s?[\w'\"` -]{1,40}){1,20}")
_SLASHED = re.compile(r"\(?([A-Za-z][\w -]{0,24}(?:/[A-Za-z][\w -]{0,24}){1,12})\)?\Z")


def shape_of_words(typed: str, values: str = "", says: str = "") -> Shape:
    """The shape that type words describe."""
    words = (
        choices(typed)
        or choices(values, True)
        or (choices(says) if "enum" in typed.lower() or "one of" in says.lower() else ())
    )
    if words:
        return Shape("string", enum=words)
    for form, kind, format_ in _KINDS:
        if form.search(typed[:200]):
            length = _LENGTH.search(typed[:200])
            longest = next((int(g) for g in length.groups() if g), None) if length and kind == "string" else None
            items = Shape("any") if kind == "array" else None
            return Shape(kind, format_, items=items, longest=longest)
    return Shape("any")


def choices(text: str, bare_list: bool = False) -> tuple[str, ...]:
    """The words that a text offers: `one of a, b, c`, `(draft | approved)`, `Low/Medium/High`."""
    text = " ".join(text.split())[:400]
    piped = _PIPED.search(text)
    if piped and "|" in piped[0]:
        return _words(piped[0].split("|"))
    listed = _CHOICES.search(text)
    if listed:
        found = _words(re.split(r",|;|/|\bor\b|\band\b", listed[1]))
        if len(found) >= 2:
            return found
    slashed = _SLASHED.match(text)
    if slashed and slashed[1].lower() not in ("yes/no", "true/false", "date/time", "and/or", "n/a") and bare_list:
        return _words(slashed[1].split("/"))
    if bare_list and text.count(",") >= 1:
        found = _words(re.split(r",|;|\bor\b|\band\b", text))
        return found if len(found) >= 2 and all(len(w.split()) <= 3 for w in found) else ()
    return ()


def _words(parts: Sequence[str]) -> tuple[str, ...]:
    clean = [p.strip(" `'\"“”‘’.:()") for p in parts]
    kept = tuple(dict.fromkeys(w for w in clean if w))
    return kept if all(len(w.split()) <= 4 and len(w) <= 40 for w in kept) and len(kept) <= 60 else ()
