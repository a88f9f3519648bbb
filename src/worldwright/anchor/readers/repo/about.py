"""What a repository says that it is: the title and the summary from its README and its package's description."""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo.source import tree_of
from worldwright.formats.encodings import decode_text

_MOST_TEXT = 30_000
_LONGEST = 1_000


def about(uploads: Sequence[Upload]) -> tuple[str, str]:
    """Title and summary: those of the README before those of the package."""
    title = says = ""
    for upload in sorted(uploads, key=_rank):
        find = _READERS.get(PurePosixPath(upload.name).name.lower()) or _readme_reader(upload.name)
        if find is None:
            continue
        found_title, found_says = find(decode_text(upload.data[:_MOST_TEXT])[0])
        title, says = title or found_title, says or found_says
        if title and says:
            break
    return title[:200], says[:_LONGEST]


def _rank(upload: Upload) -> tuple[int, int, str]:
    """The files nearest to the top come first, and a README before the others."""
    name = PurePosixPath(upload.name)
    return len(name.parts), 0 if name.name.lower().startswith("readme") else 1, upload.name


def _readme_reader(name: str) -> Callable[[str], tuple[str, str]] | None:
    path = PurePosixPath(name.lower())
    return _readme if path.stem == "readme" and path.suffix in ("", ".md", ".rst", ".txt", ".markdown") else None


def _readme(text: str) -> tuple[str, str]:
    """The first heading, and the first paragraph of prose. An underlined heading of reStructuredText is one of Markdown too."""
    title = says = ""
    before = ""
    for token in MarkdownIt("commonmark", {"maxNesting": 20}).parse(text):
        if token.type == "inline" and token.level == 1:
            words = _words(token)
            if before == "heading_open" and not says:
                title = title or words
            elif before == "paragraph_open" and not words.startswith(("..", ":")):
                says = says or words
        before = token.type
    return title, says


def _words(token: Token) -> str:
    """The words of a line without pictures and marks."""
    parts = [child.content if child.type in ("text", "code_inline") else " " for child in token.children or ()]
    return re.sub(r"\s+([.,;:!?)])", r"\1", " ".join("".join(parts).split()))


def _toml(text: str) -> tuple[str, str]:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return "", ""
    project = found.get("project")
    tool = found.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return _named(project if isinstance(project, dict) else poetry)


def _json(text: str) -> tuple[str, str]:
    try:
        return _named(json.loads(text))
    except (ValueError, RecursionError):
        return "", ""


def _setup_cfg(text: str) -> tuple[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return "", ""
    return _named(parser["metadata"]) if parser.has_section("metadata") else ("", "")


def _setup_py(text: str) -> tuple[str, str]:
    tree = tree_of(text)
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name == "setup":
                return _named({k.arg: k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)})
    return "", ""


def _named(found: Any) -> tuple[str, str]:
    if not isinstance(found, Mapping):
        return "", ""
    name, says = found.get("name"), found.get("description")
    return (name if isinstance(name, str) else "", says.strip() if isinstance(says, str) else "")


_READERS: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "pyproject.toml": _toml,
    "package.json": _json,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
}
