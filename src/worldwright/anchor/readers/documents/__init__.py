"""Documents in prose: requirements, policies, handbooks.

Markdown, plain text, HTML, DOCX and PDF become the same blocks; whatever is found is found in the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldwright.anchor.evidence import Evidence, Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents.blocks import LONGEST_HEADING, squeezed, unnumbered
from worldwright.anchor.readers.documents.formats import blocks_of
from worldwright.anchor.readers.documents.nouns import nouns
from worldwright.anchor.readers.documents.outline import MOST, Part, foreign, outline, sentences, spoken
from worldwright.anchor.readers.documents.resources import resources
from worldwright.anchor.readers.documents.rules import MOST_RULES, rules
from worldwright.anchor.readers.documents.states import states
from worldwright.anchor.readers.documents.words import names_of
from worldwright.english.languages import NAMES, language_of

__all__ = ["read"]


def read(uploads: Sequence[Upload]) -> Evidence:
    """Return what the documents say: each is read on its own, the evidence follows their order."""
    return _together([_one(upload) for upload in uploads])


def _one(upload: Upload) -> Evidence:
    reading = blocks_of(upload)
    if not reading.blocks:
        notes = reading.notes or (Note("warning", "an empty document", Source(upload.name)),)
        return Evidence(title=reading.title, notes=notes)
    parts, left_out = outline(reading.blocks, upload.name)
    return _make_evidence(parts, reading.title, upload.name, reading.notes, left_out)


def _make_evidence(
    parts: Sequence[Part], declared: str, file: str, notes: Sequence[Note], left_out: Sequence[Skipped]
) -> Evidence:
    prose = spoken(parts)
    language = language_of("\n".join(s.text for s in prose) or "\n".join(p.block.text for p in parts))
    described = resources(parts, file)
    if language in ("en", ""):
        described = (*described, *nouns(parts, prose, [t.name for t in described], file))
    names = names_of([t.name for t in described])
    found, skipped = rules(parts, names, language, file)
    return Evidence(
        title=title_of(parts, declared),
        says=summary_of(parts),
        language=language,
        resources=described,
        rules=found,
        states=states(parts, prose, described, names, file),
        notes=(*notes, *_notes(language, len(found), len(prose), file)),
        skipped=(*left_out, *_code(parts, file), *skipped),
    )


def _notes(language: str, count: int, said: int, file: str) -> list[Note]:
    """Return what a person should know of how the document was understood."""
    out: list[Note] = []
    source = Source(file)
    if not language:
        out.append(Note("warning", "the language cannot be told: rules were looked for in English", source))
    elif language != "en":
        how = "prose in this language is not read for rules; things only where lists and tables name them"
        out.append(Note("warning", f"written in {NAMES[language]}: {how}", source))
    if not count and language in ("en", ""):
        out.append(
            Note("warning", "no sentence says what must, may or must not be: a list of features holds no rules", source)
        )
    elif count >= MOST_RULES:
        out.append(Note("warning", f"only the first {MOST_RULES:,} rules were kept", source))
    if said >= MOST:
        out.append(
            Note("warning", f"only the first {MOST:,} sentences were looked at: give the chapters that matter", source)
        )
    return out


def _code(parts: Sequence[Part], file: str) -> list[Skipped]:
    """Code in other languages: a contract or a schema in it should be uploaded by itself."""
    kinds = ("json", "yaml", "yml", "sql", "xml", "graphql", "proto", "python", "javascript", "typescript", "java")
    blocks = [p.block for p in parts if p.block.kind == "code" and p.block.language in kinds]
    return [
        Skipped(
            f"code in {b.language}",
            "code inside of a document is not read: upload it as a file of its own",
            Source(file, b.at),
        )
        for b in blocks[:50]
    ]


def _together(found: Sequence[Evidence]) -> Evidence:
    return Evidence(
        title=next((e.title for e in found if e.title), ""),
        says=next((e.says for e in found if e.says), ""),
        language=next((e.language for e in found if e.language), ""),
        resources=tuple(t for e in found for t in e.resources),
        rules=tuple(r for e in found for r in e.rules),
        states=tuple(s for e in found for s in e.states),
        notes=tuple(n for e in found for n in e.notes),
        skipped=tuple(s for e in found for s in e.skipped),
    )


# The title of a document, and what it says it is about.


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
