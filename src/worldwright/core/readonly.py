"""JSON that nobody can write on: still dicts and lists, so that everything that reads JSON reads it.

What is shared by every episode of a world (the schemas of its tools) is handed out like this. A copy of it is plain again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn


def read_only(value: Any) -> Any:
    """The same data, every dict and list of it closed to writing."""
    if isinstance(value, Mapping):
        return ReadOnlyDict({k: read_only(v) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return ReadOnlyList(read_only(v) for v in value)
    return value


def copy_writable(value: Any) -> Any:
    """Return a plain copy that can be written on."""
    if isinstance(value, Mapping):
        return {k: copy_writable(v) for k, v in value.items()}
    return [copy_writable(v) for v in value] if isinstance(value, list) else value


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError("this is shared by every episode and read-only; write on a copy.deepcopy of it")


class ReadOnlyDict(dict[str, Any]):
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return {k: copy_writable(v) for k, v in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return read_only, (copy_writable(self),)


class ReadOnlyList(list[Any]):
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: object) -> list[Any]:
        return [copy_writable(v) for v in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return read_only, (copy_writable(self),)
