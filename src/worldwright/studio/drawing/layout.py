"""Where the boxes of a diagram stand and how its lines run. The layout program gets numbers and sizes, never a name.

It runs in a process of its own with a limit of time: a graph that it does not come to terms with is set in columns instead.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from worldwright.core.canonical import digest

MAX_SECONDS = 10.0
MAX_BOXES, MAX_LINES = 500, 3000
"""Of a larger diagram a picture says nothing; it is set in columns."""
MAX_KEPT = 64
GAP, COLUMN_GAP = 14, 48
WORKER = "worldwright.studio.drawing.graphviz_worker"

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    width: int
    height: int
    group: int = -1
    """Of the groups, the one that it stands in; none where it is -1."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes by number, lines between them, and how many groups there are."""

    boxes: tuple[Box, ...]
    lines: tuple[tuple[int, int], ...]
    groups: int = 0
    rows: tuple[tuple[int, ...], ...] = ()
    """Boxes that no line ties to others, set side by side."""


@dataclass(frozen=True, slots=True)
class Layout:
    width: int
    height: int
    boxes: tuple[Point, ...]
    """The middle of each."""
    lines: tuple[tuple[Point, ...], ...]
    """The points of each as a run of Bezier curves: the first, then three for each curve. Empty where it was not laid out."""
    groups: Mapping[int, tuple[int, int, int, int]] = field(default_factory=dict)
    """By group, its left, top, right and bottom."""


_kept: OrderedDict[str, tuple[Layout, ...]] = OrderedDict()
_lock = Lock()


def lay_out(diagrams: Sequence[Diagram]) -> tuple[Layout, ...]:
    """Lay out some diagrams; the same ones are laid out once."""
    data = [asdict(one) for one in diagrams]
    key = digest(data)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    small = all(len(one.boxes) <= MAX_BOXES and len(one.lines) <= MAX_LINES for one in diagrams)
    found = (_ask_worker(data) if small and data else None) or tuple(map(set_in_columns, diagrams))
    with _lock:
        _kept[key] = found
        while len(_kept) > MAX_KEPT:
            _kept.popitem(last=False)
    return found


def _ask_worker(data: Sequence[Mapping[str, object]]) -> tuple[Layout, ...] | None:
    """What Graphviz makes of the diagrams; None where it is not installed, fails, or takes too long."""
    try:
        ended = subprocess.run(
            [sys.executable, "-m", WORKER], input=json.dumps(data).encode(), capture_output=True, timeout=MAX_SECONDS, check=True
        )  # fmt: skip
        return tuple(_read_layout(one) for one in json.loads(ended.stdout))
    except (subprocess.SubprocessError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _read_layout(data: Mapping[str, Any]) -> Layout:
    return Layout(
        int(data["width"]), int(data["height"]), tuple((int(x), int(y)) for x, y in data["boxes"]),
        tuple(tuple((int(x), int(y)) for x, y in points) for points in data["lines"]),
        {int(k): (int(a), int(b), int(c), int(d)) for k, (a, b, c, d) in data["groups"].items()},
    )  # fmt: skip


def set_in_columns(one: Diagram) -> Layout:
    """Set boxes one below the other, a column for each group."""
    columns: dict[int, list[int]] = {}
    for number, box in enumerate(one.boxes):
        columns.setdefault(box.group, []).append(number)
    places: list[Point] = [(0, 0)] * len(one.boxes)
    groups: dict[int, tuple[int, int, int, int]] = {}
    left, deepest = GAP, 0
    for group, members in sorted(columns.items()):
        wide, top = max(one.boxes[n].width for n in members), 2 * GAP
        for n in members:
            places[n] = (left + wide // 2, top + one.boxes[n].height // 2)
            top += one.boxes[n].height + GAP
        if group >= 0:
            groups[group] = (left - GAP // 2, GAP // 2, left + wide + GAP // 2, top)
        left, deepest = left + wide + COLUMN_GAP, max(deepest, top)
    return Layout(max(1, left), max(1, deepest + GAP), tuple(places), ((),) * len(one.lines), groups)
