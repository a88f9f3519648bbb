"""Operations that a document lists: a method and a path, or the name of a function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.evidence import Operation, Source
from worldwright.anchor.readers.documents.blocks import bare, lines_at, squeezed
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.terms import of_cell

MOST_ACTIONS = 500
_METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_CALL = re.compile(rf"\s*`?({_METHODS})`?[\s:]+`?((?:https?://[^\s/`]{{1,100}})?/[^\s`|,;)]{{0,200}})`?(.*)\Z")
_METHOD = re.compile(rf"`?({_METHODS})`?\Z", re.IGNORECASE)
_PATH = re.compile(r"`?((?:https?://[^\s/`]{1,100})?/[^\s`]{0,200})`?\Z")
_FUNCTION = re.compile(r"`?((?:[a-z_][\w]{0,60}[._])?[A-Za-z_][\w]{1,60})`?(?:\s?\([^()]{0,300}\))?\Z")
_SIGNATURE = re.compile(
    r"\s*(?:(?:async |export |public |static )*(?:def|function|func|"
    r"fn)\s+)?([A-Za-z_][\w.]{1,60})\s?\([^()]{0,300}\)\s*(?:(?:->|=>|:)\s*[^{};]{0,80})?[;{:]?\s*(?:(?:#|//|"
    r"--).*)?\Z"
)
_NAMED = re.compile(
    r"(?:operation|function|method|tool|command|action|procedure|rpc|api|endpoint)s?(?: name)?\Z", re.IGNORECASE
)
_HEADING = re.compile(
    r"\b(?:api|apis|endpoints?|operations?|functions?|tools?|commands?|interfaces?|methods?|procedures?|"
    r"schnittstellen?|接口|インターフェース)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:description|purpose|summary|notes?|what it does|beschreibung|descripción|描述|説明)\Z", re.IGNORECASE
)


def operations(parts: Sequence[Part], file: str) -> tuple[Operation, ...]:
    """Every operation that stands in a table, in code or in a list, in order."""
    found: dict[tuple[str, str, str], Operation] = {}
    for part in parts:
        if foreign(part.path):
            continue
        for operation in _of_part(part, file):
            if len(found) < MOST_ACTIONS:
                found.setdefault((operation.name, operation.method, operation.path), operation)
    return tuple(found.values())


def _of_part(part: Part, file: str) -> Iterator[Operation]:
    block = part.block
    if block.kind == "table":
        yield from _of_table(part, file)
    elif block.kind == "code":
        yield from _of_code(part, file)
    elif block.kind in ("item", "paragraph", "heading"):
        found = _CALL.match(squeezed(block.text))
        if found:
            yield _call(found, Source(file, block.at))


def _call(found: re.Match[str], source: Source) -> Operation:
    says = bare(found[3].lstrip(" -–—:`#/"))
    return Operation(f"{found[1]} {found[2]}", says, method=found[1], path=found[2], source=source)


def _of_table(part: Part, file: str) -> Iterator[Operation]:
    """A table with methods and paths, or one whose first column holds names of functions."""
    block = part.block
    header = [squeezed(c) for c in block.rows[0]] if block.headed else []
    says = next((n for n, h in enumerate(header) if _SAYS.match(h)), -1)
    named = next((n for n, h in enumerate(header) if _NAMED.match(h)), -1)
    for row, at in zip(block.rows[1 if block.headed else 0 :], block.places[1 if block.headed else 0 :], strict=True):
        cells = [squeezed(c) for c in row]
        text = of_cell(row[says]) if says >= 0 else ""
        method = next((n for n, c in enumerate(cells) if _METHOD.match(c)), -1)
        path = next((n for n, c in enumerate(cells) if _PATH.match(c)), -1)
        whole = next((f for c in cells if (f := _CALL.match(c))), None)
        if method >= 0 and path >= 0:
            verb, way = cells[method].strip("`").upper(), cells[path].strip("`")
            name = next(
                (
                    cells[n].strip("`")
                    for n in range(len(cells))
                    if n in (named,) and n not in (method, path) and cells[n]
                ),
                f"{verb} {way}",
            )
            yield Operation(name, text, method=verb, path=way, source=Source(file, at))
        elif whole is not None:
            yield Operation(
                f"{whole[1]} {whole[2]}",
                text or bare(whole[3]),
                method=whole[1],
                path=whole[2],
                source=Source(file, at),
            )
        elif (
            named >= 0
            and _is_name(cells[named])
            and (_NAMED.match(header[named]) and _HEADING.search(" ".join((*part.path[-2:], header[named]))))
        ):
            found = _FUNCTION.match(cells[named])
            if found:
                yield Operation(found[1], text, source=Source(file, at))


def _is_name(cell: str) -> bool:
    """Whether a cell holds the name of a function: `create_order`, `createOrder`, `orders.create`, `cancel()`."""
    found = _FUNCTION.match(cell)
    return found is not None and (
        "_" in found[1] or "." in found[1] or cell.rstrip("`").endswith(")") or bool(re.search(r"[a-z][A-Z]", found[1]))
    )


def _of_code(part: Part, file: str) -> Iterator[Operation]:
    """Lines of code with a method and a path; or, under a heading of operations, nothing but signatures."""
    block = part.block
    lines = block.text.split("\n")[:2_000]
    calls = [(n, found) for n, line in enumerate(lines) if len(line) < 500 and (found := _CALL.match(line))]
    for number, found in calls:
        yield _call(found, Source(file, lines_at(block.line + number, block.line + number) if block.line else block.at))
    filled = [
        (n, line)
        for n, line in enumerate(lines)
        if line.strip() and not line.strip().startswith(("#", "//", "--", '"""'))
    ]
    if calls or not filled or not any(_HEADING.search(name) for name in part.path[-2:]):
        return
    signatures = [(n, _SIGNATURE.match(line) if len(line) < 500 else None) for n, line in filled]
    if all(found for _, found in signatures):
        for number, signature in signatures:
            if signature is not None:
                yield Operation(
                    signature[1],
                    source=Source(file, lines_at(block.line + number, block.line + number) if block.line else block.at),
                )
