"""What the workers of a server know of each other: a few numbers in memory that they share."""

from __future__ import annotations

import mmap

NUMBER, OPEN, STATE, WIDTH = 0, 1, 2, 3
"""The columns of a slot: the number of the worker in it, its open episodes and its state; and how many columns there are."""
DOWN, UP, DRAINED = 0, 1, 2


class WorkerTable:
    """A table in shared memory with a slot for each worker, made before they are forked. A worker writes to its own slot only.

    A worker that is replaced has another number in the same slot, so an id tells a dead process from the one that came after.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._rows = memoryview(mmap.mmap(-1, slots * WIDTH * 8)).cast("q")
        for slot in range(slots):
            self._rows[slot * WIDTH + NUMBER] = -1

    def register(self, number: int) -> None:
        """Give a new worker its slot."""
        base = self.get_slot(number) * WIDTH
        self._rows[base + OPEN], self._rows[base + STATE], self._rows[base + NUMBER] = 0, DOWN, number

    def get_slot(self, number: int) -> int:
        return number % self.slots

    def get_worker(self, slot: int) -> int:
        """Return the number of the worker in a slot."""
        return self._rows[slot * WIDTH + NUMBER]

    def is_current(self, number: int) -> bool:
        return self.get_worker(self.get_slot(number)) == number

    def has_died(self, number: int) -> bool:
        """Tell whether there was a worker of this number, and there is none any more."""
        return 0 <= number < self.get_worker(self.get_slot(number))

    def set_state(self, number: int, state: int) -> None:
        self._rows[self.get_slot(number) * WIDTH + STATE] = state

    def get_state(self, number: int) -> int:
        return self._rows[self.get_slot(number) * WIDTH + STATE]

    def set_open_episodes(self, number: int, episodes: int) -> None:
        self._rows[self.get_slot(number) * WIDTH + OPEN] = episodes

    def count_open_episodes(self) -> int:
        """Count the open episodes of all workers."""
        return sum(self._rows[OPEN::WIDTH])

    def find_running_peers(self, number: int) -> list[int]:
        """Find the other workers that take requests."""
        return [
            n for n in map(self.get_worker, range(self.slots)) if n != number and n >= 0 and self.get_state(n) == UP
        ]

    def find_least_loaded(self, number: int) -> tuple[int, int]:
        """Find the worker with the fewest open episodes, and how many it has: this one where no other has fewer."""
        rows = self._rows
        found = [
            (rows[self.get_slot(n) * WIDTH + OPEN], n != number, n) for n in (number, *self.find_running_peers(number))
        ]
        episodes, _, who = min(found)
        return who, episodes

    def has_running(self) -> bool:
        """Tell whether any worker still takes requests, and may forward them."""
        return any(self._rows[slot * WIDTH + STATE] == UP for slot in range(self.slots))
