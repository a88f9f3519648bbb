"""Play every task of worlds made from evidence with a player who may send only what it has seen: 0 must be left undone.

    python -m studies.solvable FOLDER [--worlds 1] [--seed 7] [--only TEXT] [--json]
    python -m studies.solvable --packs worlds/my_world-1a2b3c ...

Every file of the folder is locked by itself, and its first worlds are built. The player has the tools of the episode, the request
and the form of the answer; the key is its oracle of what to do, not of what it knows. Of every id, value and figure it has to find
in the request or in answers to calls of its own where it comes from: which record the words mean, by the values that were shown of
it; what is copied from another record; what is counted, added up or compared. It knows nothing of how tasks were kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from itertools import combinations, islice
from pathlib import Path
from typing import Any, NamedTuple

from studies.face_reader import Memory, Reader, Record, flatten, is_id, kind_of, last_of
from worldwright import open_world
from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.blueprint.load import load_text
from worldwright.compiler.build import build
from worldwright.core.errors import WorldwrightError
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits
from worldwright.engine.world import World
from worldwright.factory.anchor_bench import files_in
from worldwright.store.open import world_of
from worldwright.world.records import Call, ToolSpec
from worldwright.world.tasks import Key, Task

MONTHS = [date(2025, month, 1).strftime("%B").lower() for month in range(1, 13)]
_DAY = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})", re.I)
_NUMBER = re.compile(r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_MOST = re.compile(r"\b(?:larg|high|low|small|old|new|earl|lat|first|last|most|least|long|short)\w*\b", re.I)
TEXTS, VALUES, RANGES = "texts", "values", "ranges"
"""By what words pick records: texts of theirs, any value of theirs, or also days and numbers on one side of what is said."""
MAX_SIGNATURE = 40
"""Letters of a last line that is taken for a signature."""
MAX_NAMES = 60
"""Names that are asked for, of one request."""
MAX_SETS = 600
"""Sets of records that the words of one request may pick."""


def words_of(text: str) -> str:
    """A text as words with spaces around, however it is spelt: `createdAt`, `created_at`."""
    return f" {' '.join(piece.casefold() for piece in _PIECE.findall(str(text)))} "


def day_of(value: Any) -> str:
    """The day that a value stands for; empty where it is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 10**9 <= value < 2 * 10**9:
        return datetime.fromtimestamp(value, UTC).date().isoformat()
    found = re.match(r"\d{4}-\d{2}-\d{2}", value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(found[0]).isoformat() if found else ""
    except ValueError:  # as long as a day, and a number of something else
        return ""


def drop_signature(text: str) -> str:
    """A request without the name below it, which is no part of what is asked."""
    head, _, last = text.rstrip().rpartition("\n")
    return text if len(last) > MAX_SIGNATURE or last.endswith((".", "?", "!")) else head


def list_names(text: str) -> list[str]:
    """What a request seems to call things: codes, addresses, what stands in quotes, and words from a capital on that begins no
    sentence, alone and with up to three that follow."""
    found = re.findall(r"\b[A-Z]{2,}-\d+\b|[\w.+-]+@[\w.-]+\w|(?<=\")[^\"]+(?=\")", text)
    for start in re.finditer(r"(?<=[\w,:;] )[A-Z][\w'-]*", text):
        following = re.match(r"[\w'-]+(?: [\w'-]+){0,3}", text[start.start() :])
        said = following[0].split() if following else []
        found += [" ".join(said[:size]) for size in (2, 1, 3, 4) if size <= len(said)]
    return list(dict.fromkeys(found))[:MAX_NAMES]


class Words:
    """A request, as somebody reads it who holds values against it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words_of(text)
        self._pieces = set(re.findall(r"[\w-]+", text))
        self.days = {f"{y}-{MONTHS.index(m.lower()) + 1:02d}-{int(d):02d}" for d, m, y in _DAY.findall(text)}
        self.days |= set(re.findall(r"\d{4}-\d{2}-\d{2}", text))
        self.numbers = {float(n.rstrip(",").replace(",", "")) for n in _NUMBER.findall(text)}
        self.picks = _MOST.search(text) is not None
        self._said: dict[tuple[type, Any], bool] = {}
        self._named: dict[str, bool] = {}

    def says(self, value: Any) -> bool:
        """Tell whether a value stands in the request, in whatever form."""
        at = (type(value), value)
        if at not in self._said:
            self._said[at] = self._says(value)
        return self._said[at]

    def _says(self, value: Any) -> bool:
        if value is None or isinstance(value, bool) or value == "":
            return False
        if day_of(value):
            return day_of(value) in self.days or str(value) in self.text
        if isinstance(value, (int, float)):
            return float(value) in self.numbers or (isinstance(value, int) and value / 100 in self.numbers)
        if is_id(value):
            return value in self._pieces
        said, plain = words_of(value), str(value)
        whole = len(plain) > 5 and not plain.isalnum() and plain.casefold() in self.text.casefold()
        return bool(said.strip()) and (said in self.words or whole)

    def spells(self, value: str, sent: Iterable[str]) -> bool:
        """Tell whether a text stands in the request letter by letter, and not as what something is to become."""
        return value not in sent and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.text) is not None

    def names(self, field: str) -> bool:
        """Tell whether the request speaks of a field."""
        if field not in self._named:
            self._named[field] = self._names(field)
        return self._named[field]

    def _names(self, field: str) -> bool:
        parts = [p for p in words_of(field.rpartition(".")[2]).split() if len(p) > 2]
        parts = [p for p in parts if p not in ("the", "and", "for")] or words_of(field).split()
        return all(f" {p}" in self.words for p in parts) or any(len(p) > 3 and f" {p[:5]}" in self.words for p in parts)


class Failure(NamedTuple):
    """A task that cannot be done."""

    world: str
    task: str
    why: str
    asked: str


class Player:
    """One task, played with what is in memory."""

    def __init__(self, env: Env, reader: Reader, task: Task, key: Key) -> None:
        self._env, self._reader, self._task, self._key = env, reader, task, key
        self._words = Words(f"{task.instruction} {task.actor}")
        self._asked = Words(drop_signature(task.instruction))
        self._found: set[str] = set()
        """Ids of records that the words mean."""
        self._known: dict[str, bool] = {}
        self._named: set[str] = set()
        """Of these, the ones that they name: by an id, or by a text that no other has."""
        self._sets: dict[tuple[str, str], tuple[int, list[frozenset[str]]]] = {}
        self._sent = {v for _, c in self._writes() for v in flatten(c.arguments).values() if isinstance(v, str)}

    @property
    def _memory(self) -> Memory:
        return self._reader.memory

    def find_problem(self) -> str:
        """Say why the task cannot be done; empty where it can."""
        why = self._find_gap()
        if why:
            self._look_closer()
            why = self._find_gap()
        return why or self._play()

    def _look_closer(self) -> None:
        """Ask for what the request says, before giving up."""
        self._env.reset(self._task.id)
        self._reader = self._reader.copy()
        self._reader.ask_for(list_names(self._asked.text))
        self._reader.explore()
        self._known.clear()

    def _find_gap(self) -> str:
        self._found = {str(v) for v in self._list_ids() if self._words.says(v) or self._words.says(str(v))}
        self._sets.clear()
        for _ in range(2):
            alone = [s for k, _ in self._memory.list_kinds() for s in self._list_sets(k, VALUES) if len(s) == 1]
            self._found.update(key for s in alone for key in s)
        called = [s for k, _ in self._memory.list_kinds() for s in self._list_sets(k, TEXTS) if len(s) == 1]
        self._named = {key for key in self._found if self._words.says(key)} | {key for s in called for key in s}
        answer = self._key.answer if isinstance(self._key.answer, Mapping) else {}
        return self._find_unknown_calls() or self._find_unknown_answer(answer) or self._find_unknown_rule(answer)

    def _list_ids(self) -> Iterator[Any]:
        for call in self._key.calls:
            yield from (v for v in flatten(call.arguments).values() if self._memory.is_key(v))

    # which records are meant

    def is_meant(self, key: str) -> bool:
        """Tell whether the words mean a record: they name it, or it alone has what they say."""
        if key not in self._known:
            self._known[key] = False
            self._known[key] = key in self._found or self._words.says(key) or self._is_told_apart({key})
            if self._known[key]:
                self._found.add(key)
        return self._known[key]

    def _is_told_apart(self, keys: set[str]) -> bool:
        (kind, *others) = {kind_of(key) for key in keys}
        records = self._memory.records.get(kind, {})
        if others or not keys <= records.keys():
            return False
        if len(keys) == 1:
            (key,) = keys
            if any(keys == found for found in self._list_sets(kind, VALUES)):
                return True
            sets = [*self._list_own(kind), *self._list_groups(records)] if self._words.picks else []
            if any(self._is_extreme(key, s, records) for s in sets):
                return True
        elif any(keys == found for found in self._list_own(kind)):
            return True
        return self._is_beside(keys)

    def _is_beside(self, keys: set[str]) -> bool:
        """Tell whether records are what a record that is meant refers to."""
        for found in tuple(self._found):
            record = self._memory.records.get(kind_of(found), {}).get(found, {})
            if keys <= {str(v) for values in record.values() for v in values}:
                return True
        return False

    def _is_extreme(self, key: str, among: frozenset[str], records: Mapping[str, Record]) -> bool:
        """Tell whether a record has more or less of something than all others of a set."""
        if key not in among:
            return False
        for field in records[key]:
            values = {k: order_of(last_of(records[k], field)) for k in among}
            own = type(values[key])
            known = {k: v for k, v in values.items() if v is not None and isinstance(v, own)}
            if key in known and self._words.names(field):
                rest = [v for k, v in known.items() if k != key]
                if all(known[key] > v for v in rest) or all(known[key] < v for v in rest):
                    return True
        return False

    def _list_sets(self, kind: str, by: str = RANGES) -> list[frozenset[str]]:
        """Every set of records of a kind that something in the words picks, then of two and three such things together."""
        held = self._sets.get((kind, by))
        if held is None or held[0] != len(self._found):
            held = self._sets[kind, by] = (len(self._found), self._find_sets(kind, by))
        return held[1]

    def _find_sets(self, kind: str, by: str) -> list[frozenset[str]]:
        records = self._memory.records.get(kind, {})
        every = frozenset(records)
        single = list(dict.fromkeys(s for s in self._list_single(records, by) if s and s != every))
        out = single if by == TEXTS else [every, *single]  # nothing is named by being the only one
        for size in (2, 3):
            for some in islice(combinations(single, size), MAX_SETS):
                both = frozenset.intersection(*some)
                if both:
                    out.append(both)
        return list(dict.fromkeys(out))

    def _list_own(self, kind: str) -> list[frozenset[str]]:
        """The same where the words name records of other kinds: no set counts that is not seen to be theirs, since that it has the
        right size would be chance."""
        beside = self._find_beside(kind)
        return [s for s in self._list_sets(kind) if beside is None or any(s <= one for one in beside)]

    def _find_beside(self, kind: str) -> list[frozenset[str]] | None:
        """Find the records that belong to others which the words name; None where they name none that any belongs to."""
        named = {key for key in self._named if kind_of(key) != kind}
        if not named:
            return None
        named |= {
            str(v)
            for key in named
            for values in self._record(key).values()
            for v in values
            if self._is_text(v) and self._words.says(v)
        }
        groups: dict[str, set[str]] = {}
        for key, record in self._memory.records.get(kind, {}).items():
            for value in (str(v) for values in record.values() for v in values):
                if value in named:
                    groups.setdefault(value, set()).add(key)
        return [frozenset(keys) for keys in groups.values()] or None

    def _list_groups(self, records: Mapping[str, Record]) -> list[frozenset[str]]:
        """List the records that belong to each one that the words mean."""
        groups: dict[str, set[str]] = {}
        for key, record in records.items():
            for value in {str(v) for values in record.values() for v in values} & self._found - {key}:
                groups.setdefault(value, set()).add(key)
        return [frozenset(keys) for keys in groups.values()]

    def _list_single(self, records: Mapping[str, Record], by: str) -> Iterator[frozenset[str]]:
        by_field: dict[str, dict[Any, set[str]]] = {}
        for key, record in records.items():
            for field, values in record.items():
                for value in values:
                    if not isinstance(value, (list, dict)):
                        by_field.setdefault(field, {}).setdefault(value, set()).add(key)
        for field, groups in by_field.items():
            for value, keys in groups.items():
                if by == TEXTS:
                    if not field.startswith("@") and self._is_text(value) and self._asked.spells(value, self._sent):
                        yield frozenset(keys)
                    continue
                meant = is_id(value) and str(value) in self._found
                if meant or self._words.says(value) or (value is True and self._words.names(field)):
                    yield frozenset(keys)
            if by == RANGES and self._words.names(field):
                yield from self._list_ranges(groups)

    def _is_text(self, value: Any) -> bool:
        return isinstance(value, str) and len(value) > 2 and not self._memory.is_key(value) and not day_of(value)

    def _list_ranges(self, groups: Mapping[Any, set[str]]) -> Iterator[frozenset[str]]:
        """Yield the records whose day or number is on one side of what the words say, or between two such."""
        days = {day_of(v): keys for v, keys in groups.items() if day_of(v)}
        marks: Sequence[Any] = sorted(self._words.days) if days else sorted(self._words.numbers)
        if days:
            values: list[tuple[Any, set[str]]] = [(day_of(v), keys) for v, keys in groups.items() if day_of(v)]
        else:
            values = [
                (float(v), k) for v, k in groups.items() if isinstance(v, (int, float)) and not isinstance(v, bool)
            ]
        for low in marks:
            yield frozenset(k for v, keys in values if v >= low for k in keys)
            yield frozenset(k for v, keys in values if v <= low for k in keys)
            for high in marks:
                if low < high:
                    yield frozenset(k for v, keys in values if low <= v <= high for k in keys)

    # calls

    def _writes(self) -> list[tuple[ToolSpec, Call]]:
        tools = {t.name: t for t in self._reader.tools}
        return [(tools[c.tool], c) for c in self._key.calls if c.tool in tools and tools[c.tool].mutates]

    def _find_unknown_calls(self) -> str:
        names = {t.name for t in self._reader.tools}
        missing = next((c.tool for c in self._key.calls if c.tool not in names), "")
        if missing:
            return f"there is no tool {missing}"
        groups: dict[tuple[str, str], set[str]] = {}
        for tool, call in self._writes():
            for path, value in flatten(call.arguments).items():
                if self._memory.is_key(value):
                    groups.setdefault((tool.name, path), set()).add(str(value))
        left = self._key.answer.get("left_out", ()) if isinstance(self._key.answer, Mapping) else ()
        for keys in groups.values():
            if not all(self.is_meant(k) for k in keys) and self._is_told_apart(
                keys | {k for k in left if kind_of(k) in map(kind_of, keys)}
            ):
                self._found |= keys
                self._known |= dict.fromkeys(keys, True)
        for tool, call in self._writes():
            for path, value in flatten(call.arguments).items():
                if not self._is_known(tool, path, value) and not self._is_idle(path, value):
                    return f"{tool.name}: nothing leads to {path} = {value!r}"
        return ""

    def _is_known(self, tool: ToolSpec, path: str, value: Any) -> bool:
        """Tell whether somebody can know what to send."""
        if value is None or isinstance(value, bool) or value in ("", 0, "[]", "{}") or self._words.says(value):
            return True
        if any(value in values for key in self._found for values in self._record(key).values()):
            return True
        if self._memory.is_key(value):
            return self.is_meant(str(value)) or self._will_be_made(str(value))
        part = find_part(tool.input_schema, path)
        if value in part.get("enum", ()) or value in (part.get("const"), part.get("default")):
            return True
        free = part.get("type", "string") == "string" and isinstance(value, str)
        return free and not re.search(r"\d", value)

    def _is_idle(self, path: str, value: Any) -> bool:
        """Tell whether nothing hangs on what is sent: the task passes with something else there too."""
        other: Any = value + 1 if isinstance(value, (int, float)) else f"{value}y"
        self._env.reset(self._task.id)
        for tool, call in self._writes():
            self._env.agent.call(tool.name, replace_at(call.arguments, path.split("."), value, other))
        self._env.submit(self._key.answer)
        return self._env.verify().status == "pass"

    def _record(self, key: str) -> Record:
        return self._memory.records.get(kind_of(key), {}).get(key, {})

    def _will_be_made(self, key: str) -> bool:
        """Tell whether an id is none that there is yet: then the playing shows whether it is seen in time."""
        return key not in self._memory.ids.get(kind_of(key), {}) and any(c.tool for _, c in self._writes())

    # answers

    def _find_unknown_answer(self, answer: Mapping[str, Any]) -> str:
        for name, value in answer.items():
            if name in ("outcome", "rule") or value is None or value == []:
                continue
            if isinstance(value, list):
                unseen = next((k for k in value if str(k) not in self._memory.ids.get(kind_of(str(k)), {})), None)
                if unseen is not None:
                    return f"answer {name}: nothing shows {unseen}"
            elif self._memory.is_key(value):
                if not self.is_meant(str(value)) and not self._will_be_made(str(value)):
                    return f"answer {name}: nothing leads to {value}"
            elif not self._can_answer(value):
                return f"answer {name}: nothing leads to {value!r}"
        return ""

    def _can_answer(self, value: Any) -> bool:
        if self._words.says(value):
            return True
        wanted = words_of(value).replace(" word ", " ")
        for records in self._memory.records.values():
            for key, record in records.items():
                meant = key in self._found or is_id(key)
                if meant and self._holds(record, value, wanted) and (key in self._found or self.is_meant(key)):
                    return True
        number = order_of(value)
        return isinstance(number, float) and any(abs(number - n) < 0.0051 for n in self._list_figures())

    @staticmethod
    def _holds(record: Record, value: Any, wanted: str) -> bool:
        return any(v == value or words_of(v) == wanted for values in record.values() for v in values)

    def _list_figures(self) -> Iterator[float]:
        """Yield every figure that can be worked out: counts, sums, ends of ranges, and the differences of two of a kind."""
        kinds = {kind for kind, _ in self._memory.list_kinds()}
        for kind, records in self._memory.records.items():
            if kind not in kinds and is_id(next(iter(records))):
                continue
            sets = self._list_own(kind)
            counts = [float(len(s)) for s in sets]
            yield from counts
            yield 0.0
            fields = {f for record in records.values() for f in record if self._words.names(f)}
            for field in fields:
                for numbers in self._list_columns(records, field):
                    for some in sets:
                        own = [numbers[k] for k in some if k in numbers]
                        yield from (sum(own), max(own, default=0.0), min(own, default=0.0))
                    yield from self._list_between(kind, field, numbers)
            yield from (abs(a - b) for a, b in combinations(dict.fromkeys(counts), 2))

    def _list_columns(self, records: Mapping[str, Record], field: str) -> Iterator[dict[str, float]]:
        """Yield the numbers that records have in a field: whoever showed it, then tool by tool."""
        every = {k: last_of(r, field) for k, r in records.items() if r.get(field)}
        apart = [c for (_, name), c in self._memory.columns.items() if name == field and not c.keys().isdisjoint(every)]
        for column in (every, *(apart if len(apart) > 1 else ())):
            numbers = {k: order_of(v) for k, v in column.items() if k in every}
            yield {k: v for k, v in numbers.items() if isinstance(v, float)}

    def _list_between(self, kind: str, field: str, numbers: Mapping[str, float]) -> Iterator[float]:
        """Yield differences and sums over the records that the words name."""
        records = self._memory.records[kind]
        own = [k for k in records if k in self._found][:8]
        days = [date.fromisoformat(d) for k in own if (d := day_of(last_of(records[k], field)))]
        yield from (float(abs((a - b).days)) for a, b in combinations(days, 2))
        figures = [numbers[k] for k in own if k in numbers]
        yield from (abs(a - b) for a, b in combinations(figures, 2))
        for size in (2, 3):
            for some in combinations(figures, size):
                yield from (sum(some), max(some), min(some))

    # rules

    def _find_unknown_rule(self, answer: Mapping[str, Any]) -> str:
        """Say that nothing shows why a rule forbids it: no field of what is meant, no refusal, no role."""
        rule = answer.get("rule")
        forbidden = [Call(one["tool"], one["arguments"]) for one in self._key.expects.get("forbidden", ())]
        if not rule or not forbidden:
            return ""
        line = self._find_rule(str(rule))
        keys = [str(v) for call in forbidden for v in flatten(call.arguments).values() if self._memory.is_key(v)]
        for key in dict.fromkeys((*keys, *self._found)):
            for field, values in self._record(key).items():
                said = self._words.numbers if self._words.names(field) else ()
                if any(self._bears_on(field, v, line) for v in (*values, *said)):
                    return ""
        return "" if self._is_refused(forbidden) else f"nothing that was shown decides {rule}: {line[:160]}"

    def _find_rule(self, rule: str) -> str:
        """The line of the handbook that says a rule."""
        handbook = self._env.reset(self._task.id).messages[0]["content"]
        name = words_of(rule)
        return next((line for line in handbook.splitlines() if words_of(line[: len(rule) + 8]).startswith(name)), "")

    @staticmethod
    def _bears_on(field: str, value: Any, line: str) -> bool:
        """Tell whether a rule speaks of a field, and a value is one that it could be about."""
        said = words_of(line)
        parts = [p for p in words_of(field.rpartition(".")[2]).split() if len(p) > 1]
        if not parts or not all(f" {p}" in said for p in parts):
            return (
                isinstance(value, str) and len(value) > 2 and bool(words_of(value).strip()) and words_of(value) in said
            )
        number = order_of(value)
        if isinstance(number, float):
            return any(number >= float(n.replace(",", "")) for n in _NUMBER.findall(line)) or "under" in said
        return bool(day_of(value)) or isinstance(value, (str, bool))

    def _is_refused(self, forbidden: Sequence[Call]) -> bool:
        self._env.reset(self._task.id)
        results = [self._env.agent.call(call.tool, dict(call.arguments)) for call in forbidden]
        return any(not result.ok for result in results)

    # playing

    def _play(self) -> str:
        """Make the writes, with no id that was not seen before, and hear the verdict."""
        self._env.reset(self._task.id)
        seen = {str(v) for ids in self._memory.ids.values() for v in ids} | self._found
        for tool, call in self._writes():
            new = [str(v) for v in flatten(call.arguments).values() if self._memory.is_key(v) and str(v) not in seen]
            if [k for k in new if not self._words.says(k)]:
                self._reader = self._reader.copy()
                self._reader.forget_calls()
                self._reader.explore()
                seen |= {str(v) for ids in self._memory.ids.values() for v in ids}
            unseen = next((k for k in new if k not in seen and not self._words.says(k)), "")
            if unseen:
                return f"{tool.name}: nothing shows {unseen}"
            result = self._env.agent.call(tool.name, dict(call.arguments))
            seen |= {str(v) for v in flat_values(result.data) if is_id(v)}
        given = self._env.submit(self._key.answer)
        verdict = self._env.verify()
        if not given.ok or verdict.status != "pass":
            wrong = next((a.name for a in verdict.assertions if not a.ok), "")
            return f"played as the key says, the verdict is {verdict.status}: {wrong}"
        return ""


def order_of(value: Any) -> Any:
    """A value by which records have an order; None where there is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        return float(value)
    return value if day_of(value) else None


def flat_values(data: Any) -> Iterator[Any]:
    """Every plain value of an answer."""
    if isinstance(data, Mapping):
        for item in data.values():
            yield from flat_values(item)
    elif isinstance(data, list):
        for item in data:
            yield from flat_values(item)
    else:
        yield data


def replace_at(data: Mapping[str, Any], path: Sequence[str], value: Any, other: Any) -> dict[str, Any]:
    """The arguments with another value where this one stands."""
    out = dict(data)
    head, rest = path[0], path[1:]
    if rest and isinstance(out.get(head), Mapping):
        out[head] = replace_at(out[head], rest, value, other)
    elif out.get(head) == value:
        out[head] = other
    return out


def find_part(schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The schema of a parameter, as far as it can be followed."""
    found: Any = schema
    for step in path.split("."):
        found = found.get("properties", {}).get(step, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def check_world(name: str, world: World) -> Iterator[Failure]:
    """Play every task of a world. What a role can read is read once."""
    readers: dict[str, Reader] = {}
    with closing(world.env(Limits(calls=10**6))) as env:
        keys = {}
        for task in world.tasks:
            env.reset(task.id)
            keys[task.id] = env.key()
        for task in world.tasks:
            env.reset(task.id)
            if task.role not in readers:
                reader = readers[task.role] = Reader(env)
                reader.learn_from(call for key in keys.values() for call in key.calls)
                reader.explore()
            reader, key = readers[task.role], keys[task.id]
            words = Words(task.instruction)
            said = [v for c in key.calls for v in flatten(c.arguments).values() if is_id(v) and words.says(str(v))]
            if not all(reader.memory.has_id(value) for value in said):
                reader = reader.copy()
                for value in said:
                    reader.memory.see_id(value)
                reader.explore()
            why = Player(env, reader, task, key).find_problem()
            if why:
                yield Failure(name, task.id, why, " ".join(task.instruction.split()))


def list_worlds(folder: Path, most: int, seed: int, only: str) -> Iterator[tuple[str, World | str]]:
    """Lock every file of a folder by itself, and build its first worlds; why not, where it cannot be."""
    for file in files_in(folder):
        name = str(file.relative_to(folder)) if file != folder else file.name
        if only not in name:
            continue
        try:
            anchor = build_anchor([Input("any", str(file), tuple(read_uploads(file)))], AnchorOptions())
            for domain in anchor.domains[:most]:
                built = build(load_text(domain.blueprint, domain.name), seed, contract=domain.contract)
                yield f"{name}: {domain.name}", world_of(built.pack)
        except WorldwrightError as e:
            yield name, str(e)[:200]


def main(given: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Play every task with a player who may send only what it has seen.")
    parser.add_argument("folder", nargs="?", type=Path, help="of evidence: each file is an anchor of its own")
    parser.add_argument("--worlds", type=int, default=1, help="of each anchor, the first so many")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="files with this in their path")
    parser.add_argument("--packs", nargs="*", default=[], help="sealed worlds instead: references or folders")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(None if given is None else list(given))
    worlds: Iterator[tuple[str, World | str]] = iter((ref, open_world(ref)) for ref in asked.packs)
    if asked.folder is not None:
        worlds = list_worlds(asked.folder, asked.worlds, asked.seed, asked.only)
    failures: list[Failure] = []
    tasks: Counter[str] = Counter()
    unbuilt: dict[str, str] = {}
    for name, world in worlds:
        if isinstance(world, str):
            unbuilt[name] = world
            continue
        found = list(check_world(name, world))
        failures += found
        tasks[name] = len(world.tasks)
        if not asked.json:
            print(f"{name}: {len(found)} of {tasks[name]} tasks cannot be done", flush=True)
            print(*(f"  {f.task}: {f.why} | {f.asked[:160]}" for f in found), sep="\n", end="\n" if found else "")
    if asked.json:
        print(
            json.dumps(
                {"tasks": dict(tasks), "unsolvable": [f._asdict() for f in failures], "unbuilt": unbuilt}, indent=1
            )
        )
    else:
        print(*(f"{name}: {why}" for name, why in unbuilt.items()), sep="\n", end="\n" if unbuilt else "")
        print(f"{len(failures)} of {sum(tasks.values())} tasks of {len(tasks)} worlds cannot be done")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
