"""Documents in prose: requirements, policies, handbooks.

Markdown, plain text, HTML, DOCX and PDF become the same blocks; whatever is found is found in the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.anchor.evidence import Evidence, Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents.formats import blocks_of
from worldwright.anchor.readers.documents.names import names_of
from worldwright.anchor.readers.documents.nouns import nouns
from worldwright.anchor.readers.documents.outline import Part, outline
from worldwright.anchor.readers.documents.people import people
from worldwright.anchor.readers.documents.records import records
from worldwright.anchor.readers.documents.resources import resources
from worldwright.anchor.readers.documents.rules import MOST_RULES, rules
from worldwright.anchor.readers.documents.sentences import MOST, spoken
from worldwright.anchor.readers.documents.states import states
from worldwright.anchor.readers.documents.summary import summary_of, title_of
from worldwright.english.languages import NAMES, language_of

__all__ = ["read"]


def read(uploads: Sequence[Upload]) -> Evidence:
    """What the documents say: each is read on its own, the evidence follows their order."""
    return _together([_one(upload) for upload in uploads])


def _one(upload: Upload) -> Evidence:
    reading = blocks_of(upload)
    if not reading.blocks:
        notes = reading.notes or (Note("warning", "an empty document", Source(upload.name)),)
        return Evidence(title=reading.title, notes=notes)
    parts, left_out = outline(reading.blocks, upload.name)
    return _found(parts, reading.title, upload.name, reading.notes, left_out)


def _found(
    parts: Sequence[Part], declared: str, file: str, notes: Sequence[Note], left_out: Sequence[Skipped]
) -> Evidence:
    prose = spoken(parts)
    language = language_of("\n".join(s.text for s in prose) or "\n".join(p.block.text for p in parts))
    roles = people(parts, file)
    described = resources(parts, file)
    if language in ("en", ""):
        described = (*described, *nouns(parts, prose, [t.name for t in described], file))
    known = [*(p.name for p in roles), *(t.name for t in described)]
    lifecycles = states(parts, prose, described, names_of([t.name for t in described], ()), file)
    names = names_of(known, [s for one in lifecycles for s in one.states])
    found, skipped = rules(parts, names, language, file)
    return Evidence(
        title=title_of(parts, declared),
        says=summary_of(parts),
        language=language,
        resources=described,
        rules=found,
        states=lifecycles,
        people=roles,
        rows=records(parts, described, names, file),
        notes=(*notes, *_notes(language, len(found), len(prose), file)),
        skipped=(*left_out, *_code(parts, file), *skipped),
    )


def _notes(language: str, count: int, said: int, file: str) -> list[Note]:
    """What a person should know of how the document was understood."""
    out: list[Note] = []
    source = Source(file)
    if not language:
        out.append(Note("warning", "the language cannot be told: rules were looked for in English", source))
    elif language != "en":
        how = "prose in this language is not read for rules; roles and resources only where lists and tables name them"
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
        people=tuple(p for e in found for p in e.people),
        rows=tuple(r for e in found for r in e.rows),
        notes=tuple(n for e in found for n in e.notes),
        skipped=tuple(s for e in found for s in e.skipped),
    )
