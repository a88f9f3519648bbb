from __future__ import annotations

import io

from rich.console import Console

from worldwright.cli.play.changes import show_changes
from worldwright.facts.changes import changes_data, summarise_changes
from worldwright.world.records import TableDiff

ROW = {"id": "A", "name": "x", "note": None}
CHANGED = {"name": ("x", "y")}


def test_data_and_words() -> None:
    changes = {"t": TableDiff({"B": {"id": "B", "name": "b"}}, {"A": CHANGED}, {"C": ROW})}
    assert changes_data(changes)["t"]["changed"] == {"A": {"name": {"before": "x", "after": "y"}}}
    assert summarise_changes(changes) == "1 added, 1 changed, 1 removed"
    out = io.StringIO()
    show_changes(Console(file=out, width=60), changes)
    assert out.getvalue().splitlines() == [
        "  + t B",
        "      name: b",
        "  ~ t A",
        "      name: x -> y",
        "  - t C",
        "      name: x",
    ]


def test_colours_say_what_happened() -> None:
    changes = {"t": TableDiff({"B": {"id": "B"}}, {"A": CHANGED}, {"C": ROW})}
    out = io.StringIO()
    show_changes(Console(file=out, width=60, force_terminal=True, color_system="standard"), changes)
    added, changed, removed = "\x1b[32m  + t B", "\x1b[33m  ~ t A", "\x1b[31m  - t C"
    assert all(part in out.getvalue() for part in (added, changed, removed))
