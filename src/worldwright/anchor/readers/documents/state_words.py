"""States in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.readers.documents.blocks import squeezed

_QUOTES = "`'\"“”‘’«»„"
_NAME = r"[\w'’ /-]{2,40}?"
_STATUS = r"(?:status(?:es)?|states?|stage|statut|estado|stato|状态|状態|ステータス)"
_LISTED = re.compile(
    rf"(?:\b(?P<thing>[A-Za-z][\w -]{{1,40}}?)\s)?\b{_STATUS}(?: (?:values?|options?|field))?(?: of (?:the |an? |"
    rf"each )?(?P<of>[\w -]{{2,30}}?))?\s?(?P<how>[:：=]|\(|\bare\b|\bincludes?\b|\bcan be\b|\bmay be\b|\bmust be\b|"
    rf"\bis\b|\bmust have\b|\bis one of\b|"
    rf"\bsuch as\b)\s?(?:either |one of |in one of |the following[: ]|e\.g\.,? |for example |: )*(?P<list>[^.;()]{{3,200}})",
    re.IGNORECASE,
)
_CAN_BE = re.compile(
    r"\b(?P<thing>[A-Za-z][\w -]{1,40}?) (?:can|may|must|will|is always) be (?:either |one of |in one of |"
    r"in (?:the )?)?(?P<list>[^.;()]{3,160})",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"\b(?:moves?|moved|changes?|changed|transitions?|goes|go|switch(?:es)?|progress(?:es)?|advances?|returns?|"
    rf"updated|reverts?)\s(?:[\w ]{{0,30}}\s)?from (?P<a>{_NAME}|[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}])"
    rf"(?: (?:status|state))?,? to (?P<b>[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}]|"
    rf"[\w'’/-]{{2,30}}(?: [A-Z][\w'’/-]{{1,20}}){{0,2}})"
)
_SET_TO = re.compile(
    rf"\b{_STATUS}\b(?P<of> of [\w '’-]{{2,40}}?)?(?: (?:is|are|will be|must be|shall be|should be|gets|has been|be|"
    rf"then))?(?: (?:automatically|then|first|initially))?"
    rf"(?: (?:set|changed|updated|moved|marked|changes|turned|reset|becomes|turns))? (?:to|as|"
    rf"becomes) (?P<state>[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}]|"
    rf"[A-Z][\w/-]{{1,24}}(?: [A-Z][\w/-]{{1,20}}){{0,2}}|[a-z][\w-]{{2,20}}ed\b)",
)
_MARKED = re.compile(
    rf"\b(?:mark(?:s|ed|ing)?|flag(?:s|ged|ging)?)\s(?:the |"
    rf"an? )?(?P<thing>[\w-]{{2,30}} )?as (?P<state>[{_QUOTES}][^{_QUOTES}]{{1,40}}[{_QUOTES}]|[A-Z][\w/-]{{1,24}}|"
    rf"[a-z][\w/-]{{2,24}}ed\b)"
)
_SPLIT = re.compile(r"\s?[,;|/、，\n]\s?|\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s|\s?[→]\s?|\s?->\s?")
_BEFORE = re.compile(
    r"\b(?:the|an?|each|every|its|their|current|any|all|valid|possible|allowed|following|have|has|with|supported|"
    r"clear|visual|indicators|for|status(?:es)?|states?|of)\b\s*",
    re.IGNORECASE,
)


def listed(text: str) -> tuple[str, ...]:
    """The names in a list, `Draft, Submitted or "In review"`."""
    parts = [squeezed(p).strip(_QUOTES + " .:()[]*").strip() for p in _SPLIT.split(text)]
    parts = [re.sub(r"^(?:or|and|either|e\.g\.,?|etc)\s+", "", p) for p in parts]
    return tuple(dict.fromkeys(p for p in parts if p and p.lower() not in ("etc", "or", "and", "e.g")))


def found_in(
    text: str, marks: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], bool]]:
    """What is said to have states, the states, the moves, and whether the word status is used."""
    for found in _LISTED.finditer(text):
        names = listed(found["list"].split(") ")[0])
        free = found["how"] in ":：=("
        if len(names) >= 2 and _are_states(names, text, marks, free):
            yield _subject(found["of"] or found["thing"] or ""), names, (), True
            return
    for found in _CAN_BE.finditer(text):
        names = listed(found["list"])
        if len(names) >= 2 and _are_states(names, text, marks, False):
            yield _subject(found["thing"]), names, (), False
    for found in _FROM_TO.finditer(text):
        a, b = (squeezed(found[g]).strip(_QUOTES + " ") for g in ("a", "b"))
        if _are_states((a, b), text, marks, False):
            yield _subject(text[: found.start()]), (a, b), ((a, b),), "status" in text.lower()
    for form in (_SET_TO, _MARKED):
        for found in form.finditer(text):
            of = found.groupdict().get("of") or found.groupdict().get("thing") or ""
            state = squeezed(found["state"]).strip(_QUOTES + " ")
            yield _subject(of.removeprefix(" of ") or text[: found.start()]), (state,), (), form is _SET_TO


def _are_states(names: Sequence[str], text: str, marks: Sequence[str], free: bool) -> bool:
    """Whether words are names of states: short, and capital, quoted or set off, unless a colon introduces them."""
    if any(len(n) > 40 or len(n.split()) > 3 or not n[:1].isalpha() for n in names):
        return False
    quoted = [any(f"{q}{n}" in text for q in _QUOTES) for n in names]
    return free or all(
        n[0].isupper() or n in marks or q or ord(n[0]) > 0x2E80 for n, q in zip(names, quoted, strict=True)
    )


def _subject(text: str) -> str:
    """The last words of what stands before, without articles."""
    words = squeezed(_BEFORE.sub("", text)).split()
    return " ".join(w.strip(",.;:()'’\"") for w in words[-3:]).strip()
