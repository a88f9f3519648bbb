"""What the mess layers write instead of a value: the same thing in other words, in an old style, with a slip, or a look-alike."""

from __future__ import annotations

import re
from datetime import date
from unicodedata import combining, normalize

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values.companies import split_suffix
from worldwright.kinds.database.compile.values.people import TITLES, is_given

_FORMS = {
    "Inc.": ("Inc", "Incorporated", "INC."),
    "LLC": ("L.L.C.", "Llc"),
    "Corp.": ("Corp", "Corporation"),
    "Co.": ("Co", "Company"),
    "Ltd.": ("Ltd", "Limited"),
    "Ltd": ("Ltd.", "Limited", "LTD"),
    "Limited": ("Ltd", "Ltd."),
    "LLP": ("L.L.P.",),
    "PLC": ("plc", "P.L.C."),
    "Group": ("Grp.",),
    "GmbH": ("Gmbh", "GMBH", "G.m.b.H."),
    "GmbH & Co. KG": ("GmbH & Co KG", "GmbH + Co. KG", "GmbH u. Co. KG"),
    "AG": ("A.G.", "Ag"),
    "SARL": ("S.A.R.L.", "Sarl"),
    "SAS": ("S.A.S.", "Sas"),
    "SA": ("S.A.",),
    "S.L.": ("SL", "S.L", "S. L."),
    "S.A.": ("SA", "S. A."),
    "S.L.U.": ("SLU", "S.L."),
}
_SHORT = (
    (" Street", " St."),
    (" Avenue", " Ave"),
    (" Road", " Rd."),
    (" Drive", " Dr"),
    (" Lane", " Ln"),
    (" Boulevard", " Blvd"),
    ("straße", "str."),
    ("strasse", "str."),
    (" avenue ", " av. "),
    (" boulevard ", " bd "),
    ("Calle ", "C/ "),
    ("Avenida ", "Avda. "),
    ("Plaza ", "Pza. "),
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def vary(text: str, stream: Stream) -> str:
    """The same thing as another record writes it: `Acme GmbH` as `ACME Gmbh` or `Acme`, `Dr. Ana Ruiz` as `A. Ruiz`.

    It always differs from the text; nothing at all is written `n/a`.
    """
    if not text.strip():
        return "n/a"
    ways = _email(text) if "@" in text else _number(text) if _is_number(text) else _list_telling_forms(text)
    for candidates in (ways, _list_plain_forms(text)):
        others = [way for way in candidates if way != text and way.strip()]
        if others:
            return stream.pick(others)
    return f"{text}."


def _email(text: str) -> list[str]:
    local, _, domain = text.rpartition("@")
    titled = ".".join(part[:1].upper() + part[1:] for part in local.split("."))
    return [text.upper(), f"{titled}@{domain}", f"{local}@{domain[:1].upper()}{domain[1:]}", text.lower()]


def _is_number(text: str) -> bool:
    return not any(char.isalpha() for char in text) and any(char.isdigit() for char in text)


def _number(text: str) -> list[str]:
    """Phone numbers, postcodes and the like: other separators."""
    groups = "".join(char if char.isalnum() or char == "+" else " " for char in text).split()
    joined = ["".join(groups), " ".join(groups), "-".join(groups), ".".join(groups)]
    return [way for way in joined if way != text] or [f"No. {text}"]


def _list_telling_forms(text: str) -> list[str]:
    """List forms that say something about the text: another legal form, initials, an abbreviated street."""
    if text.endswith(".") and len(text.split()) > 6:
        return [text[:-1], text.upper(), text.lower(), text[:1].lower() + text[1:-1]]
    ways = _company(text) + _person(text)
    ways += [text.replace(long, short) for long, short in _SHORT if long in text]
    ways += [text.replace(" & ", sign) for sign in (" and ", " + ") if " & " in text]
    if not text.isascii():
        ways += [text.translate(_UMLAUTS), _remove_accents(text)]
    return [*ways, text.upper(), _title_case(text)]


def _company(text: str) -> list[str]:
    name, suffix = split_suffix(text)
    if not suffix:
        return []
    ways = [name] + [f"{name} {form}" for form in _FORMS.get(suffix, ())]
    first, _, rest = name.partition(" ")
    return [*ways, f"{first.upper()} {rest} {suffix}".replace("  ", " "), f"{name}, {suffix}"]


def _person(text: str) -> list[str]:
    words = [word for word in text.split() if word not in TITLES]
    bare = " ".join(words)
    ways = [bare] if bare and bare != " ".join(text.split()) else []
    if 2 <= len(words) <= 4 and is_given(words[0]) and not any(char.isdigit() for char in text):
        given, family = words[0], " ".join(word for word in words[1:] if not word.endswith("."))
        if family:
            ways += [f"{given[0]}. {family}", f"{family}, {given}", f"{given} {family}", f"{family} {given}"]
    return ways


def _remove_accents(text: str) -> str:
    return "".join(char for char in normalize("NFKD", text) if not combining(char))


def _title_case(text: str) -> str:
    """Write every word with one capital, as a form that tidies its input leaves it: `Smith GmbH` is `Smith Gmbh`."""
    return " ".join(word[:1].upper() + word[1:].lower() for word in text.split())


def _list_plain_forms(text: str) -> list[str]:
    return [text.upper(), text.lower(), text.replace(" ", ""), " ".join(text.replace("-", " ").split())]


# old styles


LEGACY_STYLES: tuple[str, ...] = ("DD.MM.YY", "MM/DD/YYYY", "UPPER", "no_spaces", "prefix:")
"""What the mess layer `legacy_format` knows; after `prefix:` comes the text to put in front."""


def legacy(value: str, style: str) -> str:
    """The value in an old style. The date styles take an ISO date or time, of which they keep the day.

    ValueError for a style that is not known, and for a date style on what is not a date.
    """
    prefix = style.removeprefix("prefix:")
    if prefix and prefix != style:
        return prefix + value
    match style:
        case "DD.MM.YY":
            day = _day(value)
            return f"{day.day:02}.{day.month:02}.{day.year % 100:02}"
        case "MM/DD/YYYY":
            day = _day(value)
            return f"{day.month:02}/{day.day:02}/{day.year:04}"
        case "UPPER":
            return value.upper()
        case "no_spaces":
            return "".join(value.split())
    known = ", ".join(LEGACY_STYLES[:-1]) + ", prefix:TEXT"
    raise ValueError(f"unknown legacy style {style!r}; known: {known}")


def _day(value: str) -> date:
    day = value[:10]
    if day[4:5] == "-" and day[7:8] == "-" and value[10:11] in ("", "T", " "):
        try:
            return date.fromisoformat(day)
        except ValueError:
            pass
    raise ValueError(f"{value!r} is not an ISO date or time")


# slips of the keyboard


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
    if at and (recased := _swap_case(domain)) != domain:
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


def _swap_case(text: str) -> str:
    """Swap the case of the first cased letter; case does not matter in a domain."""
    for i, char in enumerate(text):
        if char.swapcase() != char:
            return text[:i] + char.swapcase() + text[i + 1 :]
    return text


def _letters(text: str) -> list[int]:
    return [i for i, char in enumerate(text) if char.isalpha()]


# look-alikes


_SPELT = (
    ("eyer", "eier"), ("eier", "aier"), ("ph", "f"), ("ie", "ei"), ("ei", "ie"), ("ck", "k"), ("sch", "sh"), ("sson", "sen"),
    ("son", "sen"), ("tt", "t"), ("ll", "l"), ("nn", "n"), ("mm", "m"), ("ss", "s"), ("th", "t"), ("oo", "o"), ("ou", "o"),
    ("ay", "ey"), ("y", "i"), ("z", "s"), ("t", "tt"), ("l", "ll"), ("n", "nn"), ("r", "rr"), ("s", "ss"), ("m", "mm"),
    ("c", "k"), ("a", "e"), ("o", "u"),
)  # fmt: skip
"""How one name is spelt and another that sounds like it."""
_WORDS = (
    ("Supplies", "Supply"), ("Supply", "Supplies"), ("Industries", "Industrial"), ("Services", "Service"), ("Service", "Services"),
    ("Systems", "System"), ("Partners", "Partner"), ("Brothers", "Bros"), ("Sons", "Son"), ("Group", "Groupe"),
)  # fmt: skip
"""Words of companies, and others that are taken for them."""


def make_look_alike(text: str, stream: Stream) -> str:
    """Another name that is easily taken for this one: `Anna Meyer` and `Anna Meier`, `Northfield Supplies` and `Northfield Supply`.

    It differs from the text in a letter or two, wherever the text has a word of three letters.
    """
    for word, other in _WORDS:
        if re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", other, text, count=1)
    parts = re.findall(r"[^\W\d_]+|[\W\d_]+", text)
    long = [i for i, part in enumerate(parts) if len(part) > 2 and part.isalpha()]
    if not long:
        return f"{text} 2"
    spot = stream.pick(long[:2]) if len(long) > 2 else long[-1]
    parts[spot] = _respell(parts[spot])
    return "".join(parts)


def _respell(word: str) -> str:
    """Spell one sound of a word otherwise, behind its first letter."""
    head, tail = word[:1], word[1:]
    for one, other in _SPELT:
        if one in tail.casefold():
            at = tail.casefold().index(one)
            return head + tail[:at] + other + tail[at + len(one) :]
    return word + word[-1]
