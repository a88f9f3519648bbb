"""What an answer of a contract shows of a result: the same part of it, under the world's own names.

An answer is made by a template from what an operation gives. Read backwards, the template says which values of which records
somebody has seen who got the answer. A value that is written so that nobody can tell it back is not shown: a word of an enum
that has another name, an id in another form, a number that stands for nothing.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldwright.engine.codecs import read_value, write_value
from worldwright.engine.contract import MISSING, ContractTool, Template, find_value, put

Revealing = Callable[[ContractTool, Any], dict[str, Any]]
MAX_REMEMBERED = 64 << 20
"""Bytes of results and of what was revealed of them that are remembered."""
_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""What an answer may say where there is no value, without saying anything else."""
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ADDED = "word"
"""What the name of a word has more where the word alone is taken or does not begin with a letter: `date_word`, `word_404`."""


def reveal(tool: ContractTool, data: Any) -> dict[str, Any]:
    """Return the part of what an operation gave that the answer of a tool shows. None in it says that there is no value."""
    return _reveal(tool.gives, data)


def remember_revealed() -> Revealing:
    """Return `reveal` with a memory: where tasks are made, the same pages are read again and again."""
    told: dict[tuple[str, bytes], bytes] = {}
    size = 0

    def reveal_once(tool: ContractTool, data: Any) -> dict[str, Any]:
        nonlocal size
        at = (tool.name, marshal.dumps(data, 2))
        if at not in told:
            told[at] = marshal.dumps(reveal(tool, data), 2)
            size += len(at[1]) + len(told[at])
            while size > MAX_REMEMBERED and len(told) > 1:
                oldest = next(iter(told))
                size -= len(oldest[1]) + len(told.pop(oldest))
        known: dict[str, Any] = marshal.loads(told[at])
        return known

    return reveal_once


def _reveal(template: Template, data: Any) -> dict[str, Any]:
    if "is" in template:
        return {}
    if "text" in template:
        return _reveal(template["text"], data)
    if "fields" in template:
        out: dict[str, Any] = {}
        for part in template["fields"].values():
            _merge(out, _reveal(part, data))
        return out
    path = tuple(template["rows" if "rows" in template else "from"])
    found = find_value(data, path)
    if not path and "from" in template:
        return dict(data) if isinstance(data, Mapping) else {}
    if found is MISSING or not path:
        return {}
    if "rows" in template:
        rows = found if isinstance(found, Sequence) and not isinstance(found, str) else ()
        return put({}, {path: [_reveal(template["each"], row) for row in rows]})
    return put({}, {path: found}) if _is_told(template, found) else {}


def _is_told(template: Template, value: Any) -> bool:
    """Tell whether a value can be told from what is written in its place."""
    if value is None:
        return template.get("omit", False) or template.get("else") in _NOTHING
    codec = template["codec"]
    written = write_value(codec, value)
    match codec["as"]:
        case "words":
            return is_like(str(written), str(value))
        case "json":
            return bool(read_value(codec, written) == value)
        case "id":
            return str(written) == str(value)
    return written is not None


@lru_cache(maxsize=4096)
def is_like(written: str, word: str) -> bool:
    """Tell whether a word as a contract writes it is the same to a reader: `OnRequest` is `on_request`, `date` is `date_word`."""
    own = [piece for piece in _split(word) if piece != _ADDED] or _split(word)
    return bool(_split(written)) and "".join(_split(written)) in ("".join(own), "".join(_split(word)))


def _split(text: str) -> list[str]:
    return [piece.casefold() for piece in _PIECE.findall(text)]


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add what another part of the answer shows of the same result."""
    for name, value in more.items():
        held = into.get(name)
        if isinstance(held, dict) and isinstance(value, Mapping):
            _merge(held, value)
        elif isinstance(held, list) and isinstance(value, list) and len(held) == len(value):
            for one, other in zip(held, value, strict=True):
                if isinstance(one, dict) and isinstance(other, Mapping):
                    _merge(one, other)
        else:
            into[name] = value
