"""What goes into a dataset: how it was asked for, what is known of an episode while rows are chosen, and what was left out."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest

FORMATS = ("sft", "dpo", "rl")
SPLITS = ("domain", "words")
TRAIN, TEST = "train", "test"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a dataset is made of runs."""

    formats: tuple[str, ...] = ("sft", "dpo")
    per_task: int = 4
    """Rows of one task at most, in each format."""
    likeness: float = 0.9
    """Successes that share this much of their word triples count as one; 1 takes out none but the same."""
    held_out: float = 0.2
    """The share of domains that are for evaluation only; 0 holds out none."""
    split: str = "domain"
    """Whole domains are held out, or (`words`) tasks that are asked in words which are held out."""
    reasoning: bool = False
    """Whether messages keep what the agent said of its reasons."""
    decisive: bool = False
    """Only pairs whose rejected side answers, writes or is refused."""
    license: str = ""
    """As the card names it; empty for what the worlds say."""

    def __post_init__(self) -> None:
        for one in self.formats:
            if one not in FORMATS:
                raise UsageError(f"no format is called {one!r}; {suggest(one, FORMATS)}")
        if not self.formats:
            raise UsageError(f"name a format: {', '.join(FORMATS)}")
        if self.split not in SPLITS:
            raise UsageError(f"no way to split is called {self.split!r}; {suggest(self.split, SPLITS)}")

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "formats": list(self.formats)}


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """An episode as far as rows are chosen by it. Its line is read again when it is written."""

    run: int
    offset: int
    """Where its line starts in the run's file."""
    id: str
    digest: str
    status: str
    domain: str
    variant: str
    world: str
    task: str
    family: str
    role: str
    face: str
    agent: str
    attempt: int
    sees_key: bool
    held_out: bool
    """Whether the task is asked in words that are held out."""
    group: str
    """Which tasks of its world are about the same things."""
    opening: str
    ask: bytes
    """What the agent was given: world, task, face, opening, request and submit tool. Only episodes with the same one compare."""
    request: bytes
    """The digest of the request's words."""
    states: tuple[bytes, ...] = ()
    """What stood before each message of the agent: everything called and answered so far."""
    moves: tuple[bytes, ...] = ()
    """What each of these messages calls."""
    came: tuple[bytes, ...] = ()
    """What came back of it."""
    unusable: dict[int, str] = field(default_factory=dict)
    """By number of the message, why it cannot be written down."""
    flaw: str = ""
    """Why nothing is to be learned from it although it passes."""
    calls: int = 0
    refused: int = 0
    path: bytes = b""
    """The digest of all its calls, spelling apart."""
    triples: array[int] = field(default_factory=lambda: array("Q"))
    """Hashes of its word triples; only of successes."""

    @property
    def order(self) -> tuple[Any, ...]:
        """Where its rows stand, whichever order runs are given in."""
        return (self.domain, self.variant, self.world, self.task, self.face, self.agent, self.attempt, self.id)

    @property
    def merit(self) -> tuple[Any, ...]:
        """The best of several successes comes first: without the key, without refusals, short."""
        return (self.sees_key, self.refused, self.calls, self.order)


@dataclass(frozen=True, slots=True)
class Pair:
    """A success and a failure that part ways at one message."""

    chosen: EpisodeSummary
    rejected: EpisodeSummary
    at: int
    """The number of the message, among the agent's."""
    kind: str
    """What the rejected message does: answer, write, refused, read or words."""


KINDS = ("answer", "write", "refused", "read", "words")
"""What a rejected message does, the most telling first."""


@dataclass(slots=True)
class Dropped:
    """What was left out, by format and reason."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, fmt: str, reason: str) -> None:
        self.counts.setdefault(fmt, Counter())[reason] += 1

    def data(self) -> dict[str, dict[str, int]]:
        return {fmt: dict(sorted(found.items())) for fmt, found in sorted(self.counts.items())}
