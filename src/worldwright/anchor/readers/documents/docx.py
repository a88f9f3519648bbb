"""Word documents as blocks, through python-docx. A DOCX is a zip: what it would unpack to is looked at first."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from itertools import count, groupby, islice
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.readers.documents.blocks import (
    MOST_BLOCKS,
    WITHOUT_LEVEL,
    Block,
    Reading,
    like_a_heading,
    squeezed,
    table,
    unreadable,
)

MOST_UNPACKED = 300 * 1024 * 1024
MOST_MEMBERS = 5_000
MOST_TIMES = 200
"""How many times larger than packed the whole may be, past a size that no one minds."""
_HARMLESS = 20 * 1024 * 1024
_VAL, _PPR, _T = qn("w:val"), qn("w:pPr"), qn("w:t")
_LEAVE_OUT = tuple(qn(n) for n in ("w:del", "w:moveFrom", "w:drawing", "w:pict", "w:object"))
_P, _TBL, _TR, _TC, _SDT, _SDT_CONTENT, _R = (qn(f"w:{n}") for n in ("p", "tbl", "tr", "tc", "sdt", "sdtContent", "r"))
_WHITE = {qn("w:tab"): "\t", qn("w:br"): BREAK, qn("w:cr"): BREAK}
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
        found = islice(_blocks(document.element.body, _styles(document), count(1)), MOST_BLOCKS)
        title = squeezed(document.core_properties.title or "")
        return Reading(tuple(_joined_code(found)), title)
    except DAMAGED as e:
        return unreadable(
            file, f"a damaged Word document ({type(e).__name__}): open it in Word and save it again as .docx"
        )


def _refused(data: bytes) -> str:
    """Why a zip is not opened, or nothing."""
    with zipfile.ZipFile(BytesIO(data)) as packed:
        members = packed.infolist()
    whole = sum(m.file_size for m in members)
    if len(members) > MOST_MEMBERS or whole > MOST_UNPACKED or (whole > _HARMLESS and whole > MOST_TIMES * len(data)):
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


def _blocks(parent: Any, styles: dict[str, tuple[str, int]], number: Iterator[int]) -> Iterator[Block]:
    """Blocks in order, each with the number of its paragraph; a content control is looked into."""
    for child in parent.iterchildren(_P, _TBL, _SDT):
        if child.tag == _TBL:
            yield from _table(child, number)
        elif child.tag == _SDT:
            for inner in child.iterchildren(_SDT_CONTENT):
                yield from _blocks(inner, styles, number)
        else:
            block = _paragraph(child, styles)
            if block.text.strip(" \t\r\n" + BREAK):
                yield replace(block, at=f"par{next(number)}")


def _table(tbl: Any, number: Iterator[int]) -> Iterator[Block]:
    """A table, every row with a number, and after it the tables in its cells. One column is only a frame around its content."""
    rows: list[list[str]] = []
    inner: list[Any] = []
    for tr in (r for r in tbl.iter(_TR) if next(r.iterancestors(_TBL)) is tbl):
        cells = [c for c in tr.iter(_TC) if next(c.iterancestors(_TR)) is tr]
        rows.append([BREAK.join(t for p in c.iterchildren(_P) if (t := _text(p)[0])) for c in cells])
        inner += (t for c in cells for t in c.iterchildren(_TBL))
    if max(map(len, rows), default=0) > 1:
        yield table(rows, [f"par{next(number)}" for _ in rows], True)
    else:
        said = (row[0] for row in rows if row and row[0].strip(" \t\r\n" + BREAK))
        yield from (Block("paragraph", text, at=f"par{next(number)}") for text in said)
    for one in inner:
        yield from _table(one, number)


def _paragraph(p: Any, styles: dict[str, tuple[str, int]]) -> Block:
    text, lead, bold = _text(p)
    named, numbered = p.find(f"{_PPR}/{qn('w:pStyle')}"), p.find(f"{_PPR}/{qn('w:numPr')}")
    kind, level = styles.get(named.get(_VAL) or "", ("", 0)) if named is not None else ("", 0)
    if kind == "contents":
        return Block("paragraph")
    if kind in ("", "item") and numbered is not None:
        said = next((i.get(_VAL) for i in numbered.iterchildren(qn("w:ilvl"))), None) or "0"
        kind, level = "item", max(level, int(said) if re.fullmatch(r"[0-9]{1,2}", said) else 0)
    elif not kind:
        kind, level = ("heading", WITHOUT_LEVEL) if bold and like_a_heading(text) else ("paragraph", 0)
    return Block(kind, text, level, lead=lead, ordered=numbered is not None and kind == "item")


def _text(p: Any) -> tuple[str, str, bool]:
    """The text of a paragraph, the bold words it starts with, and whether all of it is bold. Deleted text is left out."""
    runs = [r for r in p.iter(_R) if next(r.iterancestors(*_LEAVE_OUT), None) is None]
    said = [("".join(_WHITE.get(n.tag) or (n.text or "") * (n.tag == _T) for n in r), _is_bold(r)) for r in runs]
    groups = [
        (bold, squeezed("".join(words for words, _ in group)))
        for bold, group in groupby((one for one in said if one[0].strip()), key=lambda one: one[1])
    ]
    text = "".join(words for words, _ in said)
    lead = groups[0][1] if groups and groups[0][0] and squeezed(text).startswith(groups[0][1]) else ""
    return text, lead, len(groups) == 1 and groups[0][0]


def _is_bold(run: Any) -> bool:
    bold = run.find(f"{qn('w:rPr')}/{qn('w:b')}")
    return bold is not None and bold.get(_VAL) not in ("0", "false", "off")


def _joined_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with lines of code in a row as one."""
    for is_code, group in groupby(blocks, key=lambda b: b.kind == "code"):
        found = list(group)
        yield from [replace(found[0], text="\n".join(b.text for b in found), level=0)] if is_code else found
