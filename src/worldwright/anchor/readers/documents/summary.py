"""The title of a document, and what it says it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.readers.documents.blocks import LONGEST_HEADING, squeezed, unnumbered
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.sentences import sentences

LONGEST_SUMMARY = 400
_GENERIC = re.compile(
    r"(?:(?:the|project|product|software|system|business|functional|technical|user|detailed|"
    r"high[- ]level)\s)*(?:requirements?|specifications?|prd|srs|brs|brd|frd|fsd|documents?|documentation|overview|"
    r"readme|"
    r"introduction|use cases?|anforderungen|lastenheft|pflichtenheft)(?:\s(?:documents?|specifications?|"
    r"requirements?|\([a-z]{2,5}\)|definition|v?\d[\d.]*))*\Z",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:project|product|system|application|app|document|service)?\s?(?:name|title|product|projekt(?:name)?|titel|"
    r"titre|título|titolo|名称|项目名称|件名)\s?[:：]\s?(.{2,100})\Z",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:overview|summary|objectives?|purpose|introduction|abstract|description|about|background|scope|goals?|"
    r"vision|überblick|zweck|einleitung|introduction|objectif|resumen|objetivo|introducción)\b|概述|简介|目的|概要|はじめに",
    re.IGNORECASE,
)


def title_of(parts: Sequence[Part], declared: str) -> str:
    """The name of what the document is about; a heading such as `Requirements` gives way to a line that names the project."""
    headings = [p for p in parts[:40] if p.block.kind == "heading"]
    first = unnumbered(headings[0].block.text)[:LONGEST_HEADING] if headings else ""
    title = first if headings and headings[0].block.level <= 2 else (declared or first)
    if (
        declared
        and len(declared) <= LONGEST_HEADING
        and (not title or _GENERIC.match(title))
        and not _GENERIC.match(declared)
    ):
        title = declared
    if title and not _GENERIC.match(title):
        return title
    second = headings[1] if len(headings) > 1 else None
    if title == first and second is not None and headings[0].block.at == second.block.at == "p1" and parts[1] is second:
        return f"{first} – {unnumbered(second.block.text)}"[:LONGEST_HEADING]
    for part in parts[:20]:
        for line in re.split(r"[\n\x0b]", part.block.text[:1_000]):
            found = _LABELLED.match(unnumbered(line))
            if found:
                return squeezed(re.sub(r"\([^()]{0,80}\)", " ", found[1])).strip(" *")
    if title:
        return title
    start = next((s.text for s in sentences(parts[:5])), "")
    return start[:80] if len(start) <= 80 else ""


def summary_of(parts: Sequence[Part]) -> str:
    """The first one or two sentences of prose, from a section such as `Overview` where there is one."""
    prose = [p for p in parts[:200] if p.block.kind == "paragraph" and _is_prose(p) and not foreign(p.path)]
    for part in (*(p for p in prose if _ABOUT.search(p.heading)), *prose):
        told = [s.text for s in sentences((part,)) if not s.text.endswith((":", "："))][:2]
        if told:
            return " ".join(told) if len(" ".join(told)) <= LONGEST_SUMMARY else told[0][:LONGEST_SUMMARY]
    return ""


def _is_prose(part: Part) -> bool:
    text = squeezed(part.block.text[:1_000])
    wide = any(ord(ch) > 0x2E80 for ch in text[:50])
    return (len(text) >= 12 if wide else len(text.split()) >= 8) and ":" not in text[:25]
