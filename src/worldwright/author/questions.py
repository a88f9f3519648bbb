"""Questions that no user of a system would ask, told by what they name and what they ask for.

A question is unlikely where its answer is an opaque value (a hash, a UUID, an address of a picture), where the request
already says the answer, or where it names a record by such a value alone. People ask for what they decide on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.author.records import Finding
from worldwright.pack.open import Pack

_OPAQUE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24,}|https?://\S+|(?=\S*[A-Za-z])(?=\S*\d)[A-Za-z0-9+/_-]{28,}=*",
    re.IGNORECASE,
)
"""Values that only machines compare."""
_NAMED = re.compile(r"`([^`]{1,200})`|\"([^\"]{1,200})\"")


def judge_questions(pack: Pack) -> Iterator[Finding]:
    """Look at every task of a pack that asks something."""
    for path in sorted(p for p in pack.files if p.startswith("tasks/") and p.endswith(".json")):
        task = json.loads(pack.files[path])
        key_path = path.replace("tasks/", "keys/")
        key = json.loads(pack.files[key_path]) if key_path in pack.files else {}
        why = find_unlikely(task, key)
        if why:
            yield Finding("question_unlikely", f"{path}", f"{why}: {task['instruction'][:200]}")


def find_unlikely(task: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """Why nobody would ask this; empty where somebody might."""
    said = str(task.get("instruction", ""))
    answer = key.get("answer") or {}
    told = (
        {k: v for k, v in answer.items() if k not in ("outcome", "rule", "record")}
        if isinstance(answer, Mapping)
        else {}
    )
    for name, value in told.items():
        if isinstance(value, str) and _OPAQUE.fullmatch(value):
            return f"it asks for {name}, which is {value[:40]}"
        if isinstance(value, str) and len(value) > 6 and value.lower() in said.lower() and len(told) == 1:
            return f"it says itself what it asks for ({name})"
    named = [a or b for a, b in _NAMED.findall(said)]
    opaque = [n for n in named if _OPAQUE.fullmatch(n)]
    return f"it names a record by {opaque[0][:40]}" if opaque and len(opaque) == len(named) else ""
