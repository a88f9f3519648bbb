"""Reads a repository of source code: models, states, rules and operations of its Python. Nothing of it is ever run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

from worldwright.anchor.archives import is_archive, unpacked
from worldwright.anchor.evidence import Evidence, Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo.claims import claims
from worldwright.anchor.readers.repo.files import classify, name_of, sort
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.operations import named_apart
from worldwright.anchor.readers.repo.routes import mcp_tools, routes
from worldwright.anchor.readers.repo.source import Module, parsed
from worldwright.anchor.readers.repo.states import states
from worldwright.anchor.readers.repo.things import resources
from worldwright.anchor.readers.repo.views import views

__all__ = ["classify", "parts", "read"]

MAX_FILES = 5_000
MAX_PYTHON_BYTES = 20 * 1024 * 1024
"""Bytes of Python that are read in all; a syntax tree takes about a hundred times as much memory."""
MAX_OPERATIONS = 2_000
MAX_NOTES = 200
"""Notes and files left out that are told one by one."""


def read(uploads: Sequence[Upload]) -> Evidence:
    """What the Python of a repository tells. Contracts, schemas, data and documents are for their own readers: see `parts`."""
    files, notes = _opened(uploads)
    kinds, skipped = sort(files)
    repo = Repo(_modules(kinds["python"], notes, skipped))
    found, programs = resources(repo)
    operations = named_apart(list(islice(chain(routes(repo), views(repo), mcp_tools(repo)), MAX_OPERATIONS)))
    source = Source(files[0].name if files else "")
    if files and not found and not operations:
        notes.append(Note("warning", "no models, routes or tools were found: only Python is read as code", source))
    return Evidence(
        title=name_of(files),
        resources=tuple(found),
        operations=tuple(operations),
        claims=tuple(claims(repo, found)),
        states=tuple(states(repo, found)),
        notes=tuple(notes[:MAX_NOTES]),
        skipped=tuple([*skipped, *programs][:MAX_NOTES]),
    )


def parts(uploads: Sequence[Upload]) -> dict[str, list[Upload]]:
    """The files of a repository by what they are, without what is left out, so that each can be given to its reader."""
    return sort(_opened(uploads)[0])[0]


def _opened(uploads: Sequence[Upload]) -> tuple[list[Upload], list[Note]]:
    """The files themselves, where one archive was given."""
    return unpacked(uploads[0]) if len(uploads) == 1 and is_archive(uploads[0]) else (list(uploads), [])


def _modules(files: Sequence[Upload], notes: list[Note], skipped: list[Skipped]) -> list[Module]:
    modules: list[Module] = []
    size = 0
    for i, upload in enumerate(files):
        size += len(upload.data)
        if i >= MAX_FILES or size > MAX_PYTHON_BYTES:
            why = f"more than {MAX_FILES:,} files or {MAX_PYTHON_BYTES // 2**20} MiB of Python: give the folders that matter"
            skipped.append(Skipped(f"{len(files) - i:,} more Python files", why, Source(upload.name)))
            break
        found = parsed(upload)
        if isinstance(found, Note):
            notes.append(found)
        else:
            modules.append(found)
    return modules
