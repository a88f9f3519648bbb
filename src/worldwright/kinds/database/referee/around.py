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
from worldwright.kinds.database.referee.replay import Made, Path, Step, fill, list_values, play, put
from worldwright.kinds.database.referee.settings import PlaySettings
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

    def list_episodes(self) -> Iterator[Episode]:
        """Yield every episode, each kind up to what the settings allow."""
        steps = self.referee.steps
        varied = spread(range(len(steps)), self.settings.steps)
        yield Episode("the witness", "", steps)
        for i in varied:
            yield Episode("a write left out", steps[i].call.tool, (*steps[:i], *steps[i + 1 :]))
        places = [found for i in varied for found in self._list_replaced(i)]
        for _, found in places:
            yield from spread(found, self.settings.choices)
        for i in varied:
            yield from self._list_optionals(i)
        yield from self._list_pairs(places)
        yield from self._list_orders()
        for operation in self.operations.values():
            yield from self._list_extras(operation)

    # other values

    def _list_replaced(self, i: int) -> list[tuple[Path, list[Episode]]]:
        """List what the tools let through with another value at one place of a step."""
        call, operation = self.referee.steps[i].call, self.operations[self.referee.steps[i].call.tool]
        out = []
        for path, value in list_values(call.arguments):
            found = find_input(operation, path)
            if found is not None and not isinstance(value, Made):
                others = [v for v in self._list_others(found, value) if v != value]
                turned = [Call(call.tool, put(call.arguments, path, v)) for v in others]
                name = f"{call.tool}.{'.'.join(map(str, path))} ="
                out.append(((i, *path), self._list_let_through(i, turned, "another value", name, path)))
        return out

    def _list_optionals(self, i: int) -> Iterator[Episode]:
        """Yield the witness with one more value said in a step."""
        call = self.referee.steps[i].call
        for found in self.operations[call.tool].inputs:
            if found.name not in call.arguments and not found.parts:
                values = spread(self._list_values(found), self.settings.probes)
                turned = [Call(call.tool, {**call.arguments, found.name: value}) for value in values]
                let = self._list_let_through(i, turned, "one more value", f"{call.tool}.{found.name} =", (found.name,))
                yield from spread(let, self.settings.choices)

    def _list_let_through(self, i: int, turned: Sequence[Call], play_: str, what: str, path: Path) -> list[Episode]:
        """Probe calls in the place of a step, and list the episodes of those that go through."""
        steps = self.referee.steps
        session = self.referee.start()
        made = play(session, steps[:i]).made
        out = []
        for call in spread(turned, self.settings.probes):
            if session.probe(call.tool, fill(call, made).arguments).result.ok:
                changed = Step(steps[i].number, call)
                out.append(Episode(play_, f"{what} {_at(call, path)}", (*steps[:i], changed, *steps[i + 1 :])))
        return out

    def _list_others(self, found: Input, value: Any) -> list[Any]:
        """List values in the place of another: every record, every word, near numbers and days."""
        match found.type.kind:
            case "ref" | "enum" | "bool":
                return self._list_values(found)
            case "date":
                return [] if parse_day(value) is None else [add_days(value, by) for by in (-7, -1, 1, 7)]
            case "time":
                return [] if parse_moment(value) is None else [add_hours(value, by) for by in (-24, -1, 1, 24)]
        if not found.type.numeric or isinstance(value, bool) or not isinstance(value, (int, float)):
            return []
        unit = 10**-found.type.places
        near = [value + unit, value - unit, value * 2, value / 2, value + 1]
        return [round(v, found.type.places) if found.type.places else int(v) for v in near]

    def _list_values(self, found: Input) -> list[Any]:
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

    # one write more

    def _list_extras(self, operation: Operation) -> Iterator[Episode]:
        """Yield the witness with one write more of an operation; where it is refused, that write alone."""
        request = self.referee.request
        if not self.referee.compiled.tools[operation.name].mutates:
            return
        if operation.roles and request.role not in operation.roles:
            return
        steps = () if request.refuses else self.referee.steps
        own = self._list_own_ids()
        calls = []
        for k in range(self.settings.extra_probes):
            stream = Stream("referee", request.task, operation.name, k)
            arguments = {i.name: self._draw(i, stream, own) for i in operation.inputs if _is_needed(i)}
            if all(value is not None for value in arguments.values()):
                calls.append(Call(operation.name, arguments))
        session = self.referee.start()
        made = play(session, steps).made
        before = session.changes()
        found = 0
        out = []
        for call in calls:
            probe = session.probe(call.tool, fill(call, made).arguments)
            if probe.result.ok and probe.changes != before:
                out.append(
                    Episode("one write more", f"{call.tool} {dict(call.arguments)}", (*steps, Step(len(steps), call)))
                )
                found += 1
                if found >= self.settings.extras:
                    break
        yield from out

    def _list_own_ids(self) -> frozenset[str]:
        """List the ids that the request and its witness speak of."""
        spoken = {key for use in self.referee.request.goals for key in use.ids.values()}
        said = (value for step in self.referee.steps for _, value in list_values(step.call.arguments))
        return frozenset(spoken | {value for value in said if isinstance(value, str)})

    def _draw(self, found: Input, stream: Stream, own: frozenset[str]) -> Any:
        if found.parts:
            if found.parts[0].name == "":
                return [self._draw(found.parts[0], stream, own)]
            return [{part.name: self._draw(part, stream, own) for part in found.parts if _is_needed(part)}]
        values = self._list_values(found)
        if found.type.kind == "ref":
            mine = [value for value in values if value in own]
            if mine and stream.chance(0.4):
                return stream.pick(mine)
        return stream.pick(values) if values else None


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
