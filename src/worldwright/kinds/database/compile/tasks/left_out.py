"""What did not become a task: counted by reason, and told to whoever watches the build."""

from __future__ import annotations

from collections import Counter

from worldwright.kinds.build_events import TaskLeftOut, Watch, unwatched


class LeftOut:
    """The candidates that were left out so far."""

    def __init__(self, watch: Watch = unwatched) -> None:
        self.counts: Counter[str] = Counter()
        self._watch = watch

    def add(self, reason: str, goal: str = "", after_all: bool = False) -> None:
        """Count one more. `after_all` where it had been kept for now."""
        self.counts[reason] += 1
        self._watch(TaskLeftOut(reason, goal, after_all))
