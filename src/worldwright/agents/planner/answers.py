"""The answer: each wanted part from what was done and seen, by what the part is called and what type it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.agents.planner.memory import flatten, kind_of, list_own_values
from worldwright.agents.planner.request import split_sentences
from worldwright.agents.planner.state import PlannerState
from worldwright.agents.planner.toolbox import Param
from worldwright.agents.planner.words import score_likeness, stem_words

_ID_OF = re.compile(r"\bids? of (?:the |an? |those )?([a-z][a-z ]+?)(?: that\b|$)", re.IGNORECASE)


_TELL = re.compile(r"\b(?:tell me|let me know|let me have|give me|report|hear)\b[^.?!]*", re.IGNORECASE)
STALE_PENALTY = 0.8
"""How much less a field counts that was seen before something was written."""
MIN_SCORE = 0.3
"""Below this, a field is too unlike a part of the answer to be told."""


def compose_answer(state: PlannerState, about: Sequence[str], refused: str = "") -> dict[str, Any]:
    """Compose the answer that is submitted. Parts for which nothing was found are left out, where that is allowed."""
    out: dict[str, Any] = {}
    for part in state.tools.submit.params:
        value = _part(state, part, about, refused)
        if value is not None:
            out[part.name] = value
    if state.undone and not refused and state.tools.submit.allows_none("outcome"):
        out["outcome"] = None
    return out


def _part(state: PlannerState, part: Param, about: Sequence[str], refused: str) -> Any:
    if part.name == "outcome":
        wanted = "refused" if refused else "done"
        return wanted if not part.choices or wanted in part.choices else part.choices[0]
    if part.name == "rule":
        return refused or None
    if part.name == "record":
        kind = state.tools.kind_called(part.says.split("that this")[0])
        return next((key for key in about if kind_of(key) == kind), about[0] if about else None)
    if refused and "where it was done" in part.says:
        return None
    if part.type == "array":
        return []
    return answer_value(state, part, about)


def answer_value(state: PlannerState, part: Param, about: Sequence[str]) -> Any:
    """The value whose field is called most like the part: results of writes first, then the record itself."""
    called = _ID_OF.search(part.says)
    if called and part.type == "string":
        return _id(state, part, called[1], about)
    wanted = find_questions(state.request.text)
    best: tuple[float, Any] = (MIN_SCORE, None)
    for bonus, path, value in _list_values(state, about):
        if _fits_type(part, value):
            score = _score_field(part, path, wanted) + bonus
            best = (score, value) if score > best[0] + 1e-9 and score - bonus > 0 else best
    return best[1]


def find_questions(text: str) -> str:
    """Extract what the request wants to hear: its questions, and what stands behind `tell me`."""
    asked = [text[low:high] for low, high in split_sentences(text) if text[low:high].rstrip().endswith("?")]
    return " ".join([*asked, *(m[0] for m in _TELL.finditer(text))])


def _score_field(part: Param, path: str, wanted: str) -> float:
    """Score how well a field goes with a part of the answer: by its name, its plain word, and the words of the question."""
    name = path.split()[-1]
    alike = max(score_likeness(name, part.name), 0.8 * score_likeness(path, part.name)) + (
        0.3 if name == part.name else 0.0
    )
    mine, said = set(stem_words(name)), set(stem_words(wanted))
    return alike + (0.35 * len(mine & said) / len(mine) if mine else 0.0)


def _list_values(state: PlannerState, about: Sequence[str]) -> Iterator[tuple[float, str, Any]]:
    """Yield what may be told, the surest first: what a write gave back, then the records as they are now, then what was passed."""
    for age, (_, arguments, data) in enumerate(reversed(state.written)):
        if isinstance(data, Mapping):
            yield from ((0.4 - 0.05 * age, path, value) for path, value in flatten(data))
        yield from ((0.1 - 0.05 * age, name, value) for name, value in arguments.items())
    for data in state.told:
        yield from ((0.4, path, value) for path, value in flatten(data if isinstance(data, Mapping) else {}))
    for key in about:
        row = state.memory.row(key)
        old = 0.0 if state.memory.since.get(key, 0) >= len(state.written) else STALE_PENALTY
        yield from ((0.2 - old, path, value) for path, value in list_own_values(row))
        yield from ((0.05 - old, path, value) for path, value in flatten(row))


def _id(state: PlannerState, part: Param, words: str, about: Sequence[str]) -> str | None:
    """The id of a kind: what was chosen for a parameter of that name, else what a write made, else what it is about."""
    kind = state.tools.kind_called(words)
    if not kind:
        return None
    for _, arguments, data in reversed(state.written):
        if kind_of(arguments.get(part.name)):
            return str(arguments[part.name])
        row = data if isinstance(data, Mapping) else {}
        mine = [v for _, v in flatten(row) if kind_of(v) == kind]
        given = [v for v in arguments.values() if kind_of(v) == kind]
        if mine or given:
            return str(next((v for v in mine if v == row.get("id")), None) or (given or mine)[0])
    return next((key for key in about if kind_of(key) == kind), None)


def _fits_type(part: Param, value: Any) -> bool:
    if part.choices:
        return value in part.choices
    if part.type == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if part.type == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if part.type == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str)
