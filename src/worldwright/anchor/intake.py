"""What was given, by kind, and the reader that each kind goes to.

A folder of documents or a repository holds more than one kind: each file goes to the reader of what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from typing import Any

from worldwright.anchor.archives import is_archive
from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.uploads import Upload
from worldwright.core.errors import UsageError

KINDS = ("prompt", "prd", "docs", "repo", "mcp", "openapi", "sql", "data")
MIXED = frozenset({"docs", "repo", "any"})
"""Kinds of which each file may be something else."""
VERSION = 1
"""Of what the readers and the model make of the same bytes. It is part of every lock."""


@dataclass(frozen=True, slots=True)
class Given:
    """One thing that somebody gave."""

    kind: str
    """One of `KINDS`, or `any` where each file tells what it is."""
    label: str
    """As it was given: a path, a URL, or the prompt itself."""
    uploads: tuple[Upload, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What one reader found in one thing that was given."""

    kind: str
    """Of the reader: mcp, openapi, sql, data, documents or code"""
    label: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class _Reader:
    module: str
    libraries: tuple[str, ...] = ()


_READERS: Mapping[str, _Reader] = {
    "mcp": _Reader("mcp", ("jsonschema",)),
    "openapi": _Reader("openapi", ("PyYAML", "jsonschema")),
    "sql": _Reader("sql", ("sqlglot",)),
    "data": _Reader("data"),
    "documents": _Reader("documents", ("beautifulsoup4", "markdown-it-py", "pypdf", "python-docx")),
    "code": _Reader("repo"),
}
_OF_KIND: Mapping[str, str] = {
    "prompt": "documents",
    "prd": "documents", "mcp": "mcp", "openapi": "openapi", "sql": "sql", "data": "data", "document": "documents", "python": "code",
}  # fmt: skip
"""The reader of a kind that was given, or that a file of a folder was found to be."""
ORDER = ("mcp", "openapi", "sql", "code", "data", "documents")


def read(given: Sequence[Given]) -> tuple[Read, ...]:
    """Everything that was given, read. Files of the same name from different places are told apart by what they came with."""
    out: list[Read] = []
    for one in _told_apart(given):
        for reader, uploads in _routed(one):
            found: Evidence = _module(reader).read(uploads)
            spoken = replace(found, title="", says="", language="", notes=()) if one.kind == "prompt" else found
            out.append(Read(reader, one.label, spoken))
        if not one.uploads:
            empty = Note("warning", "there are no files in it", Source(one.label))
            out.append(Read("documents", one.label, Evidence(notes=(empty,))))
    return tuple(out)


def prompts(given: Sequence[Given]) -> str:
    """What was said in prompts."""
    return "\n".join(one.label for one in given if one.kind == "prompt")


def _routed(one: Given) -> list[tuple[str, tuple[Upload, ...]]]:
    """The files of one thing by their readers."""
    if one.kind not in MIXED:
        return [(_OF_KIND[one.kind], one.uploads)] if one.uploads else []
    repo = _module("code")
    groups: dict[str, list[Upload]] = {}
    if one.kind == "repo" or (one.kind == "any" and _is_code(one.uploads)):
        parts = repo.parts(one.uploads)
        groups = {_OF_KIND[kind]: found for kind, found in parts.items() if kind in _OF_KIND and kind != "python"}
        groups["code"] = list(one.uploads)
    else:
        for upload in one.uploads:
            groups.setdefault(_OF_KIND.get(repo.classify(upload), "other"), []).append(upload)
        for upload in groups.pop("other", ()):
            part = "openapi" in groups and upload.name.lower().endswith((".json", ".yaml", ".yml"))
            groups.setdefault("openapi" if part else _by_start(upload), []).append(upload)
    return [(reader, tuple(groups[reader])) for reader in ORDER if groups.get(reader)]


def _is_code(uploads: Sequence[Upload]) -> bool:
    return any(u.name.endswith(".py") for u in uploads) or (len(uploads) == 1 and is_archive(uploads[0]))


def _by_start(upload: Upload) -> str:
    """The reader of a file whose name does not tell."""
    binary = upload.data.startswith((b"SQLite format 3\0", b"PAR1"))
    listed = upload.data[:100].lstrip()[:1] in (b"[", b"{")
    return "data" if binary or listed else "documents"


def _told_apart(given: Sequence[Given]) -> list[Given]:
    counts: dict[str, int] = {}
    for one in given:
        for upload in one.uploads:
            counts[upload.name] = counts.get(upload.name, 0) + 1
    seen: dict[str, int] = {}
    out: list[Given] = []
    for one in given:
        renamed: list[Upload] = []
        for upload in one.uploads:
            seen[upload.name] = seen.get(upload.name, 0) + 1
            again = counts[upload.name] > 1 and seen[upload.name] > 1
            renamed.append(replace(upload, name=f"{one.kind}-{seen[upload.name]}/{upload.name}") if again else upload)
        out.append(replace(one, uploads=tuple(renamed)))
    return out


def _module(reader: str) -> Any:
    try:
        return import_module(f"worldwright.anchor.readers.{_READERS[reader].module}")
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith("worldwright"):
            raise
        raise UsageError(f"reading this needs {e.name}: pip install worldwright[anchor]") from None


def parsers(reads: Sequence[Read]) -> dict[str, dict[str, str]]:
    """The readers that were used, with the versions of the libraries behind them."""
    used = dict.fromkeys(one.kind for one in reads)
    return {
        kind: {"reader": str(VERSION), **{name: metadata.version(name) for name in _READERS[kind].libraries}}
        for kind in sorted(used)
    }
