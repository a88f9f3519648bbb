"""Faces that other packages bring: a task that is not played with tools, but with what stands for them.

`world.open(task, face="app")` gives a task as software in a browser, `app_asking` the same with a requester who has to be asked.
The first word names the face: an entry point of the group `worldwright.faces`, a function of the world, the task, the rest (`plain`
where there is none) and the limits, or None for the usual ones. What it gives has everything of an `Episode` that does not speak of
tools: `messages`, `task`, `done`, `calls`, `clock`, `verify()`, `diff()`, `log()` and `close()`.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.surface import SURFACES

GROUP = "worldwright.faces"


def open_through(world: Any, task_ref: str | int, face: str, limits: Any) -> Any:
    """Begin an episode under a face that an installed package brings."""
    name, _, rest = face.partition("_")
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        raise UsageError(f"no face is called {face!r}; {suggest(face, [*SURFACES, *found])}")
    try:
        begin = found[name].load()
    except ModuleNotFoundError as e:
        raise UsageError(f"the face `{name}` needs {e.name}: pip install 'worldwright[{name}]'") from None
    return begin(world, task_ref, rest or "plain", limits)
