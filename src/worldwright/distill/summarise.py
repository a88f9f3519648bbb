"""One look at an episode: what it did step by step, in a form that can be compared, and whether it can be learned from."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from worldwright.agents.chat import ToolCall, get_tool_name, parse_tool_calls
from worldwright.distill.records import EpisodeSummary
from worldwright.rollout.records import Episode, Opening

UNREADABLE = "a call that cannot be read"
INEXACT = "a number that datasets would change"
CUT = "cut off at a limit"
BROKE = "a rule was broken on the way"
NOWHERE = "an id that the agent had not seen"
NOT_OFFERED = "a key that calls tools that are not offered"
_TAKEN = (
    "id", "digest", "status", "domain", "variant", "world", "task", "family", "role", "face", "agent", "attempt", "sees_key",
    "opening",
)  # fmt: skip
DECIMALS = 10
WHOLE = 2**63
_HALF = re.compile("[\ud800-\udfff]")
"""Half a character: no text."""
_ID = re.compile(r"\b[A-Z][A-Z0-9]*-\d+\b")
_WORD = re.compile(r"\w+")
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
"""In ASCII: arguments of a model may hold what is no text."""


class Move(NamedTuple):
    """A message of the agent, with what came back."""

    at: int
    """Where it stands among the messages."""
    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]
    """What was said to it before its next message: results, or a nudge."""


def moves_of(messages: Sequence[Mapping[str, Any]]) -> list[Move]:
    starts = [at for at, m in enumerate(messages) if m["role"] == "assistant"]
    ends = [*starts, len(messages)][1:]
    return [
        Move(at, tuple(parse_tool_calls(messages[at])), tuple(str(m.get("content")) for m in messages[at + 1 : end]))  # type: ignore[arg-type]
        for at, end in zip(starts, ends, strict=True)
    ]


def summarise_episode(episode: Episode, opening: Opening, run: int, offset: int) -> EpisodeSummary:
    """Summarise what is to be known of an episode."""
    request = str(episode.messages[0].get("content"))
    ask = _hash([episode.world, episode.task, episode.face, episode.opening, request, episode.submit])
    moves = moves_of(episode.messages)
    states, called = [ask], [_hash(_calls(m.calls)) for m in moves]
    for move, name in zip(moves, called, strict=True):
        states.append(_hash([states[-1].hex(), name.hex(), move.results]))
    unusable = {
        number: why for number, move in enumerate(moves) if (why := _find_problem(episode.messages[move.at], move))
    }
    if moves and episode.outcome in ("time", "output"):
        unusable.setdefault(len(moves) - 1, CUT)
    passed = episode.status == "pass"
    return EpisodeSummary(
        run=run,
        offset=offset,
        **{name: getattr(episode, name) for name in _TAKEN},
        held_out=bool(episode.features.get("held_out")),
        group=str(episode.features.get("group") or ""),
        ask=ask,
        request=_hash(request),
        states=tuple(states),
        moves=tuple(called),
        came=tuple(_hash(m.results) for m in moves),
        unusable=unusable,
        flaw=_flaw(episode, opening, moves, unusable) if passed else "",
        calls=len(episode.steps),
        refused=sum(not s["ok"] for s in episode.steps),
        path=_hash([[c.name, _normalise(c.arguments)] for m in moves for c in m.calls]) if passed else b"",
        triples=hash_triples(_render_particulars(request, moves, episode)) if passed else array("Q"),
    )


def classify_message(episode: Episode, number: int) -> str:
    """Classify what the agent's message of this number did."""
    moves = moves_of(episode.messages)
    move, submit = moves[number], get_tool_name(episode.submit)
    if not move.calls:
        return "words"
    if any(c.name == submit and not c.problem for c in move.calls):
        return "answer"
    before = sum(_count_reached(m, submit) for m in moves[:number])
    steps = episode.steps[before : before + _count_reached(move, submit)]
    if any(s.get("diff") for s in steps):
        return "write"
    return "read" if steps and all(s["ok"] for s in steps) and len(steps) == len(move.calls) else "refused"


