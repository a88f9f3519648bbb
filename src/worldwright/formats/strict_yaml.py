"""YAML in, with the line of every node kept, and nothing that YAML can be abused for.

Plain scalars follow YAML 1.2: only null, true, false and numbers are special, so `no`, `on` and dates stay text. Aliases,
merge keys, tags and control characters are refused: a Blueprint needs none, and bombs are made of them.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import yaml

Path: TypeAlias = tuple[str | int, ...]

MAX_BYTES = 32 * 1024 * 1024
"""Nearly all of which are rows that came with the evidence; these are a few nodes."""
MAX_DEPTH = 40
MAX_NODES = 200_000

_NULL = re.compile(r"(~|null|)\Z")
_BOOL = re.compile(r"(true|false)\Z")
_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}\Z")

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What a reader cannot see and a generated file cannot safely hold: control characters, and those that turn text around."""


class YamlError(ValueError):
    """A text that is no YAML, or holds what is refused."""

    def __init__(self, line: int, reason: str, hint: str = "") -> None:
        self.line = line
        """The first line is 1; 0 where it cannot be told."""
        self.reason = reason
        self.hint = hint
        super().__init__(f"line {line}: {reason}" if line else reason)


def read_yaml(text: str) -> tuple[Any, dict[Path, int]]:
    """Read a document as plain data, with the line of every node. Raises `YamlError`."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise YamlError(0, f"more than {MAX_BYTES:,} bytes", "a Blueprint is a few thousand lines")
    try:
        _check_bounds(text)
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as e:
        mark = e.problem_mark or e.context_mark
        raise YamlError(mark.line + 1 if mark else 0, f"not YAML: {e.problem or e.context}", _hint(e)) from None
    except (yaml.YAMLError, UnicodeEncodeError) as e:
        raise YamlError(0, f"not YAML: {e}") from None
    lines: dict[Path, int] = {}
    return None if node is None else _data(node, (), lines), lines


def dump_yaml(data: Any) -> str:
    """Data as YAML that `read_yaml` reads back to the same data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    """A text, quoted where it could be taken for a number: `08022` is one to this loader and none to the dumper. A text of many
    lines keeps them."""
    style = "|" if value.count("\n") > MANY_LINES else "'" if _LIKE_A_NUMBER.match(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


MANY_LINES = 5
_LIKE_A_NUMBER = re.compile(r"[-+.]?[0-9][0-9_.:eE+-]*\Z")
_Dumper.add_representer(str, _text)


def _check_bounds(text: str) -> None:
    """Refuse aliases, tags, control characters and deep nesting before anything recursive looks at the text."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(line, "YAML aliases are not allowed", "write it out, or use a pattern")
        if getattr(event, "tag", None) is not None:
            raise YamlError(line, f"YAML tags are not allowed (`{event.tag}`)", "quote text that starts with !")
        if isinstance(event, yaml.ScalarEvent) and (found := UNSEEN.search(event.value)):
            raise YamlError(line, f"control characters are not allowed (U+{ord(found[0]):04X})")
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1
        if depth > MAX_DEPTH:
            raise YamlError(line, f"nested more than {MAX_DEPTH} deep")
        if count > MAX_NODES:
            raise YamlError(line, f"more than {MAX_NODES:,} nodes")


def _data(node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if isinstance(node, yaml.ScalarNode):
        return str(node.value) if node.style else _scalar(str(node.value))
    if isinstance(node, yaml.SequenceNode):
        return [_data(item, (*path, i), lines) for i, item in enumerate(node.value)]
    assert isinstance(node, yaml.MappingNode)
    out: dict[str, Any] = {}
    for key_node, value in node.value:
        key_line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode) or not isinstance(key_node.value, str):
            raise YamlError(key_line, "a key has to be a word")
        key = key_node.value
        if key == "<<" and not key_node.style:
            raise YamlError(key_line, "YAML merge keys are not allowed", "write it out, or use a pattern")
        if key in out:
            raise YamlError(key_line, f"`{key}` is given twice here")
        lines[(*path, key)] = key_line
        out[key] = _data(value, (*path, key), lines)
    return out


def _scalar(text: str) -> str | int | float | bool | None:
    if _NULL.match(text):
        return None
    if _BOOL.match(text):
        return text == "true"
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def _hint(e: yaml.MarkedYAMLError) -> str:
    if "mapping values are not allowed" in str(e.problem):
        return "quote text that contains `: `"
    if e.problem and "expected ',' or" in e.problem:
        return "quote values that contain commas, braces or brackets"
    return ""
