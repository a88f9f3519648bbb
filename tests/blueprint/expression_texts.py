"""Random well-typed expressions, as an author would write them.

Kinds are those of the language, with `number` for any plain number and the name of an entity for a reference to its rows.
Sizes stay small and products are made of leaves only, so that every value fits 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from tests.blueprint.language_world import LINE, NAMES, Choose, checked

from worldwright.blueprint.expr.aggregates import MAX_AGGREGATES
from worldwright.blueprint.types import Type

T = TypeVar("T")

ENTITIES = ("human", "item", "mark")
KINDS = ("bool", "int", "number", "money", "foreign", "date", "time", "text", "enum", *ENTITIES)
ORDERED = ("int", "number", "money", "foreign", "date", "time", "text")
SMALL = ("0", "1", "2", "-1", "3", "7", "40", "-25")
WORDS = ("", "a", "A", "red", "Ann", "ß", "名", "it's", 'say "hi"', "back\\slash", "{x}", "x in (y")
LITERALS: dict[str, tuple[str, ...]] = {
    "bool": ("true", "false"),
    "int": SMALL,
    "number": (*SMALL, "2.5", "0.25", "-1.75", "0.0001"),
    "money": ("money(0)", "money(2.5)", "money(20)", "money(-3.75)"),
    "foreign": (),
    "date": ("today", "date('2025-06-13')", "date('2024-02-29')", "date('9999-12-31')"),
    "time": ("now",),
    "text": tuple(repr(w) for w in WORDS),
    "enum": (),
    **dict.fromkeys(ENTITIES, ()),
}
TERMS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "money": (("worth", ("human",)), ("spread", ("money",))),
    "bool": (("rich", ("human",)), ("trusted", ("item",))),
    "human": (("aide", ("item",)),),
    "enum": (("feeling", ("human",)),),
    "date": (("far", ("date", "small")),),
    "text": (("greeting", ("human", "text")),),
    "mark": (("latest", ("human",)),),
}
FORMATS = {"money": "money", "foreign": "money", "date": "day", "time": "day", "number": "percent", "int": "days"}


def kind_of(t: Type) -> str:
    return t.entity if t.kind == "ref" else "number" if t.kind == "decimal" else t.kind


@cache
def fields_of(owner: str) -> dict[str, tuple[str, ...]]:
    """Kind to the fields of an entity (or of `line`, an element of the list input) that have it."""
    found: dict[str, tuple[str, ...]] = {}
    pairs = LINE if owner == "line" else [(c.name, c.type) for c in checked().schema.entities[owner].columns.values()]
    for name, t in pairs:
        for kind in {kind_of(t), "number" if t.kind == "int" else kind_of(t)}:
            found[kind] = (*found.get(kind, ()), name)
    if owner != "line":
        found["text"] = (*found["text"], "id")
    return found


@dataclass(frozen=True)
class Names:
    """Names in scope by kind, and how many aggregates are around."""

    kinds: dict[str, str] = field(
        default_factory=lambda: {**{k: kind_of(t) for k, t in NAMES.items() if t.kind != "list"}, "actor": "human"}
    )
    aggregates: int = 0

    def of(self, kind: str) -> list[str]:
        return [name for name, k in self.kinds.items() if k == kind or (kind == "number" and k == "int")]

    def with_row(self, name: str, kind: str) -> Names:
        return replace(self, kinds={name: kind, **self.kinds}, aggregates=self.aggregates + 1)


class Maker:
    """Puts one expression together, asking for a choice at every turn."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self.in_text = False
        """Inside the braces of an f-string, where older Pythons admit no backslash and no quotes of its own kind."""

    def pick(self, options: Sequence[T]) -> T:
        return options[self._choose(len(options))]

    def chance(self) -> bool:
        return self._choose(2) == 1

    def make(self, kind: str, depth: int, s: Names) -> str:
        if depth <= 0:
            return self.leaf(kind, s)
        common: list[Callable[[str, int, Names], str]] = [self.simple, self.choice, self.coalesce, self.best]
        if any(kind in fields_of(e) for e in ENTITIES):
            common.append(self.hop)
        if kind in ORDERED:
            common += [self.extreme, self.extreme_of]
        if kind in TERMS:
            common.append(self.term)
        own = getattr(self, f"on_{kind}", None)
        options = [*common, *([own] * 3 * len(common) if own is not None else [])]
        build: Callable[[str, int, Names], str] = self.pick(options)
        return build(kind, depth - 1, s)

    # every kind

    def simple(self, kind: str, depth: int, s: Names) -> str:
        return self.leaf(kind, s)

    def leaf(self, kind: str, s: Names) -> str:
        """A name, a literal or a field of a name."""
        options = [*s.of(kind), *self.literals(kind)]
        for name, owner in s.kinds.items():
            if owner in (*ENTITIES, "line"):
                options += [f"{name}.{f}" for f in fields_of(owner).get(kind, ())]
        return self.pick(options) if options else self.best(kind, 0, s)

    def literals(self, kind: str) -> list[str]:
        found = LITERALS[kind]
        return [x for x in found if not (self.in_text and ("\\" in x or '"' in x))]

    def choice(self, kind: str, depth: int, s: Names) -> str:
        then, test, other = self.make(kind, depth, s), self.make("bool", depth, s), self.make(kind, depth, s)
        return f"({then} if {test} else {other})"

    def coalesce(self, kind: str, depth: int, s: Names) -> str:
        other = "'red'" if kind == "enum" and self.chance() else self.make(kind, depth, s)
        return f"coalesce({self.make(kind, depth, s)}, {other})"

    def hop(self, kind: str, depth: int, s: Names) -> str:
        """A field of a row that is itself an expression."""
        owner = self.pick([e for e in ENTITIES if kind in fields_of(e)])
        return f"{self.make(owner, depth, s)}.{self.pick(fields_of(owner)[kind])}"

    def best(self, kind: str, depth: int, s: Names) -> str:
        """first or last, by some key."""
        if s.aggregates >= MAX_AGGREGATES:
            return self.fallback(kind, s)
        loop, inner, var = self.loop(depth, s, kind if kind in ENTITIES else "")
        value = var if kind in ENTITIES else self.leaf(kind, inner)
        name = self.pick(("first", "last"))
        if self.chance():
            return f"{name}({value} {loop})"
        return f"{name}(({value} {loop}), by={self.make(self.pick((*ORDERED, 'bool')), depth - 1, inner)})"

    def fallback(self, kind: str, s: Names) -> str:
        """Something of a kind that has no literal, three aggregates deep."""
        where = {"foreign": "p.abroad", "enum": "p.mood", "human": "q", "item": "j", "mark": "latest(p)"}
        return where[kind] if kind in where else self.leaf(kind, s)

    def term(self, kind: str, depth: int, s: Names) -> str:
        name, takes = self.pick(TERMS[kind])
        args = [self.leaf("int", s) if t == "small" else self.make(t, depth - 1, s) for t in takes]
        return f"{name}({', '.join(args)})"

    def extreme(self, kind: str, depth: int, s: Names) -> str:
        return f"{self.pick(('min', 'max'))}({self.make(kind, depth, s)}, {self.make(kind, depth, s)})"

    def extreme_of(self, kind: str, depth: int, s: Names) -> str:
        return self.over(self.pick(("min", "max")), kind, depth, s)

    # aggregates

    def loop(self, depth: int, s: Names, wanted: str = "") -> tuple[str, Names, str]:
        """`for v in rows if condition`, the names inside, and the variable."""
        var = f"v{s.aggregates}"
        ways = [(w.entity, f"{name}.{way}") for name, k in s.kinds.items() if k in ENTITIES
                for way, w in checked().schema.entities[k].ways.items()]  # fmt: skip
        if depth > 0 and self.chance():
            owner = self.pick(("human", "item"))
            base = self.make(owner, depth - 1, s)
            ways = [(w.entity, f"{base}.{way}") for way, w in checked().schema.entities[owner].ways.items()]
        sources = [(e, e) for e in ENTITIES] + [("human", "people"), ("line", "lines")] + ways
        kind, rows = self.pick([x for x in sources if wanted in ("", x[0])] or [(wanted, wanted)])
        inner = s.with_row(var, kind)
        test = f" if {self.make('bool', max(depth - 1, 1), inner)}" if self.pick((False, True, True)) else ""
        return f"for {var} in {rows}{test}", inner, var

    def over(self, name: str, kind: str, depth: int, s: Names) -> str:
        if s.aggregates >= MAX_AGGREGATES:
            return self.leaf(kind if name != "count" else "int", s)
        loop, inner, var = self.loop(depth, s)
        if name == "exists" or (name == "count" and self.chance()):
            return f"{name}({var} {loop})"
        return f"{name}({self.make(kind, depth - 1, inner)} {loop})"

    # numbers

    def on_int(self, kind: str, depth: int, s: Names) -> str:
        small, make = self.leaf, self.make
        match self.pick(
            ("add", "times", "minus", "abs", "len", "days", "part", "hours", "count", "count", "sum", "sum", "round")
        ):
            case "add":
                return f"({make('int', depth, s)} {self.pick('+-')} {make('int', depth, s)})"
            case "times":
                return f"({small('int', s)} * {small('int', s)})"
            case "minus":
                return f"(-{make('int', depth, s)})"
            case "abs":
                return f"abs({make('int', depth, s)})"
            case "len":
                return f"len({make('text', depth, s)})"
            case "days":
                function = self.pick(("({} - {})", "business_days_between({}, {})", "days_between({}, {})"))
                return function.format(make("date", depth, s), make("date", depth, s))
            case "part":
                return f"{self.pick(('year', 'month', 'weekday'))}({make('date', depth, s)})"
            case "hours":
                return f"hours_between({make('time', depth, s)}, {make('time', depth, s)})"
            case "count":
                return self.over("count", self.pick(KINDS), depth, s)
            case "sum":
                return self.over("sum", "int", depth, s)
        return f"{self.pick(('round', 'round_up', 'round_down'))}({make('number', depth, s)}, 0)"

    def on_number(self, kind: str, depth: int, s: Names) -> str:
        small, make = self.leaf, self.make
        match self.pick(("add", "times", "divide", "share", "round", "abs", "sum", "minus")):
            case "add":
                return f"({make('number', depth, s)} {self.pick('+-')} {make('number', depth, s)})"
            case "times":
                return f"({small('number', s)} * {small('number', s)})"
            case "divide":
                return f"{self.rounding()}({small('number', s)} / {small('number', s)}, {self.pick((0, 2, 6))})"
            case "share":
                same = self.pick(("money", "foreign"))
                return f"{self.rounding()}({small(same, s)} / {small(same, s)}, {self.pick((0, 4))})"
            case "round":
                return f"{self.rounding()}({make('number', depth, s)}, {self.pick((0, 1, 4))})"
            case "abs":
                return f"abs({make('number', depth, s)})"
            case "sum":
                return self.over("sum", "number", depth, s)
        return f"(-{make('number', depth, s)})"

    def rounding(self) -> str:
        return self.pick(("round", "round_up", "round_down"))

    def on_money(self, kind: str, depth: int, s: Names) -> str:
        small, make = self.leaf, self.make
        other = "foreign" if kind == "money" else "money"
        match self.pick(
            ("add", "literal", "times", "rate", "divide", "percent", "prorate", "minus", "sum", "change", "abs")
        ):
            case "add":
                return f"({make(kind, depth, s)} {self.pick('+-')} {make(kind, depth, s)})"
            case "literal":
                return f"({make(kind, depth, s)} {self.pick('+-')} {self.pick(LITERALS['number'])})"
            case "times":
                return f"({small('int', s)} * {small(kind, s)})"
            case "rate":
                return f"{self.rounding()}({small(kind, s)} * {small('number', s)}, 2)"
            case "divide":
                return f"{self.rounding()}({small(kind, s)} / {small('number', s)}, {self.pick((0, 2, 4))})"
            case "percent":
                return f"percent_of({small(kind, s)}, {small('number', s)})"
            case "prorate":
                return f"prorate({small(kind, s)}, {small('int', s)}, {small('int', s)})"
            case "minus":
                return f"(-{make(kind, depth, s)})"
            case "sum":
                return self.over("sum", kind, depth, s)
            case "abs":
                return f"abs({make(kind, depth, s)})"
        name = "convert_back" if kind == "money" else "convert"
        return f"{name}({small(other, s)}, {small('number', s)})"

    on_foreign = on_money

    # days and text

    def on_date(self, kind: str, depth: int, s: Names) -> str:
        day, small = self.make("date", depth, s), self.leaf("int", s)
        match self.pick(("shift", "month", "edge", "business", "of_time")):
            case "shift":
                return f"({day} {self.pick('+-')} {small})"
            case "month":
                return f"add_months({day}, {small})"
            case "edge":
                return f"{self.pick(('month_start', 'month_end'))}({day})"
            case "business":
                return f"add_business_days({day}, {small})"
        return f"day({self.make('time', depth, s)})"

    def on_time(self, kind: str, depth: int, s: Names) -> str:
        if self.chance():
            return f"at({self.make('date', depth, s)}, {self.leaf('int', s)})"
        return f"add_hours({self.make('time', depth, s)}, {self.leaf('int', s)})"

    def on_text(self, kind: str, depth: int, s: Names) -> str:
        if self.in_text and self.chance():
            return f"f'<{{{self.pick(['p.name', 'p.kind', 'p.paid', 'q', 'i.done'])}}}>'"
        if self.in_text or self.chance():
            return f"lower({self.make('text', depth, s)})"
        self.in_text = True
        parts = []
        for _ in range(self.pick((1, 2))):
            of = self.pick(KINDS)
            spec = f":{FORMATS[of]}" if of in FORMATS and self.chance() else ""
            parts.append(f"{{{self.make(of, depth, s)}{spec}}}")
        self.in_text = False
        return 'f"""' + self.pick(("", "a b", "{{x}} ", "it's: ")) + self.pick((" ", " / ", "名")).join(parts) + '."""'

    # conditions

    def on_bool(self, kind: str, depth: int, s: Names) -> str:
        name = self.pick(
            (
                "same",
                "order",
                "chain",
                "none",
                "logic",
                "logic",
                "not",
                "member",
                "text",
                "flag",
                "obeys",
                "over",
                "over",
            )
        )
        return str(getattr(self, f"_{name}")(depth, s))

    def _same(self, depth: int, s: Names) -> str:
        kind = self.pick(KINDS)
        other = "'red'" if kind == "enum" and self.chance() else self.make(kind, depth, s)
        return f"({self.make(kind, depth, s)} {self.pick(('==', '!='))} {other})"

    def _order(self, depth: int, s: Names) -> str:
        kind = self.pick(ORDERED)
        other = "'2025-06-16T08:00:00Z'" if kind == "time" and self.chance() else self.make(kind, depth, s)
        return f"({self.make(kind, depth, s)} {self.pick(('<', '<=', '>', '>='))} {other})"

    def _chain(self, depth: int, s: Names) -> str:
        kind = self.pick(ORDERED)
        return f"({self.leaf(kind, s)} <= {self.make(kind, depth, s)} {self.pick(('<', '=='))} {self.leaf(kind, s)})"

    def _none(self, depth: int, s: Names) -> str:
        return f"({self.make(self.pick(KINDS), depth, s)} {self.pick(('is', 'is not', '==', '!='))} none)"

    def _logic(self, depth: int, s: Names) -> str:
        word = self.pick((" and ", " or "))
        return f"({word.join(self.make('bool', depth, s) for _ in range(self.pick((2, 3))))})"

    def _not(self, depth: int, s: Names) -> str:
        return f"(not {self.make('bool', depth, s)})"

    def _member(self, depth: int, s: Names) -> str:
        kind = self.pick(("int", "text", "enum", "bool", "date"))
        options = ("'red'", "none") if kind == "enum" else (*self.literals(kind), "none", self.leaf(kind, s))
        values = ", ".join(self.pick(options) for _ in range(self.pick((1, 2, 3))))
        return f"({self.make(kind, depth, s)} {self.pick(('in', 'not in'))} ({values},))"

    def _text(self, depth: int, s: Names) -> str:
        a, b = self.make("text", depth, s), self.make("text", depth, s)
        return f"({a} in {b})" if self.chance() else f"startswith({a}, {b})"

    def _flag(self, depth: int, s: Names) -> str:
        return f"({self.make('bool', depth, s)} {self.pick(('==', '!='))} {self.pick(('true', 'false'))})"

    def _obeys(self, depth: int, s: Names) -> str:
        name, about, kind = self.pick((("cheap", "i", "item"), ("few", "p", "human"), ("checked", "i", "item")))
        return f"obeys({name})" if self.chance() else f"obeys({name}, {about}={self.make(kind, depth, s)})"

    def _over(self, depth: int, s: Names) -> str:
        return self.over(self.pick(("exists", "all")), "bool", depth, s)


def expression(choose: Choose, kind: str | None = None) -> str:
    """The text of a random expression."""
    maker = Maker(choose)
    kinds = ("bool", "bool", "int", "number", "money", *KINDS)
    return maker.make(kind or maker.pick(kinds), maker.pick((1, 2, 3, 3, 4)), Names())
