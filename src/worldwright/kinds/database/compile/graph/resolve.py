"""From what has been seen to the arguments of one call, before it is made.

Ids come only out of the pool. Among the rows that could be given, those go first that belong to what is already chosen, that were
made or shown of late, and that this tool has not been tried on; a row that a condition is known to refuse is not given. Other
values come from the rows that are given, from fields of the same name, or from what the input allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldwright.blueprint.checked import Input
from worldwright.blueprint.expr.partial import UNKNOWN, Guess, to_stored
from worldwright.core.rng import Stream
from worldwright.kinds.database.arguments import get_default
from worldwright.kinds.database.compile.graph.draw import draw_value
from worldwright.kinds.database.compile.graph.memory import LATEST_CALLS, Memory, Settled, Use, combination
from worldwright.kinds.database.compile.graph.plan import ToolPlan
from worldwright.kinds.database.compile.graph.pool import SeenRow

MAX_CANDIDATES = 12
DOUBT_PENALTY = 1.5
"""What a condition that cannot be told yet takes off a row's score."""
BLIND_SHARE = 0.1
"""How often a row is given whose state nobody has looked at."""
RISK_SHARE = 0.4
"""How often a row that need not be given is given though a condition on it cannot be told yet."""
MAX_DRAWS = 5
"""How often a plain value is drawn anew where a condition refuses it."""


# What makes a row better than another for an input, in points; chance adds up to CHANCE.
NEAR_BONUS = 2.0
"""In one record with a row already chosen; twice that by itself, once by way of a third row."""
OURS_BONUS = 1.5
"""Made or changed by this walk."""
COLLEAGUE_BONUS = 3.0
"""Somebody who acts in this world, for a write."""
WISHED_BONUS = 3.0
"""A write waits for somebody to look at it, for a read."""
NEWS_BONUS = 2.0
"""Giving it would prove an edge."""
LATE_BONUS = 0.5
"""Shown by one of the latest calls."""
TRIED_PENALTY = -1.5
"""For each time this tool was given it before."""
RANDOM_BONUS = 1.5


@dataclass(slots=True)
class _Choice:
    """The arguments of one call as they come together."""

    plan: ToolPlan
    memory: Memory
    stream: Stream
    settled: Settled
    frame: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[str, SeenRow]] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    def count_doubts(self, tests: tuple[Guess, ...]) -> int:
        """Count the conditions that nobody can tell yet; -1 where one is false."""
        out = 0
        for test in tests:
            held = test(self.memory.pool, self.frame)
            if held is UNKNOWN:
                out += 1
            elif not held:
                return -1
        return out

    def is_refused(self, tests: tuple[Guess, ...]) -> bool:
        return self.count_doubts(tests) < 0


def resolve(
    plan: ToolPlan, memory: Memory, stream: Stream, settled: Settled = frozenset()
) -> tuple[dict[str, Any], tuple[Use, ...]] | None:
    """Arguments with where they came from; none where a required input has no value that could do."""
    choice = _Choice(plan, memory, stream, settled)
    if memory.actor:
        choice.frame["actor"] = memory.actor
    given = _choose_inputs(plan, stream)
    for i, wanted in zip(plan.inputs, given, strict=True):
        if not wanted:
            choice.frame[i.name] = get_default(i)
    for i, tests, wanted in zip(plan.inputs, plan.tests, given, strict=True):
        if wanted and _choose(choice, i, tests):
            continue
        choice.frame[i.name] = get_default(i)
        if (not i.optional and i.default is None) or choice.is_refused(tests):
            return None
    said = combination(choice.uses)
    if plan.mutates and (plan.name, said) in memory.refused:
        return None
    if not plan.mutates and memory.read.get((plan.name, said)) == memory.writes:
        return None
    return choice.arguments, tuple(choice.uses)


