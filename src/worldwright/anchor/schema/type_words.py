"""Types as people write them in tables and diagrams: `money`, `varchar(20)`, `one of low, high`. They become shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Shape

_KINDS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (kind, format_, re.compile(form, re.IGNORECASE))
    for kind, format_, form in (
        ("string", "uuid", r"\b(?:uuid|guid)\b"),
        ("string", "date-time", r"\b(?:date-?time|timestamp|datetime|date and time|date/time)\w*"),
        ("string", "date", r"\bdates?\b|日期|日付|\bdatum\b|\bfecha\b"),
        ("string", "time", r"\btime\b"),
        ("string", "email", r"\be-?mail\b"),
        ("string", "phone", r"\b(?:phone|telephone)\b"),
        ("string", "uri", r"\b(?:url|uri|link)\b"),
        ("boolean", "", r"\b(?:boolean|bool|yes/no|flag|checkbox|true/false)\b"),
        ("number", "currency", r"\b(?:money|currency|amount|price|monetary|betrag|montant|importe)\b|金额|金額"),
        ("number", "decimal", r"\b(?:decimal|numeric)\b"),
        ("integer", "", r"\b(?:integer|int|int32|int64|bigint|smallint|long|whole number|count|serial)\b|整数"),
        ("number", "", r"\b(?:number|float|double|percentage|percent|real|zahl|nombre|número)\b|数値|数字"),
        ("array", "", r"\b(?:array|list|collection|set)\b|\[\]"),
        ("object", "", r"\b(?:object|json|map|dict(?:ionary)?|struct)\b"),
        ("string", "byte", r"\b(?:file|image|document|attachment|binary|blob)\b"),
        (
            "string",
            "",
            r"\b(?:string|text|varchar|char|nvarchar|alphanumeric|enum(?:eration)?|choice|dropdown|select)\b",
        ),
        ("string", "", r"\b(?:picklist|texto?|texte|zeichenkette)\b|字符串|文本|文字列"),
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
    told = "enum" in typed.lower() or "one of" in says.lower()
    words = choices(typed) or choices(values, True) or (choices(says) if told else ())
    if words:
        return Shape("string", enum=words)
    for kind, format_, form in _KINDS:
        if form.search(typed[:200]):
            length = _LENGTH.search(typed[:200]) if kind == "string" else None
            longest = next((int(g) for g in length.groups() if g), None) if length else None
            return Shape(kind, format_, items=Shape("any") if kind == "array" else None, longest=longest)
    return Shape("any")


def choices(text: str, bare_list: bool = False) -> tuple[str, ...]:
    """The words that a text offers: `one of a, b, c`, `(draft | approved)`, `Low/Medium/High`."""
    text = " ".join(text.split())[:400]
    piped, listed, slashed = _PIPED.search(text), _CHOICES.search(text), _SLASHED.match(text) if bare_list else None
    if piped:
        return _words(piped[0].split("|"))
    found = _words(re.split(r",|;|/|\bor\b|\band\b", listed[1])) if listed else ()
    if len(found) >= 2:
        return found
    if slashed and slashed[1].lower() not in ("yes/no", "true/false", "date/time", "and/or", "n/a"):
        return _words(slashed[1].split("/"))
    found = _words(re.split(r",|;|\bor\b|\band\b", text)) if bare_list and "," in text else ()
    return found if len(found) >= 2 and all(len(w.split()) <= 3 for w in found) else ()


def _words(parts: Sequence[str]) -> tuple[str, ...]:
    clean = [p.strip(" `'\"“”‘’.:()") for p in parts]
    kept = tuple(dict.fromkeys(w for w in clean if w))
    return kept if all(len(w.split()) <= 4 and len(w) <= 40 for w in kept) and len(kept) <= 60 else ()
