"""An episode as a diagnosis needs it: its calls with what came back, what changed in the end, what is missing, what is too much."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldwright.arena.diagnose.align import Pair, WriteAttempt, align_writes
from worldwright.arena.diagnose.scene import Scene
from worldwright.blueprint.schema import Schema
from worldwright.kinds.database.verify.match import Match, TooManyWays, match
from worldwright.kinds.database.verify.net import NetRow, list_compared
from worldwright.kinds.database.verify.patterns import Accepted, Pattern, read_stored
from worldwright.rollout.records import Episode

LIMITS = frozenset({"turns", "calls", "output", "time"})
BUSY = frozenset({"RATE_LIMITED", "UNAVAILABLE"})
"""Refusals that are no mistake of the agent: the same call made again is right."""
_EVER = "9999"
"""Later than any moment of an episode: moments are not what failures are told by."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call with what came back."""

    number: int
    tool: str
    arguments: Any
    ok: bool
    content: str
    """What the agent was told."""
    diff: Mapping[str, Any]
    """What the call itself changed; not what others did meanwhile."""
    code: str = ""
    policy: str = ""
    argument: str = ""
    """The argument that was refused, where one was."""

    @property
    def wrote(self) -> bool:
        return bool(self.diff)

    @property
    def created(self) -> tuple[str, ...]:
        return tuple(key for table in self.diff.values() for key in table.get("added", ()))


class Evidence:
    """What an episode shows, worked out as far as it is asked for."""

    def __init__(self, episode: Episode, scene: Scene) -> None:
        self.episode, self.scene = episode, scene
        self.events = tuple(_events(episode))

    @property
    def at_limit(self) -> bool:
        return self.episode.outcome in LIMITS

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        given = self.episode.answer
        return {k: v for k, v in given.items() if v is not None} if isinstance(given, Mapping) else {}

    @cached_property
    def complete(self) -> bool:
        """Whether every part of the answer is there, right or wrong; a refusal needs no parts."""
        if self.answer.get("outcome") == "refused" and "rule" in self.answer:
            return True
        return self.episode.submitted and set(self.scene.answer) <= set(self.answer)

    @cached_property
    def wrong_answers(self) -> tuple[tuple[str, Any, Any], ...]:
        """The parts of the answer that are wrong, as (part, expected, found)."""
        return tuple(_list_wrong_answers(self.episode.verdict.get("assertions", ())))

    @cached_property
    def state_right(self) -> bool:
        return all(a["ok"] for a in self.episode.verdict.get("assertions", ()) if not is_answer_check(a["name"]))

    @cached_property
    def writes(self) -> tuple[Event, ...]:
        """Calls that changed something, or let time pass."""
        return tuple(e for e in self.events if e.ok and (e.wrote or self.scene.waits(e.tool)))

    @cached_property
    def attempts(self) -> tuple[Event, ...]:
        """Calls that would have changed something, and were refused."""
        return tuple(e for e in self.events if not e.ok and e.code not in BUSY and self.scene.mutates(e.tool))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Each change of the witness with the call that was meant to be it."""
        own = frozenset(key for e in self.writes for key in e.created)
        calls = [WriteAttempt(e.number, e.tool, e.arguments, e.ok) for e in (*self.writes, *self.attempts)]
        return align_writes(self.scene.writes, calls, own)

    @cached_property
    def other_writes(self) -> tuple[Event, ...]:
        """Changes that are none of the witness's."""
        known = {pair.made.number for pair in self.pairs if pair.made is not None}
        return tuple(e for e in self.writes if e.number not in known)

    @property
    def matches_witness(self) -> bool:
        """Whether every change of the witness was made, just as it makes it."""
        return all(pair.made is not None and pair.made.ok and not pair.differing for pair in self.pairs)

    @cached_property
    def strayed(self) -> bool:
        """Whether something was changed that should not be. Work that is half done is not."""
        exact = all(pair.made is None or not pair.made.ok or not pair.decisive for pair in self.pairs)
        return bool(self.extra) and (bool(self.other_writes) or not exact)

    @cached_property
    def histories(self) -> tuple[tuple[Any, ...], ...]:
        """For each cell of an old row that the agent changed, the values that it had, one after the other."""
        found: dict[tuple[str, str, str], list[Any]] = {}
        for event in self.writes:
            for table, parts in event.diff.items():
                for key, cells in parts.get("changed", {}).items():
                    for name, (before, after) in cells.items():
                        found.setdefault((table, key, name), [before]).append(after)
        return tuple(map(tuple, found.values()))

    @cached_property
    def net(self) -> tuple[NetRow, ...]:
        return compute_net_changes(self.scene.compiled.blueprint.schema, [e.diff for e in self.events if e.diff])

    @cached_property
    def _best_match(self) -> tuple[Match, Accepted]:
        """The accepted end that explains most of what changed."""
        found: list[tuple[int, int, Match, Accepted]] = []
        for at, patterns in enumerate(self.scene.accepts):
            try:
                one = match(patterns, self.net, (self.scene.compiled.blueprint.schema.now, _EVER))
            except TooManyWays:
                one = Match({}, {}, tuple(range(len(patterns))), tuple(range(len(self.net))))
            found.append((2 * len(one.missing) + len(one.extra), at, one, patterns))
        if not found:
            return Match({}, {}, (), tuple(range(len(self.net)))), ()
        _, _, best, patterns = min(found, key=lambda one: one[:2])
        return best, patterns

    @cached_property
    def missing(self) -> tuple[Pattern, ...]:
        """Rows that should differ from the opening state, and do not as they should."""
        best, patterns = self._best_match
        return tuple(patterns[p] for p in best.missing)

    @cached_property
    def extra(self) -> tuple[NetRow, ...]:
        """Rows that differ, and should not as they do."""
        return tuple(self.net[r] for r in self._best_match[0].extra)

    def had_seen(self, text: str, before: Event) -> bool:
        """Return whether the agent had been told this before a call."""
        said = (str(m.get("content") or "") for m in self.episode.messages if m.get("role") == "user")
        return any(text in one for one in said) or any(text in e.content for e in self.events[: before.number - 1])

    def was_repeated(self, event: Event) -> bool:
        """Return whether a refused call of a tool was followed by one of that tool that was taken."""
        return any(e.ok and e.tool == event.tool for e in self.events[event.number :])


