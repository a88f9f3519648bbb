"""Which of the uploads are API descriptions, and which are parts of one."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.formats.yaml_or_json import Unreadable, load

ENDINGS = (".json", ".yaml", ".yml")
INSIDE = "upload:"
"""Begins a reference that names its file from the top of the uploads."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|/")


@dataclass(frozen=True, slots=True)
class Root:
    """A document that describes an API."""

    file: str
    document: Mapping[str, Any]
    version: str
    """`2.0`, `3.0` or `3.1`"""


class Shelf:
    """The readable documents among the uploads, by name."""

    def __init__(self, documents: Mapping[str, Any], untidy: Mapping[str, list[str]]) -> None:
        self.documents = documents
        self.untidy = untidy
        """By name, what had to be put up with to read it."""
        self.used: set[str] = set()
        self._rewritten: dict[str, Any] = {}

    def part(self, name: str) -> Any:
        """A document with every reference in it named from the top of the uploads; None where there is no such document."""
        if name not in self.documents:
            return None
        self.used.add(name)
        if name not in self._rewritten:
            self._rewritten[name] = _rewrite(self.documents[name], name)
        return self._rewritten[name]


def target(reference: str, file: str) -> tuple[str, str] | None:
    """The file and the fragment that a reference in a file means; None where it leads out of the uploads."""
    if reference.startswith(INSIDE):
        name, _, fragment = reference.removeprefix(INSIDE).partition("#")
        return name, unquote(fragment)
    path, _, fragment = reference.partition("#")
    if not path:
        return file, unquote(fragment)
    if _HAS_SCHEME.match(path):
        return None
    name = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(path).replace("\\", "/")))
    return None if name.startswith(("../", "/")) or name in ("..", ".") else (name, unquote(fragment))


def _rewrite(value: Any, file: str) -> Any:
    if isinstance(value, list):
        items = []
        for item in value:
            items.append(_rewrite(item, file))  # noqa: PERF401 - a comprehension is one more frame on a deep document
        return items
    if not isinstance(value, Mapping):
        return value
    out: dict[str, Any] = {}
    for key, inner in value.items():
        if key == "$ref" and isinstance(inner, str):
            found = target(inner, file)
            out[key] = inner if found is None else f"{INSIDE}{found[0]}#{quote(found[1])}"
        else:
            out[key] = _rewrite(inner, file)
    return out


def shelve(uploads: Sequence[Upload], notes: NoteLog) -> tuple[Shelf, tuple[Root, ...]]:
    """The documents that can be read, and those of them that describe an API. What cannot be read is noted."""
    documents: dict[str, Any] = {}
    untidy: dict[str, list[str]] = {}
    failed: list[tuple[str, Unreadable]] = []
    for upload in uploads:
        try:
            document, warnings = load(upload.data)
        except Unreadable as e:
            failed.append((upload.name, e))
            continue
        documents[upload.name] = document
        untidy[upload.name] = warnings
    roots = tuple(root for name, document in documents.items() if (root := _root(name, document, notes)))
    for name, error in failed:
        if roots and not name.lower().endswith(ENDINGS):
            notes.skip(name, f"neither YAML nor JSON ({error})", Source(name))
        else:
            at = str(error.line) if error.line else ""
            notes.add("error", "unreadable", f"{error.reason}; an OpenAPI document is YAML or JSON", Source(name, at))
    if not roots and not failed:
        _no_root(documents, notes)
    return Shelf(documents, untidy), roots


def leftovers(shelf: Shelf, roots: Iterable[Root], notes: NoteLog) -> None:
    """Say which documents were of no use, and what is untidy in the others."""
    known = {root.file for root in roots} | shelf.used
    for name in shelf.documents:
        if name in known:
            for says in shelf.untidy[name]:
                notes.add("warning", "untidy YAML or JSON", says, Source(name))
        elif known:
            notes.skip(name, "describes no API, and no API description refers to it", Source(name))


