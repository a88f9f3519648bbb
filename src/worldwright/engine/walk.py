"""A caller that knows nothing but the tools' schemas: calls drawn at random, with ids it has seen.

Used to try worlds out (conformance, tests, baselines). Most of what it does is refused; some of it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.core.days import add_days
from worldwright.core.ids import ids_in, prefix_of
from worldwright.core.rng import Stream
from worldwright.engine.env import Env
from worldwright.world.records import Call, Step, ToolSpec

_PATTERN = re.compile(r"\^([A-Z][A-Z0-9]{0,11}-|[0-9a-f-]+)\[0-9\]")
_WORDS = ("late delivery", "as agreed on the phone", "urgent", "damaged", "second request", "Müller & Söhne", "")


class Walker:
    """Draws calls for one role; remembers every id that results have shown."""

    def __init__(self, tools: tuple[ToolSpec, ...], stream: Stream, clock: str) -> None:
        self.tools = tools
        self._weights = [3.0 if t.mutates else 1.0 for t in tools]
        self.stream = stream
        self.clock = clock
        self.seen: dict[str, dict[str, None]] = {}
        self._in_order: dict[str, list[str]] = {}
        """The same as lists, to draw from."""
        self.numbers: dict[int, None] = {}
        """Ids that are written as numbers."""

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
            self._in_order.setdefault(prefix, []).append(key)

    def learn_text(self, text: str) -> None:
        """Remember the ids in a result that is still JSON text."""
        texts, numbers = ids_in(text)
        for key, prefix in texts.items():
            self._see(prefix, key)
        self.numbers.update(dict.fromkeys(numbers))

    def call(self) -> tuple[str, dict[str, Any]]:
        """The next call: tools that write more often than those that read."""
        tool = self.stream.weighted(self.tools, self._weights)
        return tool.name, self.arguments(tool.input_schema, tool.mutates)

    def arguments(self, schema: Mapping[str, Any], eager: bool) -> dict[str, Any]:
        required = schema.get("required", ())
        out = {}
        for name, part in schema.get("properties", {}).items():
            if name in required or self.stream.chance(0.35 if eager else 0.15):
                out[name] = self.value(part)
        return out

    def value(self, schema: Mapping[str, Any]) -> Any:
        """A value that the schema allows, plausible where that is easy."""
        s = self.stream
        if "enum" in schema:
            return s.pick([v for v in schema["enum"] if v is not None])
        match schema.get("type"):
            case "integer" if self.numbers and "maximum" not in schema and s.chance(0.5):
                return s.pick(list(self.numbers))
            case "integer":
                return s.skewed(int(schema.get("minimum", 0)), int(schema.get("maximum", 30)))
            case "number":
                low, high = schema.get("minimum", 0), schema.get("maximum", 2000)
                return round(low + (high - low) * s.uniform() ** 3, 2)
            case "boolean":
                return s.chance(0.5)
            case "array":
                most = min(int(schema.get("maxItems", 3)), 3)
                return [
                    self.value(schema["items"])
                    for _ in range(s.between(max(1, int(schema.get("minItems", 1))), max(1, most)))
                ]
            case "object":
                return self.arguments(schema, True)
        return self._text(schema)

    def _text(self, schema: Mapping[str, Any]) -> str:
        s = self.stream
        m = _PATTERN.match(str(schema.get("pattern", "")))
        if m:
            known = self._in_order.get(m[1])
            return s.pick(known) if known else str(schema.get("examples", [f"{m[1]}00001"])[0])
        match schema.get("format"):
            case "date":
                return add_days(self.clock[:10], s.between(-40, 40)) or self.clock[:10]
            case "date-time":
                return self.clock
        return s.pick(_WORDS)


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
