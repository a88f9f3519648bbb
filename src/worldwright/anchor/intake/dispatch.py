"""What was given, by kind, and the reader that each kind goes to.

A folder of documents or a repository holds more than one kind: each file goes to the reader of what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from typing import Any

from worldwright.anchor.archives import is_archive
from worldwright.anchor.evidence import Evidence, Note, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.sheets import write_sheets
from worldwright.core.errors import UsageError
from worldwright.formats.yaml_or_json import Unreadable, load

INPUT_KINDS = ("prompt", "prd", "docs", "repo", "mcp", "openapi", "sql", "data")
MIXED_KINDS = frozenset({"docs", "repo", "any"})
"""Kinds of which each file may be something else."""
READERS_VERSION = 5
"""Of what the readers and the model make of the same bytes. It is part of every lock."""


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that somebody gave."""

    kind: str
    """One of `INPUT_KINDS`, or `any` where each file tells what it is."""
    label: str
    """As it was given: a path, a URL, or the prompt itself."""
    uploads: tuple[Upload, ...]


@dataclass(frozen=True, slots=True)
class ReadInput:
    """What one reader found in one thing that was given."""

    kind: str
    """Of the reader: mcp, openapi, sql, data, documents or code"""
    label: str
    evidence: Evidence


_LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "mcp": ("jsonschema",),
    "openapi": ("PyYAML", "jsonschema"),
    "sql": ("sqlglot",),
    "data": (),
    "documents": ("beautifulsoup4", "markdown-it-py", "pypdf", "python-docx"),
    "code": ("sqlglot",),
}
"""The readers, with the libraries behind them."""
_OF_KIND: Mapping[str, str] = {
    **dict.fromkeys(("prompt", "prd", "document"), "documents"), "mcp": "mcp", "openapi": "openapi", "sql": "sql", "data": "data",
    "python": "code",
}  # fmt: skip
"""The reader of a kind that was given, or that a file of a folder was found to be."""
_BLUEPRINT = re.compile(rb"(?:\s*#[^\n]*\n|\s*\n)*blueprint:\s*[a-z_]+\s*\n")
READER_ORDER = ("mcp", "openapi", "sql", "code", "data", "documents")


def read_inputs(given: Sequence[Input]) -> tuple[ReadInput, ...]:
    """Everything that was given, read. Files of the same name from different places are told apart by what they came with."""
    out: list[ReadInput] = []
    for one in _told_apart(given):
        for upload in one.uploads:
            if _BLUEPRINT.match(upload.data):
                raise UsageError(f"{upload.name} is a Blueprint: worldwright generate --blueprint builds worlds of it")
        for reader, uploads in _routed(one):
            found: Evidence = _module(reader).read(uploads)
            found = replace(found, sheets=write_sheets(reader, uploads, found))
            spoken = replace(found, title="", says="", language="", notes=()) if one.kind == "prompt" else found
            out.append(ReadInput(reader, label_input(one), spoken))
        if not one.uploads:
            empty = Note("warning", "there are no files in it", Source(label_input(one)))
            out.append(ReadInput("documents", label_input(one), Evidence(notes=(empty,))))
    return tuple(out)


def label_input(one: Input) -> str:
    """Return what an input is called wherever it lay."""
    return "the prompt" if one.kind == "prompt" else one.label.rstrip("/").rsplit("/", 1)[-1] or one.kind


def join_prompts(given: Sequence[Input]) -> str:
    """Return what was said in prompts."""
    return "\n".join(one.label for one in given if one.kind == "prompt")


def _routed(one: Input) -> list[tuple[str, tuple[Upload, ...]]]:
    """The files of one thing by their readers."""
    if one.kind not in MIXED_KINDS:
        uploads = tuple(map(convert_to_json, one.uploads)) if one.kind == "mcp" else one.uploads
        return [(_OF_KIND[one.kind], uploads)] if one.uploads else []
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
    groups["mcp"] = [convert_to_json(u) for u in groups.get("mcp", ())]
    return [(reader, tuple(groups[reader])) for reader in READER_ORDER if groups.get(reader)]


def convert_to_json(upload: Upload) -> Upload:
    """A list of tools in YAML as the same in JSON; anything else as it is."""
    if not upload.name.lower().endswith((".yaml", ".yml")):
        return upload
    try:
        found, _ = load(upload.data)
        return replace(upload, data=json.dumps(found).encode())
    except (Unreadable, TypeError, ValueError, RecursionError):
        return upload


def _is_code(uploads: Sequence[Upload]) -> bool:
    return any(u.name.endswith(".py") for u in uploads) or (len(uploads) == 1 and is_archive(uploads[0]))


def _by_start(upload: Upload) -> str:
    """The reader of a file whose name does not tell."""
    return "data" if upload.data[:100].lstrip().startswith((b"SQLite format 3\0", b"PAR1", b"[", b"{")) else "documents"


def _told_apart(given: Sequence[Input]) -> list[Input]:
    """Inputs whose files share no name: the later one's all go under a folder of their own, so that they still find each other."""
    taken: set[str] = set()
    out: list[Input] = []
    for number, one in enumerate(given, start=1):
        clash = any(upload.name in taken for upload in one.uploads)
        own = tuple(replace(u, name=f"{one.kind}-{number}/{u.name}") if clash else u for u in one.uploads)
        taken |= {u.name for u in own}
        out.append(replace(one, uploads=own))
    return out


def _module(reader: str) -> Any:
    try:
        return import_module(f"worldwright.anchor.readers.{'repo' if reader == 'code' else reader}")
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith("worldwright"):
            raise
        raise UsageError(f"reading this needs {e.name}: pip install 'worldwright[anchor]'") from None


def parser_versions(reads: Sequence[ReadInput]) -> dict[str, dict[str, str]]:
    """The readers that were used, with the versions of the libraries behind them."""
    return {
        kind: {"reader": str(READERS_VERSION), **{name: metadata.version(name) for name in _LIBRARIES[kind]}}
        for kind in sorted({one.kind for one in reads})
    }
