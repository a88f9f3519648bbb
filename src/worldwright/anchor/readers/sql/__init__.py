"""SQL: the tables that a schema declares, and the rows that come with it.

SQLite, PostgreSQL, MySQL and MariaDB, SQL Server and Oracle; which of them is found by their marks. sqlglot finds the words of
the text and reads the definitions in it; statements are told apart here. Several uploads are read as one script, in their order:
the schema may stand in one and the data in another.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.sql.finish import evidence
from worldwright.anchor.readers.sql.parse import PLAIN, dialect_of
from worldwright.anchor.readers.sql.records import Catalogue
from worldwright.anchor.readers.sql.script import follow
from worldwright.anchor.readers.sql.split import open_script, statements
from worldwright.formats.encodings import decode_text

__all__ = ["read"]

NOT_TEXT: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3", "it is a SQLite database file; give what `sqlite3 FILE .dump` writes"),
    (b"PGDMP", "it is an archive of pg_dump; give what `pg_restore -f - FILE` writes"),
    (b"\x1f\x8b", "it is compressed; give the SQL text itself"),
    (b"PK\x03\x04", "it is compressed; give the SQL text itself"),
)


def read(uploads: Sequence[Upload]) -> Evidence:
    """The evidence in SQL scripts and dumps."""
    found = Catalogue()
    texts = [(upload.name, text, dialect_of(text, upload.name)) for upload in uploads if (text := _text(upload, found))]
    usual = next((dialect for _, _, dialect in texts if dialect), PLAIN)
    for name, text, dialect in texts:
        found.schema = ""
        script = open_script(text, name, dialect or usual)
        if not sum([follow(one, found) for one in statements(script)]):
            says = "holds no SQL that was understood; statements such as CREATE TABLE or INSERT are expected"
            found.notes.append(Note("error", f"{name} {says}", Source(name)))
    return evidence(found)


def _text(upload: Upload, found: Catalogue) -> str:
    """The text of an upload; empty, and a note, where there is none."""
    text, _ = decode_text(upload.data)
    wrong = next((f"cannot be read: {says}" for start, says in NOT_TEXT if upload.data.startswith(start)), "")
    if not wrong and not text.strip("\ufeff\x00 \t\r\n"):
        wrong = "is empty; SQL with CREATE TABLE or INSERT is expected"
    if wrong:
        found.notes.append(Note("error", f"{upload.name} {wrong}", Source(upload.name)))
    return "" if wrong else text
