"""Before writing: does a rule of the handbook speak against it?

The planner checks what it can read off a rule and the records it has seen:

    flags        a field that says something bad is set, and the rule names it (`on_stop_list`)
    agreement    the rule wants fields to agree, and two records in play differ in one that it names
    own request  the rule keeps people from deciding on what they asked for, and the actor did
    age          something is `good for 45 days`, and its date is older
    never        the rule says `never a gold member`, and a record says gold
    fitness      somebody who is to act is away, or has too low a limit
    authority    an amount above what the rule leaves to other roles

Whatever else a rule says, it does not understand, and breaks where no tool stops it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.agents.planner.dates import parse_field_date
from worldwright.agents.planner.handbook import Rule
from worldwright.agents.planner.memory import Row, flatten, kind_of, list_own_values
from worldwright.agents.planner.state import PlannerState
from worldwright.agents.planner.toolbox import Op
from worldwright.agents.planner.words import stem_words, stems

MIN_CONCERN = 1.0
"""How much a rule and an operation have to have in common before the planner looks closer."""
_FORBIDS = re.compile(
    r"\b(?:no|not|never|nobody|none|only|cannot|nothing|without|unless|until|must|before|after)\b", re.I
)
_ABOVE = re.compile(r"\b(?:more than|above|over|exceed\w*|from) (?:[A-Z]{3} |[£$€])?([\d,]+(?:\.\d+)?)")
_GOOD_FOR = re.compile(
    r"\b(?:good|valid|lasts?|holds?) (?:for|only for) (\d+) (day|week|month)s?|\bolder than (\d+) (day|week|month)s?",
    re.I,
)
_AGREE = re.compile(r"\b(?:agrees?|same|match(?:es)?|different|differs?|in line)\b", re.I)
_OWN = re.compile(
    r"\b(?:themselves|himself|herself|their own (?:request|payment|claim|work)|who asked|own request)\b", re.I
)
_NEVER = re.compile(r"\b(?:never|not) (?:an? )?([a-z]+(?: or [a-z]+)?)\b")
_AWAY = re.compile(r"\b(?:away|absent|at work|on leave|present)\b", re.I)
_LENGTH = {"day": 1, "week": 7, "month": 30}
_BAD = stems(
    "stop hold blocked frozen suspended banned barred fraud flagged disputed expired final restricted locked sanctioned excluded"
)
_ASKED_BY = re.compile(
    r"(?:asked|requested|raised|referred|created|opened|submitted|entered|registered|requester|author)(?:_by)?$"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A call that is about to be made, with the records that it touches."""

    state: PlannerState
    op: Op
    arguments: Mapping[str, Any]
    rows: tuple[tuple[str, Row], ...]


def find_broken_rule(state: PlannerState, op: Op, arguments: Mapping[str, Any], about: str) -> tuple[Rule, str] | None:
    """Find a rule that the call would break, with why the planner thinks so."""
    keys = dict.fromkeys([about, *(v for v in arguments.values() if kind_of(v))])
    rows = tuple((key, state.memory.row(key)) for key in keys if state.memory.row(key))
    case = Case(state, op, arguments, rows)
    for rule in state.book.rules:
        speaks = _FORBIDS.search(rule.says) or _GOOD_FOR.search(rule.says)
        if not speaks or _score_concern(state, rule, op) < MIN_CONCERN:
            continue
        for check in CHECKS:
            why = check(rule, case)
            if why and not _is_overruled(state, rule):
                return rule, why
    return None


def _score_concern(state: PlannerState, rule: Rule, op: Op) -> float:
    """Score how much a rule speaks of what an operation does. Its name counts most."""
    weigh = state.tools.rarity
    return weigh.weigh_shared(rule.meaning, op.names) + 0.35 * weigh.weigh_shared(rule.meaning, op.meaning)


def _check_flag(rule: Rule, case: Case) -> str:
    said = set(stem_words(f"{rule.name} {rule.says}"))
    for key, row in case.rows:
        for name, value in list_own_values(row):
            field = set(stem_words(name.split()[-1]))
            if value is True and field & _BAD and field <= said:
                return f"{key} has {name} set, and the rule '{rule.name}' speaks of that"
    return ""


