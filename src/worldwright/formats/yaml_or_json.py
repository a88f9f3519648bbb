"""YAML or JSON, whichever it is and however untidy: plain data out, with what had to be put up with.

Every mapping has text as its keys, exactly as they are written. Plain words follow YAML 1.2: `no`, `on`, `=` and dates stay text,
and so do numbers with leading zeros. Nothing is ever constructed but dicts, lists, text, numbers, booleans and null. Size and
nesting are limited after aliases are counted in full, so that a bomb is refused while it is still small.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from worldwright.formats.encodings import decode_text
from worldwright.formats.yaml_events import TooMuch, build, check_size

MAX_CHARS = 30_000_000
MAX_WARNINGS = 20
MAX_REPAIRED_CHARS = 4_000_000
"""Characters that are read again, all attempts together, to mend single lines."""
MAX_NUMBER_CHARS = 300
"""Characters; longer ones stay text, because no float is that large."""

_LONE_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT_WITH_TABS = re.compile(r"^[ ]*\t[ \t]*", re.MULTILINE)
_STARTS_JSON = ("{", "[")


class Unreadable(ValueError):
    """Neither JSON nor YAML, or more than can be read."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        """The first line is 1; 0 where it cannot be told."""
        self.reason = reason
        super().__init__(f"line {line}: {reason}" if line else reason)


def load(data: bytes) -> tuple[Any, list[str]]:
    """The document, and warnings about what was mended or left out. Raises `Unreadable`, nothing else."""
    text, _ = decode_text(data)
    if len(text) > MAX_CHARS:
        raise Unreadable(0, f"more than {MAX_CHARS:,} characters; give a smaller part of it")
    warnings: list[str] = []
    if _LONE_SURROGATE.search(text):
        text = _LONE_SURROGATE.sub(r"\\ufffd", text)
        warnings.append("halves of characters (`\\ud800` to `\\udfff` alone) were replaced")
    try:
        document = _json(text, warnings)
    except json.JSONDecodeError as e:
        document = _yaml(text, warnings, e)
    return document, _short(warnings)


def _json(text: str, warnings: list[str]) -> Any:
    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(pairs)
        if len(out) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    warnings.append(f"`{key[:80]}` is given twice in one object; the last one counts")
                seen.add(key)
        return out

    try:
        document = json.loads(
            text.removeprefix("\ufeff"),
            strict=False,
            object_pairs_hook=mapping,
            parse_int=lambda digits: int(digits) if len(digits) <= MAX_NUMBER_CHARS else digits,
            parse_float=_float,
            parse_constant=str,
        )
        check_size(document)
    except RecursionError:
        raise Unreadable(0, "nested too deep") from None
    except TooMuch as e:
        raise Unreadable(e.line, str(e)) from None
    return document


def _float(digits: str) -> float | str:
    """The number, or its text where no number is that large."""
    number = float(digits)
    return digits if number in (float("inf"), float("-inf")) else number


def _yaml(text: str, warnings: list[str], json_error: json.JSONDecodeError) -> Any:
    cleaned = _NOT_PRINTABLE.sub("", text)
    if cleaned != text:
        warnings.append(f"{len(text) - len(cleaned):,} control characters were taken out")
    try:
        return _attempt(cleaned, warnings)
    except yaml.YAMLError as e:
        first = e
    for mended, says in _without_tabs(cleaned):
        try:
            document = _attempt(mended, warnings)
        except yaml.YAMLError:
            continue
        warnings.append(says)
        return document
    document, mended_lines = _line_by_line(cleaned, first, warnings)
    if mended_lines:
        warnings.extend(f"line {line}: a text that YAML reads otherwise was put in quotes" for line in mended_lines)
        return document
    if text.lstrip().startswith(_STARTS_JSON):
        raise Unreadable(json_error.lineno, f"not JSON: {json_error.msg}") from None
    raise Unreadable(_line(first), f"not YAML: {_problem(first)}") from None


def _attempt(text: str, warnings: list[str]) -> Any:
    found: list[str] = []
    try:
        document = build(text, found)
    except TooMuch as e:
        raise Unreadable(e.line, str(e)) from None
    warnings.extend(found)
    return document


def _without_tabs(text: str) -> list[tuple[str, str]]:
    """The text with its tabs as spaces, in the ways that people may have meant them."""
    if "\t" not in text or len(text) > MAX_REPAIRED_CHARS:
        return []
    says = "tabs were read as spaces"
    indented = [_indented(text, width) for width in (2, 4, 8)]
    return [(t, says) for t in dict.fromkeys([*indented, *(t.replace("\t", "  ") for t in indented)]) if t != text]


def _indented(text: str, width: int) -> str:
    return _INDENT_WITH_TABS.sub(lambda found: found[0].replace("\t", " " * width), text)


def _line_by_line(text: str, error: yaml.YAMLError, warnings: list[str]) -> tuple[Any, list[int]]:
    """The document with quotes around values that need them, and the numbers of those lines; none where that does not help."""
    lines = text.split("\n")
    mended: list[int] = []
    for _ in range(min(20, MAX_REPAIRED_CHARS // max(len(text), 1))):
        number = _line(error)
        if not 0 < number <= len(lines) or number in mended:
            break
        quoted = _in_quotes(lines[number - 1])
        if not quoted:
            break
        lines[number - 1] = quoted
        mended.append(number)
        try:
            return _attempt("\n".join(lines), warnings), mended
        except yaml.YAMLError as e:
            error = e
    return None, []


def _in_quotes(line: str) -> str:
    """`says: a: b` as `says: 'a: b'`; empty where there is no such value."""
    head, colon, value = line.rstrip("\r").partition(": ")
    value = value.strip()
    if not colon or not value or value[0] in "'\"|>[{&*!":
        return ""
    return f"{head}: '" + value.replace("'", "''") + "'"


def _line(error: yaml.YAMLError) -> int:
    mark = (error.problem_mark or error.context_mark) if isinstance(error, yaml.MarkedYAMLError) else None
    return int(mark.line) + 1 if mark is not None else 0


def _problem(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        return str(error.problem or error.context or "cannot be read")
    return str(error).split("\n", 1)[0][:200]


def _short(warnings: list[str]) -> list[str]:
    more = len(warnings) - MAX_WARNINGS
    return warnings if more <= 0 else [*warnings[:MAX_WARNINGS], f"and {more:,} more warnings of this kind"]
