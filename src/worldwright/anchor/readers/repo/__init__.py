"""Reads a repository of source code: models, states, rules and operations of its Python. Nothing of it is ever run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice

from worldwright.anchor.archives import is_archive, unpacked
from worldwright.anchor.evidence import Evidence, Note, Operation, Resource, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo.files import classify, sort, title_of
from worldwright.anchor.readers.repo.mcp_tools import mcp_tools
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.operations import MAX_OPERATIONS, named_apart
from worldwright.anchor.readers.repo.refusals import rules
from worldwright.anchor.readers.repo.resources import resources
from worldwright.anchor.readers.repo.rest_views import rest_actions
from worldwright.anchor.readers.repo.routes import routes
from worldwright.anchor.readers.repo.source import MAX_FILES, MAX_PYTHON_BYTES, Module, parsed
from worldwright.anchor.readers.repo.states import states

__all__ = ["classify", "parts", "read"]

MAX_NOTES = 200
"""Notes and files left out that are told one by one."""


def read(uploads: Sequence[Upload]) -> Evidence:
    """What the Python of a repository tells. Contracts, schemas, data and documents are for their own readers: see `parts`."""
    files, opening = _opened(uploads)
    sorted_files = sort(files)
    modules, notes, skipped = _modules(sorted_files.parts["python"])
    repo = Repo(modules)
    found, left_out = resources(repo)
    rest, guessed = rest_actions(repo)
    operations, renamed = named_apart(list(islice(chain(routes(repo), rest, mcp_tools(repo)), MAX_OPERATIONS)))
    return Evidence(
        title=title_of(files),
        resources=tuple(found),
        operations=tuple(operations),
        claims=tuple(rules(repo)),
        states=tuple(states(repo, found)),
        notes=(*opening, *notes[:MAX_NOTES], *guessed, *renamed, *_overall(repo, files, found, operations)),
        skipped=(*sorted_files.skipped, *skipped[:MAX_NOTES], *left_out[:MAX_NOTES]),
    )


def parts(uploads: Sequence[Upload]) -> dict[str, list[Upload]]:
    """The files of a repository by what they are, without what is left out, so that each can be given to its reader."""
    return {kind: list(found) for kind, found in sort(_opened(uploads)[0]).parts.items()}


def _opened(uploads: Sequence[Upload]) -> tuple[list[Upload], list[Note]]:
    """The files themselves, where one archive was given."""
    if len(uploads) == 1 and is_archive(uploads[0]):
        return unpacked(uploads[0])
    return list(uploads), []


def _modules(files: Sequence[Upload]) -> tuple[list[Module], list[Note], list[Skipped]]:
    modules: list[Module] = []
    notes: list[Note] = []
    skipped: list[Skipped] = []
    size = 0
    for i, upload in enumerate(files):
        size += len(upload.data)
        if i >= MAX_FILES or size > MAX_PYTHON_BYTES:
            why = f"more than {MAX_FILES:,} files or {MAX_PYTHON_BYTES // 2**20} MiB of Python: give the folders that matter"
            skipped.append(Skipped(f"{len(files) - i:,} more Python files", why, Source(upload.name)))
            break
        found = parsed(upload)
        if isinstance(found, Module):
            modules.append(found)
        elif isinstance(found, Note):
            notes.append(found)
        else:
            skipped.append(found)
    return modules, notes, skipped


def _overall(
    repo: Repo, files: Sequence[Upload], found: Sequence[Resource], operations: Sequence[Operation]
) -> list[Note]:
    source = Source(files[0].name if files else "")
    counts = Counter(t.name for t in found)
    notes = [
        Note("info", f"{count} things are called {name}; references by that name lead to the first", source)
        for name, count in list(counts.items())[:MAX_NOTES]
        if count > 1
    ]
    if repo.steps < 0:
        notes.append(
            Note("warning", "the code was too much to follow every name in it; some values are missing", source)
        )
    if not repo.modules and files:
        notes.append(Note("warning", "there is no Python here that could be read; only Python is read as code", source))
    elif not found and not operations and files:
        notes.append(Note("warning", "no models, routes or tools were found in the Python of this repository", source))
    return notes
