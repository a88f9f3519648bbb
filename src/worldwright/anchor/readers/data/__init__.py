"""Files of records: CSV and its kin, JSON, JSON Lines, Parquet and SQLite. What each column is, is told from its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Evidence, Note, Resource, Rows, Source, States
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.names import fresh
from worldwright.anchor.readers.data.columns import columns, field_of, key_of, pair_key
from worldwright.anchor.readers.data.databases import read_parquet, read_sqlite
from worldwright.anchor.readers.data.delimited import read_delimited
from worldwright.anchor.readers.data.json_records import read_json
from worldwright.anchor.readers.data.links import Known, links
from worldwright.anchor.readers.data.tables import Table, Told
from worldwright.formats.encodings import decode_text

WORDS_OF_A_SENTENCE = 5
TABLES = (".csv", ".tsv", ".tab", ".psv")
_ENDING = re.compile(
    r"(?:\.(?:csv|tsv|tab|psv|txt|dat|json|jsonl|ndjson|geojson|parquet|pq|sqlite3?|db3?|data)){1,2}\Z", re.IGNORECASE
)

OTHERS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"%PDF")
"""What spreadsheets, archives and documents begin with."""


def read(uploads: Sequence[Upload]) -> Evidence:
    """The tables of records in some uploads."""
    told = Told()
    tables: dict[str, Table] = {}
    for upload in uploads:
        found = _tables(upload, told)
        renamed = {t.name: fresh(t.name, tables) for t in found}
        for table in found:
            name = renamed[table.name]
            if name != table.name:
                told.notes.append(Note("info", f"a second `{table.name}` is called `{name}`", table.source))
            refers = {c: (renamed.get(to, to), by) for c, (to, by) in table.refers.items()}
            tables[name] = replace(table, name=name, refers=refers)
    known = [_known(table, told) for table in tables.values()]
    linked = links(known, told)
    for one in known:
        _tell_of_guesses(one, linked, told)
    return Evidence(
        resources=tuple(_resource(one, linked) for one in known),
        states=tuple(
            States(k.table.name, c.name, c.words, source=k.table.source)
            for k in known
            for c in k.columns
            if c.is_state and c.words
        ),
        rows=tuple(map(_rows, known)),
        notes=tuple(told.notes),
        skipped=tuple(told.skipped),
    )


def _tables(upload: Upload, told: Told) -> list[Table]:
    name = _ENDING.sub("", upload.name.rsplit("/", 1)[-1]) or "data"
    data, whole = upload.data, Source(upload.name)
    if data.startswith((b"SQLite format 3\0", b"PAR1")):
        return (read_parquet if data.startswith(b"PAR1") else read_sqlite)(upload, name, told)
    if data.startswith(OTHERS):
        return told.fail("this is a spreadsheet, a document or packed; unpack it, or save each sheet as CSV", whole)
    if not data.strip():
        return told.fail("the file is empty; expected a table of records", whole)
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return told.fail("this is no table of records; expected CSV, TSV, JSON, JSON Lines, Parquet or SQLite", whole)
    text, _ = decode_text(data)
    says_json = upload.name.lower().endswith((".json", ".jsonl", ".ndjson", ".geojson"))
    if says_json or text.lstrip()[:1] in ("{", "["):
        before = list(told.notes)
        found = read_json(upload.name, name, text, told)
        if found or says_json:
            return found
        told.notes[:] = before
    table = read_delimited(upload.name, name, text, told)
    if table is None or (_is_prose(table) and not upload.name.lower().endswith(TABLES)):
        return told.fail("no table of records in it; expected CSV, TSV, JSON or JSON Lines", whole)
    return [table]


def _is_prose(table: Table) -> bool:
    """Tell whether the lines of a file are sentences rather than rows."""
    if len(table.columns) > 1:
        return False
    lines = [table.columns[0], *(str(row[0]) for row in table.rows)]
    return sum(len(line.split()) > WORDS_OF_A_SENTENCE for line in lines) * 2 > len(lines)


def _known(table: Table, told: Told) -> Known:
    found, key = columns(table), table.key
    if not key:
        name, guessed = key_of(table.name, found, table.total)
        key = (name,) if name else pair_key(table, found)
        if guessed or len(key) > 1:
            shown = " and ".join(f"`{k}`" for k in key)
            says = f"`{table.name}` has no column that is named like a key; its records are told apart by {shown}"
            told.warn(says, table.source)
    for column in found:
        if column.kind.unsure:
            says = f"`{column.name}` of `{table.name}` may be written with the day or with the month first"
            told.warn(says, table.source)
    return Known(table, found, key)


def _resource(known: Known, linked: Mapping[tuple[str, str], tuple[str, str]]) -> Resource:
    table = known.table
    fields = tuple(field_of(c, table, known.key, linked.get((table.name, c.name))) for c in known.columns)
    unique = tuple(u for u in table.unique if len(u) > 1)
    return Resource(table.name, fields, known.key, unique, origin="data", source=table.source)


def _rows(known: Known) -> Rows:
    table, values = known.table, zip(*(c.values for c in known.columns), strict=True)
    return Rows(table.name, table.columns, tuple(values), table.total, table.source)


def _tell_of_guesses(known: Known, linked: Mapping[tuple[str, str], tuple[str, str]], told: Told) -> None:
    guessed = [c.name for c in known.columns if c.words and (known.table.name, c.name) not in linked]
    if guessed:
        shown = ", ".join(f"`{name}`" for name in guessed[:12]) + (", ..." if len(guessed) > 12 else "")
        says = f"of `{known.table.name}`, {shown} take only a few values; that no others are allowed is a guess"
        told.warn(says, known.table.source)
