"""How values of a field are drawn, as expressions of the Blueprint language: by what they mean, within what the evidence allows.

An example stands for its form: `INV-2023-0012` is drawn as `text_like('INV-202[345]-[0-9]{4}')`. Many values that occur are drawn
from as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from worldwright.anchor.evidence import Shape
from worldwright.anchor.model.meaning_cues import AMOUNT, CODE, DAY, IDENTITY, JSON, MOMENT, OWN, SQL, WEAK
from worldwright.anchor.model.meanings import example_in, meaning_of, options_in, split_name
from worldwright.anchor.model.records import Attribute
from worldwright.blueprint.types import TEXT_KINDS
from worldwright.core.regex import UnreadableRegex, may_take_forever, sample_match
from worldwright.core.rng import Stream
from worldwright.english.words import wordset
from worldwright.kinds.database.compile.values import find_locale, sample
from worldwright.kinds.database.compile.values.row import DrawContext

MIN_OBSERVED = 4
"""Values that occur from which on others are not made up."""
MAX_PICKED = 24
MAX_PICKED_CHARS = 60
SAMPLES = 16
"""Texts of a kind that are held against what a schema demands."""
PROSE = wordset("sentence paragraph note reason error_message question")
"""Kinds of text that are sentences."""
DISTINCT = wordset("person company product email label slug mnemonic url username domain")
"""Kinds of words of which there are enough for every record to have its own."""
LISTED = wordset("country_name country_code country_code_3 currency currency_name language language_name")
"""Kinds whose tables the records of a thing go through that is one of them."""
MIN_DISTINCT = 20
"""Characters that these need for it."""
EXPRESSIONS = {
    DAY: ('f"{today - between(1, 240)}"', "2025-05-31"),
    MOMENT: ('f"{at(today - between(1, 240), between(8, 17))}"', "2025-05-31T09:00:00Z"),
    AMOUNT: ("text_like('[1-9][0-9]{0,2}[.][0-9]{2}')", "120.50"),
    JSON: ("""text_like('[{]"(source|size|note)": "(web|phone|large|small|new)"[}]')""", '{"source": "phone"}'),
    "last_digits": ("text_like('[0-9]{4}')", "4021"),
    "name_suffix": ("pick('Jr.', 'Sr.', 'II', 'III', 'PhD')", "PhD"),
    SQL: (
        "text_like('SELECT (id|name|status) FROM (orders|customers|items) WHERE (type|owner) = [1-9][0-9]')",
        "SELECT status FROM customers WHERE owner = 42",
    ),
}
"""By meaning, the draw, where the language has no kind for it, and a long text that may come of it."""
HOURS, OPENING = "(0[89]|1[0-7]):(00|15|30|45)", "08:15"
"""Times of the day, and one that a schema which wants such has to allow."""
_CLOCK = re.compile(r"\d\d:\d\d\Z")
LOOSE = (WEAK | OWN) - {*EXPRESSIONS, "phone", "country", "language", "address", "note"}
"""Meanings of texts whose form an example shows better than a kind does."""


def draw_text(a: Attribute) -> str:
    """How a text is drawn, or what is kept as one: lists and objects of which nothing is known."""
    shape = a.shape
    if a.kind == "json":
        return EXPRESSIONS[JSON][0] if shape.kind == "object" else "'[]'"
    if a.kind == "list":
        return _draw_list(a)
    if not a.flavour:  # a reference that leads out of this world
        a = replace(a, flavour=meaning_of(a.path or (a.name,), shape, (), a.says))
    if picked := _picked(a):
        return f"pick({', '.join(map(repr, picked))})"
    shown = next(iter(_plain(shape.examples)), "") or example_in(a.says)
    if shown and not shape.pattern and a.flavour in LOOSE and any(ch.isdigit() for ch in shown):
        drawn = pattern_of(shown)
        if _is_allowed(sample_match(drawn, Stream("example")), shape):
            return f"text_like({drawn!r})"
    return _draw_kind(a)


def _draw_list(a: Attribute) -> str:
    """One or two texts, or numbers, with a comma between them."""
    items = a.shape.items or Shape("string")
    if items.kind == "integer":
        return "text_like('[1-9][0-9]?(, [1-9][0-9])?')"
    one = replace(a, kind="text", shape=items, flavour=meaning_of(a.path, items, (), a.says))
    drawn = draw_text(one)
    if not any("," in text for text in _typical(one.flavour if one.flavour and one.flavour not in OWN else "tag")):
        return drawn if items.enum or set('"{') & set(drawn) else f'f"{{{drawn}}}, {{{drawn}}}"'
    return "text_of('label')"


def _picked(a: Attribute) -> tuple[str, ...]:
    """Values that are drawn from as they are: those of a long list, those that occur, those that a description lists."""
    known = [e for e in _plain((*a.shape.enum, *a.shape.examples)) if _is_allowed(e, a.shape)]
    if a.shape.enum or len(known) >= MIN_OBSERVED:
        return tuple(known[:MAX_PICKED])
    if a.flavour and a.flavour not in WEAK:
        return ()
    options = [o for o in _plain(options_in(a.says)) if _is_allowed(o, a.shape)]
    if a.flavour in (IDENTITY, CODE) and any(ch.isdigit() for o in options for ch in o):
        return ()
    wordy = [e for e in known if not any(ch.isdigit() for ch in e)]
    found = tuple(dict.fromkeys((*wordy, *options)))
    return found if len(found) > 1 else ()


def _plain(values: Sequence[object]) -> list[str]:
    """Those of the values that are texts or numbers which can stand in an expression as they are."""
    texts = dict.fromkeys(str(v) for v in values if isinstance(v, (str, int, float)) and not isinstance(v, bool))
    fitting = (t for t in texts if 0 < len(t) <= MAX_PICKED_CHARS and t.isprintable() and not set("'\\{}") & set(t))
    return [t for t in fitting if t == t.strip()]


def _is_allowed(text: str, shape: Shape) -> bool:
    """Tell whether a schema allows a text. What may take for ever to find out is not."""
    room = (shape.shortest or 0) <= len(text) <= (len(text) if shape.longest is None else shape.longest)
    fits = not shape.pattern or (not may_take_forever(shape.pattern) and re.search(shape.pattern, text) is not None)
    return room and fits


def _draw_kind(a: Attribute) -> str:
    """A text of its kind, where such texts are allowed; else one in the form that a pattern demands, or a code."""
    kind, shape = a.flavour or "label", a.shape
    drawn, long = EXPRESSIONS.get(kind, ("" if kind in OWN else f"text_of({kind!r})", ""))
    texts = (long,) if long else _typical(kind) if drawn else ()
    if drawn and all(_is_allowed(text, shape) for text in texts):
        return drawn
    if shape.pattern:
        made = _matching(shape.pattern)
        if made and all(_CLOCK.fullmatch(text) for text in made) and _is_allowed(OPENING, shape):
            return f"text_like({HOURS!r})"
        free = replace(a, shape=replace(shape, pattern=""))
        fits = bool(made) and all(_is_allowed(text, shape) for text in made)
        return f"text_like({shape.pattern!r})" if fits else _draw_kind(free)
    if texts and not long and not shape.shortest and min(map(len, texts)) <= (shape.longest or 0):
        return f"text_of({kind!r}, {shape.longest})"
    words = [w for step in a.path[-2:] for w in split_name(step) if w.isascii() and w.isalpha()]
    own = [w for w in words if w not in NO_PREFIX] or ["ref"]
    code = f"{own[-1][:3].upper()}-{'000[0-4][1-9]' if a.flavour == IDENTITY else '[1-9][0-9]{2}'}"
    return f"text_like('{code if _is_allowed(sample_match(code, Stream('code')), shape) else _plain_code(shape)}')"


def _matching(pattern: str) -> list[str]:
    try:
        return [sample_match(pattern, Stream("pattern", k)) for k in range(SAMPLES)]
    except UnreadableRegex:
        return []


NO_PREFIX = wordset("id ids code number no key gid identifier external")


def _plain_code(shape: Shape, wide: bool = False) -> str:
    """A pattern for letters and digits, as few as may be; `wide` for so many that no two are likely to be alike."""
    longest = shape.longest if shape.longest is not None else 200
    length = min(longest, max(shape.shortest or 0, 8 if wide else min(longest, 6)))
    if length == 1 and not wide:
        return "[YN]"
    return f"[A-Z]{{{length}}}" if length < 4 and not wide else f"[A-Z0-9]{{{length}}}"


def draw_wide(a: Attribute) -> str:
    """How a text is drawn that no two records share."""
    drawn = draw_text(a)
    roomy = (a.shape.longest or MIN_DISTINCT) >= MIN_DISTINCT
    if drawn.startswith("text_of") and (a.flavour in LISTED or (a.flavour in DISTINCT and roomy)):
        return drawn
    if drawn.startswith("text_like") and re.search(r"\{(\d{2,}|[4-9])\}|\{\d+,", drawn):
        return drawn
    return "text_of('label')" if roomy and not a.shape.shortest else f"text_like('{_plain_code(a.shape, wide=True)}')"


@lru_cache(maxsize=256)
def _typical(kind: str) -> tuple[str, ...]:
    """Some texts of a kind."""
    where = find_locale("en_US")
    streams = ((k, Stream("typical", kind, k)) for k in range(1, SAMPLES + 1))
    return tuple(sample(kind, DrawContext(stream, where, {}, "", k, "")) for k, stream in streams)


_PIECE = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9]")
_YEAR = re.compile(r"(19|20)\d{2}")
MIXED = 5
"""Characters from which on letters and digits in one piece are a code."""


def pattern_of(example: str) -> str:
    """A pattern for texts like the example: words stay, numbers vary, years stay near."""
    return "".join(_piece_pattern(piece) for piece in _PIECE.findall(example))


def _piece_pattern(piece: str) -> str:
    if not piece.isalnum() or not piece.isascii():
        return f"[{piece}]" if piece in ".*+?(){}|$" else f"\\{piece}" if piece in "[]^\\" else piece
    if piece.isdigit():
        return "202[345]" if _YEAR.fullmatch(piece) else _digits(len(piece), piece[0] != "0")
    if len(piece) >= MIXED and re.fullmatch(r"(?=.*\d)[0-9a-f]+", piece):
        return f"[0-9a-f]{{{len(piece)}}}"
    if len(piece) < MIXED or piece.isalpha() or len(re.findall(r"[A-Z]+|[a-z]+|[0-9]+", piece)) <= 2:
        return re.sub(r"\d+", lambda m: _digits(len(m[0]), False), piece)
    classes = "".join(c for c in ("A-Z", "a-z", "0-9") if re.search(f"[{c}]", piece))
    return f"[{classes}]{{{len(piece)}}}"


def _digits(number: int, leading: bool) -> str:
    first, rest = ("[1-9]", number - 1) if leading else ("", number)
    return first + ("" if not rest else "[0-9]" if rest == number == 1 else f"[0-9]{{{rest}}}")


def field_draw(a: Attribute) -> tuple[str, str]:
    """The type of a text field, and its draw; without a draw where the language has a type for it."""
    drawn = draw_text(a)
    if a.flavour in TEXT_KINDS and drawn == f"text_of({a.flavour!r})":
        return a.flavour, ""
    return "text", drawn
