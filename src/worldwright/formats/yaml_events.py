"""Plain data from the events of a YAML parser, without recursion and within limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_NODES = 2_000_000
"""With every alias counted as if it were written out."""
MAX_DEPTH = 150
MAX_NUMBER_CHARS = 300

_LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""Only its parser is used: nothing is composed or constructed by it."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_OTHER_BASE = re.compile(r"0x[0-9a-fA-F]{1,64}\Z|0o[0-7]{1,64}\Z")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z")
_STARTS_NUMBER = frozenset("-+.0123456789")
_YAML_TAG = "tag:yaml.org,2002:"
_READ_AS_PLAIN = frozenset({"int", "float", "bool", "null"})
_KNOWN_TAGS = frozenset(
    {*_READ_AS_PLAIN, "str", "binary", "timestamp", "map", "seq", "set", "omap", "pairs", "value", "merge"}
)
_NO_KEY = object()


class TooMuch(Exception):
    """More nodes, or deeper nesting, than is read."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being filled."""

    into: Any
    anchor: str | None
    before: int
    """Nodes seen when it began."""
    key: Any = _NO_KEY
    line: int = 0
    """Of the key."""
    merging: bool = False
    """Whether the key is `<<`."""
    merged: list[Any] = field(default_factory=list)
    height: int = 0
    """Levels beneath it."""


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: Any
    nodes: int
    height: int


def build(text: str, warnings: list[str]) -> Any:
    """The first document of the text that holds anything. Raises `yaml.YAMLError` or `TooMuch`."""
    return _Builder(warnings).run(text)


class _Builder:
    def __init__(self, warnings: list[str]) -> None:
        self.warnings = warnings
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchored] = {}
        self.pending: set[str] = set()
        self.tags: set[str] = set()
        self.nodes = 0
        self.line = 1
        self.document: Any = None

    def run(self, text: str) -> Any:
        found: list[Any] = []
        for event in yaml.parse(text, Loader=_LOADER):
            self.line = event.start_mark.line + 1
            match event:
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent():
                    self._open({}, event)
                case yaml.SequenceStartEvent():
                    self._open([], event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._close()
                case yaml.AliasEvent():
                    self._alias(str(event.anchor))
                case yaml.DocumentEndEvent():
                    found.append(self.document)
                    self.document = None
                    self.anchors.clear()
        real = [d for d in found if d is not None]
        if len(real) > 1:
            self.warnings.append(f"{len(real)} YAML documents in one file; only the first one is read")
        return real[0] if real else None

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise TooMuch(self.line, f"more than {MAX_NODES:,} nodes, aliases written out")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._count(1)
        text: str = event.value
        plain = not event.style
        top = self.stack[-1] if self.stack else None
        is_key = top is not None and isinstance(top.into, dict) and top.key is _NO_KEY
        if is_key and top is not None:
            top.key, top.line, top.merging = text, self.line, plain and text == "<<" and event.tag is None
            value: Any = text
        else:
            value = self._value(text, plain, event.tag)
            self._place(value, 0)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, 1, 0)

    def _value(self, text: str, plain: bool, tag: str | None) -> Any:
        if tag is None or tag == "!":
            return plain_value(text) if plain and tag is None else text
        self._tagged(tag)
        return plain_value(text) if tag.removeprefix(_YAML_TAG) in _READ_AS_PLAIN else text

    def _tagged(self, tag: str) -> None:
        if tag.removeprefix(_YAML_TAG) not in _KNOWN_TAGS and tag not in self.tags:
            self.tags.add(tag)
            self.warnings.append(f"line {self.line}: the tag `{tag[:80]}` means nothing here and is left out")

    def _open(self, into: Any, event: Any) -> None:
        self._count(1)
        if event.tag is not None:
            self._tagged(event.tag)
        if len(self.stack) >= MAX_DEPTH:
            raise TooMuch(self.line, f"nested more than {MAX_DEPTH} deep")
        if event.anchor is not None:
            self.pending.add(event.anchor)
        self.stack.append(_Open(into, event.anchor, self.nodes - 1))

    def _close(self) -> None:
        done = self.stack.pop()
        value = done.into
        if done.merged:
            value = {}
            for other in done.merged:
                value |= {k: v for k, v in other.items() if k not in value}
            value |= done.into
        if done.anchor is not None:
            self.pending.discard(done.anchor)
            self.anchors[done.anchor] = _Anchored(value, self.nodes - done.before, done.height + 1)
        self._place(value, done.height + 1)

    def _alias(self, name: str) -> None:
        if name in self.pending:
            self.warnings.append(f"line {self.line}: `*{name}` stands inside of itself and is read as null")
            self._count(1)
            self._place(None, 0)
        elif name not in self.anchors:
            self.warnings.append(f"line {self.line}: nothing is called `&{name}`; `*{name}` is read as text")
            self._count(1)
            self._place(f"*{name}", 0)
        else:
            anchored = self.anchors[name]
            self._count(anchored.nodes)
            if len(self.stack) + anchored.height > MAX_DEPTH:
                raise TooMuch(self.line, f"nested more than {MAX_DEPTH} deep, aliases written out")
            self._place(anchored.value, anchored.height)

    def _place(self, value: Any, height: int) -> None:
        """Put a finished value where it belongs: into a list, beside its key, or as the key itself."""
        if not self.stack:
            self.document = value
            return
        top = self.stack[-1]
        top.height = max(top.height, height)
        if isinstance(top.into, list):
            top.into.append(value)
        elif top.key is _NO_KEY:
            top.key, top.line, top.merging = self._as_key(value), self.line, False
        else:
            key, top.key = top.key, _NO_KEY
            if top.merging and _can_merge(value):
                top.merged.extend(value if isinstance(value, list) else [value])
                return
            if key in top.into:
                self.warnings.append(f"line {top.line}: `{key[:80]}` is given twice here; the last one counts")
            top.into[key] = value

    def _as_key(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        text = f"(line {self.line})" if isinstance(value, (dict, list)) else str(value)
        self.warnings.append(f"line {self.line}: a key that is no text is read as `{text[:80]}`")
        return text


def _can_merge(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, dict) for v in value))


def plain_value(text: str) -> Any:
    """Return what a word without quotes stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS_NUMBER or len(text) > MAX_NUMBER_CHARS:
        return text
    if _INTEGER.match(text):
        return int(text)
    if _DECIMAL.match(text):
        number = float(text)
        return text if number in (float("inf"), float("-inf")) else number
    if _OTHER_BASE.match(text):
        return int(text, 0)
    return text


def check_size(document: Any) -> None:
    """Raise `TooMuch` where a document has too many nodes or is nested too deep."""
    level, nodes, depth = [document], 0, 0
    while level:
        nodes += len(level)
        if nodes > MAX_NODES:
            raise TooMuch(0, f"more than {MAX_NODES:,} nodes")
        if depth > MAX_DEPTH:
            raise TooMuch(0, f"nested more than {MAX_DEPTH} deep")
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        level, depth = below, depth + 1
