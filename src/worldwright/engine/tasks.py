"""The tasks of a pack and their keys, read when they are asked for, and checked: a pack is not believed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from worldwright.core.errors import EpisodeError, GraderElsewhere, TamperedPack
from worldwright.core.names import nearest
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

_PATH = re.compile(r"tasks/(task_\d{3,6})\.json\Z")
ELSEWHERE = "this world came without its keys: its episodes are judged elsewhere, from their logs, with the whole pack"
FAMILIES = ("walk", "program", "policy", "repair")


class TaskBook:
    """What a pack holds under `tasks/` and `keys/`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.graded = any(path.startswith("keys/") for path in files)
        """Whether the keys are here: a world may be sent out without them."""
        self.ids = tuple(sorted(m[1] for path in files if (m := _PATH.match(path))))
        self._tasks: dict[str, Task] = {}
        self._keys: dict[str, Key] = {}

    def task(self, ref: str) -> Task:
        if ref not in self._tasks:
            if ref not in self.ids:
                hint = nearest(ref, self.ids) if self.ids else "it has none"
                raise EpisodeError(f"this world has no task {ref!r}; {hint}")
            self._tasks[ref] = read_task(ref, _object(self._files, f"tasks/{ref}.json"))
        return self._tasks[ref]

    def key(self, ref: str) -> Key:
        if ref not in self._keys:
            self.task(ref)
            if not self.graded:
                raise GraderElsewhere(ELSEWHERE)
            self._keys[ref] = read_key(ref, _object(self._files, f"keys/{ref}.json"))
        return self._keys[ref]

    def tasks(self) -> tuple[Task, ...]:
        return tuple(map(self.task, self.ids))


def _object(files: Mapping[str, bytes], path: str) -> dict[str, Any]:
    try:
        data = json.loads(files[path].decode())
    except KeyError:
        raise TamperedPack(f"missing from the pack: {path}") from None
    except (ValueError, RecursionError) as e:
        raise TamperedPack(f"{path} cannot be read: {e}") from None
    if not isinstance(data, dict):
        raise TamperedPack(f"{path} is not an object")
    return data


def read_task(ref: str, data: Mapping[str, Any]) -> Task:
    texts = {k: data.get(k) for k in ("family", "instruction", "role", "actor", "persona", "form")}
    wrong = [k for k, v in texts.items() if not isinstance(v, str)]
    if wrong or data.get("id") != ref or texts["family"] not in FAMILIES:
        raise TamperedPack(f"tasks/{ref}.json is not a task: look at {', '.join(wrong) or 'id and family'}")
    schema, features = data.get("answer_schema"), data.get("features", {})
    if not isinstance(schema, dict) or not isinstance(features, dict):
        raise TamperedPack(f"tasks/{ref}.json has no answer schema")
    turns = data.get("turns", [])
    if not isinstance(turns, list) or not all(isinstance(t, str) for t in turns):
        raise TamperedPack(f"tasks/{ref}.json has turns that are not texts")
    return Task(ref, **texts, answer_schema=schema, features=features, turns=tuple(turns))  # type: ignore[arg-type]


def read_key(ref: str, data: Mapping[str, Any]) -> Key:
    calls = data.get("calls")
    if data.get("task") != ref or not isinstance(calls, list) or not isinstance(data.get("expects"), dict):
        raise TamperedPack(f"keys/{ref}.json is not the key of {ref}")
    read = []
    for call in calls:
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            raise TamperedPack(f"keys/{ref}.json holds a call without a tool")
        if not isinstance(call.get("arguments"), dict):
            raise TamperedPack(f"keys/{ref}.json holds a call without arguments")
        read.append(Call(call["tool"], call["arguments"]))
    provenance = data.get("provenance", [])
    if not isinstance(provenance, list) or not isinstance(data.get("program", ""), str):
        raise TamperedPack(f"keys/{ref}.json cannot be read")
    return Key(ref, tuple(read), data.get("answer"), data["expects"], data.get("program", ""), tuple(provenance))


def task_data(task: Task) -> dict[str, Any]:
    """A task as it stands in a pack."""
    return {
        "id": task.id,
        "family": task.family,
        "instruction": task.instruction,
        "role": task.role,
        "actor": task.actor,
        "persona": task.persona,
        "form": task.form,
        "answer_schema": dict(task.answer_schema),
        "features": dict(task.features),
        "turns": list(task.turns),
    }


def key_data(key: Key) -> dict[str, Any]:
    """A key as it stands in a pack."""
    return {
        "task": key.task,
        "calls": [{"tool": c.tool, "arguments": dict(c.arguments)} for c in key.calls],
        "answer": key.answer,
        "expects": dict(key.expects),
        "program": key.program,
        "provenance": [dict(p) for p in key.provenance],
    }
