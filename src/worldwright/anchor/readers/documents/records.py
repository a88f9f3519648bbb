"""Tables of examples: records of a thing that the document describes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from worldwright.anchor.evidence import Resource, Rows, Source
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.anchor.readers.documents.fields import header_of
from worldwright.anchor.readers.documents.names import Names
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.words import key_of

MOST_ROWS = 200
_EXAMPLES = re.compile(
    r"\b(?:examples?|samples?|sample data|example data|test data|seed data|demo data|initial data|master data|"
    r"beispiele?|exemples?|ejemplos?|exemplos?|esempi|voorbeelden)\b|示例|例",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,14})\Z")


def records(parts: Sequence[Part], resources: Sequence[Resource], names: Names, file: str) -> tuple[Rows, ...]:
    """The tables whose columns are the fields of a thing, or that stand under a heading of examples of one."""
    return tuple(_records(parts, resources, names, file))


def _records(parts: Sequence[Part], resources: Sequence[Resource], names: Names, file: str) -> Iterator[Rows]:
    fields = [(t.name, {key_of(f.name) for f in t.fields}) for t in resources if len(t.fields) >= 2]
    kinds = {t.name for t in resources}
    for number, part in enumerate(parts):
        block = part.block
        if block.kind != "table" or not block.headed or len(block.rows) < 2 or foreign(part.path) or header_of(block):
            continue
        columns = tuple(squeezed(c).strip("`*") for c in block.rows[0])
        if len(set(columns)) < len(columns) or not all(columns):
            continue
        keys = [key_of(c) for c in columns]
        resource = next(
            (name for name, known in fields if sum(k in known for k in keys) >= max(2, 0.7 * len(keys))), ""
        )
        if not resource:
            said = " ".join((part.heading, _line_before(parts, number)))
            known = [n for n in names.within(said) if n in kinds]
            resource = known[-1] if known and _EXAMPLES.search(said) else ""
        if resource:
            rows = tuple(tuple(_value(c) for c in row) for row in block.rows[1 : MOST_ROWS + 1])
            yield Rows(resource, columns, rows, len(block.rows) - 1, Source(file, block.at))


def _line_before(parts: Sequence[Part], number: int) -> str:
    before = parts[number - 1] if number else None
    return (
        squeezed(before.block.text)[:200]
        if before is not None and before.block.kind == "paragraph" and before.section == parts[number].section
        else ""
    )


def _value(cell: str) -> Any:
    """A cell as a JSON value: whole numbers, true and false, nothing; everything else as it is written."""
    text = squeezed(cell).strip("`")
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _WHOLE.match(text):
        return int(text)
    return text or None