def _root(name: str, document: Any, notes: NoteLog) -> Root | None:
    facts = as_mapping(document)
    if isinstance(facts.get("swagger"), (str, int, float)) and not str(facts["swagger"]).startswith("1"):
        return Root(name, facts, "2.0")
    said = facts.get("openapi")
    if said is not None and not isinstance(said, (Mapping, list, bool)):
        return Root(name, facts, "3.1" if str(said).startswith(("3.1", "3.2")) else "3.0")
    if not _has_operations(facts.get("paths")):
        return None
    says = "there is no `openapi` or `swagger` with a version; read as OpenAPI 3.0 because it has paths"
    notes.add("warning", "no version", says, Source(name))
    return Root(name, facts, "2.0" if "definitions" in facts else "3.0")


def _has_operations(paths: Any) -> bool:
    return any(
        path.startswith("/") and any(str(m).lower() in METHODS for m in as_mapping(item))
        for path, item in as_mapping(paths).items()
    )


def _no_root(documents: Mapping[str, Any], notes: NoteLog) -> None:
    name = next(iter(documents), "")
    facts = as_mapping(documents.get(name))
    if "swaggerVersion" in facts:
        says = "Swagger 1 is not read; convert it to OpenAPI 3"
    elif not documents:
        says = "nothing was uploaded; an OpenAPI document is expected"
    else:
        says = "not an OpenAPI document: it has no `openapi: 3.x` or `swagger: 2.0` at its top, and no paths"
    notes.add("error", "no OpenAPI", says, Source(name))


# Values together with where they stand, and the small questions that untidy documents make one ask of them.


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands."""

    value: Any
    file: str
    at: str = ""
    """A JSON pointer."""
    name: str = ""
    """What it is called, where a reference or a list of components gives it a name."""

    @property
    def source(self) -> Source:
        return Source(self.file, self.at)

    @property
    def key(self) -> str:
        """The same for two spots in the same place."""
        return f"{self.file}#{self.at}"

    @property
    def facts(self) -> Mapping[str, Any]:
        """Its value where that is a mapping; otherwise nothing."""
        return as_mapping(self.value)

    def down(self, *keys: str | int) -> Node:
        """The value under these keys; None where there is nothing."""
        value, at = self.value, self.at
        for key in keys:
            value = child(value, key)
            at = f"{at}/{escaped(str(key))}"
        return Node(value, self.file, at)

    def each(self) -> Iterator[tuple[str, Node]]:
        """Yield what is directly inside, with its key or its index as text."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, Node(value, self.file, f"{self.at}/{escaped(key)}")
        elif isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield str(index), Node(value, self.file, f"{self.at}/{index}")


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def texts(value: Any) -> list[str]:
    """The texts in a list; one text is a list of its own."""
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def child(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list):
        index = key if isinstance(key, int) else int(key) if key.isascii() and key.isdigit() and len(key) < 9 else -1
        return value[index] if 0 <= index < len(value) else None
    return None


def escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


# Notes and left-out parts, gathered while documents are read.


MAX_NOTES_OF_A_KIND = 25
"""Notes that say the same of different places; after them, one note says how many more there are."""


class NoteLog:
    """Gathers notes in the order in which they come up; what is said twice counts once."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self._skipped: list[Skipped] = []
        self._seen: set[Note | Skipped] = set()
        self._of_kind: Counter[tuple[str, str]] = Counter()

    def add(self, level: str, kind: str, says: str, source: Source) -> None:
        """`kind` names what is wrong in a few words; notes of one kind are kept short together."""
        note = Note(level, says, source)
        if note in self._seen:
            return
        self._seen.add(note)
        self._of_kind[level, kind] += 1
        if self._of_kind[level, kind] <= MAX_NOTES_OF_A_KIND:
            self._notes.append(note)

    def skip(self, what: str, why: str, source: Source) -> None:
        skipped = Skipped(what, why, source)
        if skipped not in self._seen:
            self._seen.add(skipped)
            self._skipped.append(skipped)

    def notes(self, whole: Source) -> tuple[Note, ...]:
        more = (
            Note(level, f"{kind}: {count - MAX_NOTES_OF_A_KIND:,} more places like those noted", whole)
            for (level, kind), count in self._of_kind.items()
            if count > MAX_NOTES_OF_A_KIND
        )
        return (*self._notes, *more)

    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(self._skipped)
