"""The text of a Blueprint as data, with the line of every node kept for what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldwright.core.errors import BlueprintError, Finding
from worldwright.formats.strict_yaml import Path, YamlError, read_yaml


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and where each part of it stands."""

    file: str
    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """Return the line of a node, or of the nearest node above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)


def load_yaml(text: str, file: str) -> Document:
    """Read the document, or raise a `BlueprintError` that says what is wrong and where."""
    try:
        data, lines = read_yaml(text)
    except YamlError as e:
        raise BlueprintError([Finding(file, e.line, "yaml", e.reason, e.hint)]) from None
    return Document(file, data, lines)