# calls


def _events(episode: Episode) -> Iterator[Event]:
    submit = str(episode.submit["function"]["name"])
    steps = iter(episode.steps)
    step = next(steps, None)
    number = 0
    for message in episode.messages:
        if message.get("role") != "tool":
            continue
        content = str(message.get("content") or "")
        if step is not None and step["call"] == message.get("tool_call_id") and message.get("name") != submit:
            number += 1
            yield _event(number, step["tool"], step["arguments"], bool(step["ok"]), content, step)
            step = next(steps, None)
        elif message.get("name") != submit:
            number += 1
            yield _event(number, str(message.get("name")), {}, False, content, {})


def _event(number: int, tool: str, arguments: Any, ok: bool, content: str, step: Mapping[str, Any]) -> Event:
    diff = step.get("own", step.get("diff")) or {}
    if ok:
        return Event(number, tool, arguments, True, content, diff)
    try:
        told = json.loads(content)
    except ValueError:
        told = {}
    error = told.get("error") if isinstance(told, dict) else None
    error = error if isinstance(error, dict) else {}
    details = error.get("details")
    argument = details.get("argument", "") if isinstance(details, dict) else ""
    return Event(
        number, tool, arguments, False, content, diff, str(error.get("code") or ""), str(step.get("policy") or ""),
        str(argument),
    )  # fmt: skip


# the answer


def is_answer_check(name: str) -> bool:
    head, _, rest = name.partition(" ")
    return head == "answer" or (head.isdigit() and rest.startswith("answers:"))


def _list_wrong_answers(assertions: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Yield single assertions, and those that the verdict put together in one."""
    for one in assertions:
        if one["ok"] or not is_answer_check(one["name"]):
            continue
        if one["name"].startswith("answer "):
            yield one["name"].removeprefix("answer "), one["expected"], one["found"]
            continue
        for (name, expected), (_, found) in zip(one["expected"], one["found"], strict=True):
            yield str(name).removeprefix("answer "), expected, found


# the state


def compute_net_changes(schema: Schema, diffs: Sequence[Mapping[str, Any]]) -> tuple[NetRow, ...]:
    """Compute what is different at the end from what each step changed."""
    rows: dict[tuple[str, str], _RowChanges] = {}
    for diff in diffs:
        for table, parts in diff.items():
            for key, record in parts.get("added", {}).items():
                rows.setdefault((table, key), _RowChanges(None)).put(record)
            for key, cells in parts.get("changed", {}).items():
                rows.setdefault((table, key), _RowChanges({})).change(cells)
            for key, record in parts.get("removed", {}).items():
                rows.setdefault((table, key), _RowChanges(dict(record))).after = None
    out = (_net_row(schema, table, key, row) for (table, key), row in sorted(rows.items()))
    return tuple(row for row in out if row is not None)


class _RowChanges:
    """A row while the steps of an episode are gone through: as far as it is known, before and after."""

    __slots__ = ("after", "before")

    def __init__(self, before: dict[str, Any] | None) -> None:
        self.before = before
        self.after: dict[str, Any] | None = None if before is None else dict(before)

    def put(self, record: Mapping[str, Any]) -> None:
        self.after = dict(record)

    def change(self, cells: Mapping[str, Sequence[Any]]) -> None:
        self.after = {} if self.after is None else self.after
        for name, (before, after) in cells.items():
            if self.before is not None:
                self.before.setdefault(name, before)
            self.after[name] = after


def _net_row(schema: Schema, table: str, key: str, row: _RowChanges) -> NetRow | None:
    entity = schema.entities[table]
    if entity.trail or (row.before is None and row.after is None):
        return None
    if row.after is None:
        return NetRow("removed", table, key, {})
    names = [name for name in list_compared(entity) if name in row.after]
    cells = {name: read_stored(row.after[name], entity.columns[name].type, name) for name in names}
    if row.before is None:
        return NetRow("added", table, key, cells)
    before = row.before
    changed = {name: value for name, value in cells.items() if before.get(name) != row.after[name]}
    return NetRow("changed", table, key, changed) if changed else None
