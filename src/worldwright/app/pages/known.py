"""What pages have shown: the records in every answer so far, so that ids have names and fields can offer them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.app.forms.controls import Hint, Hints
from worldwright.app.pages.cells import name_record, read_written
from worldwright.app.pages.links import Known
from worldwright.app.screens.records import Path, Shape

MAX_KNOWN = 5_000
"""Records that a session remembers; the oldest are forgotten."""
MAX_HINTS = 30
"""Records of a kind that a field offers."""


class SeenRecords(dict[tuple[str, str, str], Known]):
    """The records that were shown in an episode, those shown last at the end."""

    def note(self, data: Any, shape: Shape, number: int, at: Path = ()) -> None:
        """Note the records in an answer."""
        data = read_written(data, shape)
        if shape.kind == "rows" and isinstance(data, (list, tuple)):
            row = replace(shape, kind="record", written=False)
            for n, one in enumerate(data):
                self.note(one, row, number, (*at, str(n)))
        if shape.kind != "record" or not isinstance(data, Mapping):
            return
        own = next((part for part in shape.parts if part.kind == "id"), None)
        key = data.get(own.at[0]) if own is not None else None
        if own is not None and key is not None:
            self._add((own.entity, own.codec, str(key)), Known(name_record(data, shape), number, at))
        for part in shape.parts:
            if part.kind in ("record", "rows") and part.at and part.at[0] in data:
                self.note(data[part.at[0]], part, number, (*at, *part.at))

    def _add(self, key: tuple[str, str, str], found: Known) -> None:
        before = self.pop(key, None)
        self[key] = found if found.name or before is None else replace(found, name=before.name)
        if len(self) > MAX_KNOWN:
            del self[next(iter(self))]

    def hints(self) -> Hints:
        """What fields may offer, what was shown last first."""
        out: dict[tuple[str, str], list[Hint]] = {}
        for (entity, codec, key), known in reversed(self.items()):
            hints = out.setdefault((entity, codec), [])
            if len(hints) < MAX_HINTS:
                hints.append(Hint(key, known.name))
        return {key: tuple(hints) for key, hints in out.items()}
