"""What is compared, what was found, and how much is too much."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FORMAT = 1
INSTRUCTION, HANDBOOK, ROW, NAMES = "instruction", "handbook", "row", "names"
RUN, SHARE, SIMILAR, CLOSE = "run of words", "short runs", "minhash", "embedding"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much is too much. Why these: docs/gate.md."""

    run: int = 13
    """Words in a row that a text has in common with a benchmark."""
    share: float = 0.5
    """The share of a text's words that stand in runs of 8 that one benchmark text has as well."""
    similar: float = 0.5
    """The share of three-word shingles that two texts have in common (Jaccard)."""
    close: float = 0.9
    """The cosine of two embeddings."""
    names: float = 0.5
    """The share of a column's names that benchmarks hold as whole values: worth a look, drops nothing."""


@dataclass(frozen=True, slots=True)
class GymText:
    """A text of the gym."""

    kind: str
    """instruction, handbook or row"""
    place: str
    """`task_007`, `handbook line 12`, `vendor.notes VEN-0001 and 3 more`"""
    text: str
    task: str = ""
    rows: tuple[str, ...] = ()
    """The ids of the rows that hold it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One text of the gym that a benchmark has as well."""

    measure: str
    score: float
    kind: str
    place: str
    tasks: tuple[str, ...]
    """The tasks that are flagged for it."""
    file: str
    line: int
    at: str
    """Where in the line or record: `messages[0].content`."""
    own: str
    """The matching part of our text, with a few words around it; `theirs` the same."""
    theirs: str

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "score": round(self.score, 4), "tasks": list(self.tasks)}


@dataclass(frozen=True, slots=True)
class FileRead:
    """What was read of one benchmark file."""

    file: str
    sha256: str
    size: int
    texts: int
    words: int


@dataclass(frozen=True, slots=True)
class Remark:
    """Something in a benchmark file that could not be read."""

    file: str
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.says}" if self.line else f"{self.file}: {self.says}"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of comparing one world with benchmarks."""

    world: str
    domain: str
    variant: str
    tasks: int
    texts: int
    """Texts of the gym that were compared, the same words counted once."""
    too_short: int
    """Texts of fewer than eight words, which nothing can be said about."""
    thresholds: Thresholds
    embedded: bool
    read: tuple[FileRead, ...]
    findings: tuple[Finding, ...]
    remarks: tuple[Remark, ...]

    @property
    def flagged(self) -> tuple[str, ...]:
        return tuple(sorted({task for found in self.findings for task in found.tasks}))

    def data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "world": {"digest": self.world, "name": self.domain, "variant": self.variant},
            "against": [asdict(one) for one in self.read],
            "thresholds": asdict(self.thresholds),
            "embedded": self.embedded,
            "tasks": self.tasks,
            "texts": self.texts,
            "too_short": self.too_short,
            "flagged": list(self.flagged),
            "findings": [found.data() for found in self.findings],
            "remarks": [asdict(one) for one in self.remarks],
        }
