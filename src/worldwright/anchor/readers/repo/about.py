"""What a repository is called: the first heading of its README, else the name of its package."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt

from worldwright.anchor.intake.uploads import Upload
from worldwright.formats.encodings import decode_text

MAX_TEXT_BYTES = 30_000
MAX_TITLE_CHARS = 200


def title_of(uploads: Sequence[Upload]) -> str:
    """The title that the file nearest to the top gives, a README before others; empty where none does."""
    for upload in sorted(uploads, key=_rank):
        find = _READERS.get(PurePosixPath(upload.name).name.lower()) or (_readme if _is_readme(upload.name) else None)
        title = find(decode_text(upload.data[:MAX_TEXT_BYTES])[0]) if find is not None else ""
        if title:
            return title[:MAX_TITLE_CHARS]
    return ""


def _rank(upload: Upload) -> tuple[int, int, str]:
    name = PurePosixPath(upload.name)
    return len(name.parts), 0 if name.name.lower().startswith("readme") else 1, upload.name


def _is_readme(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.stem == "readme" and path.suffix in ("", ".md", ".rst", ".txt", ".markdown")


def _readme(text: str) -> str:
    """The heading that comes before all prose. An underlined one of reStructuredText is one of Markdown too."""
    before = ""
    for token in MarkdownIt("commonmark", {"maxNesting": 20}).parse(text):
        if token.type == "inline" and token.level == 1:
            parts = [child.content if child.type in ("text", "code_inline") else " " for child in token.children or ()]
            words = " ".join("".join(parts).split())
            if words and before == "heading_open":
                return words
            if words and before == "paragraph_open" and not words.startswith(("..", ":")):
                return ""
        before = token.type
    return ""


def _toml(text: str) -> str:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
    project, tool = found.get("project"), found.get("tool")
    return _named(project if isinstance(project, dict) else tool.get("poetry") if isinstance(tool, dict) else None)


def _json(text: str) -> str:
    try:
        return _named(json.loads(text))
    except (ValueError, RecursionError):
        return ""


def _named(found: Any) -> str:
    name = found.get("name") if isinstance(found, Mapping) else None
    return name if isinstance(name, str) else ""


_READERS: Mapping[str, Callable[[str], str]] = {"pyproject.toml": _toml, "package.json": _json}
