"""Markup that cannot be broken by what stands in it: every text is escaped unless it was made here."""

from __future__ import annotations

import re
from html import escape

VOID = frozenset({"meta", "br"})
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What no document may hold, and what would turn the direction of the text around it."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def clean_text(value: str) -> str:
    """Put a visible mark in the place of everything that no document may hold."""
    return _UNFIT.sub("\ufffd", value)


def text(value: object) -> Markup:
    """Anything as text of a document."""
    return value if isinstance(value, Markup) else Markup(escape(clean_text(str(value)), quote=True))


def tag(name: str, /, *inner: object, **attributes: object) -> Markup:
    """An element. `class_` stands for class, `stroke_width` for stroke-width; attributes that are None are left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(_format_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{''.join(map(text, inner))}</{name}>")


def join_markup(parts: list[Markup] | tuple[Markup, ...]) -> Markup:
    return Markup("".join(parts))


def _format_number(value: object) -> object:
    """Numbers as short as they can be, the same on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def truncate(value: str, length: int) -> str:
    return value if len(value) <= length else value[: length - 1] + "…"
