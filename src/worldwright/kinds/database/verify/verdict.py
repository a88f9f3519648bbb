"""The verdict: goal, frame, rules and answer, each as named assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from worldwright.blueprint.schema import Schema
from worldwright.core.names import to_words
from worldwright.english.said_values import is_absent
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.kinds.database.verify.answers import is_same, is_same_set
from worldwright.kinds.database.verify.claims import Demanded, Surroundings, begin_truths, find_untrue
from worldwright.kinds.database.verify.facts import states_fact
from worldwright.kinds.database.verify.match import Match, TooManyWays, match
from worldwright.kinds.database.verify.net import NetRow, net_rows
from worldwright.kinds.database.verify.patterns import Accepted, AnyValue, Is, Of, Pattern, is_prose
from worldwright.kinds.database.verify.spec import Episode, Names, Specification
from worldwright.kinds.database.verify.truths import Written
from worldwright.world.tasks import Assertion, Verdict


def judge_episode(compiled: CompiledWorld, spec: Specification, episode: Episode, brief: bool = False) -> Verdict:
    """Pass if every assertion holds; `brief` ends with the first part that does not."""
    net = net_rows(compiled.tables, episode.changes)
    taken, patterns = _find_best(spec.accepts, net, episode.span)
    schema, merged = compiled.blueprint.schema, parts_to_merge(spec)
    parts: dict[str, Callable[[], Iterable[Assertion]]] = {
        "goals": lambda: _goals(spec, episode, taken),
        "texts": lambda: _texts(spec, episode, taken),
        "claims": lambda: _claims(compiled, spec, episode, Taken(patterns, net, taken)),
        "changes": lambda: _assert_changes(schema, patterns, net, taken, by_table="changes" not in merged),
        "frame": lambda: _frame(schema, spec, net, taken),
        "rules": lambda: _rules(spec, episode),
        "others": lambda: _assert_no_other_rules(spec, episode),
        "answers": lambda: _answers(spec, episode, taken),
        "other answers": lambda: _assert_no_other_answers(spec, episode),
    }
    held: dict[str, list[Assertion]] = {}
    for part in CHEAPEST_FIRST if brief else parts:
        assertions = list(parts[part]())
        held[part] = [_join_assertions(part, assertions)] if part in merged and part != "changes" else assertions
        if brief and not all(a.ok for a in assertions):
            return Verdict("fail", tuple(held[part]))
    found = tuple(assertion for part in parts for assertion in held[part])
    return Verdict("pass" if all(a.ok for a in found) else "fail", found)


def _join_assertions(part: str, assertions: Sequence[Assertion]) -> Assertion:
    """Join several assertions as one that holds where they all do; what is expected and found is told of those that do not."""
    names = dict.fromkeys(a.name.partition(" ")[2] for a in assertions)
    name = f"{len(assertions)} {part}: {', '.join(names)}"
    wrong = [a for a in assertions if not a.ok]
    if not wrong:
        return Assertion(name, True, len(assertions), len(assertions))
    return Assertion(name, False, [[a.name, a.expected] for a in wrong], [[a.name, a.found] for a in wrong])


def _find_best(accepts: Sequence[Accepted], net: Sequence[NetRow], span: tuple[str, str]) -> tuple[Match, Accepted]:
    """Find the accepted end state that explains most of what changed."""
    best: tuple[Match, Accepted] | None = None
    for patterns in accepts:
        try:
            found = match(patterns, net, span)
        except TooManyWays:
            found = Match({}, {}, tuple(range(len(patterns))), tuple(range(len(net))))
        if found.whole:
            return found, patterns
        if best is None or _distance(found) < _distance(best[0]):
            best = found, patterns
    return best if best is not None else (Match({}, {}, (), tuple(range(len(net)))), ())


def _distance(found: Match) -> int:
    return 2 * len(found.missing) + len(found.extra)


def _fill_names(names: Names, uow: UnitOfWork, taken: Match) -> dict[str, Any] | None:
    """Fill the names of an expression on the final state; None where a row that it needs was never made."""
    frame: dict[str, Any] = dict(names.said)
    for name, at in names.rows.items():
        row = uow.row(at.table, at.id or taken.names.get(at.label, ""))
        if row is None:
            return None
        frame[name] = row
    return frame


def _goals(spec: Specification, episode: Episode, taken: Match) -> Iterator[Assertion]:
    uow = episode.uow
    held: dict[str, list[bool]] = {}
    for goal in spec.goals:
        frame = _fill_names(goal.names, uow, taken)
        held.setdefault(goal.name, []).append(frame is not None and bool(goal.holds(uow, frame)))
    for name, each in held.items():
        yield Assertion(f"goal {name}", all(each), len(each), sum(each))


def _texts(spec: Specification, episode: Episode, taken: Match) -> Iterator[Assertion]:
    uow = episode.uow
    for stated in spec.texts:
        frame = _fill_names(stated.names, uow, taken)
        text = "" if frame is None else str(stated.text(uow, frame) or "")
        fact = None if frame is None else stated.fact(uow, frame)
        ok = fact is not None and states_fact(text, fact, stated.kind, int(episode.span[0][:4]), stated.role)
        yield Assertion("text states the fact", ok, fact, text[:200])


class Taken(NamedTuple):
    """An accepted end state, what changed, and how the one was taken for the other."""

    patterns: Accepted
    net: Sequence[NetRow]
    match: Match

    def list_open_texts(self, schema: Schema, said: frozenset[str] | None) -> Iterator[tuple[NetRow, str]]:
        """List the texts that the agent wrote where any would do: those that hold something which a call said."""
        for p, rows in sorted(self.match.rows.items()):
            pattern = self.patterns[p]
            columns = schema.entities[pattern.table].columns
            for row in (self.net[r] for r in rows):
                for name, value in row.cells.items():
                    is_open = isinstance(pattern.cells.get(name), AnyValue) and is_prose(columns[name])
                    if is_open and isinstance(value, str) and value and is_said(value, said):
                        yield row, value


def is_said(text: str, said: frozenset[str] | None) -> bool:
    """Return whether a text holds something that a call said; so does every text where nobody kept what was said."""
    whole = fold(text)
    return said is None or any(fold(one) in whole for one in said)


def fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _claims(compiled: CompiledWorld, spec: Specification, episode: Episode, taken: Taken) -> Iterator[Assertion]:
    if spec.request is None:
        return
    written = list(taken.list_open_texts(compiled.blueprint.schema, episode.said))
    texts = frozenset((at.table, at.id, text) for at, text in written)
    around = _find_surroundings(compiled, spec, episode, taken, texts) if written else None
    known = begin_truths(around) if around is not None else None
    untrue = []
    for at, text in written:
        row = episode.uow.row(at.table, at.id)
        if row is not None and around is not None:
            untrue += find_untrue(text, row, around, known)
    yield Assertion("texts say only what is true", not untrue, [], untrue)


def _find_surroundings(
    compiled: CompiledWorld, spec: Specification, episode: Episode, taken: Taken, written: frozenset[Written]
) -> Surroundings:
    """Find what the texts of an episode are held against."""
    uow, names = episode.uow, taken.match.names
    demanded = []
    for stated in spec.texts:
        frame = _fill_names(stated.names, uow, taken.match)
        if frame is not None:
            text = str(stated.text(uow, frame) or "")
            demanded.append(Demanded(text, stated.fact(uow, frame), stated.kind, stated.role))
    told = []
    for part in spec.answers:
        frame = _fill_names(part.names or Names(), uow, taken.match)
        works_out = part.works_out
        told.append(part.value if works_out is None or frame is None else works_out(uow, frame))
    about = dict.fromkeys(
        (at.table, at.id or names.get(at.label, ""))
        for one in (*(goal.names for goal in spec.goals), *(stated.names for stated in spec.texts))
        for at in one.rows.values()
    )
    tables = compiled.tables
    before = [
        value
        for entity, _, held, _ in episode.changes
        if held is not None
        for column in tables[entity].entity.stored
        if is_prose(column)
        and (value := held[tables[entity].position[column.name]])
        and not tables[entity].entity.trail
    ]
    named = [*((row.table, row.id) for row in taken.net), *_list_rows_named(compiled, spec.request or "")]
    return Surroundings(
        compiled, uow, episode.names, spec.request or "", demanded, told,
        [row for at in about if (row := uow.row(*at)) is not None],
        [row for at in dict.fromkeys(named) if (row := uow.row(*at)) is not None], before, written,
    )  # fmt: skip


def _list_rows_named(compiled: CompiledWorld, request: str) -> Iterator[tuple[str, str]]:
    """List the rows whose ids stand in the request."""
    words = [word.strip(".,;:!?()\"'") for word in request.split() if any(map(str.isdigit, word))]
    for name, entity in compiled.blueprint.schema.entities.items():
        for word in words:
            if entity.key.number(word) is not None:
                yield name, word


def _assert_changes(
    schema: Schema, patterns: Accepted, net: Sequence[NetRow], taken: Match, by_table: bool
) -> Iterator[Assertion]:
    """Yield one assertion for the rows (of a table) that came, for those that changed, for those that went."""
    groups: dict[tuple[str, str], list[int]] = {}
    for p, pattern in enumerate(patterns):
        groups.setdefault((to_words(pattern.table) if by_table else "rows", pattern.op), []).append(p)
    for (what, op), members in groups.items():
        missing = [p for p in members if p in taken.missing]
        if not missing:
            yield Assertion(f"{what} {op}", True, len(members), len(members))
            continue
        tables = {patterns[p].table for p in missing}
        near = {net[r].id: net[r] for r in taken.extra if net[r].table in tables}
        expected, found = (
            [_render_pattern(schema, patterns[p]) for p in missing],
            [_render_row(schema, row) for row in near.values()],
        )
        yield Assertion(f"{what} {op}", False, expected, found)


def _frame(schema: Schema, spec: Specification, net: Sequence[NetRow], taken: Match) -> Iterator[Assertion]:
    if spec.framed:
        extra = [_render_row(schema, net[r]) for r in taken.extra]
        yield Assertion("nothing else changed", not extra, [], extra)


def _render_pattern(schema: Schema, pattern: Pattern) -> str:
    columns = schema.entities[pattern.table].columns
    parts = [f"{k}={to_json(v.value, columns[k].type)}" for k, v in pattern.cells.items() if isinstance(v, Is)]
    parts += [f"{k}={v.label}" for k, v in pattern.cells.items() if isinstance(v, Of)]
    return f"{pattern.id or pattern.label or pattern.table}: {', '.join(parts) or pattern.op}"


def _render_row(schema: Schema, row: NetRow) -> str:
    columns = schema.entities[row.table].columns
    cells = ", ".join(f"{k}={to_json(v, columns[k].type)}" for k, v in row.cells.items())
    return f"{row.table} {row.id} {row.op}: {cells}"


def _rules(spec: Specification, episode: Episode) -> Iterator[Assertion]:
    for rule in spec.rules:
        kept = rule not in episode.broken
        yield Assertion(f"rule {to_words(rule)} kept", kept, True, kept)


def _assert_no_other_rules(spec: Specification, episode: Episode) -> Iterator[Assertion]:
    if spec.no_others:
        others = [r for r in episode.broken if r not in spec.rules]
        yield Assertion("no other handbook rule broken", not others, [], others)


def _answers(spec: Specification, episode: Episode, taken: Match) -> Iterator[Assertion]:
    given = episode.answer if isinstance(episode.answer, Mapping) else {}
    for part in spec.answers:
        expected = part.value
        if part.works_out is not None:
            frame = _fill_names(part.names or Names(), episode.uow, taken)
            expected = None if frame is None else part.works_out(episode.uow, frame)
        found = given.get(part.name)
        right = is_same_set(expected, found) if part.kind is None else is_same(expected, found, part.kind)
        yield Assertion(f"answer {part.name}", episode.submitted and right, expected, found)


def _assert_no_other_answers(spec: Specification, episode: Episode) -> Iterator[Assertion]:
    """Assert that nothing is said where nothing is to be said: a rule that forbids what was done, figures of what was refused."""
    if spec.answers:
        given = episode.answer if isinstance(episode.answer, Mapping) else {}
        known = {part.name for part in spec.answers}
        known.add("record")  # in every form; where nothing asks which one is meant, none is wrong
        more = {name: value for name, value in given.items() if name not in known and not is_absent(value)}
        yield Assertion("no other part of the answer", not more, {}, more)


CHEAPEST_FIRST = ("changes", "frame", "others", "other answers", "goals", "rules", "answers", "texts", "claims")
MAX_ASSERTIONS = 12
JOINED_PARTS = ("rules", "changes", "texts", "goals", "answers")
"""In this order, as far as it takes."""


def parts_to_merge(spec: Specification) -> frozenset[str]:
    """The parts of a task that are told as one."""
    tables = [{(p.table, p.op) for p in accepted} for accepted in spec.accepts]
    sizes = {
        "rules": len(spec.rules),
        "changes": max(map(len, tables), default=0),
        "texts": len(spec.texts),
        "goals": len({goal.name for goal in spec.goals}),
        "answers": len(spec.answers),
    }
    ops = max((len({op for _, op in t}) for t in tables), default=0)
    merged: set[str] = set()
    for part in JOINED_PARTS:
        if (
            sum(sizes.values()) + spec.framed + spec.no_others + bool(spec.answers) + (spec.request is not None)
            <= MAX_ASSERTIONS
        ):
            break
        fewer = ops if part == "changes" else min(1, sizes[part])
        if fewer < sizes[part]:
            sizes[part] = fewer
            merged.add(part)
    return frozenset(merged)
