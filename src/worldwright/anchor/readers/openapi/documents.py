"""Which of the uploads are API descriptions, which are parts of one, and values of them together with where they stand."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.formats.json_text import pointer
from worldwright.formats.yaml_or_json import Unreadable, load

ENDINGS = (".json", ".yaml", ".yml")
INSIDE = "upload:"
"""Begins a reference that names its file from the top of the uploads."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
MAX_NOTES_OF_A_KIND = 25
"""Notes that say the same of different places; after them, one note says how many more there are."""
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|/")
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

    def down(self, *keys: str) -> Node:
        """The value under these keys; None where there is nothing."""
        value = self.value
        for key in keys:
            value = child(value, key)
        return Node(value, self.file, self.at + pointer(*keys))

    def each(self) -> Iterator[tuple[str, Node]]:
        """Yield what is directly inside, with its key or its index as text."""
        held = self.value.items() if isinstance(self.value, dict) else ()
        for key, value in enumerate(self.value) if isinstance(self.value, list) else held:
            yield str(key), Node(value, self.file, self.at + pointer(key))


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def texts(value: Any) -> list[str]:
    """The texts in a list; one text is a list of its own."""
    if isinstance(value, str):
        return [value]
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def child(value: Any, key: str) -> Any:
    """What stands under a key of a mapping or at an index of a list; None where there is nothing."""
    if isinstance(value, list):
        index = int(key) if key.isascii() and key.isdigit() and len(key) < 9 else len(value)
        return value[index] if index < len(value) else None
    return as_mapping(value).get(key)


@dataclass(frozen=True, slots=True)
class NoteLog:
    """Gathers notes in the order in which they come up; what is said twice counts once."""

    _notes: dict[Note, str] = field(default_factory=dict)
    _skipped: dict[Skipped, None] = field(default_factory=dict)

    def add(self, level: str, kind: str, says: str, source: Source) -> None:
        """`kind` names what is wrong in a few words; notes of one kind are kept short together."""
        self._notes.setdefault(Note(level, says, source), kind)

    def skip(self, what: str, why: str, source: Source) -> None:
        self._skipped[Skipped(what, why, source)] = None

    def notes(self, whole: Source) -> tuple[Note, ...]:
        count: Counter[tuple[str, str]] = Counter()
        out: list[Note] = []
        for note, kind in self._notes.items():
            count[note.level, kind] += 1
            if count[note.level, kind] <= MAX_NOTES_OF_A_KIND:
                out.append(note)
        for (level, kind), number in count.items():
            if number > MAX_NOTES_OF_A_KIND:
                says = f"{kind}: {number - MAX_NOTES_OF_A_KIND:,} more places like those noted"
                out.append(Note(level, says, whole))
        return tuple(out)

    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(self._skipped)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The readable documents among the uploads, by name."""

    documents: dict[str, Any] = field(default_factory=dict)
    untidy: dict[str, list[str]] = field(default_factory=dict)
    """By name, what had to be put up with to read it."""
    used: dict[str, Any] = field(default_factory=dict)
    """Those that something referred to, with every reference in them named from the top of the uploads."""

    def part(self, name: str) -> Any:
        """A document that something refers to; None where there is no such document."""
        if name not in self.used and name in self.documents:
            self.used[name] = map_references(self.documents[name], lambda ref, _: _from_the_top(ref, name))
        return self.used.get(name)


def target(reference: str, file: str) -> tuple[str, str] | None:
    """The file and the fragment that a reference in a file means; None where it leads out of the uploads."""
    path, _, fragment = reference.partition("#")
    if path.startswith(INSIDE):
        return path.removeprefix(INSIDE), unquote(fragment)
    if not path:
        return file, unquote(fragment)
    if _HAS_SCHEME.match(path):
        return None
    name = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(path).replace("\\", "/")))
    return None if name.startswith(("../", "/")) or name in ("..", ".") else (name, unquote(fragment))


def _from_the_top(reference: str, file: str) -> str:
    found = target(reference, file)
    return reference if found is None else f"{INSIDE}{found[0]}#{quote(found[1])}"


def map_references(value: Any, change: Callable[[str, bool], str], laid: bool = False) -> Any:
    """A copy with every reference changed. `change` is told as well whether `allOf` lays down what the reference leads to."""
    if isinstance(value, list):
        items = []
        for item in value:
            items.append(map_references(item, change, laid))  # noqa: PERF401 - a comprehension is one more frame on a deep document
        return items
    if not isinstance(value, Mapping):
        return value
    out: dict[str, Any] = {}
    for key, inner in value.items():
        if key == "$ref" and isinstance(inner, str):
            out[key] = change(inner, laid)
        else:
            out[key] = map_references(inner, change, key == "allOf")
    return out


def shelve(uploads: Sequence[Upload], notes: NoteLog) -> tuple[Shelf, dict[str, str]]:
    """The documents that can be read, and the version of those that describe an API. What cannot be read is noted."""
    shelf = Shelf()
    failed: list[tuple[str, Unreadable]] = []
    for upload in uploads:
        try:
            shelf.documents[upload.name], shelf.untidy[upload.name] = load(upload.data)
        except Unreadable as e:
            failed.append((upload.name, e))
    roots = {name: version for name, held in shelf.documents.items() if (version := _version(name, held, notes))}
    for name, error in failed:
        if roots and not name.lower().endswith(ENDINGS):
            notes.skip(name, f"neither YAML nor JSON ({error})", Source(name))
        else:
            at = str(error.line) if error.line else ""
            notes.add("error", "unreadable", f"{error.reason}; an OpenAPI document is YAML or JSON", Source(name, at))
    if not roots and not failed:
        _no_root(shelf.documents, notes)
    return shelf, roots


def leftovers(shelf: Shelf, roots: Iterable[str], notes: NoteLog) -> None:
    """Say which documents were of no use, and what is untidy in the others."""
    known = {*roots, *shelf.used}
    for name in shelf.documents:
        if name in known:
            for says in shelf.untidy[name]:
                notes.add("warning", "untidy YAML or JSON", says, Source(name))
        elif known:
            notes.skip(name, "describes no API, and no API description refers to it", Source(name))


def _version(name: str, document: Any, notes: NoteLog) -> str:
    """`2.0`, `3.0` or `3.1` for a document that describes an API; empty for others."""
    facts = as_mapping(document)
    if isinstance(facts.get("swagger"), (str, int, float)) and not str(facts["swagger"]).startswith("1"):
        return "2.0"
    said = facts.get("openapi")
    if said is not None and not isinstance(said, (Mapping, list, bool)):
        return "3.1" if str(said).startswith(("3.1", "3.2")) else "3.0"
    items = [item for path, item in as_mapping(facts.get("paths")).items() if path.startswith("/")]
    if not any(str(method).lower() in METHODS for item in items for method in as_mapping(item)):
        return ""
    says = "there is no `openapi` or `swagger` with a version; read as OpenAPI 3.0 because it has paths"
    notes.add("warning", "no version", says, Source(name))
    return "2.0" if "definitions" in facts else "3.0"


def _no_root(documents: Mapping[str, Any], notes: NoteLog) -> None:
    name = next(iter(documents), "")
    if "swaggerVersion" in as_mapping(documents.get(name)):
        says = "Swagger 1 is not read; convert it to OpenAPI 3"
    elif not documents:
        says = "nothing was uploaded; an OpenAPI document is expected"
    else:
        says = "not an OpenAPI document: it has no `openapi: 3.x` or `swagger: 2.0` at its top, and no paths"
    notes.add("error", "no OpenAPI", says, Source(name))
