"""The tools as the planner reads them: what each is for, what it takes, and which kind of record an id names.

Nothing is known beyond the schemas that every agent is given. A kind of record is the letters of its ids: `GST` of `GST-0001`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldwright.agents.chat import Tool
from worldwright.agents.planner.words import Rarity, stem_actions, stem_words, stems
from worldwright.english.stems import stem

_PREFIX = re.compile(r"\^?\(?([A-Z][A-Z0-9]*)-")
_ID_OF = re.compile(r"\bid of (?:an?|the|any) ([a-z][a-z ]+)", re.IGNORECASE)
_LOOKS = frozenset(
    ["search", "find", "list", "get", "show", "read", "view", "fetch", "lookup", "look", "query", "browse"]
)
ASK = "ask_requester"
"""The tool that asks whoever made the request."""
_ASKS = frozenset({"quote", "preview", "estimate", "simulate"})
_WONDERS = re.compile(r"^(?:What|Which|Whether|How|Who|When)\b")
_FIRST_WORD = re.compile(r"[A-Za-z][a-z0-9]*")
_PAGING = frozenset({"limit", "offset", "sort", "page", "cursor", "order_by"})
DOES = re.compile(r"(?:er|or|ee|ed|_by|_to)$")
"""How a parameter ends that names somebody by what they do: `approver`, `covered_by`."""
MIN_KIND_FIT = 0.45
"""How well a search has to go with a kind before the planner counts on it."""
_ERRORS = re.compile(r"\s*(?:For|Errors): [^.]*\.")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a tool."""

    name: str
    schema: Mapping[str, Any]
    required: bool

    @property
    def type(self) -> str:
        found = self.schema.get("type")
        if isinstance(found, list):
            found = next((t for t in found if t != "null"), "")
        return found if isinstance(found, str) else ""

    @property
    def says(self) -> str:
        return str(self.schema.get("description") or "")

    @property
    def format(self) -> str:
        return str(self.schema.get("format") or "")

    @property
    def choices(self) -> list[Any]:
        found = self.schema.get("enum")
        return [v for v in found if v is not None] if isinstance(found, list) else []

    @property
    def kind(self) -> str:
        """The letters of the ids that it takes; empty where it takes no id."""
        found = _PREFIX.match(str(self.schema.get("pattern") or ""))
        return found[1] if found else ""

    @property
    def fields(self) -> tuple[Param, ...]:
        """The fields of each object, for a list of objects."""
        items = self.schema.get("items")
        return params_of(items) if isinstance(items, Mapping) else ()


def params_of(schema: Mapping[str, Any]) -> tuple[Param, ...]:
    props, needed = schema.get("properties"), schema.get("required")
    if not isinstance(props, Mapping):
        return ()
    musts = set(map(str, needed)) if isinstance(needed, list) else set()
    return tuple(Param(str(n), s, str(n) in musts) for n, s in props.items() if isinstance(s, Mapping))


@dataclass(frozen=True)
class Op:
    """A tool."""

    name: str
    says: str
    params: tuple[Param, ...]

    @cached_property
    def verb(self) -> str:
        """The first word of the tool's name: `list` of `list_bikes` and of `listBikes`."""
        found = _FIRST_WORD.match(self.name)
        return found[0].lower() if found else ""

    @cached_property
    def writes(self) -> bool:
        return self.verb not in _LOOKS and not self.computes

    @cached_property
    def computes(self) -> bool:
        """Whether the tool works something out: `quote_stay`."""
        return self.verb in _ASKS or bool(_WONDERS.match(self.says))

    @cached_property
    def searches(self) -> bool:
        return not self.writes and any(p.name in _PAGING for p in self.params)

    @cached_property
    def record_kind(self) -> str:
        """The kind of the one record that the tool shows; empty where it is no such tool."""
        needed = [p for p in self.params if p.required]
        return needed[0].kind if not self.writes and not self.computes and len(needed) == 1 else ""

    @cached_property
    def noun(self) -> tuple[str, ...]:
        return stem_words(" ".join(self.name.split("_")[1:]))

    @cached_property
    def purpose(self) -> str:
        """What the tool does, in words: without roles and error codes."""
        return f"{self.name} {_ERRORS.sub('', self.says)}"

    @cached_property
    def names(self) -> frozenset[str]:
        return stem_actions(self.name)

    @cached_property
    def meaning(self) -> frozenset[str]:
        return stem_actions(self.purpose)

    @cached_property
    def details(self) -> frozenset[str]:
        """The stems of what its parameters are called and may be."""
        inner = [f for p in self.params for f in (p, *p.fields)]
        return stem_actions(" ".join(" ".join([p.name, p.says, *map(str, p.choices)]) for p in inner))

    def param(self, name: str) -> Param | None:
        return next((p for p in self.params if p.name == name), None)

    def allows_none(self, name: str) -> bool:
        """Return whether a parameter may be left open with null."""
        p = self.param(name)
        known = p.schema.get("enum") if p else None
        return isinstance(known, list) and None in known

    def filters(self) -> list[Param]:
        return [p for p in self.params if p.name not in _PAGING]


