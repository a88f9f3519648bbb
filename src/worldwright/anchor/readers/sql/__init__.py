"""SQL: the tables that a schema declares, and the rows that come with it.

SQLite, PostgreSQL, MySQL and MariaDB, SQL Server and Oracle; which of them is found by their marks. The text is split into
statements here, and sqlglot reads the definitions in them. Several uploads are read as one script, in their order: the schema may
stand in one and the data in another.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.sql.finish import evidence
from worldwright.anchor.readers.sql.parse import PLAIN, Dialect, dialect_of
from worldwright.anchor.readers.sql.records import Catalogue
from worldwright.anchor.readers.sql.rows import Heaps
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
    found: Catalogue = Catalogue()
    heaps = Heaps()
    texts = [(upload, _text(upload, found)) for upload in uploads if not _undoes(upload, uploads, found)]
    dialects = [dialect_of(text, upload.name) for upload, text in texts]
    usual = next((dialect for dialect in dialects if dialect is not None), PLAIN)
    for (upload, text), dialect in zip(texts, dialects, strict=True):
        if text:
            _read_text(upload.name, text, dialect or usual, found, heaps)
    return evidence(found, heaps)


def _text(upload: Upload, found: Catalogue) -> str:
    """The text of an upload; empty, and a note, where it is none."""
    for start, says in NOT_TEXT:
        if upload.data.startswith(start):
            found.note(Note("error", f"{upload.name} cannot be read: {says}", Source(upload.name)))
            return ""
    text, _ = decode_text(upload.data)
    if not text.strip("\ufeff\x00 \t\r\n"):
        found.note(
            Note("error", f"{upload.name} is empty; SQL with CREATE TABLE or INSERT is expected", Source(upload.name))
        )
        return ""
    return text


def _undoes(upload: Upload, uploads: Sequence[Upload], found: Catalogue) -> bool:
    """Tell whether an upload only takes back what its twin does: `1_init.down.sql` beside `1_init.up.sql`."""
    twin = upload.name.removesuffix(".down.sql") + ".up.sql"
    undoes = upload.name.endswith(".down.sql") and any(other.name == twin for other in uploads)
    if undoes:
        found.skip(upload.name, f"it takes back what {twin} does", Source(upload.name))
    return undoes


def _read_text(file: str, text: str, dialect: Dialect, found: Catalogue, heaps: Heaps) -> None:
    found.schema = ""
    known = sum(follow(statement, found, heaps) for statement in statements(open_script(text, file, dialect)))
    if not known:
        says = f"{file} holds no SQL that was understood; statements such as CREATE TABLE or INSERT are expected"
        found.note(Note("error", says, Source(file)))
