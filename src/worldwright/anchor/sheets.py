"""Evidence as numbered text: each line of a sheet is one fact or one line of a document, under the place that sources name.

A place is written as everywhere else (`12`, `p3.12`, `/paths/~1orders/post`), so a source `prd.md#12` is line 12 of the sheet of
`prd.md`. Documents, scripts and code stand there as they were given; what a program would read (OpenAPI, lists of tools, data)
stands there as what was found in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from worldwright.anchor.evidence import Claim, Evidence, Operation, Remark, Resource, Rows, Shape, Sheet, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.formats.encodings import decode_text

MAX_LINES = 30_000
"""Of one sheet. What is beyond is counted in its last line."""
MAX_LINE_CHARS = 2_000
MAX_FIELD_DEPTH = 4
SAMPLE_ROWS = 20
AS_GIVEN = ("sql", "code")
"""Readers of texts whose lines mean something as they stand."""
_Line = tuple[str, str]
"""A place, and what stands there."""
_Said = tuple[Source | None, str]
_PAGED = (".pdf", ".docx", ".html", ".htm", ".xhtml")


def sheet_text(sheet: Sheet) -> str:
    """A sheet as a person reads it."""
    wide = min(24, max((len(at) for at, _ in sheet.lines), default=0))
    return "".join(f"{at:>{wide}} | {says}".rstrip() + "\n" for at, says in sheet.lines)


def write_sheets(reader: str, uploads: Sequence[Upload], evidence: Evidence) -> tuple[Sheet, ...]:
    """Write what was given to one reader, and what that found, as sheets: one for each file that says anything."""
    found: Mapping[str, Iterable[_Line]]
    if reader not in ("documents", *AS_GIVEN):
        found = _fact_lines(evidence)
    else:
        lines = _document_lines if reader == "documents" else _plain_lines
        facts: list[Any] = [*evidence.resources, *evidence.operations, *evidence.states, *evidence.claims]
        named = {f.source.file for f in facts if f.source is not None}
        found = {u.name: lines(u) for u in uploads if reader != "code" or u.name in named}
    sheets = (Sheet(file, _cut(said)) for file, said in found.items())
    return tuple(sheet for sheet in sheets if sheet.lines)


def _cut(lines: Iterable[_Line]) -> tuple[_Line, ...]:
    left = iter(lines)
    kept = [(at, says[:MAX_LINE_CHARS]) for at, says in islice(left, MAX_LINES)]
    more = sum(1 for _ in left)
    return (*kept, *([("", f"({more:,} more lines are left out here)")] if more else []))


# as they were given


def _plain_lines(upload: Upload) -> Iterator[_Line]:
    if b"\0" in upload.data[:4_096]:
        return
    text, _ = decode_text(upload.data)
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        yield str(number), line.rstrip()


def _document_lines(upload: Upload) -> Iterator[_Line]:
    """The lines of a text; of what has no lines to count, the blocks that were read of it."""
    paged = upload.data.startswith((b"%PDF-", b"PK\x03\x04")) or upload.name.lower().endswith(_PAGED)
    if not paged:
        yield from _plain_lines(upload)
        return
    from worldwright.anchor.readers.documents.formats import blocks_of  # noqa: PLC0415  it needs the libraries of an extra

    for block in blocks_of(upload).blocks:
        if block.kind == "heading":
            yield block.at, "#" * max(1, min(6, block.level)) + " " + " ".join(block.text.split())
        elif block.rows:
            for number, row in enumerate(block.rows):
                at = block.places[number] if number < len(block.places) else block.at
                yield at, "| " + " | ".join(" ".join(cell.split()) for cell in row) + " |"
        else:
            for line in block.text.replace("\x0b", "\n").splitlines() if block.kind == "code" else (block.text,):
                yield block.at, ("- " if block.kind == "item" else "") + " ".join(line.split())


# as facts


def _fact_lines(evidence: Evidence) -> dict[str, list[_Line]]:
    """What was found, by the file that it stands in."""
    out: dict[str, list[_Line]] = {}
    sorts: list[tuple[Sequence[Any], Callable[[Any], Iterator[_Said]]]] = [
        (evidence.operations, _operation_lines), (evidence.resources, _resource_lines), (evidence.rows, _row_lines),
        (evidence.remarks, _prose_lines), (evidence.claims, _prose_lines),
    ]  # fmt: skip
    for facts, lines in sorts:
        for fact in facts:
            for where, says in lines(fact):
                source = where or fact.source or Source("")
                out.setdefault(source.file, []).append((source.at, says))
    return out


def _operation_lines(operation: Operation) -> Iterator[_Said]:
    route = f" {operation.method} {operation.path}" if operation.method else ""
    yield operation.source, f"operation {operation.name}{route}: {_line(operation.title, operation.says)}".rstrip(": ")
    for p in operation.parameters:
        needed = ", required" if p.required else ""
        yield p.source, f"  takes {p.name} ({p.place}{needed}): {describe_shape(p.shape)} {_line(p.says)}".rstrip()
        for at, says in _inner_lines(p.shape, p.name, 1):
            yield p.source, f"    takes {at}: {says}"
    if operation.body is not None and not any(p.place == "body" for p in operation.parameters):
        for at, says in _inner_lines(operation.body, "body", 0):
            yield None, f"  takes {at}: {says}"
    if operation.answer is not None:
        yield None, f"  gives {describe_shape(operation.answer)} {operation.answer.name}".rstrip()
        for at, says in _inner_lines(operation.answer, "", 0):
            yield None, f"    gives {at}: {says}"
    for status, says in operation.errors.items():
        yield None, f"  error {status}: {_line(says)}"


def _resource_lines(resource: Resource) -> Iterator[_Said]:
    yield resource.source, f"{resource.origin or 'thing'} {resource.name}: {_line(resource.says)}".rstrip(": ")
    for f in resource.fields:
        marks = [w for w, on in (("key", f.key), ("required", f.required), ("unique", f.unique)) if on]
        marks += [f"refers to {f.refers_to}"] if f.refers_to else []
        shown = f" ({', '.join(marks)})" if marks else ""
        yield f.source, f"  field {f.name}{shown}: {describe_shape(f.shape)} {_line(f.says or f.shape.says)}".rstrip()
    for check in resource.checks:
        yield None, f"  check {check}"


def _row_lines(rows: Rows) -> Iterator[_Said]:
    yield None, f"{rows.total:,} rows of {rows.resource}: {', '.join(rows.columns)}"
    for row in rows.rows[:SAMPLE_ROWS]:
        yield None, "  row " + " | ".join("" if v is None else str(v)[:200] for v in row)


def _prose_lines(said: Remark | Claim) -> Iterator[_Said]:
    lines = said.says.splitlines() if isinstance(said, Remark) else [said.says]
    yield from ((None, f"{said.heading}: {_line(line)}") for line in lines if line.strip())


def _inner_lines(shape: Shape, at: str, depth: int) -> Iterator[_Line]:
    """The parts of an object or of the elements of a list, each with its path."""
    inner = shape.items if shape.kind == "array" and shape.items is not None else shape
    path = f"{at}[]" if inner is not shape else at
    if depth >= MAX_FIELD_DEPTH:
        return
    for name, f in inner.fields.items():
        here = f"{path}.{name}" if path else name
        needed = " (required)" if f.required else ""
        yield here + needed, f"{describe_shape(f.shape)} {_line(f.says or f.shape.says)}".rstrip()
        yield from _inner_lines(f.shape, here, depth + 1)


def describe_shape(shape: Shape) -> str:
    """A shape in a few words: its type, format, choices and bounds."""
    if shape.kind == "array":
        return f"list of {describe_shape(shape.items)}" if shape.items is not None else "list"
    named = (("from", shape.minimum), ("to", shape.maximum), ("shortest", shape.shortest), ("longest", shape.longest))
    bounds = [f"{word} {value:g}" for word, value in named if value is not None]
    words = [shape.format or shape.kind, *bounds]
    words += ["one of " + ", ".join(map(str, shape.enum[:40]))] if shape.enum else []
    words += [f"default {shape.default}"] if shape.default is not None else []
    words += ["may be null"] if shape.nullable else []
    return "; ".join(words)


def _line(*texts: str) -> str:
    return " ".join(" ".join(texts).split())