def _choose_inputs(plan: ToolPlan, stream: Stream) -> list[bool]:
    """Choose which inputs are given at all: everything required, some of the rest. A search gets one filter or none, and a page."""
    if not plan.search:
        odds = {True: 0.5, False: 0.3}
        return [
            stream.chance(odds[i.type.kind == "ref"]) if i.optional or i.default is not None else True
            for i in plan.inputs
        ]
    rows = [i.name for i in plan.inputs if i.type.kind == "ref"]
    rare = [i.name for i in plan.inputs if i.name not in (*rows, *plan.wanted, "limit", "offset")]
    chosen = {"limit"}
    if plan.wanted and stream.chance(0.4):
        chosen.add(stream.pick(tuple(plan.wanted)))
    elif rows and stream.chance(0.7):
        chosen.add(stream.pick(rows))
    elif stream.chance(0.5):
        chosen.add("offset")
    if rare and stream.chance(0.2):
        chosen.add(stream.pick(rare))
    return [i.name in chosen for i in plan.inputs]


def _choose(choice: _Choice, i: Input, tests: tuple[Guess, ...]) -> bool:
    if i.type.kind == "ref":
        return _choose_row(choice, i, tests)
    if i.parts:
        return _choose_list(choice, i, tests)
    if i.type.kind in ("enum", "bool") and not choice.plan.search:
        return _choose_word(choice, i, tests)
    for _ in range(MAX_DRAWS):
        value, sources = draw_value(choice.plan, choice.memory, choice.stream, i, choice.rows)
        choice.frame[i.name] = to_stored(i.type, value)
        if not choice.is_refused(tests):
            choice.arguments[i.name] = value
            choice.uses.append(Use(i.name, i.name, "", value, sources))
            return True
    return False


def _choose_word(choice: _Choice, i: Input, tests: tuple[Guess, ...]) -> bool:
    """Any word that no condition is known to refuse, rather one of which more can be told."""
    best: tuple[float, Any] | None = None
    for word in i.type.values or (True, False):
        choice.frame[i.name] = word
        doubts = choice.count_doubts(tests)
        spoilt = choice.memory.spoilt.get((choice.plan.name, i.name, str(word)), 0)
        score = 2.0 * choice.stream.uniform() - doubts - 0.5 * spoilt
        if doubts >= 0 and (best is None or score > best[0]):
            best = score, word
    if best is None:
        return False
    choice.frame[i.name] = choice.arguments[i.name] = best[1]
    choice.uses.append(Use(i.name, i.name, "", best[1], ()))
    return True


# rows


def _choose_row(choice: _Choice, i: Input, tests: tuple[Guess, ...]) -> bool:
    """The best row that no condition is known to refuse; what cannot be told yet counts against it."""
    best: tuple[float, SeenRow] | None = None
    blind, risky = choice.stream.chance(BLIND_SHARE), choice.stream.chance(RISK_SHARE)
    for score, seen in rank_rows(choice, i.name, i.type.entity):
        if not blind and any(column not in seen.record for column in choice.plan.looks.get(i.name, ())):
            choice.memory.wishes[seen.id] = None
            continue
        choice.frame[i.name] = seen.id
        doubts = choice.count_doubts(tests)
        if i.optional and doubts > 0 and not risky:
            continue
        if doubts >= 0 and (best is None or score - DOUBT_PENALTY * doubts > best[0]):
            best = score - DOUBT_PENALTY * doubts, seen
    if best is None:
        return False
    seen = best[1]
    choice.frame[i.name] = choice.arguments[i.name] = seen.id
    choice.rows.append((i.type.entity, seen))
    choice.uses.append(_use(i.name, i.name, i.type.entity, seen))
    return True


def _use(name: str, at: str, entity: str, seen: SeenRow) -> Use:
    return Use(name, at, entity, seen.id, tuple(sorted(seen.shown.values(), reverse=True)))


