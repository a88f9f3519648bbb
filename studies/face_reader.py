"""A reader who has nothing but the tools of an episode: it calls what it can, and remembers records by the ids that it saw.

It knows no Blueprint, no contract and no state. It sends an id only where it saw it in a request or an answer, finds out by trying
which kind of id a parameter takes, and turns pages as long as new records come.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any

from worldwright.engine.env import Env
from worldwright.world.records import Call, Result, ToolSpec

ID = re.compile(
    r"[A-Z][A-Z0-9]{0,11}-\d{2,}\Z|[a-z]{1,6}-\d+\Z|[1-9]\d{6,}\Z|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z"
)
SIZES = {"limit", "count", "perpage", "pagesize", "size", "top", "maxresults", "max", "first", "take", "results"}
TURNS = {"offset", "skip", "start", "page", "pagenumber", "startat", "startposition"}
CURSORS = {
    "cursor",
    "startcursor",
    "pagetoken",
    "nextpagetoken",
    "after",
    "startingafter",
    "marker",
    "token",
    "pagingtoken",
}
MAX_CALLS = 40_000
MAX_ASKED = 8_000
TRIED = 3
"""Ids of a kind that a parameter is tried with before the kind is given up."""
MAX_TRIES = 120
"""Calls of one tool by which it is found out what it takes."""
MAX_PAGES = 600
FEW, SPREAD = 4, 30
"""Values that look alike are taken for ids of one kind from so many on, where their numbers lie no further apart than this."""
WIDE = {"date": ("2000-01-01", "2099-12-31"), "date-time": ("2000-01-01T00:00:00Z", "2099-12-31T23:59:59Z")}
Record = dict[str, dict[Any, None]]
"""By field, the values that were seen of it, each once, in order."""


def is_id(value: Any) -> bool:
    """Tell whether a value looks like the id of a record."""
    return isinstance(value, (str, int)) and not isinstance(value, bool) and _matches(str(value))


@lru_cache(maxsize=1 << 18)
def _matches(text: str) -> bool:
    return ID.match(text) is not None


def last_of(record: Record, field: str) -> Any:
    """The value of a field that was seen last."""
    return next(reversed(record.get(field, {})), None)


def kind_of(key: str) -> str:
    """What ids of one kind have in common: letters, the first digits, or all but the end of a UUID."""
    return key[:-12] if len(key) == 36 and key.count("-") == 4 else key[:3] if key.isdigit() else key.rpartition("-")[0]


def squeeze(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


class Memory:
    """What was seen, by record."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Record]] = {}
        """By kind and id, the fields of a record."""
        self.columns: dict[tuple[str, str], dict[str, Any]] = {}
        """By place and field, what each record had there last: two tools may call different things alike."""
        self.values: set[str] = set()
        self.ids: dict[str, dict[str, Any]] = {}
        """By kind, ids as they were written."""
        self.stated: set[str] = set()
        """Kinds of ids that were given to tools as such."""
        self._fields: dict[str, str] = {}
        """By tool and place, the field that holds the id of a record."""

    def see_id(self, value: Any) -> None:
        self.ids.setdefault(kind_of(str(value)), {}).setdefault(str(value), value)

    def has_id(self, value: Any) -> bool:
        return str(value) in self.ids.get(kind_of(str(value)), {})

    def is_key(self, value: Any) -> bool:
        """Tell whether a value is the id of a record: it looks like one, and there are others like it, or it was said to be one."""
        return is_id(value) and self._is_kind(kind_of(str(value)))

    def list_kinds(self) -> list[tuple[str, dict[str, Any]]]:
        """List the kinds of ids that were seen, each with its ids."""
        return [(kind, ids) for kind, ids in self.ids.items() if self._is_kind(kind)]

    def _is_kind(self, kind: str) -> bool:
        """Tell whether these are ids: said to be, or several that are numbered one after the other, as codes are not."""
        ids = self.ids.get(kind, {})
        if kind in self.stated or len(ids) < FEW:
            return kind in self.stated
        numbers = [int(re.sub(r"\D", "", key)[-9:]) for key in ids]
        return max(numbers) - min(numbers) <= SPREAD * len(ids)

    def note(self, tool: ToolSpec, arguments: Mapping[str, Any], data: Any) -> None:
        """Take in an answer. What it is about stands last: what the tool cannot do without."""
        needed = tool.input_schema.get("required", ())
        ordered = sorted(arguments.items(), key=lambda item: item[0] in needed)
        given = {name: value for name, value in ordered if is_id(value) or isinstance(value, (str, bool))}
        self._note(tool.name, "", _read_texts(data), given, "")

    def _note(self, tool: str, at: str, data: Any, given: Mapping[str, Any], owner: str) -> None:
        if isinstance(data, list):
            rows = [flatten(item) for item in data if isinstance(item, dict)]
            field = self._find_id_field(f"{tool}{at}", rows, {owner, *map(str, given.values())})
            alike: Counter[str] = Counter()
            for item, row in zip((i for i in data if isinstance(i, dict)), rows, strict=True):
                if field and field in row:
                    key = str(row[field])
                else:
                    said = json.dumps([owner, row], sort_keys=True, default=str)
                    alike[said] += 1
                    key = f"{tool}{at}#{said}#{alike[said]}"
                self._keep(
                    key,
                    f"{tool}{at}",
                    row,
                    {f"@{k}": v for k, v in given.items()} | ({"@owner": owner} if owner else {}),
                )
                self._go_in(tool, at, item, {}, key)
            for item in data:
                if not isinstance(item, (dict, list)) and item is not None:
                    self.values.add(str(item))
            return
        if isinstance(data, dict):
            row = flatten(data)
            named = next((str(v) for v in reversed(list(given.values())) if is_id(v)), "")
            if any(self.is_key(v) for v in row.values()) or is_id(row.get("id")) or named:
                key = next((str(v) for v in given.values() if is_id(v) and v in row.values()), "") or self._find_own(
                    row, named
                )
                self._keep(key, f"{tool}{at}", row, {})
                owner = key
            elif row:
                self._keep(f"{tool}{at}#one", f"{tool}{at}", row, {})
            self._go_in(tool, at, data, given, owner)

    def _go_in(self, tool: str, at: str, data: Mapping[str, Any], given: Mapping[str, Any], owner: str) -> None:
        for name, value in data.items():
            if isinstance(value, list):
                self._note(tool, f"{at}.{name}", value, given, owner)
            elif isinstance(value, dict):
                self._go_in(tool, f"{at}.{name}", value, given, owner)

    def _find_own(self, row: Mapping[str, Any], named: str) -> str:
        own = row.get("id")
        return str(own) if is_id(own) else named or str(next((v for v in row.values() if self.is_key(v)), ""))

    def _find_id_field(self, place: str, rows: Sequence[Mapping[str, Any]], given: Collection[str]) -> str:
        """Find the field by which the records of a list are told apart; remembered, since a list of one tells nothing, and least
        of all by the id of what was asked about."""
        if len(rows) > 1:
            fields = [f for f in rows[0] if all(is_id(row.get(f)) for row in rows)]
            alike = [f for f in fields if len({kind_of(str(row[f])) for row in rows}) == 1]
            apart = [f for f in alike if len({str(row[f]) for row in rows}) == len(rows)]
            self._fields[place] = next((f for f in apart if f == "id"), apart[0] if apart else "")
        if place not in self._fields and rows:
            fields = [f for f, v in rows[0].items() if self.is_key(v) and str(v) not in given]
            return "id" if is_id(rows[0].get("id")) else (fields[0] if fields else "")
        return self._fields.get(place, "")

    def _keep(self, key: str, place: str, row: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        kind = kind_of(key) if is_id(key) else place
        record = self.records.setdefault(kind, {}).setdefault(key, {})
        for field, value in row.items():
            self.columns.setdefault((place, field), {})[key] = value
        for field, value in (*row.items(), *more.items()):
            record.setdefault(field, {})[value] = None
            if is_id(value):
                self.see_id(value)
            if value is not None and not field.startswith("@"):
                self.values.add(str(value))


def _read_texts(data: Any) -> Any:
    """An answer, with JSON that it holds as text read as what it says: some servers answer in one text."""
    if isinstance(data, dict):
        return {name: _read_texts(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_read_texts(item) for item in data]
    if not isinstance(data, str) or data[:1] not in ("{", "["):
        return data
    try:
        return json.loads(data)
    except ValueError:
        return data


def flatten(data: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Every plain value of an object, by where it stands; lists of plain values as they are."""
    out: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            out |= flatten(value, f"{path}{name}.")
        elif isinstance(value, list):
            if not any(isinstance(item, (dict, list)) for item in value):
                out[f"{path}{name}"] = json.dumps(value) if len(value) != 1 else value[0]
        else:
            out[f"{path}{name}"] = value
    return out


class Reader:
    """Calls the reading tools of a role, and remembers."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self.tools: tuple[ToolSpec, ...] = env.agent.list()
        self.memory = Memory()
        self._made: set[str] = set()
        self._takes: dict[tuple[str, str], list[str]] = {}
        """By tool and parameter, the kinds of ids that it was seen to take."""
        self._answers: dict[str, set[str]] = {}
        self._explored: dict[str, int] = {}
        """By tool, how many ids were known when it was last gone through."""
        self.left = MAX_CALLS

    def explore(self) -> None:
        """Call what can be called, until nothing new comes or enough calls were made."""
        before = -1
        while before != self.left > 0:
            before = self.left
            for tool in self.tools:
                if not tool.mutates:
                    self._explore_tool(tool)

    def _explore_tool(self, tool: ToolSpec) -> None:
        needed = tool.input_schema.get("required", ())
        known = sum(map(len, self.memory.ids.values()))
        if self._explored.get(tool.name) == known:
            return
        self._explored[tool.name] = known
        self._learn(tool, needed)
        choices = [self._list_values(tool, name) for name in needed]
        for values in islice(product(*choices), MAX_CALLS):
            arguments = dict(zip(needed, values, strict=True))
            if self.read(tool, arguments):
                self._narrow(tool, arguments)

    def learn_from(self, calls: Iterable[Call]) -> None:
        """Learn from calls that were made by somebody who knows the tools which kind of id each parameter takes."""
        given: dict[tuple[str, str], list[str]] = {}
        for call in calls:
            for name, value in call.arguments.items():
                if is_id(value):
                    given.setdefault((call.tool, name), []).append(kind_of(str(value)))
        for (tool, name), kinds in given.items():
            most, times = Counter(kinds).most_common(1)[0]
            if times * 2 > len(kinds):
                self.memory.stated.add(most)
                self._add_kind(tool, name, most)

    def _add_kind(self, tool: str, name: str, kind: str) -> bool:
        kinds = self._takes.setdefault((tool, name), [])
        if kind not in kinds:
            kinds.append(kind)
        return True

    def _learn(self, tool: ToolSpec, needed: Sequence[str]) -> None:
        """Try which kinds of ids the parameters of a tool take that it cannot do without: one by one, then two at a time."""
        fixed = {n: self._list_values(tool, n)[:1] for n in needed}
        if any(not values for values in fixed.values()):
            return
        base = {n: values[0] for n, values in fixed.items()}
        unknown = [n for n in needed if (tool.name, n) not in self._takes and len(self._list_fixed(tool, n)) == 1]
        samples = [(kind, v) for kind, ids in self.memory.list_kinds() for v in islice(ids.values(), TRIED)]
        for n, (kind, v) in islice(product(unknown, samples), MAX_TRIES):
            if self._tells(tool, {**base, n: self._fit(tool, n, v)}):
                self._add_kind(tool.name, n, kind)
        rest = [n for n in unknown if (tool.name, n) not in self._takes]
        if len(rest) == len(unknown):
            for (n, m), (one, v), (other, w) in islice(product(combinations(rest, 2), samples, samples), MAX_TRIES):
                if self._tells(tool, {**base, n: self._fit(tool, n, v), m: self._fit(tool, m, w)}):
                    self._add_kind(tool.name, n, one)
                    self._add_kind(tool.name, m, other)

    def _tells(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
        """Tell whether a call is answered with something that no other call of the tool was."""
        result = self._call(tool, arguments)
        if result is None or not result.ok:
            return False
        self.memory.note(tool, arguments, result.data)
        said = json.dumps(result.data, sort_keys=True, default=str)
        known = self._answers.setdefault(tool.name, set())
        new = said not in known and len(known) < TRIED * 40
        known.add(said)
        return (
            new and count_rows(result.data) + len(flatten(result.data) if isinstance(result.data, Mapping) else ()) > 0
        )

    def _list_fixed(self, tool: ToolSpec, name: str) -> list[Any]:
        """What a parameter can be given without having seen anything."""
        part = tool.input_schema.get("properties", {}).get(name, {})
        if not isinstance(part, Mapping):
            return [""]
        if "enum" in part:
            return [v for v in part["enum"] if v is not None]
        if "const" in part:
            return [part["const"]]
        kind = part.get("type", "string")
        kind = next((k for k in kind if k != "null"), "string") if isinstance(kind, list) else kind
        if kind == "boolean":
            return [True, False]
        if part.get("format") in WIDE:
            early = re.search(r"end|to|until|before|max|due", name.lower()) is None
            return [WIDE[part["format"]][0 if early else 1]]
        if squeeze(name) in SIZES:
            return [self._find_size(part)]
        return [{"string": "", "integer": 0, "number": 0, "array": [], "object": {}}.get(kind, "")]

    @staticmethod
    def _find_size(part: Mapping[str, Any]) -> int:
        most = part.get("maximum")
        return int(most) if isinstance(most, (int, float)) and most < 10_000 else 100

    def _list_values(self, tool: ToolSpec, name: str) -> list[Any]:
        kinds = [kind for kind in self._takes.get((tool.name, name), ()) if kind]
        if kinds:
            return [self._fit(tool, name, v) for kind in kinds for v in self.memory.ids.get(kind, {}).values()]
        return self._list_fixed(tool, name)

    @staticmethod
    def _fit(tool: ToolSpec, name: str, value: Any) -> Any:
        part = tool.input_schema.get("properties", {}).get(name, {})
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in ("integer", "number") and str(value).isdigit():
            return int(value)
        if kind == "array":
            return [value]
        return str(value) if kind == "string" else value

    def read(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
        """Make a call and turn its pages. Tells whether it was new and went through."""
        size = next((n for n in tool.input_schema.get("properties", {}) if squeeze(n) in SIZES), "")
        if size and size not in arguments:
            arguments = {**arguments, size: self._find_size(tool.input_schema["properties"][size])}
        result = self._call(tool, arguments)
        if result is None or not result.ok:
            return False
        self.memory.note(tool, arguments, result.data)
        self._turn_pages(tool, arguments, result)
        return True

    def _turn_pages(self, tool: ToolSpec, arguments: Mapping[str, Any], result: Result) -> None:
        turn = next((n for n in tool.input_schema.get("properties", {}) if squeeze(n) in TURNS), "")
        cursor = next((n for n in tool.input_schema.get("properties", {}) if squeeze(n) in CURSORS), "")
        for page in range(1, MAX_PAGES):
            rows = count_rows(result.data)
            if turn and rows:
                step = page + 1 if squeeze(turn).startswith("page") else page * rows
                asked = {**arguments, turn: step}
            elif cursor and (found := find_cursor(result.data)):
                asked = {**arguments, cursor: found}
            else:
                return
            following = self._call(tool, asked)
            if following is None or not following.ok or following.data == result.data:
                return
            self.memory.note(tool, arguments, following.data)
            result = following

    def _narrow(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> None:
        """Ask the same with each thing besides that a parameter may be given: what comes back has it."""
        for name, part in tool.input_schema.get("properties", {}).items():
            if name in arguments or squeeze(name) in SIZES | TURNS | CURSORS or not isinstance(part, Mapping):
                continue
            kind = part.get("type")
            if "enum" in part or kind == "boolean":
                for value in self._list_fixed(tool, name)[:20]:
                    self.read(tool, {**arguments, name: value})
            elif kind in ("string", "integer") and squeeze(name).endswith(("id", "gid", "uuid", "key")):
                self._narrow_by_id(tool, arguments, name)

    def _narrow_by_id(self, tool: ToolSpec, arguments: Mapping[str, Any], name: str) -> None:
        at = (tool.name, name)
        if at not in self._takes:
            for kind, ids in self.memory.list_kinds():
                for value in islice(list(ids.values()), TRIED):
                    result = self._call(tool, {**arguments, name: self._fit(tool, name, value)})
                    if result is not None and result.ok and count_rows(result.data):
                        self._takes.setdefault(at, []).append(kind)
                        break
        for value in self._list_values(tool, name) if self._takes.get(at) else ():
            self.read(tool, {**arguments, name: value})

    def ask_for(self, values: Sequence[str]) -> None:
        """Ask lists for words that were said, by every parameter that takes a text."""
        self.left = MAX_ASKED
        for tool in self.tools:
            needed = tool.input_schema.get("required", ())
            for name, part in tool.input_schema.get("properties", {}).items():
                if tool.mutates or not isinstance(part, Mapping) or part.get("type") != "string" or "enum" in part:
                    continue
                rest = [n for n in needed if n != name]
                for given in islice(product(*(self._list_values(tool, n) for n in rest)), 3):
                    for value in values:
                        self.read(tool, {**dict(zip(rest, given, strict=True)), name: value})

    def _call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> Result | None:
        key = json.dumps([tool.name, arguments], sort_keys=True, default=str)
        if key in self._made or self.left <= 0:
            return None
        self._made.add(key)
        self.left -= 1
        return self._env.agent.call(tool.name, dict(arguments))

    def copy(self) -> Reader:
        """The same reader with a memory of its own, who goes on from here."""
        twin = object.__new__(Reader)
        twin.__dict__.update(self.__dict__)
        twin.memory = deepcopy(self.memory)
        twin._made, twin._takes = set(self._made), deepcopy(self._takes)
        twin._answers, twin._explored, twin.left = deepcopy(self._answers), dict(self._explored), MAX_CALLS
        return twin

    def forget_calls(self) -> None:
        """Let every call be made again: something was written."""
        self._made.clear()
        self._explored.clear()
        self.left = MAX_CALLS


def count_rows(data: Any) -> int:
    """How many records the longest list of an answer has."""
    lists = [data] if isinstance(data, list) else [v for v in walk(data) if isinstance(v, list)]
    return max((len(found) for found in lists if not found or isinstance(found[0], Mapping)), default=0)


def find_cursor(data: Any) -> str:
    """Find what leads to the next page."""
    for name, value in flatten(data).items() if isinstance(data, dict) else ():
        if isinstance(value, str) and value and re.search(r"cursor|next|token|marker", name.lower()):
            return value
    return ""


def walk(data: Any) -> Iterator[Any]:
    yield data
    for item in data.values() if isinstance(data, dict) else ():
        yield from walk(item)
