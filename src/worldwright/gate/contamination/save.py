"""What a check found, kept beside the pack: the last report, and every task that was dropped, with the match that did it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError
from worldwright.gate.contamination.records import Report
from worldwright.gate.results import CONTAMINATION, folder_of, read_object, write


def save_report(report: Report, drop: bool, restore: bool = False) -> tuple[Path, dict[str, Any]]:
    """Write a report down. What earlier checks dropped stays dropped, unless it is to be restored."""
    path = folder_of(report.world) / CONTAMINATION
    earlier = None if restore else read_object(path)
    why = {} if earlier is None else earlier.get("dropped_for", {})
    if not isinstance(why, dict):
        raise StoreError(f"{path} cannot be read: it does not say what was dropped; remove it to begin again")
    for task in report.flagged if drop else ():
        why.setdefault(task, next(found.data() for found in report.findings if task in found.tasks))
    data = {**report.data(), "dropped": sorted(why), "dropped_for": why}
    write(path, data)
    return path, data
