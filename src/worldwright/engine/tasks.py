"""The tasks of a pack and their keys, read when they are asked for, and checked: a pack is not believed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from worldwright.core.errors import EpisodeError, GraderElsewhere, TamperedPack
from worldwright.core.names import suggest
from worldwright.world.tasks import Key, Task

_PATH = re.compile(r"tasks/(task_\d{3,6})\.json\Z")
ELSEWHERE = "this world came without its keys: its episodes are judged elsewhere, from their logs, with the whole pack"
FAMILIES = ("walk", "program", "policy", "repair")
T = TypeVar("T")
_TASK, _KEY = TypeAdapter(Task), TypeAdapter(Key)


class TaskBook:
    """What a pack holds under `tasks/` and `keys/`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.graded = any(path.startswith("keys/") for path in files)
        """Whether the keys are here: a world may be sent out without them."""
        self.ids = tuple(sorted(m[1] for path in files if (m := _PATH.match(path))))
        self._tasks: dict[str, Task] = {}
        self._keys: dict[str, Key] = {}

    def task(self, ref: str | int) -> Task:
        """The task of this id, or of this number."""
        ref = name_task(ref)
        if ref not in self._tasks:
            if ref not in self.ids:
                hint = suggest(ref, self.ids) if self.ids else "it has none"
                raise EpisodeError(f"this world has no task {ref!r}; {hint}")
            found = _read(_TASK, self._files, f"tasks/{ref}.json")
            if found.id != ref or found.family not in FAMILIES:
                raise TamperedPack(f"tasks/{ref}.json is not a task: look at id and family")
            self._tasks[ref] = found
        return self._tasks[ref]

    def key(self, ref: str | int) -> Key:
        """The key of the task of this id, or of this number."""
        ref = name_task(ref)
        if ref not in self._keys:
            self.task(ref)
            if not self.graded:
                raise GraderElsewhere(ELSEWHERE)
            key = _read(_KEY, self._files, f"keys/{ref}.json")
            if key.task != ref:
                raise TamperedPack(f"keys/{ref}.json is not the key of {ref}")
            self._keys[ref] = key
        return self._keys[ref]

    def tasks(self) -> tuple[Task, ...]:
        return tuple(map(self.task, self.ids))


def name_task(ref: str | int) -> str:
    """The id of a task that was named by id or by number: `task_014`, `14` or 14."""
    text = str(ref)
    return f"task_{int(text):03d}" if text.isascii() and text.isdigit() and len(text) <= 4 else text


def _read(adapter: TypeAdapter[T], files: Mapping[str, bytes], path: str) -> T:
    """The record that a file of the pack holds."""
    if path not in files:
        raise TamperedPack(f"missing from the pack: {path}")
    try:
        return adapter.validate_json(files[path], strict=True)
    except ValidationError as e:
        first = e.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise TamperedPack(f"{path} cannot be read: {f'{at}: ' if at else ''}{first['msg']}") from None


def task_data(task: Task) -> dict[str, Any]:
    """A task as it stands in a pack."""
    found = {**asdict(task), "turns": list(task.turns)}
    if task.requester is None:
        del found["requester"]
    return found


def key_data(key: Key) -> dict[str, Any]:
    """A key as it stands in a pack."""
    return {**asdict(key), "calls": [c._asdict() for c in key.calls], "provenance": list(key.provenance)}
