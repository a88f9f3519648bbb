"""Which format a document has: by what its bytes are, then by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.documents.blocks import MOST_TEXT, Reading, unreadable
from worldwright.anchor.readers.documents.docx import read_docx
from worldwright.anchor.readers.documents.html import read_html
from worldwright.anchor.readers.documents.markdown import read_markdown
from worldwright.anchor.readers.documents.pdf import read_pdf
from worldwright.anchor.readers.documents.plain import read_plain
from worldwright.formats.encodings import decode_text

_REFUSED: dict[tuple[bytes, ...], str] = {
    (b"\xd0\xcf\x11\xe0",): "an old Office file (.doc, .xls, .ppt): save it as .docx",
    (b"{\\rtf",): "rich text (RTF): save it as .docx",
    (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"): "a picture: give the text that it shows",
    (b"\x1f\x8b",): "a packed file: unpack it first",
}
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".mdwn")
_HTML = (".html", ".htm", ".xhtml")
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARKED_TABLE = re.compile(r"^\|?(?: *:?-{3,}:? *\|)+ *(?::?-{3,}:?)? *$", re.MULTILINE)
_MARKED = re.compile(r"^(?:#{1,6} \S|```|\|[ :-]{3,}\||[*-] \*\*|\[[^\]\n]{1,80}\]\([^)\n]{1,200}\))", re.MULTILINE)
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")


def blocks_of(upload: Upload) -> Reading:
    """The blocks of a document, whatever its format; an error in the notes where it cannot be read."""
    data, name = upload.data, upload.name
    if b"%PDF-" in data[:1_024]:
        return read_pdf(data, name)
    if data.startswith(b"PK\x03\x04"):
        return read_docx(data, name)
    for starts, says in _REFUSED.items():
        if data.startswith(starts):
            return unreadable(name, says)
    ending = name.lower().rpartition(".")[2]
    if ending in ("pdf", "docx") and data.strip():
        says = f"no {ending.upper()} at all by its first bytes: it may be damaged or have the wrong name"
        return unreadable(name, says)
    return _of_text(data, name)


def _of_text(data: bytes, name: str) -> Reading:
    text, _ = decode_text(data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(_UNSEEN.findall(text[:100_000])) * 20 > min(len(text), 100_000):
        return unreadable(name, "neither text nor a document that is known: give Markdown, text, HTML, DOCX or PDF")
    cut = len(text) > MOST_TEXT
    text = _UNSEEN.sub(" ", text[:MOST_TEXT]).replace("\x0b", " ")
    reading = _reader(text, name.lower())(text, name)
    if cut:
        note = Note("warning", f"only the first {MOST_TEXT:,} characters were read", Source(name))
        return replace(reading, notes=(*reading.notes, note))
    return reading


def _reader(text: str, name: str) -> Callable[[str, str], Reading]:
    if name.endswith(_HTML) or _HTML_START.match(text):
        return read_html
    marked = len(_MARKED.findall(text[:200_000])) >= 3 or _MARKED_TABLE.search(text[:200_000])
    if name.endswith(_MARKDOWN) or marked:
        return read_markdown
    return read_plain
