"""What a diagnosis is: the class of a failure, where it shows, and a sentence about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

WRONG_ENTITY = "wrong entity"
WRONG_VALUE = "wrong value"
MISSED_STEP = "missed step"
MISSED_POLICY = "missed policy"
FORBIDDEN_WRITE = "forbidden write"
STALE = "stale assumption"
MALFORMED = "malformed call"
HALLUCINATED = "hallucinated tool or id"
GAVE_UP = "gave up early"
LOOP = "loop"
RAN_OUT = "ran out of turns"
WRONG_ANSWER = "right state wrong answer"
COLLATERAL = "collateral damage"

CLASSES: Mapping[str, str] = MappingProxyType(
    {
        WRONG_ENTITY: "the right operation on another record than the one that is meant",
        WRONG_VALUE: "the right operation on the right record, with another value than is asked for",
        MISSED_STEP: "a change that is asked for was never tried, and the answer says that all is done",
        MISSED_POLICY: "a rule of the handbook was broken, not named where it decides, or seen where it does not apply",
        FORBIDDEN_WRITE: "something was done that a rule or the role forbids",
        STALE: "what was true once was taken for true: before an own change, in an outdated record, in a duplicate",
        MALFORMED: "a call that no tool could read was never made good",
        HALLUCINATED: "a tool or an id that does not exist, never made good",
        GAVE_UP: "the episode was ended by the agent before the work was done, without an answer worth the name",
        LOOP: "the same call with the same result, again and again, and the work not done",
        RAN_OUT: "turns, calls, output or time ran out with nothing wrong done yet",
        WRONG_ANSWER: "everything was done as asked, and the answer is wrong",
        COLLATERAL: "everything was done as asked, and something else was changed too",
    }
)
"""Every class of failure, and what it means."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why an episode failed."""

    kind: str
    """One of `CLASSES`."""
    sentence: str
    steps: tuple[int, ...] = ()
    """The calls in which it shows, counted from 1."""
    tool: str = ""
    entity: str = ""
    """The table of the record that it is about."""
    row: str = ""
    """The record that was taken."""
    field: str = ""
    """The argument, column or part of the answer."""
    policy: str = ""
    expected: Any = None
    found: Any = None

    def data(self) -> dict[str, Any]:
        """Return the diagnosis as plain data, without what is not known."""
        return {name: value for name, value in asdict(self).items() if value not in ("", (), None)}
