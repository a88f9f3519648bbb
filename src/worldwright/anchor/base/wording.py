"""Texts of a Blueprint in the words of a document: sentences as templates, and one word put for another wherever people read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from worldwright.anchor.base.figures import Slot
from worldwright.anchor.evidence import Quantity
from worldwright.english.nouns import plural

MAX_SENTENCE_CHARS = 400
"""Letters of a text that is taken from a document."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")
_DIGITS = r"(?<![\w.])\d[\d.,]*(?<=\d)(?:\s?[kKmM](?![a-zA-Z]))?"
_SPELT = (
    r"(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty|forty-five|forty|"
    r"fifty|sixty|ninety|an?)(?!\w)"
)
_MONEY = r"(?:US\$|[€$£¥]|[A-Z]{3}\b|euros?|dollars?|pounds?|francs?|kroner|kronor|yen|rupees?|million|thousand)"
_FORMS: Mapping[str, tuple[str, str]] = {
    "money": (rf"(?:{_MONEY}\s?)*", rf"(?:\s?{_MONEY})*"),
    "percent": ("", r"\s?(?:%|percent|per cent)"),
    "days": ("", r"[\s-](?:calendar\s)?(?:days?|weeks?|years?|hours?)"),
    "int": ("", ""),
}
"""By the form of a parameter, what stands before and after its figure in a sentence."""
_BRACES = re.compile(r"(\{[^{}]*\})")


def clean(text: str) -> str:
    """A text of a document as one line that a Blueprint can hold."""
    return re.sub(r"\s+", " ", _UNSEEN.sub(" ", text)).strip()


def shortened(text: str) -> str:
    """At most so much of it, cut after a sentence or a word."""
    text = clean(text)
    if len(text) <= MAX_SENTENCE_CHARS:
        return text
    cut = text[:MAX_SENTENCE_CHARS]
    end = max(cut.rfind(". ") + 1, 0)
    return cut[:end] if end > MAX_SENTENCE_CHARS // 3 else cut[: cut.rfind(" ")].rstrip(",;:") + " ..."


def as_template(sentence: str, slots: Mapping[str, Slot], figures: Mapping[str, Quantity]) -> str | None:
    """The sentence with a placeholder for each of its figures; None where one of them cannot be found."""
    text = sentence
    if "{" in text or "}" in text or len(text) > MAX_SENTENCE_CHARS:
        return None
    for name, quantity in figures.items():
        slot = slots[name]
        before, after = _FORMS[slot.form]
        written = _DIGITS if any(ch.isdigit() for ch in quantity.text) else _SPELT
        found = re.search(f"{before}{written}{after}", quantity.text)
        if found is None or text.count(quantity.text) != 1:
            return None
        placeholder = f"{{{name}:{slot.form}}}"
        said = quantity.text[: found.start()] + placeholder + quantity.text[found.end() :]
        text = text.replace(quantity.text, said)
    text = clean(text)
    return text if text.endswith((".", "!", "?")) else f"{text}."


# one word for another


def reworded(text: str, old: str, new: str) -> str:
    """A text with one noun put for another, in both numbers, with its article; what stands in braces stays."""
    pieces = _BRACES.split(text)
    return "".join(p if p.startswith("{") else _without_braces(p, old, new) for p in pieces)


def _without_braces(text: str, old: str, new: str) -> str:
    for was, now in ((plural(old), plural(new)), (old, new)):
        pattern = re.compile(rf"(?:\b(an?)(\s+))?(?<![\w'])({re.escape(was)})(?![\w-])", re.IGNORECASE)
        text = pattern.sub(_putting(now), text)
    return text


def _putting(now: str) -> Callable[[re.Match[str]], str]:
    def put(found: re.Match[str]) -> str:
        word = now[:1].upper() + now[1:] if found[3][:1].isupper() else now
        if not found[1]:
            return word
        article = "an" if now[:1].lower() in "aeiou" else "a"
        return f"{article.capitalize() if found[1][0].isupper() else article}{found[2]}{word}"

    return put


TEXTS = frozenset({"says", "called", "asks", "then", "each"})
"""Keys under which texts for people stand; `each` is one only in a goal."""


def reword_all(data: dict[str, Any], old: str, new: str) -> int:
    """Put one noun for another in every text that people read. How many texts have changed."""
    changed = 0
    for section in ("entities", "terms", "policies", "operations", "always", "goals"):
        nodes = data.get(section)
        if isinstance(nodes, dict):
            changed += sum(_in_node(node, old, new, section) for node in nodes.values())
    for section in ("roles", "systems"):
        for name, text in (data.get(section) or {}).items():
            said = reworded(str(text), old, new)
            changed += said != text
            data[section][name] = said
    return changed


def _in_node(node: Any, old: str, new: str, section: str) -> int:
    if isinstance(node, list):
        return sum(_in_node(item, old, new, section) for item in node)
    if not isinstance(node, dict):
        return 0
    changed = 0
    for key, value in node.items():
        if key in TEXTS and (key != "each" or section == "goals"):
            said = _said(value, old, new)
            changed += said != value
            node[key] = said
        elif isinstance(value, (dict, list)):
            changed += _in_node(value, old, new, section)
    return changed


def _said(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return reworded(value, old, new)
    return [_said(v, old, new) for v in value] if isinstance(value, list) else value
