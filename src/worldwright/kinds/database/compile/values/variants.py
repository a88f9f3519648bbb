"""How the same thing is written in another record."""

from __future__ import annotations

from unicodedata import combining, normalize

from worldwright.core.rng import Stream
from worldwright.kinds.database.compile.values.companies import without_suffix
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
    ways = _email(text) if "@" in text else _number(text) if _is_number(text) else _telling(text)
    for candidates in (ways, _plain(text)):
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


def _telling(text: str) -> list[str]:
    """What says something about the text: another legal form, initials, an abbreviated street."""
    if text.endswith(".") and len(text.split()) > 6:
        return [text[:-1], text.upper(), text.lower(), text[:1].lower() + text[1:-1]]
    ways = _company(text) + _person(text)
    ways += [text.replace(long, short) for long, short in _SHORT if long in text]
    ways += [text.replace(" & ", sign) for sign in (" and ", " + ") if " & " in text]
    if not text.isascii():
        ways += [text.translate(_UMLAUTS), _without_accents(text)]
    return [*ways, text.upper(), _plain_title(text)]


def _company(text: str) -> list[str]:
    name, suffix = without_suffix(text)
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


def _without_accents(text: str) -> str:
    return "".join(char for char in normalize("NFKD", text) if not combining(char))


def _plain_title(text: str) -> str:
    """Every word with one capital, as a form that tidies its input leaves it: `Smith GmbH` is `Smith Gmbh`."""
    return " ".join(word[:1].upper() + word[1:].lower() for word in text.split())


def _plain(text: str) -> list[str]:
    return [text.upper(), text.lower(), text.replace(" ", ""), " ".join(text.replace("-", " ").split())]
