"""Word documents as blocks: what python-docx finds is written as HTML, and the reader of HTML does the rest.

A DOCX is a zip: what it would unpack to is looked at first.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from io import BytesIO
from itertools import groupby
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn

from worldwright.anchor.archives import MOST_MEMBERS, grows_too_large
from worldwright.anchor.readers.documents.blocks import Block, Reading, squeezed, unreadable
from worldwright.anchor.readers.documents.html import read_html

_VAL, _PPR, _T = qn("w:val"), qn("w:pPr"), qn("w:t")
_LEAVE_OUT = tuple(qn(n) for n in ("w:del", "w:moveFrom", "w:drawing", "w:pict", "w:object"))
_P, _TBL, _TR, _TC, _SDT, _SDT_CONTENT, _R = (qn(f"w:{n}") for n in ("p", "tbl", "tr", "tc", "sdt", "sdtContent", "r"))
_WHITE = {qn("w:tab"): "\t", qn("w:br"): "<br>", qn("w:cr"): "<br>"}
_STYLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("contents", re.compile(r"toc")),
    ("heading", re.compile(r"title\Z|heading|überschrift|titre|título|titolo|kop|标题|見出し")),
    ("item", re.compile(r".*(?:list|bullet)")),
    ("code", re.compile(r".*(?:code|preformatted|source|macro)")),
)
"""What a paragraph is, by the name of its style."""
DAMAGED = (
    OpcError, SyntaxError, zipfile.BadZipFile, zlib.error, LookupError, ValueError, AttributeError, TypeError,
    OSError, EOFError, RuntimeError,
)  # fmt: skip
"""What a damaged file makes the library raise."""


def read_docx(data: bytes, file: str) -> Reading:
    """The blocks of a Word document."""
    try:
        refused = _refused(data)
        if refused:
            return unreadable(file, refused)
        document = Document(BytesIO(data))
        written = "\n".join(_written(document.element.body, _styles(document)))
        title = squeezed(document.core_properties.title or "")
        reading = read_html(written, file)
        return replace(reading, blocks=tuple(_joined_code(reading.blocks)), title=title)
    except DAMAGED as e:
        return unreadable(
            file, f"a damaged Word document ({type(e).__name__}): open it in Word and save it again as .docx"
        )


def _refused(data: bytes) -> str:
    """Why a zip is not opened, or nothing."""
    with zipfile.ZipFile(BytesIO(data)) as packed:
        members = packed.infolist()
    whole = sum(m.file_size for m in members)
    if len(members) > MOST_MEMBERS or grows_too_large(whole, len(data)):
        return f"a zip of {len(members):,} members and {whole:,} bytes unpacked is no document: give the text without its pictures"
    if any(m.flag_bits & 1 for m in members):
        return "an encrypted document: save it without a password"
    if not any(m.filename == "word/document.xml" for m in members):
        return "a zip that is no Word document: give .docx, or the files in it one by one"
    return ""


def _styles(document: WordDocument) -> dict[str, tuple[str, int]]:
    """What each style makes of a paragraph and its level, by the id that paragraphs use."""
    out: dict[str, tuple[str, int]] = {}
    for style in document.styles.element.style_lst:
        name = (style.name_val or "").lower()
        kind = next((kind for kind, form in _STYLES if form.match(name)), "")
        digit = re.search(r"\d", name)
        level = (int(digit[0]) if digit else 1) - (kind == "item")
        out[style.styleId or ""] = (kind, max(0, level)) if kind else out.get(style.basedOn_val or "", ("", 0))
    return out


def _written(parent: Any, styles: dict[str, tuple[str, int]]) -> Iterator[str]:
    """Paragraphs and tables in order; a content control is looked into."""
    for child in parent.iterchildren(_P, _TBL, _SDT):
        if child.tag == _TBL:
            yield from _table(child, styles)
        elif child.tag == _SDT:
            for inner in child.iterchildren(_SDT_CONTENT):
                yield from _written(inner, styles)
        else:
            yield _paragraph(child, styles)


def _table(tbl: Any, styles: dict[str, tuple[str, int]]) -> Iterator[str]:
    """A table, and after it the tables in its cells. One column is only a frame around its content."""
    trs = [tr for tr in tbl.iter(_TR) if next(tr.iterancestors(_TBL)) is tbl]
    rows = [[tc for tc in tr.iter(_TC) if next(tc.iterancestors(_TR)) is tr] for tr in trs]
    cells = [tc for row in rows for tc in row]
    if max(map(len, rows), default=0) <= 1:
        for tc in cells:
            yield from _written(tc, styles)
        return
    said = ("".join(_cell(tc, "td" if number else "th") for tc in row) for number, row in enumerate(rows))
    yield f"<table><tr>{'</tr><tr>'.join(said)}</tr></table>"
    for inner in (t for tc in cells for t in tc.iterchildren(_TBL)):
        yield from _table(inner, styles)


def _cell(tc: Any, tag: str) -> str:
    return f"<{tag}>{'<br>'.join(text for p in tc.iterchildren(_P) if (text := _text(p)))}</{tag}>"


def _paragraph(p: Any, styles: dict[str, tuple[str, int]]) -> str:
    named, numbered = p.find(f"{_PPR}/{qn('w:pStyle')}"), p.find(f"{_PPR}/{qn('w:numPr')}")
    kind, level = styles.get(named.get(_VAL) or "", ("", 0)) if named is not None else ("", 0)
    if kind in ("", "item") and numbered is not None:
        said = next((i.get(_VAL) for i in numbered.iterchildren(qn("w:ilvl"))), None) or "0"
        kind, level = "item", max(level, int(said) if re.fullmatch(r"[0-9]{1,2}", said) else 0)
    text = _text(p)
    if kind == "contents":
        return ""
    if kind == "code":
        return f"<pre>{text.replace('<br>', chr(10))}</pre>"
    if kind == "item":
        return f"{'<ul>' * (level + 1)}<li>{text}</li>{'</ul>' * (level + 1)}"
    tag = f"h{max(1, min(level, 6))}" if kind == "heading" else "p"
    return f"<{tag}>{text}</{tag}>"


def _text(p: Any) -> str:
    """The text of a paragraph with what is bold in it. Deleted text is left out."""
    runs = [r for r in p.iter(_R) if next(r.iterancestors(*_LEAVE_OUT), None) is None]
    said = [("".join(_WHITE.get(n.tag) or escape(n.text or "") * (n.tag == _T) for n in r), _is_bold(r)) for r in runs]
    text = "".join(f"<b>{words}</b>" if bold and words.strip() else words for words, bold in said)
    return re.sub(r"</b>(\s*)<b>", r"\1", text)


def _is_bold(run: Any) -> bool:
    bold = run.find(f"{qn('w:rPr')}/{qn('w:b')}")
    return bold is not None and bold.get(_VAL) not in ("0", "false", "off")


def _joined_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with lines of code in a row as one."""
    for is_code, group in groupby(blocks, key=lambda b: b.kind == "code"):
        found = list(group)
        yield from [replace(found[0], text="\n".join(b.text for b in found), level=0)] if is_code else found
