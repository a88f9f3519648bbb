"""What somebody knows who was told the request and the handbook, sees the tools, and has seen the results of the calls so far.

Nothing here looks at a state. A value is known where the request or the handbook says it, where a tool lists it (the words of an
enum, yes and no, a default, a size of page), where the clock shows it, or where the result of an earlier call did. A form does not
matter: `3 October 2025` is 2025-10-03, and 1,250.00 is 1250. Of a moment that people speak of by its day, the first and the last
second of the day are known.

Not checked: words that a caller puts into a free text of a write (the figures in it are); and which of several known values is
the right one to send, which is what the deciding facts are for (`deciding`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from worldwright.core import days
from worldwright.core.names import to_words
from worldwright.english.dates import find_dates
from worldwright.world.records import Call, ToolSpec

INSTRUCTION = "the instruction says it"
HANDBOOK = "the handbook says it"
LISTED = "the tool lists it"
CLOCK = "the clock shows it"
OWN_WORDS = "the caller's own words"
WORKED_OUT = "worked out from "
"""What a value begins with that is shown nowhere and follows from what is."""

_FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?P<percent>\s?%)?")
_WITH_DIGITS = re.compile(r"[\w#/+.,:-]*\d[\w#/+:-]*")
_NUMERALS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        ("zero none", "one once single a an", "two twice both pair", "three", "four", "five", "six", "seven", "eight")
    )
    for word in words.split()
} | {"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}  # fmt: skip
DAY_ENDS = ("T00:00:00Z", "T23:59:59Z")
PAGING = frozenset({"limit", "offset", "sort"})
"""Arguments of a search that leave nothing out, where the last page was seen."""
EVERYTHING = "*"
PLACES = 6
"""Decimal places to which numbers are the same."""


class Figures(NamedTuple):
    """What stands in a text beside words."""

    numbers: frozenset[float]
    days: frozenset[str]


@lru_cache(maxsize=4096)
def read_figures(text: str) -> Figures:
    """Read the numbers and the dates of a text."""
    numbers = {float(_NUMERALS[word]) for word in re.findall(r"[a-z]+", text.casefold()) if word in _NUMERALS}
    for found in _FIGURE.finditer(text):
        number = float(found[0].rstrip(" %").rstrip(",").replace(",", ""))
        numbers.add(round(number, PLACES))
        if found["percent"]:
            numbers.add(round(number / 100, PLACES))
    said = {f"{y:04d}-{m:02d}-{d:02d}" for date in find_dates(text) for y, m, d in date.readings if y}
    return Figures(frozenset(numbers), frozenset(said))


class Known:
    """What was shown so far, and by what. Calls are counted from 1."""

    def __init__(self, request: str, handbook: str, clock: str, specs: Mapping[str, ToolSpec]) -> None:
        self._told = ((INSTRUCTION, request.casefold(), read_figures(request)),
                      (HANDBOOK, handbook.casefold(), read_figures(handbook)))  # fmt: skip
        self._today = clock[:10]
        self._clock = clock
        self._specs = specs
        self.calls: list[Call] = []
        self._leaves: dict[str, int] = {}
        self._numbers: dict[float, int] = {}
        self._texts: dict[str, int] = {}
        self.cells: dict[tuple[str, str], int] = {}
        """(id, column) of every value of a record that was shown, with the number of the call."""
        self.lists: dict[tuple[str, str], int] = {}
        """(tool, value) of every value that a call was made with; (tool, "") for the call itself; and (tool, EVERYTHING) where it
        listed all that there is."""
        self._added: list[list[tuple[dict[Any, int], Any]]] = []

    # what is shown

    def note(self, call: Call, data: Any) -> None:
        """Take in the result of a call."""
        self.calls.append(call)
        self._added.append([])
        self._put(self.lists, (call.tool, ""))
        for _, value in list_values(call.arguments):
            self._put(self.lists, (call.tool, str(value)))
        if isinstance(data, Mapping) and data.get("next_offset", data) is None and not set(call.arguments) - PAGING:
            self._put(self.lists, (call.tool, EVERYTHING))
        self._note_values(data, call.tool)

    def _note_values(self, data: Any, tool: str) -> None:
        at, added = len(self.calls), self._added[-1]
        leaves, cells, todo = self._leaves, self.cells, [data]
        while todo:
            item = todo.pop()
            if item is None:
                continue
            if isinstance(item, str):
                folded = item.casefold()
                if folded not in leaves:
                    leaves[folded] = at
                    added.append((leaves, folded))
                if " " in item:
                    self._put(self._texts, folded)
            elif isinstance(item, (list, tuple)):
                self._put(self._numbers, float(len(item)))
                todo.extend(item)
            elif isinstance(item, (int, float)):
                if not isinstance(item, bool):
                    self._put(self._numbers, round(float(item), PLACES))
            elif isinstance(item, Mapping):
                todo.extend(item.values())
                key = item.get("id")
                if isinstance(key, str):
                    for cell in [(key, column) for column in item if (key, column) not in cells]:
                        cells[cell] = at
                        added.append((cells, cell))
                    if any(isinstance(value, (list, tuple)) for value in item.values()):
                        # Records that a search embeds are listed with each record that it finds.
                        self._put(self.lists, (tool, key))

    def note_cell(self, key: str, column: str) -> None:
        """Take in that the last call showed a value of another record than those it lists."""
        self._put(self.cells, (key, column))

    def _put(self, where: dict[Any, int], what: Any) -> None:
        if what not in where:
            where[what] = len(self.calls)
            self._added[-1].append((where, what))

    def forget(self, kept: int) -> None:
        """Forget every call but the first so many."""
        while len(self.calls) > kept:
            self.calls.pop()
            for where, what in self._added.pop():
                where.pop(what, None)

    def outdate(self, key: str, columns: Mapping[str, Any]) -> None:
        """Drop what was seen of a record, where it has changed since."""
        for column in columns:
            self.cells.pop((key, column), None)

    # what is known

    def is_seen(self, key: str) -> bool:
        """Tell whether an id, or another whole value, was said or shown."""
        return bool(self._find_text(key))

    def list_unknown(self, call: Call) -> Iterator[tuple[str, Any]]:
        """Yield the arguments of a call whose values nothing has shown, each with its path."""
        for path, value in list_values(call.arguments):
            if not self.find_source(call.tool, path, value):
                yield path, value

    def find_source(self, tool: str, path: str, value: Any) -> str:
        """Say where somebody has an argument from; empty where nothing shows it."""
        schema = find_schema(self._specs[tool].input_schema, path) if tool in self._specs else {}
        if value is None:
            return LISTED
        if isinstance(value, bool) or value in schema.get("enum", ()):
            said = isinstance(value, str) and _is_in(to_words(value).casefold(), self._told[0][1])
            return INSTRUCTION if said else LISTED
        if isinstance(value, (int, float)):
            return self._find_size(path, value, schema) or self.find_number(value)
        text = str(value)
        found = self.find_text(text)
        free = schema.get("type") == "string" and not {"format", "pattern", "enum"} & set(schema)
        if not found and free and self._specs[tool].mutates:
            return OWN_WORDS if all(self._is_figure_known(word) for word in _WITH_DIGITS.findall(text)) else ""
        return found

    def _find_size(self, path: str, value: float, schema: Mapping[str, Any]) -> str:
        if value == schema.get("default") or (path == "limit" and value <= schema.get("maximum", value)):
            return LISTED
        return LISTED if path == "offset" and value == 0 else ""

    def _is_figure_known(self, word: str) -> bool:
        if self.find_text(word):
            return True
        plain = word.strip(".,:").replace(",", "")
        return plain.replace(".", "", 1).isdigit() and bool(self.find_number(float(plain)))

    def find_number(self, value: float) -> str:
        """Say where a number was said or shown; empty where it was not."""
        number = round(float(value), PLACES)
        for source, _, figures in self._told[:1]:
            if number in figures.numbers:
                return source
        if number in self._numbers:
            return say_call(self._numbers[number])
        for text, at in self._texts.items():
            if number in read_figures(text).numbers:
                return say_call(at)
        return HANDBOOK if number in self._told[1][2].numbers else ""

    def find_text(self, text: str) -> str:
        """Say where a text, a day or a moment was said or shown; empty where it was not."""
        if days.parse_day(text) is not None:
            return self._find_day(text)
        if days.parse_moment(text) is not None:
            return self._find_text(text) or (self._find_day(text[:10]) if text[10:] in DAY_ENDS else "")
        return self._find_text(text)

    def _find_text(self, text: str) -> str:
        folded = text.casefold()
        if not folded or _is_in(folded, self._told[0][1]):
            return INSTRUCTION
        if folded in self._leaves:
            return say_call(self._leaves[folded])
        if text in (self._today, self._clock):
            return CLOCK
        for shown, at in self._texts.items():
            if _is_in(folded, shown):
                return say_call(at)
        return HANDBOOK if _is_in(folded, self._told[1][1]) else ""

    def _find_day(self, day: str) -> str:
        if day in self._told[0][2].days:
            return INSTRUCTION
        found = self._find_text(day)
        if found:
            return found
        for shown, at in self._leaves.items():
            if shown.startswith(day.casefold()) or (len(shown) <= 12 and day in read_figures(shown).days):
                return say_call(at)
        for shown, at in self._texts.items():
            if day in read_figures(shown).days:
                return say_call(at)
        return HANDBOOK if day in self._told[1][2].days else ""


def say_call(number: int) -> str:
    return f"call {number} showed it"


def _is_in(folded: str, text: str) -> bool:
    """Tell whether a text holds another one as whole words."""
    at = text.find(folded)
    while at >= 0:
        end = at + len(folded)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() and folded[0].isalnum()) and not (after.isalnum() and folded[-1].isalnum()):
            return True
        at = text.find(folded, at + 1)
    return False


def list_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every plain value inside arguments or an answer, with where it is: `lines.0.amount`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from list_values(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from list_values(item, f"{path}.{i}" if path else str(i))
    else:
        yield path, value


def find_schema(schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Find the schema of an argument by its path; empty where there is none."""
    for step in path.split("."):
        found = schema.get("items", {}) if step.isdigit() else schema.get("properties", {}).get(step, {})
        if not isinstance(found, Mapping):
            return {}
        schema = found
    return schema
