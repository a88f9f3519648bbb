"""What the workers of a server know of each other: a few numbers in memory that they share."""

from __future__ import annotations

import mmap

NUMBER, OPEN, STATE, WIDTH = 0, 1, 2, 3
"""By place: the number of the process there, its open episodes, and whether it is up."""
DOWN, UP, DRAINED = 0, 1, 2


class Board:
    """A row for each place that a worker has. Made before the workers are forked; each writes its own row only.

    A worker that is replaced has another number at the same place, so an id tells a dead process from the one that came after.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._rows = memoryview(mmap.mmap(-1, places * WIDTH * 8)).cast("q")
        for place in range(places):
            self._rows[place * WIDTH + NUMBER] = -1

    def enter(self, number: int) -> None:
        """A process begins at its place."""
        at = self.place(number) * WIDTH
        self._rows[at + OPEN], self._rows[at + STATE], self._rows[at + NUMBER] = 0, DOWN, number

    def place(self, number: int) -> int:
        return number % self.places

    def at(self, place: int) -> int:
        """The number of the process at a place."""
        return self._rows[place * WIDTH + NUMBER]

    def live(self, number: int) -> bool:
        return self.at(self.place(number)) == number

    def died(self, number: int) -> bool:
        """Whether there was such a process, and there is none any more."""
        return 0 <= number < self.at(self.place(number))

    def mark(self, number: int, state: int) -> None:
        self._rows[self.place(number) * WIDTH + STATE] = state

    def state(self, number: int) -> int:
        return self._rows[self.place(number) * WIDTH + STATE]

    def count(self, number: int, episodes: int) -> None:
        self._rows[self.place(number) * WIDTH + OPEN] = episodes

    def open(self) -> int:
        """Open episodes over all workers."""
        return sum(self._rows[OPEN::WIDTH])

    def others(self, number: int) -> list[int]:
        """The processes at the other places that are up."""
        return [n for n in map(self.at, range(self.places)) if n != number and n >= 0 and self.state(n) == UP]

    def emptiest(self, number: int) -> tuple[int, int]:
        """Who has the fewest open episodes, and how many: oneself where nobody has fewer."""
        rows = self._rows
        found = [(rows[self.place(n) * WIDTH + OPEN], n != number, n) for n in (number, *self.others(number))]
        episodes, _, who = min(found)
        return who, episodes

    def undrained(self) -> bool:
        """Whether a worker still has requests to pass on."""
        return any(self._rows[place * WIDTH + STATE] == UP for place in range(self.places))