def rank_rows(choice: _Choice, name: str, entity: str) -> list[tuple[float, SeenRow]]:
    """Rank the rows that could be given, best first; chance decides among equals."""
    memory, stream, target = choice.memory, choice.stream, choice.plan.name
    chosen = [s.id for _, s in choice.rows]
    since, reads = memory.calls - LATEST_CALLS, not choice.plan.mutates
    settled = choice.settled

    def news(seen: SeenRow) -> bool:
        return any((tool, target, name) not in settled for tool in seen.shown)

    words = choice.plan.words.get(name, ())
    scored = []
    for seen in memory.pool.candidates(entity, MAX_CANDIDATES, words, news if settled else None):
        score = NEAR_BONUS * memory.pool.measure_nearness(seen.id, chosen) if chosen else 0.0
        score += OURS_BONUS * seen.ours
        score += (
            WISHED_BONUS * (seen.id in memory.wishes) if reads else COLLEAGUE_BONUS * (seen.id in memory.colleagues)
        )
        score += LATE_BONUS * (seen.latest > since)
        score += NEWS_BONUS * news(seen) if settled else 0.0
        score += TRIED_PENALTY * memory.tried.get((target, name, seen.id), 0)
        scored.append((score + RANDOM_BONUS * stream.uniform(), seen))
    scored.sort(key=lambda pair: -pair[0])
    return scored


# lists


def _choose_list(choice: _Choice, i: Input, tests: tuple[Guess, ...]) -> bool:
    leading = next((p for p in i.parts if p.type.kind == "ref" and not p.optional), None)
    low, high = max(1, i.low or 0), i.high or 1
    for _ in range(2):
        rows: list[SeenRow] | list[None] | None
        if leading is not None:
            rows = _rows_for(choice, i, leading, low, high)
        else:
            rows = [None] * choice.stream.between(low, min(high, low + 1))
        elements = [_element(choice, i, at, leading, row) for at, row in enumerate(rows or ())]
        whole = [e for e in elements if e is not None]
        if not whole or len(whole) < len(elements):
            return False
        bare = i.parts[0].name == ""
        choice.frame[i.name] = [e.stored[""] if bare else e.stored for e in whole]
        if not choice.is_refused(tests):
            choice.arguments[i.name] = [e.values[""] if bare else e.values for e in whole]
            choice.uses += [u for e in whole for u in e.uses]
            return True
    return False


def _rows_for(choice: _Choice, i: Input, part: Input, low: int, high: int) -> list[SeenRow] | None:
    """The rows of a list: all that belong to what is chosen, where such rows belong to anything; else a few."""
    stream, memory, entity = choice.stream, choice.memory, part.type.entity
    owners = [s.id for owner, s in choice.rows if (entity, owner) in choice.plan.belongs]
    if not owners:
        rows = [seen for _, seen in rank_rows(choice, i.name, entity)][: stream.between(low, min(high, low + 2))]
    else:
        known = memory.pool.rows.get(entity, {})
        near = dict.fromkeys(key for owner in owners for key in memory.pool.links.get(owner, ()))
        rows = [known[key] for key in near if key in known and known[key].shown]
        rows = rows if stream.chance(0.85) else rows[:1]
    if not stream.chance(BLIND_SHARE):
        rows = [s for s in rows if all(column in s.record for column in choice.plan.looks.get(i.name, ()))]
    if len(rows) < low:
        memory.wishes.update(dict.fromkeys(owners))
        return None
    return rows[:high]


@dataclass(slots=True)
class _Element:
    """One element of a list: as JSON, in storage form, and what it was made of."""

    values: dict[str, Any] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)


def _element(choice: _Choice, i: Input, at: int, leading: Input | None, row: SeenRow | None) -> _Element | None:
    """An element around a row, if there is one; none where a required id has nothing to come from."""
    out = _Element()
    beside = list(choice.rows)
    for p in sorted(i.parts, key=lambda p: p.type.kind != "ref"):
        out.stored[p.name] = get_default(p)
        needed = not p.optional and p.default is None
        if not needed and not choice.stream.chance(0.5):
            continue
        place = f"{i.name}[{at}].{p.name}".rstrip(".")
        if p.type.kind != "ref":
            value, sources = draw_value(choice.plan, choice.memory, choice.stream, p, beside)
            out.uses.append(Use(i.name, place, "", value, sources))
            out.values[p.name], out.stored[p.name] = value, to_stored(p.type, value)
            continue
        found = row if p is leading else next((s for _, s in rank_rows(choice, i.name, p.type.entity)), None)
        if found is not None:
            beside.append((p.type.entity, found))
            out.uses.append(_use(i.name, place, p.type.entity, found))
            out.values[p.name] = out.stored[p.name] = found.id
        elif needed:
            return None
    return out
