"""Word documents as blocks, through python-docx. A DOCX is a zip: what it would unpack to is looked at first."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
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

_SAVE_AGAIN = "a damaged Word document ({}): open it in Word and save it again as .docx"
MOST_UNPACKED = 300 * 1024 * 1024
MOST_MEMBERS = 5_000
MOST_TIMES = 200
"""How many times larger than packed the whole may be, past a size that no one minds."""
_HARMLESS = 20 * 1024 * 1024
_DEEPEST = 20
"""Tables and content controls inside of each other."""
_LEAVE_OUT = frozenset(qn(n) for n in ("w:del", "w:moveFrom", "w:drawing", "w:pict", "w:object"))
_P, _TBL, _TR, _TC, _SDT, _SDT_CONTENT = (qn(n) for n in ("w:p", "w:tbl", "w:tr", "w:tc", "w:sdt", "w:sdtContent"))
_T, _TAB, _BR, _CR, _R = (qn(n) for n in ("w:t", "w:tab", "w:br", "w:cr", "w:r"))
_VAL = qn("w:val")
DAMAGED = (
    OpcError, SyntaxError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, AttributeError, TypeError,
    IndexError, OSError, EOFError, NotImplementedError, RecursionError, RuntimeError,
)  # fmt: skip
"""What a damaged file makes the library raise."""


def read_docx(data: bytes, file: str) -> Reading:
    """The blocks of a Word document."""
    refused = _refused(data)
    if refused:
        return unreadable(file, refused)
    try:
        document = Document(BytesIO(data))
        styles = _styles(document)
        blocks = tuple(_numbered(_body(document.element.body, styles, 0)))
        title = squeezed(document.core_properties.title or "")
    except DAMAGED as e:
        return unreadable(file, _SAVE_AGAIN.format(type(e).__name__))
    return Reading(blocks, title)


def _refused(data: bytes) -> str:
    """Why a zip is not opened, or nothing."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed:
            members = packed.infolist()
    except DAMAGED as e:
        return _SAVE_AGAIN.format(type(e).__name__)
    whole = sum(m.file_size for m in members)
    if len(members) > MOST_MEMBERS or whole > MOST_UNPACKED or (whole > _HARMLESS and whole > MOST_TIMES * len(data)):
        return f"a zip of {len(members):,} members and {whole:,} bytes unpacked is no document: give the text without its pictures"
    if any(m.flag_bits & 1 for m in members):
        return "an encrypted document: save it without a password"
    if not any(m.filename == "word/document.xml" for m in members):
        return "a zip that is no Word document: give .docx, or the files in it one by one"
    return ""


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style means."""

    heading: int = 0
    item: int = -1
    code: bool = False
    contents: bool = False


def _styles(document: WordDocument) -> dict[str, _Style]:
    """By the id that paragraphs use."""
    out: dict[str, _Style] = {}
    for style in document.styles.element.style_lst:
        name = (style.name_val or "").lower()
        based = style.basedOn_val
        out[style.styleId or ""] = _style(name, out.get(based or "", _Style()))
    return out


def _style(name: str, based: _Style) -> _Style:
    digits = "".join(ch for ch in name if ch.isdigit())[:1]
    if name.startswith("toc"):
        return _Style(contents=True)
    if name == "title" or name.startswith(
        ("heading", "überschrift", "titre", "título", "titolo", "kop", "标题", "見出し")
    ):
        return _Style(heading=int(digits or 1))
    if "list" in name or "bullet" in name:
        return _Style(item=max(0, int(digits or 1) - 1))
    if any(word in name for word in ("code", "preformatted", "source", "macro")):
        return _Style(code=True)
    return based


def _body(parent: Any, styles: dict[str, _Style], depth: int) -> Iterator[Block | list[list[str]]]:
    """Blocks and tables in order; a content control is looked into."""
    if depth > _DEEPEST:
        return
    for child in parent.iterchildren():
        if child.tag == _P:
            yield _paragraph(child, styles)
        elif child.tag == _TBL:
            yield from _table(child, styles, depth)
        elif child.tag == _SDT:
            inner = child.find(_SDT_CONTENT)
            if inner is not None:
                yield from _body(inner, styles, depth + 1)


def _table(tbl: Any, styles: dict[str, _Style], depth: int) -> Iterator[Block | list[list[str]]]:
    """The rows of a table, and after it the tables that stand in its cells. One cell is only a frame around its content."""
    rows: list[list[str]] = []
    inner: list[Any] = []
    for tr in tbl.iter(_TR):
        if next(tr.iterancestors(_TBL), None) is not tbl:
            continue
        row: list[str] = []
        for tc in tr.iter(_TC):
            if next(tc.iterancestors(_TR), None) is tr:
                row.append(BREAK.join(t for p in tc.iterchildren(_P) if (t := _text(p)[0])))
                inner += tc.iterchildren(_TBL)
        rows.append(row)
    if max((len(r) for r in rows), default=0) <= 1:
        yield from (Block("paragraph", r[0]) for r in rows if r)
    else:
        yield rows
    if depth < _DEEPEST:
        for one in inner:
            yield from _table(one, styles, depth + 1)


def _paragraph(p: Any, styles: dict[str, _Style]) -> Block:
    text, marks, bold = _text(p)
    properties = p.find(qn("w:pPr"))
    style, depth, numbered = _Style(), -1, False
    if properties is not None:
        named = properties.find(qn("w:pStyle"))
        style = styles.get(named.get(_VAL) or "", style) if named is not None else style
        numbering = properties.find(qn("w:numPr"))
        if numbering is not None:
            level = numbering.find(qn("w:ilvl"))
            said = (level.get(_VAL) or "0") if level is not None else "0"
            depth, numbered = int(said) if said.isascii() and said.isdigit() and len(said) < 3 else 0, True
    if style.contents:
        return Block("paragraph", "")
    lead = marks[0] if marks and squeezed(text).startswith(marks[0]) else ""
    kind, level_ = _kind(text, style, depth, bold)
    return Block(kind, text, level_, lead=lead, ordered=numbered and kind == "item")


def _kind(text: str, style: _Style, depth: int, bold: bool) -> tuple[str, int]:
    if style.heading:
        return "heading", style.heading
    if style.code:
        return "code", 0
    if depth >= 0 or style.item >= 0:
        return "item", max(depth, style.item, 0)
    if bold and like_a_heading(text):
        return "heading", WITHOUT_LEVEL
    return "paragraph", 0


def _text(p: Any) -> tuple[str, list[str], bool]:
    """The text of a paragraph, its bold parts, and whether all of it is bold. Deleted text is left out."""
    out: list[str] = []
    marks: list[str] = []
    every, going = True, False
    stack: list[Any] = list(reversed(list(p)))
    while stack:
        node = stack.pop()
        if node.tag in _LEAVE_OUT:
            continue
        if node.tag != _R:
            stack += reversed(list(node))
            continue
        words = "".join(_words(node))
        out.append(words)
        if not words.strip():
            continue
        bold = _is_bold(node)
        every = every and bold
        if bold and going:
            marks[-1] += words
        elif bold:
            marks.append(words)
        going = bold
    text = "".join(out)
    return text, [squeezed(m) for m in marks], every and bool(marks)


def _words(run: Any) -> Iterator[str]:
    for node in run.iterchildren():
        if node.tag == _T:
            yield node.text or ""
        elif node.tag == _TAB:
            yield "\t"
        elif node.tag in (_BR, _CR):
            yield BREAK


def _is_bold(run: Any) -> bool:
    properties = run.find(qn("w:rPr"))
    bold = properties.find(qn("w:b")) if properties is not None else None
    return bold is not None and bold.get(_VAL) not in ("0", "false", "off")


def _numbered(parts: Iterator[Block | list[list[str]]]) -> Iterator[Block]:
    """Blocks with the number of their paragraph; a row of a table counts as one. Lines of code in a row are joined."""
    count, made = 0, 0
    code: list[Block] = []
    for part in parts:
        if made >= MOST_BLOCKS:
            break
        if code and not (isinstance(part, Block) and part.kind == "code"):
            yield replace(code[0], text="\n".join(c.text for c in code))
            code = []
        if isinstance(part, list):
            places = [f"par{count + n}" for n in range(1, len(part) + 1)]
            count, made = count + len(part), made + 1
            yield table(part, places, True)
        elif part.text.strip(" \t\r\n" + BREAK):
            count, made = count + 1, made + 1
            block = replace(part, at=f"par{count}")
            if block.kind == "code":
                code.append(block)
            else:
                yield block
    if code:
        yield replace(code[0], text="\n".join(c.text for c in code))
