"""Amounts: `over 5,000 EUR`, `at most 20 %`. An attribute of the thing is compared with a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.model.attributes import MONEY
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.operations import DECIDES, Act, deciding
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import LARGEST, Figure, Parameter, parameter, plain, said
from worldwright.anchor.model.ruled.subjects import content, explicit, named_in, outright
from worldwright.anchor.model.ruled.verbs import (
    SUPERVISOR,
    acts_named,
    approvals,
    decides,
    operators,
    supervisors,
    verbs,
    verbs_of,
)
from worldwright.english.stems import stems, stemset
from worldwright.english.words import wordset

TYPES = {
    "money": "money", "decimal": "decimal(2)", "int": "int", "date": "date", "time": "time", "text": "text", "bool": "bool",
}  # fmt: skip
"""By kind of attribute, the type of such a value."""
_COMPARES = {"over": ">", "at_least": ">=", "under": "<", "at_most": "<=", "within": "<="}
_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_NEGATED = ("no ", "not ", "never ", "cannot ", "n't ", "can't ")
_USUAL = (
    ("total",), ("amount",), ("total", "amount"), ("amount", "total"), ("grand", "total"), ("value",), ("price",), ("cost",),
)  # fmt: skip
"""What the amount of a thing is called where nothing else is said."""
_SUMMED = wordset("monthly daily weekly annual annually yearly cumulative cumulatively combined aggregate aggregated")
_IDS = wordset("id ids uuid code key gid sid year phone zip postcode")
"""Words of names whose numbers say nothing of how much."""
_MONEY = stems(MONEY)
_PERCENT = stemset("percent percentage pct rate")
_LINKS = wordset(
    "with a an of worth valued at the is are whose that which in excess exceeding amounting costing has have to for"
)
_ABOUT = stemset(
    "amount value total worth sum cost costing price exceed valued limit capped cap number count maximum minimum max min large "
    "small high low big"
)
"""Words that go with an amount, whatever it is called."""


@dataclass(frozen=True, slots=True)
class Compared:
    """An attribute and the figure that it is compared with."""

    entity: Entity
    attribute: Attribute
    figure: Figure
    value: int | float
    condition: bool
    """Whether it only says which of the things are meant."""
    within: str
    """How the attribute compares with it where the rule has nothing against it; empty where something is only allowed."""
    covered: frozenset[int]

    @property
    def upper(self) -> bool:
        return self.within in ("<", "<=")


def compared(r: Reading) -> Compared | str | None:
    """The first figure of a sentence that an attribute can be compared with, or why there is none."""
    why: str | None = None
    for figure in r.s.figures:
        if figure.quantity.compares not in _COMPARES or not abs(figure.quantity.value) <= LARGEST:
            continue
        for entity in _resources(r, figure):
            found = _attribute(r, entity, figure)
            if isinstance(found, str):
                why = why or found
            elif found is not None:
                return _compared(r, entity, *found, figure)
    return why


# which attribute


def _resources(r: Reading, figure: Figure) -> Sequence[Entity]:
    """The things that may be meant: those that the sentence names, else the only one that has such an attribute."""
    if r.mentions:
        return r.subjects
    having = [t for t in r.resources.values() if _told(r, t, figure) is not None]
    return having if len(having) == 1 else ()


def _told(r: Reading, entity: Entity, figure: Figure) -> tuple[Attribute, frozenset[int]] | None:
    """The attribute that the sentence names."""
    known = _PERCENT if figure.quantity.unit == "percent" else frozenset()
    return explicit(_numbers(entity, figure), r.s, r.free, figure.start, known)


def _numbers(entity: Entity, figure: Figure) -> list[Attribute]:
    """The attributes that may be measured as the figure is."""
    unit = figure.quantity.unit
    kinds = ("money", "decimal", "int")
    out = [a for a in entity.attributes if a.kind in kinds and outright(a) and not named_in(a.path[-1]) & _IDS]
    if unit == "money":
        return [a for a in out if a.kind == "money" or (content(a) & _MONEY and not content(a) & _PERCENT)]
    if unit == "percent":
        return [a for a in out if content(a) & _PERCENT]
    return out if not unit else []


def _attribute(r: Reading, entity: Entity, figure: Figure) -> tuple[Attribute, frozenset[int]] | str | None:
    unit, fitting = figure.quantity.unit, _numbers(entity, figure)
    found = _told(r, entity, figure)
    if found is not None:
        return found
    if unit not in ("money", "percent"):
        return None
    if not fitting or unit == "percent":
        return f"`{entity.name}` has no {'share' if unit == 'percent' else 'amount'} to compare"
    if len(fitting) == 1:
        return fitting[0], frozenset()
    usual = [
        a
        for name in _USUAL
        for a in fitting
        if tuple(dict.fromkeys(w for w in a.name.split("_") if w != "money")) == name
    ]
    return (usual[0], frozenset()) if usual else f"`{entity.name}` has several amounts, and none is named"


# how it is compared


def _compared(r: Reading, entity: Entity, a: Attribute, covered: frozenset[int], figure: Figure) -> Compared | str:
    s, q = r.s, figure.quantity
    following = [s.low(k) for k in range(figure.end, min(figure.end + 3, len(s.words)))]
    if any(w.low in _SUMMED for w in s.words) or ("per" in following and not _per(r, entity, figure)):
        return "it limits what several records add up to"
    if s.demand == len(s.words) and q.compares in ("over", "under"):
        return "it demands nothing"
    if q.unit == "percent" and following[:1] == ["of"]:
        return "it is a share of another amount"
    fraction = q.unit == "percent" and a.shape.maximum is not None and a.shape.maximum <= 1
    value = plain(q.value / 100, 4) if fraction else plain(q.value, 4)
    if value != round(value, 0 if a.kind == "int" else 2):
        return f"`{a.name}` is not kept that exactly"
    condition = _is_condition(r, figure)
    about = frozenset(k for k in r.free if s.words[k].stem in _ABOUT)
    return Compared(
        entity, a, figure, value, condition, _within(r, figure, condition), covered | about | figure.covered
    )


def _per(r: Reading, entity: Entity, figure: Figure) -> bool:
    """`per order`, where it is the order that is looked at."""
    at = next(k for k in range(figure.end, figure.end + 3) if r.s.low(k) == "per")
    return any(m.start == at + 1 and m.entity.name == entity.name for m in r.mentions)


def _is_condition(r: Reading, figure: Figure) -> bool:
    """Tell whether a figure says which of the things are meant: it belongs to the subject, to `if`, or directly to the thing."""
    s = r.s
    if s.lead_at(figure.start) or figure.end <= s.demand < len(s.words):
        return True
    before = max((m.end for m in r.mentions if m.end <= figure.start), default=-1)
    gap = range(before, figure.start)
    return before > s.demand and all(s.low(k) in _LINKS or s.words[k].stem in _ABOUT for k in gap)


def _within(r: Reading, figure: Figure, condition: bool) -> str:
    """Return what is let through; nothing is said of the others where something is only allowed."""
    sign = _COMPARES[figure.quantity.compares]
    match r.s.demands:
        case "must":
            return _OPPOSITE[sign] if condition else sign
        case "must_not":
            negated = not condition and figure.quantity.text.lower().startswith(_NEGATED)
            return sign if negated else _OPPOSITE[sign]
        case "only_if":
            return _OPPOSITE[sign] if condition and supervisors(r) else sign
    bounded = sign in ("<", "<=") and (figure.start > r.s.demand or bool(approvals(r)))
    return sign if bounded else ""


def limit(r: Reading, c: Compared) -> Parameter:
    """The figure as a parameter."""
    shape = c.attribute.shape
    low = shape.minimum if shape.minimum is not None else 0
    high = shape.maximum if shape.maximum is not None else LARGEST
    found = parameter(r.s, c.figure, "limit", c.value, c.upper, low, high)
    if c.figure.quantity.unit == "percent" and c.value != plain(c.figure.quantity.value, 4):
        return Parameter("limit", {"default": c.value}, found.start, found.start, "")
    return found


def impractical(c: Compared) -> str:
    """Why a limit would forbid everything or nothing; empty where it does neither."""
    name, low, high = c.attribute.name, c.attribute.shape.minimum, c.attribute.shape.maximum
    least = low if low is not None else 1 if c.attribute.kind == "int" else 0
    if c.upper and high is not None and c.value >= high:
        return f"`{name}` is never more than {high:g}"
    if c.upper and c.value <= max(0, low or 0):
        return f"it would forbid every `{name}`"
    if not c.upper and c.value <= least:
        return f"no `{name}` is less"
    return f"it would forbid every `{name}`" if not c.upper and high is not None and c.value > high else ""


def beyond(c: Compared) -> tuple[int | float, int | float]:
    """A value that is let through, and one that is not."""
    v = c.value
    step = 1 if c.attribute.kind == "int" or v == int(v) else plain(v / 10) or 0.01
    return {"<=": (v, v + step), "<": (v - step, v), ">=": (v, v - step), ">": (v + step, v)}[c.within]


# the policy


def amount(r: Reading) -> Draft | str | None:
    """A limit on an amount, or something that only a supervisor does beyond it."""
    c = compared(r)
    if c is None or isinstance(c, str):
        return c
    deciders, asked, workers = supervisors(r), approvals(r), operators(r)
    if c.condition and r.s.demands == "must" and not (deciders or asked):
        return None
    if not c.within:
        return "it only allows something"
    if deciders and min(deciders) < r.s.demand and not c.condition:
        return "it is a limit for those who decide"
    acts, used = _acts(r, c, bool(asked or deciders))
    if not acts:
        return "no operation does what it speaks of"
    why = impractical(c)
    return why or _draft(r, c, acts, bool(deciders or asked or workers), c.covered | used | deciders | asked | workers)


def _acts(r: Reading, c: Compared, approval: bool) -> tuple[list[Act], frozenset[int]]:
    """Return where the limit is looked at: where the sentence says, at decisions, or wherever the amount is set."""
    acts = r.acts.get(c.entity.name, ())
    decided = [a for a in deciding(acts) if c.condition or a.verb in DECIDES] if approval and r.mentions else []
    for said_in in [verbs_of(r, "before")] if decided and decides(r) else [verbs_of(r, "before"), verbs(r)]:
        found, used = acts_named(r, c.entity, said_in)
        found = [a for a in found if a.value(c.attribute)]
        if found:
            return found, used
    if c.condition and not approval and verbs(r):
        return [], frozenset()
    if decided:
        return decided, frozenset()
    return [a for a in acts if a.takes(c.attribute)], frozenset()


def _draft(r: Reading, c: Compared, acts: Sequence[Act], exempt: bool, covered: frozenset[int]) -> Draft:
    a, p = c.attribute, limit(r, c)
    by_row = all(act.row and not act.takes(a) for act in acts)
    value = f"x.{a.name}" if by_row else "x"
    good, bad = beyond(c)
    who: dict[str, Any] = {"actor.role": "operator"} if exempt else {}
    cases: list[dict[str, Any]] = [{"allowed": {value: good, **who}}, {"forbidden": {value: bad, **who}}]
    if exempt:
        cases.append({"allowed": {value: bad, "actor.role": "supervisor"}})
    spec = {
        "about": {"x": c.entity.name if by_row else TYPES[a.kind]},
        "rule": f"{value} is none or {value} {c.within} limit" + (f" or {SUPERVISOR}" if exempt else ""),
        "parameters": {"limit": p.variants},
        "cases": cases,
    }
    bound = tuple((act.name, {"x": act.row if by_row else act.value(a)}) for act in acts)
    kind, side = "approval" if exempt else "limit", "upper" if c.upper else "lower"
    where = sorted(act.name for act in acts)
    return Draft(
        c.entity, f"{c.entity.name}_{a.name}_{kind}", spec, said(r.s, (p,)), bound,
        ("amount", c.entity.name, a.name, side, kind, *where), covered=covered,
    )  # fmt: skip
