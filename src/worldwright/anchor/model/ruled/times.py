"""Times: `within 14 days of delivery`, `not more than 30 days after it was created`. A date of the thing must not lie further back.

A sentence that says until when work has to be done is no such rule: what is late must still be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.model.blueprint import NOW
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.anchor.model.ruled.operations import Act
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import Figure, parameter, said
from worldwright.anchor.model.ruled.subjects import content
from worldwright.anchor.model.ruled.verbs import SUPERVISOR, acts_named, approvals, supervisors, verbs
from worldwright.anchor.model.ruled.words import SMALL
from worldwright.core import days
from worldwright.english.stems import stems, stemset
from worldwright.english.words import wordset

UNITS = {"days": 2000, "business_days": 1000, "hours": 2000, "weeks": 200, "months": 60, "years": 5}
"""The most of each that a rule may speak of."""
_BORN = stemset("create place open register issue raise record book submit file request post log add make enter")
"""How people call the moment at which a thing comes to be."""
_BOUGHT = stemset("purchase order sale buy checkout")
"""The same, of what is bought."""
_KEPT = stemset("created placed opened registered ordered recorded added entered inserted date")
"""How a record calls that moment."""
_ASKED = stemset(
    "submit request return claim cancel report file dispute appeal apply register raise exchange renew redeem lodge change edit "
    "modify amend withdraw refund void"
)
"""What people ask for and may come too late with. Of other verbs, a time says until when the work has to be done."""
_FROM = wordset("of after from since following")
"""What follows a time where it says what it is counted from."""
_PAST = wordset(", ; by through via unless if when only for")
"""What follows where that ends."""
_SELF = wordset("automatically automatic inactivity")
_OPEN = "it leaves open which side of it is meant"


@dataclass(frozen=True, slots=True)
class Dated:
    """A date, and how operations come by it."""

    attribute: Attribute
    values: tuple[tuple[str, str], ...]
    """By operation, the expression for it."""
    row: str
    """The thing, where every operation has it as a record of that thing."""


def time(r: Reading) -> Draft | str | None:
    """A window in which something may be done."""
    figure = next((f for f in r.s.figures if f.quantity.unit in UNITS and f.quantity.compares != "exactly"), None)
    if figure is None or not r.mentions or not 0 < figure.quantity.value <= UNITS[figure.quantity.unit]:
        return None
    if figure.quantity.value != int(figure.quantity.value) or len(r.s.figures) > 1:
        return "its figures are not understood"
    if any(w.low in _SELF for w in r.s.words):
        return "it happens by itself"
    why = _no_window(r, figure)
    if why:
        return why
    why = "no operation does what it speaks of"
    for entity in r.subjects:
        acts, used = acts_named(r, entity, verbs(r))
        found = _dated(r, entity, acts, figure) if acts else None
        if found is not None:
            return _draft(r, entity, found, figure, used)
        why = f"`{entity.name}` has no date to compare" if acts else why
    return why


def _no_window(r: Reading, figure: Figure) -> str:
    """Why a time is none after which something is no longer done; empty where it is one."""
    s, q = r.s, figure.quantity
    short = q.compares in ("within", "at_most", "under")
    if s.low(figure.end) in ("before", "prior", "ahead") or s.low(figure.end + 1) == "advance":
        return _OPEN
    if s.forbids:
        return _OPEN if short and not q.text.lower().startswith(("no ", "not ")) else ""
    if s.demands == "must" and s.verb_stem() not in _ASKED and not _is_subject(r):
        return "it says until when work has to be done"
    return "" if short else _OPEN


def _is_subject(r: Reading) -> bool:
    """Tell whether what people ask for is the subject: `Returns are accepted within 30 days`."""
    return any(w.stem in _ASKED for w in r.s.words[: r.s.demand]) and r.s.low(r.s.demand) in ("is", "are")


# the date


def _dated(r: Reading, entity: Entity, acts: Sequence[Act], figure: Figure) -> Dated | None:
    """The date of the thing that is meant."""
    for attribute in _choices(entity, _anchor(r, figure)):
        values = tuple((a.name, v) for a in acts if (v := a.value(attribute)))
        if values:
            by_row = all(a.row and not a.takes(attribute) for a in acts)
            return Dated(attribute, values, entity.name if by_row else "")
    return None


def _anchor(r: Reading, figure: Figure) -> frozenset[str]:
    """The stems of what the time is counted from."""
    s = r.s
    out: set[str] = set()
    if s.low(figure.end) not in _FROM:
        return frozenset()
    for k in range(figure.end + 1, min(figure.end + 7, len(s.words))):
        if s.low(k) in _PAST or k == s.demand:
            break
        if s.low(k).isalpha() and s.low(k) not in SMALL:
            out.add(s.words[k].stem)
    return frozenset(out)


def _choices(entity: Entity, wanted: frozenset[str]) -> Iterable[Attribute]:
    """Dates that fit what the time is counted from, the best first."""
    dates = [a for a in entity.attributes if a.kind in ("date", "time") and len(a.path) <= 2]
    told = [a for a in dates if content(a) & wanted]
    if told:
        return sorted(told, key=lambda a: -len(content(a) & wanted))
    resource = stems(entity.noun)
    if wanted <= _BORN | resource | (_BOUGHT if resource & _BOUGHT else frozenset()):
        return [a for a in dates if content(a) & _KEPT][:1] or (dates if len(dates) == 1 and not wanted else [])
    return []


# the policy


def _draft(r: Reading, entity: Entity, d: Dated, figure: Figure, used: frozenset[int]) -> Draft:
    unit, count, kind = figure.quantity.unit, int(figure.quantity.value), d.attribute.kind
    name = "days" if unit == "business_days" else unit
    p = parameter(r.s, figure, name, count, True, 1, UNITS[unit])
    value = f"x.{d.attribute.name}" if d.row else "x"
    deciders, asked = supervisors(r), approvals(r)
    exempt = bool(deciders or asked) and r.s.demands in ("must_not", "only_if")
    who: dict[str, Any] = {"actor.role": "operator"} if exempt else {}
    good, bad = _examples(unit, count, kind)
    spec = {
        "about": {"x": d.row or kind},
        "rule": f"{value} is none or {value} >= {_edge(unit, name, kind)}" + (f" or {SUPERVISOR}" if exempt else ""),
        "parameters": {name: p.variants},
        "cases": [{"allowed": {value: good, **who}}, {"forbidden": {value: bad, **who}}],
    }
    bound = tuple((op, {"x": v.rpartition(".")[0] if d.row else v}) for op, v in d.values)
    where = sorted(op for op, _ in bound)
    covered = used | figure.covered | deciders | asked | _told(r, figure, d.attribute)
    return Draft(
        entity, f"{entity.name}_{d.attribute.name}_window", spec, said(r.s, (p,)), bound,
        ("time", entity.name, d.attribute.name, *where), covered=covered,
    )  # fmt: skip


def _told(r: Reading, figure: Figure, a: Attribute) -> frozenset[int]:
    """The words that say what the time is counted from."""
    known = content(a) | _BORN | _BOUGHT
    own = {k for m in r.mentions for k in range(m.start, m.end) if k >= figure.end}
    old = {k for k, w in enumerate(r.s.words) if w.low in ("old", "older") and abs(k - figure.start) < 4}
    return frozenset(k for k in range(figure.end, len(r.s.words)) if r.s.words[k].stem in known) | own | old


def _edge(unit: str, name: str, kind: str) -> str:
    """The day or moment that lies so far back."""
    if unit == "hours":
        return f"add_hours(now, 0 - {name})" if kind == "time" else f"day(add_hours(now, 0 - {name}))"
    day = {
        "days": f"today - {name}",
        "weeks": f"today - {name} * 7",
        "business_days": f"add_business_days(today, 0 - {name})",
        "months": f"add_months(today, 0 - {name})",
        "years": f"add_months(today, 0 - {name} * 12)",
    }[unit]
    return f"at({day}, 0)" if kind == "time" else day


def _examples(unit: str, count: int, kind: str) -> tuple[str, str]:
    """A date that is let through, and one that is not: a day after and a day before the edge."""
    today = NOW[:10]
    edges: Mapping[str, Callable[[], str | None]] = {
        "hours": lambda: (days.add_hours(NOW, -count) or NOW)[:10],
        "days": lambda: days.add_days(today, -count),
        "weeks": lambda: days.add_days(today, -count * 7),
        "business_days": lambda: days.add_business_days(today, -count, ()),
        "months": lambda: days.add_months(today, -count),
        "years": lambda: days.add_months(today, -count * 12),
    }
    edge = edges[unit]() or today
    late, early = (f"{days.add_days(edge, k)}" + ("T09:00:00Z" if kind == "time" else "") for k in (1, -1))
    return late, early
