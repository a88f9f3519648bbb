"""A caller that knows nothing but the tools' schemas: calls drawn at random, with ids it has seen.

Used to try worlds out (conformance, tests, baselines). Most of what it does is refused; some of it is not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from worldwright.core.days import add_days
from worldwright.core.ids import find_numeric_ids, prefix_of
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.world.records import Call, Step, ToolSpec

_PATTERN = re.compile(r"\^([A-Z][A-Z0-9]{0,11}-|[0-9a-f-]+)\[0-9\]")
_WORDS = ("late delivery", "as agreed on the phone", "urgent", "damaged", "second request", "Müller & Söhne", "")

Draw = Callable[["Walker"], Any]
"""A value that a schema allows."""


class Plan(NamedTuple):
    """What is worked out of the tools once, for any number of walks."""

    tools: tuple[ToolSpec, ...]
    draws: tuple[Draw, ...]
    """Of each tool, its arguments."""
    up_to: tuple[float, ...]
    """Of each tool, its weight and those of the tools before it."""
    ids: re.Pattern[str]
    """Ids that some tool takes, in a JSON text."""
    numbers: bool
    """Whether some tool takes any number."""

    @staticmethod
    def make(tools: tuple[ToolSpec, ...]) -> Plan:
        """Make a plan of tools; those that write come more often than those that read."""
        weights = accumulate(3.0 if t.mutates else 1.0 for t in tools)
        parts = [part for t in tools for part in _parts(t.input_schema)]
        prefixes = {m[1]: None for part in parts if (m := _PATTERN.match(str(part.get("pattern", ""))))}
        numbers = any(part.get("type") == "integer" and "maximum" not in part for part in parts)
        ids = re.compile(f'"(({"|".join(map(re.escape, prefixes)) or "(?!)"})[0-9]{{2,}})"')
        draws = tuple(_object(t.input_schema, t.mutates) for t in tools)
        return Plan(tools, draws, tuple(weights), ids, numbers)


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and those inside it."""
    if isinstance(schema, Mapping):
        yield schema
        for inner in (*schema.get("properties", {}).values(), schema.get("items")):
            yield from _parts(inner)


class Walker:
    """Draws calls for one role; remembers every id that results have shown."""

    def __init__(self, tools: tuple[ToolSpec, ...] | Plan, stream: Stream, clock: str) -> None:
        self.plan = tools if isinstance(tools, Plan) else Plan.make(tools)
        self.stream = stream
        self.clock = clock
        self.seen: dict[str, dict[str, None]] = {}
        self.in_order: dict[str, list[str]] = {}
        """The same as lists, to draw from."""
        self.numbers: dict[int, None] = {}
        """Ids that are written as numbers."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self.plan.tools

    def learn(self, value: Any) -> None:
        """Remember the ids in a result."""
        todo = [value]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                prefix = prefix_of(item)
                if prefix:
                    self._see(prefix, item)
            elif isinstance(item, int) and prefix_of(str(item)):
                self.numbers[item] = None
            elif isinstance(item, Mapping):
                todo.extend(item.values())
            elif isinstance(item, (list, tuple)):
                todo.extend(item)

    def _see(self, prefix: str, key: str) -> None:
        known = self.seen.setdefault(prefix, {})
        if key not in known:
            known[key] = None
            self.in_order.setdefault(prefix, []).append(key)

    def learn_text(self, text: str) -> None:
        """Remember the ids in a result that is still JSON text, where some tool could take them."""
        found = self.plan.ids.findall(text)
        for key, prefix in found:
            self._see(prefix, key)
        if self.plan.numbers and not found:
            self.numbers.update(dict.fromkeys(find_numeric_ids(text)))

    def call(self) -> tuple[str, dict[str, Any]]:
        """The next call."""
        tools, draws, up_to, _, _ = self.plan
        at = bisect_right(up_to, self.stream.uniform() * up_to[-1])
        return tools[at].name, draws[at](self)

    def arguments(self, schema: Mapping[str, Any], eager: bool) -> dict[str, Any]:
        """An object that the schema allows; an eager one has more of what may be left out."""
        drawn: dict[str, Any] = _object(schema, eager)(self)
        return drawn


# values that a schema allows, plausible where that is easy


def _object(schema: Mapping[str, Any], eager: bool) -> Draw:
    required = schema.get("required", ())
    often = 0.35 if eager else 0.15
    parts = [(name, name in required, _value(part)) for name, part in schema.get("properties", {}).items()]

    def draw(walker: Walker) -> dict[str, Any]:
        uniform = walker.stream.uniform
        return {name: value(walker) for name, needed, value in parts if needed or uniform() < often}

    return draw


def _value(schema: Mapping[str, Any]) -> Draw:
    if "enum" in schema:
        choices = [v for v in schema["enum"] if v is not None]
        return lambda w: w.stream.pick(choices)
    match schema.get("type"):
        case "integer":
            return _integer(schema)
        case "number":
            low, high = schema.get("minimum", 0), schema.get("maximum", 2000)
            return lambda w: round(low + (high - low) * w.stream.uniform() ** 3, 2)
        case "boolean":
            return lambda w: w.stream.chance(0.5)
        case "array":
            item, most = _value(schema["items"]), min(int(schema.get("maxItems", 3)), 3)
            fewest = max(1, int(schema.get("minItems", 1)))
            return lambda w: [item(w) for _ in range(w.stream.between(fewest, max(1, most)))]
        case "object":
            return _object(schema, True)
    return _text(schema)


def _integer(schema: Mapping[str, Any]) -> Draw:
    low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 30))
    if "maximum" in schema:
        return lambda w: w.stream.skewed(low, high)

    def draw(walker: Walker) -> int:
        if walker.numbers and walker.stream.chance(0.5):
            return walker.stream.pick(list(walker.numbers))
        return walker.stream.skewed(low, high)

    return draw


def _text(schema: Mapping[str, Any]) -> Draw:
    m = _PATTERN.match(str(schema.get("pattern", "")))
    if m:
        prefix, example = m[1], str(schema.get("examples", [f"{m[1]}00001"])[0])

        def known(walker: Walker) -> str:
            seen = walker.in_order.get(prefix)
            return walker.stream.pick(seen) if seen else example

        return known
    match schema.get("format"):
        case "date":
            return lambda w: add_days(w.clock[:10], w.stream.between(-40, 40)) or w.clock[:10]
        case "date-time":
            return lambda w: w.clock
    return lambda w: w.stream.pick(_WORDS)


def walk(env: Env, stream: Stream, calls: int) -> Iterator[Step]:
    """Take an episode that was reset through so many random calls."""
    agent = env.agent
    walker = Walker(agent.list(), stream, agent.clock())
    for tool in walker.tools:
        if not tool.mutates and not tool.input_schema.get("required"):
            walker.learn(
                agent.call(tool.name, {"limit": 30} if "limit" in tool.input_schema["properties"] else {}).data
            )
    for _ in range(calls):
        name, arguments = walker.call()
        clock = agent.clock()
        result = agent.call(name, arguments)
        walker.learn(result.data)
        yield Step(Call(name, arguments), result, clock)
        if result.done:
            return
