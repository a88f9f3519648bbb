"""What a model answers at the bench: fenced blocks, each of them data for one verb. Whatever else it says is not used.

```set        nodes of the Blueprint by path, as a YAML map
```remove     paths of nodes, as a YAML list
```claims     dispositions, as a YAML list of {id, is, to, why}; of a missed claim {at, says, is, to, why}
```contract   tools of contract.yaml, as a YAML map; null takes one out
```notes      text for notes.md
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from worldwright.author import verbs
from worldwright.author.folder import CONTRACT, NOTES, read_text
from worldwright.core.errors import WorldwrightError
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml

BLOCKS = ("set", "remove", "claims", "contract", "notes")
MAX_ANSWER_CHARS = 400_000
_FENCE = re.compile(r"^```[ \t]*([A-Za-z]+)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def apply_answer(folder: Path, said: str) -> list[str]:
    """Carry out what an answer says, block by block, and return what was wrong with it."""
    blocks = [(name.lower(), body) for name, body in _FENCE.findall(said[:MAX_ANSWER_CHARS])]
    known = [(name, body) for name, body in blocks if name in BLOCKS]
    if not known:
        return [f"there was no block to carry out: write fenced blocks called {', '.join(BLOCKS)}"]
    problems = [
        f"a block called `{name[:20]}` is not known and was left out" for name, _ in blocks if name not in BLOCKS
    ]
    for name, body in known:
        try:
            problems += _apply(folder, name, body)
        except YamlError as e:
            problems.append(f"`{name}`, line {e.line}: {e.reason}")
        except WorldwrightError as e:
            problems.append(f"`{name}`: {e}")
    return problems


def _apply(folder: Path, name: str, body: str) -> list[str]:
    if name == "notes":
        verbs.write_own_file(folder, NOTES, read_text(folder, NOTES).rstrip() + "\n\n" + body.strip())
        return []
    data, _ = read_yaml(body)
    wanted: type = dict if name in ("set", "contract") else list
    if not isinstance(data, wanted):
        return [f"`{name}` is a YAML {'map' if wanted is dict else 'list'}"]
    return _VERBS[name](folder, data)


def _set(folder: Path, data: Mapping[str, Any]) -> list[str]:
    verbs.set_nodes(folder, {str(k): v for k, v in data.items()})
    return []


def _remove(folder: Path, data: list[Any]) -> list[str]:
    out = []
    for path in data:
        try:
            verbs.set_nodes(folder, {}, (str(path),))
        except WorldwrightError as e:
            out.append(str(e))
    return out


def _claims(folder: Path, data: list[Any]) -> list[str]:
    out = []
    for row in data:
        try:
            verbs.bind_claims(folder, (row,) if isinstance(row, Mapping) else ({"id": str(row)},))
        except WorldwrightError as e:
            out.append(str(e))
    return out


def _contract(folder: Path, data: Mapping[str, Any]) -> list[str]:
    try:
        there, _ = read_yaml(read_text(folder, CONTRACT) or "{}")
    except YamlError:
        there = {}
    tools = {**(there if isinstance(there, dict) else {}), **{str(k): v for k, v in data.items()}}
    verbs.write_own_file(folder, CONTRACT, dump_yaml({k: v for k, v in tools.items() if v is not None}))
    return []


_VERBS: Mapping[str, Callable[[Path, Any], list[str]]] = {
    "set": _set,
    "remove": _remove,
    "claims": _claims,
    "contract": _contract,
}
