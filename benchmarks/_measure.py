"""How times are taken: interleaved rounds, medians, nothing collected in between."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Side = Callable[[int], float]
"""Does one round and says what one repetition in it took, in seconds. What it prepares is not counted."""


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection while times are taken."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def interleaved(rounds: int, *sides: Side, warm_up: int = 2) -> tuple[float, ...]:
    """The median of each side over many rounds. The sides take turns, and who begins changes from round to round."""
    found: list[list[float]] = [[] for _ in sides]
    with uncollected():
        for number in range(-warm_up, rounds):
            for turn in range(len(sides)):
                at = (turn + number) % len(sides)
                took = sides[at](number + warm_up)
                if number >= 0:
                    found[at].append(took)
    return tuple(median(times) for times in found)


def once(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    begin = clock()
    work()
    return clock() - begin


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    says: str
    unit: str
    """`s`, `MiB`, `KiB` or `/s`."""
    ours: float
    against: str = ""
    reference: float | None = None
    target: float | None = None
    absolute: bool = False
    """Whether the target is about our figure itself, not about the ratio."""

    @property
    def ratio(self) -> float | None:
        return None if self.reference is None else self.ours / self.reference

    @property
    def holds(self) -> bool | None:
        """None where nothing was promised."""
        measured = self.ours if self.absolute else self.ratio
        return None if self.target is None or measured is None else measured <= self.target

    def data(self) -> dict[str, object]:
        return {
            "name": self.name, "says": self.says, "unit": self.unit, "ours": self.ours, "against": self.against,
            "reference": self.reference, "ratio": self.ratio, "target": self.target,
            "target_of": None if self.target is None else "ours" if self.absolute else "ratio", "holds": self.holds,
        }  # fmt: skip


def shown(value: float | None, unit: str) -> str:
    """A figure as people read it."""
    if value is None:
        return ""
    if unit in ("MiB", "KiB"):
        return f"{value:,.0f} {unit}"
    if unit == "/s":
        return f"{value:,.0f} /s"
    if value < 1e-3:
        return f"{value * 1e6:.1f} µs"
    return f"{value * 1e3:.2f} ms" if value < 0.1 else f"{value:.3f} s"


def table(figures: list[Figure]) -> str:
    """The figures as a Markdown table with aligned columns."""
    lines = [["figure", "ours", "reference", "ratio", "target", "holds"]]
    for f in figures:
        reference = f"{shown(f.reference, f.unit)} ({f.against})" if f.reference is not None else ""
        ratio = "" if f.ratio is None else f"{f.ratio:.3g}x"
        target = "" if f.target is None else f"<= {shown(f.target, f.unit)}" if f.absolute else f"<= {f.target:g}x"
        holds = "" if f.holds is None else "yes" if f.holds else "NO"
        lines.append([f"{f.name}: {f.says}", shown(f.ours, f.unit), reference, ratio, target, holds])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    lines.insert(1, ["-" * w for w in widths])
    return "\n".join("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in lines)