def _check_agreement(rule: Rule, case: Case) -> str:
    """Fields that the rule names, and that differ between a record and those in it or beside it."""
    if not _AGREE.search(rule.says) or _AGREE.search(case.op.says) or "=update" in case.op.names:
        return ""
    said = set(stem_words(rule.says.replace("-", "")))
    seen: dict[str, tuple[str, str]] = {}
    for key, row in case.rows[:1]:
        for path, value in flatten(row):
            name = path.split()[-1]
            mine = set(stem_words(name))
            if not isinstance(value, str) or not mine or not mine <= said or kind_of(value) or parse_field_date(value):
                continue
            where, first = seen.setdefault(name, (path, value))
            if where != path and _normalise(first) != _normalise(value):
                differ = f"{name} of {key} is {first!r} in one place and {value!r} in another"
                return f"{differ}, and the rule '{rule.name}' wants them to agree"
    return ""


def _normalise(value: str) -> str:
    """Remove what only makes a value look different: capitals, blanks, dots and dashes."""
    return re.sub(r"[^\w@]", "", value).casefold()


def _check_own_request(rule: Rule, case: Case) -> str:
    actor = case.state.request.actor
    if not actor or not _OWN.search(rule.says):
        return ""
    for key, row in case.rows[:1]:
        for name, value in row.items():
            if value == actor and _ASKED_BY.search(name):
                return (
                    f"{key} was brought in by {actor}, who I act as; the rule '{rule.name}' leaves it to somebody else"
                )
    return ""


def _check_age(rule: Rule, case: Case) -> str:
    span = _GOOD_FOR.search(rule.says)
    if not span:
        return ""
    days = int(span[1] or span[3]) * _LENGTH[(span[2] or span[4]).lower()]
    said = set(stem_words(f"{rule.name} {rule.says.split('.')[0]}"))
    for key, row in case.rows:
        for name, value in row.items():
            on = parse_field_date(value)
            if (
                on is not None
                and set(stem_words(name))
                and set(stem_words(name)) <= said
                and (case.state.request.today - on).days > days
            ):
                return f"{name} of {key} is {value}, more than {days} days ago; the rule '{rule.name}' counts them"
    return ""


def _check_never(rule: Rule, case: Case) -> str:
    if not set(stem_words(rule.name)) & set(stem_words(case.op.name)):
        return ""
    banned = {word for m in _NEVER.finditer(rule.says) for word in m[1].split(" or ")}
    for key, row in case.rows:
        for name, value in list_own_values(row):
            if isinstance(value, str) and value in banned and not name.endswith("name"):
                return f"{name} of {key} is {value}, and the rule '{rule.name}' says never"
    return ""


def _check_fitness(rule: Rule, case: Case) -> str:
    """Check whether somebody is named for the task who cannot take it."""
    amounts = [v for v in case.arguments.values() if isinstance(v, float)]
    for key, row in case.rows[1:]:
        dates = sorted(
            d for name, value in row.items() if "away" in name and (d := parse_field_date(value)) is not None
        )
        if _AWAY.search(rule.says) and len(dates) == 2 and dates[0] <= case.state.request.today <= dates[1]:
            return f"{key} is away until {dates[1]}, and the rule '{rule.name}' wants somebody who is there"
        for name, value in row.items():
            if (
                "limit" in name
                and set(stem_words(name)) <= set(stem_words(rule.says))
                and isinstance(value, float)
                and amounts
                and max(amounts) > value
            ):
                return f"{name} of {key} is {value}, which does not cover {max(amounts)}; the rule '{rule.name}' wants that"
    return ""


def _authority(rule: Rule, case: Case) -> str:
    """An amount above which a rule wants somebody else."""
    limit = _ABOVE.search(rule.says)
    amounts = [v for v in case.arguments.values() if isinstance(v, float)]
    roles = [r for r in case.state.book.roles if r in rule.says.lower()]
    if not limit or not amounts or not roles or case.state.request.role.replace("_", " ").lower() in rule.says.lower():
        return ""
    most = float(limit[1].replace(",", ""))
    if max(amounts) <= most:
        return ""
    return f"{max(amounts)} is more than {most}, which the rule '{rule.name}' leaves to {' or '.join(roles)}"


CHECKS = (_check_flag, _check_agreement, _check_own_request, _check_age, _check_never, _check_fitness, _authority)


def _is_overruled(state: PlannerState, rule: Rule) -> bool:
    """Return whether a rule that comes before this one seems to hold: its words are values of a record that was seen."""
    over = [r for r in state.book.rules if any(stem_words(b) == stem_words(rule.name) for b in r.before)]
    values = {
        s
        for row in state.memory.rows.values()
        for _, v in list_own_values(row)
        if isinstance(v, str) and len(v) < 20
        for s in stem_words(v)
    }
    return any(set(stem_words(r.name)) & values for r in over)
