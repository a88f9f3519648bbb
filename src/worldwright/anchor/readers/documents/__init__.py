"""Documents in prose: requirements, policies, handbooks.

Markdown, plain text, HTML, DOCX and PDF become the same blocks; whatever is found is found in the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from worldwright.anchor.claims.about import heading_about, introduces
from worldwright.anchor.evidence import Evidence, Note, Source, join_evidence
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.names import parts as words_of
from worldwright.anchor.readers.documents.blocks import LONGEST_HEADING, squeezed, unnumbered
from worldwright.anchor.readers.documents.endpoints import endpoints
from worldwright.anchor.readers.documents.fences import read_fences
from worldwright.anchor.readers.documents.formats import blocks_of
from worldwright.anchor.readers.documents.outline import MOST, Part, outline, sentences
from worldwright.anchor.readers.documents.resources import add_resource, resources
from worldwright.anchor.readers.documents.statements import MOST_CLAIMS, document_claims
from worldwright.anchor.readers.documents.states import states
from worldwright.english.languages import NAMES, language_of

__all__ = ["read"]


def read(uploads: Sequence[Upload]) -> Evidence:
    """Return what the documents say: each is read on its own, the evidence follows their order."""
    return join_evidence([_one(upload) for upload in uploads])


def _one(upload: Upload) -> Evidence:
    reading, file = blocks_of(upload), upload.name
    if not reading.blocks:
        return Evidence(
            title=reading.title, notes=reading.notes or (Note("warning", "an empty document", Source(file)),)
        )
    parts, left_out = outline(reading.blocks, file)
    prose = "\n".join(s.text for s in sentences(parts))
    language = language_of(prose or "\n".join(p.block.text for p in parts))
    operations, used = endpoints(parts, file)
    own = tuple(p for n, p in enumerate(parts) if n not in used)
    fences = read_fences(own, file)
    found = resources(own, file)
    for resource in fences.resources:
        add_resource(found, resource)
    kept = tuple(found.values())
    claims = sorted((*document_claims(own, language, file), *fences.claims), key=lambda c: _line(c.source))
    return Evidence(
        title=title_of(parts, reading.title, file),
        says=summary_of(parts),
        language=language,
        resources=kept,
        operations=(*operations, *fences.operations),
        claims=tuple(claims),
        states=tuple(states(own, kept, file)),
        notes=(*reading.notes, *_notes(language, len(claims), prose.count("\n") + 1, file)),
        skipped=(*left_out, *fences.skipped),
    )


def _line(source: Source) -> int:
    """Where a claim stands in its document, as a number to sort by."""
    digits = re.search(r"\d+", source.at)
    return int(digits[0]) if digits else 0


def _notes(language: str, count: int, said: int, file: str) -> Iterator[Note]:
    """Return what a person should know of how the document was understood."""
    how = "prose in this language is not read for claims; only lists, tables and code are"
    none = "no statement says what must, may or must not be, or what follows from what"
    for holds, says in (
        (not language, "the language cannot be told: claims were looked for in English"),
        (language not in ("", "en"), f"written in {NAMES.get(language, language)}: {how}"),
        (not count and language in ("en", ""), none),
        (count >= MOST_CLAIMS, f"only the first {MOST_CLAIMS:,} claims were kept"),
        (said >= MOST, f"only the first {MOST:,} sentences were looked at: give the chapters that matter"),
    ):
        if holds:
            yield Note("warning", says, Source(file))


# The title of a document, and what it says it is about.


LONGEST_SUMMARY = 400
_GENERIC = re.compile(
    r"(?:(?:the|project|product|software|system|business|functional|technical|user|detailed|high[- ]level)\s)*"
    r"(?:requirements?|specifications?|prd|srs|brs|brd|frd|fsd|documents?|documentation|overview|readme|introduction|"
    r"use cases?|anforderungen|lastenheft|pflichtenheft)(?:\s(?:documents?|specifications?|requirements?|\([a-z]{2,5}\)|"
    r"definition|v?\d[\d.]*))*\Z",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:project|product|system|application|app|document|service)?\s?(?:name|title|product|projekt|titel|titre|título|"
    r"名称|件名)\s?[:：]\s?(.{2,100})\Z",
    re.IGNORECASE,
)
_MADE_BY = re.compile(
    r"(?:anonymous|untitled|unknown|(?:new )?document ?\d*|title|microsoft word.*|latex.*|.*\.\w{2,5})\W*\Z",
    re.IGNORECASE,
)
"""What a program writes as the title of a file where nobody gave one."""


def title_of(parts: Sequence[Part], declared: str, file: str) -> str:
    """The name of what the document is about: its first heading, where that says more than `Requirements`; else what a line of
    it, the file's own title or the name of the file says."""
    headings = [unnumbered(p.block.text)[:LONGEST_HEADING] for p in parts[:40] if p.block.kind == "heading"]
    declared = "" if _MADE_BY.match(declared) or len(declared) > LONGEST_HEADING else declared
    if headings and not _GENERIC.match(headings[0]):
        return headings[0]
    if headings and [(p.block.kind, p.block.at[:3]) for p in parts[:2]][1:] == [("heading", "p1.")]:
        return f"{headings[0]} – {headings[1]}"[:LONGEST_HEADING]
    for part in parts[:20]:
        for line in re.split(r"[\n\x0b]", part.block.text[:1_000]):
            found = _LABELLED.match(unnumbered(line))
            if found:
                return squeezed(re.sub(r"\([^()]{0,80}\)", " ", found[1])).strip(" *")
    if declared and not _GENERIC.match(declared):
        return declared
    stem = " ".join(words_of(PurePosixPath(file).name.split(".")[0]))
    named = "" if _GENERIC.match(stem) or _MADE_BY.match(stem) else stem.capitalize()
    return named or (headings[0] if headings else "")


def summary_of(parts: Sequence[Part]) -> str:
    """The first one or two sentences of prose, from a section such as `Overview` where there is one."""
    prose = [p for p in parts[:200] if p.block.kind == "paragraph" and heading_about(p.path)[0] != "process"]
    for part in sorted(prose, key=lambda p: not introduces(p.path)):
        told = [s.text for s in sentences((part,)) if not s.text.endswith((":", "："))][:2]
        if told and (len(told[0].split()) >= 8 or ord(told[0][0]) > 0x2E80) and ":" not in told[0][:25]:
            return " ".join(told) if len(" ".join(told)) <= LONGEST_SUMMARY else told[0][:LONGEST_SUMMARY]
    return ""