def hash_triples(text: str) -> array[int]:
    """Hashes of every three words in a row, each once, in order of size."""
    words = _WORD.findall(text.casefold())
    found = {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}
    return array(
        "Q", sorted(int.from_bytes(blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for t in found)
    )


def _count_reached(move: Move, submit: str) -> int:
    """Count its calls that reached the world."""
    return sum(not c.problem and c.name != submit for c in move.calls)


def _hash(value: Any) -> bytes:
    return blake2b(_encode(value).encode(), digest_size=12).digest()


NOTHING = _hash([])
"""A message that calls nothing."""


def _calls(calls: Sequence[ToolCall]) -> list[Any]:
    return [[c.name, {"unread": c.problem} if c.problem else c.arguments] for c in calls]


def _find_problem(message: Mapping[str, Any], move: Move) -> str:
    if any(c.problem or not c.name for c in move.calls):
        return UNREADABLE
    texts = (message.get("content") or "", message.get("reasoning_content") or "")
    if not survives_datasets([[c.name, c.arguments] for c in move.calls]) or not survives_datasets(texts):
        return INEXACT
    return ""


def _flaw(episode: Episode, opening: Opening, moves: Sequence[Move], unusable: Mapping[int, str]) -> str:
    if unusable:
        return next(iter(unusable.values()))
    if episode.broken_rules:
        return BROKE
    if episode.sees_key:
        offered = {get_tool_name(tool) for tool in (*opening.tools, episode.submit)}
        if any(call.name not in offered for move in moves for call in move.calls):
            return NOT_OFFERED
    return NOWHERE if any(_find_unseen_ids(episode, opening, moves)) else ""


def _find_unseen_ids(episode: Episode, opening: Opening, moves: Sequence[Move]) -> Iterator[str]:
    """Yield ids that calls name although nothing that the agent had read holds them."""
    known = {*_ID.findall(opening.system), *_ID.findall(str(episode.messages[0].get("content")))}
    for move in moves:
        yield from (i for c in move.calls for i in _ID.findall(_encode(c.arguments)) if i not in known)
        known.update(i for r in move.results for i in _ID.findall(r))


def _normalise(value: Any) -> Any:
    """Normalise a value: no capitals, single spaces, whole numbers as such, nothing for null."""
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(k): _normalise(v) for k, v in value.items() if v is not None}
    return [_normalise(v) for v in value] if isinstance(value, (list, tuple)) else value


def _render_particulars(request: str, moves: Sequence[Move], episode: Episode) -> str:
    """Render what is particular about an episode: the request, the agent's words and its calls."""
    said = (str(episode.messages[m.at].get("content") or "") for m in moves)
    calls = (f"{c.name} {_encode(c.arguments)}" for m in moves for c in m.calls if not c.problem)
    return " ".join((request, *said, *calls))


def survives_datasets(value: Any) -> bool:
    """Return whether everything in a value comes through Hugging Face `datasets` as it is.

    JSON columns are written with ten decimals and read by multiplying digits with a power of ten, so 0.57 comes back as
    0.5700000000000001, and a trainer would teach exactly that. What cannot be kept is left out rather than changed.
    """
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return -WHOLE <= value < WHOLE
    if isinstance(value, float):
        return _read_back(value) == value
    if isinstance(value, str):
        return not _HALF.search(value)
    if isinstance(value, Mapping):
        return all(survives_datasets(k) and survives_datasets(v) for k, v in value.items())
    return all(map(survives_datasets, value))


def _read_back(value: float) -> float | None:
    """Return what comes back of a number; None where it takes another form than digits and a point."""
    if not abs(value) < 1e15:
        return None
    whole, _, part = f"{abs(value):.{DECIMALS}f}".partition(".")
    part = part.rstrip("0") or "0"
    found = int(whole) + int(part) * float(f"1e-{len(part)}")
    return -found if value < 0 else found
