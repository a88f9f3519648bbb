"""Legal play around a task: what else the tools let somebody do, near the witness and beside it.

Every alternative is probed first, and only what the tools let through is played: what they refuse changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from worldwright.blueprint.checked import Input, Operation
from worldwright.core.days import add_days, add_hours, parse_day, parse_moment
from worldwright.core.rng import Stream
from worldwright.kinds.database.referee.decide import Referee
from worldwright.kinds.database.referee.replay import Made, Path, Step, fill, list_values, put
from worldwright.kinds.database.referee.settings import PlaySettings
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.records import Call


@dataclass(frozen=True, slots=True)
class Episode:
    """Writes around a witness, and how the answer to them differs from what one would report."""

    play: str
    """What kind of play it is."""
    what: str
    steps: tuple[Step, ...]
    answer: Mapping[str, Any] | None = None
    """In place of what somebody would report who did this."""
    submitted: bool = True


class Surroundings:
    """Everything near one task that the tools let through."""

    def __init__(self, referee: Referee, settings: PlaySettings) -> None:
        self.referee = referee
        self.settings = settings
        self.operations = referee.compiled.blueprint.operations
        self._ids: dict[str, tuple[str, ...]] = {}

    def list_ids(self, entity: str) -> tuple[str, ...]:
        """List the rows of a table in the opening state."""
        if entity not in self._ids:
            uow = self.referee.start().unit_of_work()
            self._ids[entity] = tuple(row.id for row in uow.rows(entity))
        return self._ids[entity]

    def choose(self, items: Sequence[Any], number: int) -> list[Any]:
        """Choose so many items, in their order; which, where not all, goes by the task."""
        if len(items) <= number:
            return list(items)
        chosen = Stream("referee", self.referee.request.task, len(items)).shuffled(range(len(items)))[:number]
        return [items[k] for k in sorted(chosen)]

    def list_episodes(self) -> Iterator[Episode]:
        """Yield every episode, each kind up to what the settings allow."""
        steps = self.referee.steps
        varied = self.choose(range(len(steps)), self.settings.steps)
        yield Episode("the witness", "", steps)
        for i in varied:
            yield Episode("a write left out", steps[i].call.tool, (*steps[:i], *steps[i + 1 :]))
        places = [found for i in varied for found in self._list_replaced(steps, i, "another value")]
        for place, found in places:
            yield from spread(found, self.settings.choices)
            yield from spread(self._list_copied(place, found), self.settings.choices)
        yield from self._list_other_ways()
        for i in varied:
            yield from self._list_optionals(i)
        yield from self._list_pairs(places)
        yield from self._list_orders()

    # other values

    def _list_other_ways(self) -> Iterator[Episode]:
        """Yield the witness, and then what a rule is said to forbid with another value somewhere."""
        before, forbidden = self.referee.steps, self.referee.forbidden_steps
        for i in self.choose(range(len(forbidden)), self.settings.steps):
            for _, found in self._list_replaced((*before, *forbidden), len(before) + i, "the rest another way"):
                yield from spread(found, self.settings.choices)

    def _list_replaced(self, steps: Sequence[Step], i: int, play_: str) -> list[tuple[Path, list[Episode]]]:
        """List what the tools let through with another value at one place of a step."""
        call, operation = steps[i].call, self.operations[steps[i].call.tool]
        out = []
        for path, value in self.choose(list(list_values(call.arguments)), self.settings.places):
            found = find_input(operation, path)
            if found is not None and not isinstance(value, Made):
                others = [v for v in self.list_others(found, value) if v != value]
                turned = [Call(call.tool, put(call.arguments, path, v)) for v in others]
                name = f"{call.tool}.{'.'.join(map(str, path))} ="
                out.append(((i, *path), self._list_let_through(steps, i, turned, play_, name, path)))
        return out

    def _list_copied(self, place: Path, found: Sequence[Episode]) -> list[Episode]:
        """List the episodes with another record once more, with what the witness has copied from its own: the number of a meter."""
        steps, i, path = self.referee.steps, int(place[0]), place[1:]
        kind = find_input(self.operations[steps[i].call.tool], path)
        if kind is None or kind.type.kind != "ref":
            return []
        uow = self.referee.start().unit_of_work()
        own = uow.row(kind.type.entity, _at(steps[i].call, path))
        if own is None:
            return []
        copies = self._list_copies(place, own)
        if not copies:
            return []
        out = []
        for episode in found:
            row = uow.row(kind.type.entity, _at(episode.steps[i].call, path))
            if row is None:
                continue
            turned = list(episode.steps)
            for k, at, column in copies:
                call = turned[k].call
                turned[k] = Step(turned[k].number, Call(call.tool, put(call.arguments, at, row.values[column])))
            out.append(Episode("another value, and what is copied from it", episode.what, tuple(turned)))
        return out

    def _list_copies(self, place: Path, own: Row) -> list[tuple[int, Path, int]]:
        """List where the witness has a text that nobody said and that one column of a row holds, and which column."""
        said = {value for use in self.referee.request.goals for value in (*use.said.values(), *use.ids.values())}
        columns = {value: c for c, value in enumerate(own.values) if c and isinstance(value, str) and value not in said}
        return [
            (k, path, columns[value])
            for k, step in enumerate(self.referee.steps)
            for path, value in list_values(step.call.arguments)
            if (k, *path) != place and isinstance(value, str) and value in columns
        ]

    def _list_optionals(self, i: int) -> Iterator[Episode]:
        """Yield the witness with one more value said in a step."""
        call = self.referee.steps[i].call
        free = [one for one in self.operations[call.tool].inputs if one.name not in call.arguments]
        for found in self.choose(free, self.settings.places):
            if not found.parts:
                values = spread(self.list_values(found), self.settings.probes)
                turned = [Call(call.tool, {**call.arguments, found.name: value}) for value in values]
                name = f"{call.tool}.{found.name} ="
                let = self._list_let_through(self.referee.steps, i, turned, "one more value", name, (found.name,))
                yield from spread(let, self.settings.choices)

    def _list_let_through(
        self, steps: Sequence[Step], i: int, turned: Sequence[Call], play_: str, what: str, path: Path
    ) -> list[Episode]:
        """Probe calls in the place of a step, and list the episodes of those that go through."""
        made, session = self.referee.go_to(steps[:i]), self.referee.session
        out = []
        for call in spread(turned, self.settings.probes):
            if session.probe(call.tool, fill(call, made).arguments).result.ok:
                changed = Step(steps[i].number, call)
                out.append(Episode(play_, f"{what} {_at(call, path)}", (*steps[:i], changed, *steps[i + 1 :])))
        return out

    def list_others(self, found: Input, value: Any) -> list[Any]:
        """List values in the place of another: every record, every word, near numbers and days."""
        match found.type.kind:
            case "ref" | "enum" | "bool":
                return self.list_values(found)
            case "date":
                return [] if parse_day(value) is None else [add_days(value, by) for by in (-7, -1, 1, 7)]
            case "time":
                return [] if parse_moment(value) is None else [add_hours(value, by) for by in (-24, -1, 1, 24)]
        if not found.type.numeric or isinstance(value, bool) or not isinstance(value, (int, float)):
            return []
        unit = 10**-found.type.places
        near = [value + unit, value - unit, value * 2, value / 2, value + 1]
        return [round(v, found.type.places) if found.type.places else int(v) for v in near]

    def list_values(self, found: Input) -> list[Any]:
        """List values that an input could have, whatever it has now."""
        today = self.referee.compiled.blueprint.schema.now[:10]
        match found.type.kind:
            case "ref":
                return list(self.list_ids(found.type.entity))
            case "enum":
                return list(found.type.values)
            case "bool":
                return [True, False]
            case "date":
                return [add_days(today, by) for by in (0, 1, 7, 30, -7)]
            case "time":
                return [f"{add_days(today, by)}T10:00:00Z" for by in (0, 1, 7)]
            case "text":
                return ["A note that nobody asked for."]
        if not found.type.numeric:
            return []
        scale = 10**found.type.places
        low = found.low if found.low is not None else scale
        values = sorted({low, max(low, scale), max(low, 5 * scale), max(low, 50 * scale)})
        return [v / scale if found.type.places else v for v in values]

    def _list_pairs(self, places: Sequence[tuple[Path, Sequence[Episode]]]) -> Iterator[Episode]:
        """Yield the witness with another value at two places at once."""
        pairs = list(combinations([place for place in places if place[1]], 2))
        each = max(1, self.settings.pairs // max(1, len(pairs)))
        for (first, one), (second, other) in spread(pairs, self.settings.pairs):
            if first[:2] == second[:2]:
                continue
            for a, b in zip(spread(one, each), spread(other, each), strict=False):
                steps, i = list(a.steps), int(second[0])
                arguments = put(steps[i].call.arguments, second[1:], _at(b.steps[i].call, second[1:]))
                steps[i] = Step(steps[i].number, Call(steps[i].call.tool, arguments))
                yield Episode("two other values", f"{a.what}, {b.what}", tuple(steps))

    def _list_orders(self) -> Iterator[Episode]:
        steps = self.referee.steps
        for i, j in spread(list(combinations(range(len(steps)), 2)), self.settings.orders):
            swapped = list(steps)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield Episode("two writes swapped", f"{steps[i].call.tool}, {steps[j].call.tool}", tuple(swapped))


def spread(items: Sequence[Any], number: int) -> list[Any]:
    """Take so many items, evenly over all of them."""
    if len(items) <= number:
        return list(items)
    return [items[k * len(items) // number] for k in range(number)]


def find_input(operation: Operation, path: Path) -> Input | None:
    """Find the input, or the part of a list input, that a place in arguments belongs to."""
    found = operation.input(str(path[0]))
    if found is None or not found.parts:
        return found
    return next((part for part in found.parts if part.name == (path[2] if len(path) > 2 else "")), None)


def _is_needed(found: Input) -> bool:
    return not found.optional and found.default is None


def _at(call: Call, path: Path) -> Any:
    value: Any = call.arguments
    for key in path:
        value = value[key]
    return value