class Toolbox:
    """All tools of an episode, and the one that submits."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        read = [_read(t) for t in tools]
        self.ops = tuple(op for op in read[:-1] if op is not None and op.name != ASK)
        self.can_ask = len(self.ops) < len(read[:-1])
        """Whether whoever made the request can be asked."""
        self.submit = (read[-1] if read else None) or Op("submit_answer", "", ())
        self.by_name = {op.name: op for op in self.ops}
        self.writers = tuple(op for op in self.ops if op.writes)
        self.rarity = Rarity(op.purpose + " " + " ".join(p.name for p in op.params) for op in self.ops)
        self.called: dict[str, str] = {}
        self.nouns = self._nouns()
        self._gives: dict[str, str] = {}

    def _nouns(self) -> dict[str, dict[str, int]]:
        """Per kind, what its records are called, with how often."""
        out: dict[str, dict[str, int]] = {}
        for op in self.ops:
            for p in (f for outer in op.params for f in (outer, *outer.fields) if f.kind):
                found = _ID_OF.search(p.says)
                self.called[p.kind] = f"{self.called.get(p.kind, '')} {found[1] if found else p.name}"
                for s in stem_words(found[1]) if found else () if DOES.search(p.name) else stem_words(p.name):
                    mine = out.setdefault(p.kind, {})
                    mine[s] = mine.get(s, 0) + (3 if found else 1)
            if op.record_kind:
                for s in op.noun:
                    mine = out.setdefault(op.record_kind, {})
                    mine[s] = mine.get(s, 0) + 9
        return out

    def learn(self, tool: str, kind: str) -> None:
        """That a search gives records of a kind: seen in a result."""
        self._gives[tool] = kind

    def searches_for(self, kind: str) -> list[Op]:
        """The searches that may give a kind, the likeliest first. What a result has shown counts as sure."""
        sure = [op for op in self.ops if op.searches and self._gives.get(op.name) == kind]
        if sure:
            return sure
        open_ = [(self.fit(op, kind), op) for op in self.ops if op.searches and op.name not in self._gives]
        return [
            op for fit, op in sorted(open_, key=lambda one: -one[0]) if fit >= MIN_KIND_FIT
        ] or self.list_unclear_searches()

    def list_unclear_searches(self) -> list[Op]:
        """List the searches of which it is not clear what they give."""
        return [
            op
            for op in self.ops
            if op.searches
            and op.name not in self._gives
            and all(self.fit(op, kind) < MIN_KIND_FIT for kind in self.nouns)
        ]

    def fit(self, op: Op, kind: str) -> float:
        """Score how well a search's name goes with what records of a kind are called."""
        known = self.nouns.get(kind, {})
        most = max(known.values(), default=1)
        named = sum(known.get(s, 0) / most for s in op.noun) / max(1, len(op.noun))
        said = sum(known.get(s, 0) / most for s in set(stem_words(op.says))) / 4
        meant = 0.5 if _find_plain_words(self.called.get(kind, "")) & _find_plain_words(op.name) else 0.0
        return max(named, meant) + said - (0.6 if any(p.kind == kind for p in op.filters()) else 0.0)

    def getter(self, kind: str) -> Op | None:
        return next((op for op in self.ops if op.record_kind == kind), None)

    def kinds_named(self, text: str) -> dict[str, float]:
        """Kinds of record that a text speaks of, with how clearly it does."""
        said = set(stem_words(text))
        out: dict[str, float] = {}
        for kind, nouns in self.nouns.items():
            most = max(nouns.values())
            hit = sum(n / most for s, n in nouns.items() if s in said)
            if hit >= 0.5:
                out[kind] = hit
        return out

    def kind_called(self, words: str) -> str:
        """The kind that is called so: `the id of the booking` is BKG."""
        wanted = [stem(w) for w in stem_words(words)]
        best, found = 0.0, ""
        for kind, nouns in self.nouns.items():
            most = max(nouns.values())
            score = sum(nouns.get(s, 0) / most for s in wanted) - 0.15 * sum(
                1 for s, n in nouns.items() if n == most and s not in wanted
            )
            if score > best:
                best, found = score, kind
        return found


def _find_plain_words(text: str) -> frozenset[str]:
    return frozenset(s for s in stems(text) if s[0] == "=")


def _read(tool: Any) -> Op | None:
    inner = tool.get("function") if isinstance(tool, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        return None
    schema = inner.get("parameters")
    return Op(
        inner["name"], str(inner.get("description") or ""), params_of(schema) if isinstance(schema, Mapping) else ()
    )
