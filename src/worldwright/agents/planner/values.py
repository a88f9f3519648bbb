"""A value for a parameter that is no id: from the mentions of the request, or from the fields of a record that was seen.

What already describes the record (`the booking of 16 July`) is no new value: dates and amounts that the record has are left aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from worldwright.agents.planner.find import list_dates, list_numbers
from worldwright.agents.planner.memory import Row, list_own_values
from worldwright.agents.planner.request import Mention, split_sentences
from worldwright.agents.planner.state import PlannerState
from worldwright.agents.planner.toolbox import Param
from worldwright.agents.planner.words import score_likeness, stem_words, stems

MAX_GAP_CHARS = 18
"""How few characters stand between the two days of a span."""
_LENGTH = frozenset(stem_words("night day length duration week hour"))
_WORDY = "reason note body message comment reply text description remark explanation justification detail finding grounds answer"
_PROSE = frozenset(_WORDY.split())
_TITLE = frozenset(["title", "subject", "name", "label", "topic"])
_CODES = stems("number reference slip receipt document")


@dataclass
class MentionPool:
    """The mentions of a step, and which of them are spent."""

    mentions: list[Mention]
    text: str
    about: Row
    """The record that the step is about."""
    spent: set[int] = field(default_factory=set)

    def list_unspent(self, *kinds: str) -> list[Mention]:
        return [m for m in self.mentions if m.kind in kinds and m.start not in self.spent]

    def take(self, m: Mention) -> Any:
        self.spent.add(m.start)
        return m.value


def collect_mentions(state: PlannerState, step: int, about: Row) -> MentionPool:
    """Collect what a step offers for parameters."""
    text = state.request.steps[min(step, len(state.request.steps) - 1)]
    said = state.request.mentions_of("date", "number", "code", "mail", "quoted", "name", "hour", step=step)
    out = MentionPool(said, text, about, set(state.used))
    dates, numbers = list_dates(about), list_numbers(about)
    old = {m.start for m in said if m.kind == "date" and m.value in dates}
    if any(m.kind == "date" and m.start not in old for m in said):
        out.spent |= old
    out.spent |= {m.start for m in said if m.kind == "number" and m.money and m.value in numbers}
    texts = {str(v).casefold() for _, v in list_own_values(about) if isinstance(v, str)}
    out.spent |= {m.start for m in said if m.kind in ("code", "quoted") and str(m.value).casefold() in texts}
    return out


def value_for(state: PlannerState, p: Param, have: MentionPool) -> Any:
    """A value, or None where the planner has none."""
    if p.choices:
        return _choice(state, p, have)
    if p.format.startswith("date"):
        return _date(p, have)
    if p.type == "integer":
        return _count(state, p, have)
    if p.type == "number":
        return _amount(state, p, have)
    if p.type == "boolean":
        return _choose_flag(p, have)
    if p.type == "string":
        return _text(p, have)
    return None


def score_choices(p: Param, text: str) -> list[tuple[float, Any]]:
    """Score the choices of a parameter by how clearly a text names them."""
    words, meant = set(stem_words(text)), stems(text)
    out = []
    for choice in p.choices:
        mine = stem_words(str(choice))
        if not mine:
            continue
        direct = sum(1 for s in mine if s in words) / len(mine)
        whole = 1.0 + 0.3 * len(mine) if direct == 1 else 0.0
        out.append((whole + 0.6 * direct + (0.5 if (stems(str(choice)) - set(mine)) & meant else 0.0), choice))
    return out


def _choice(state: PlannerState, p: Param, have: MentionPool) -> Any:
    scored = score_choices(p, have.text)
    best = max((score for score, _ in scored), default=0.0)
    if not p.required:
        return state.pick(scored) if best >= 1.9 and len(str(p.choices[0])) > 2 else None
    if best <= 0 and p.schema.get("default") is not None:
        return None
    held = have.about.get(p.name)
    if best <= 0 and held in p.choices:
        return held
    return state.pick(scored) if scored else None


def ranges(dates: Sequence[Mention]) -> list[tuple[Mention, Mention]]:
    """Pairs of dates that belong together: `from 5 August to 8 August`."""
    return [(a, b) for a, b in pairwise(dates) if a.value < b.value and b.start - a.end < MAX_GAP_CHARS]


def _score_context(p: Param, m: Mention) -> float:
    """Score how well the words around a mention go with a parameter."""
    mine = stems(f"{p.name} {p.says}")
    close = stems(m.before[-22:] + " | " + m.after[:14])
    return 1.2 * len(stems(p.name) & close) + 0.3 * len(mine & close)


def _date(p: Param, have: MentionPool) -> str | None:
    left = have.list_unspent("date")
    if not left:
        return None
    mine = stems(f"{p.name} {p.says}")
    for a, b in ranges(left):
        if "=end" in mine and "=start" not in mine:
            return str(have.take(b))
        if "=start" in mine:
            return str(have.take(a))
    scored = [(_score_context(p, m), -m.start, m) for m in left]
    near, _, best = max(scored, key=lambda one: one[:2])
    return str(have.take(best)) if near > 0 or p.required else None


def _count(state: PlannerState, p: Param, have: MentionPool) -> int | None:
    mine = set(stem_words(f"{p.name}"))
    if "hour" in mine and have.list_unspent("hour"):
        return int(have.take(have.list_unspent("hour")[0]))
    units = [m for m in have.list_unspent("number") if not m.money and mine & set(stem_words(m.after[:14]))]
    if units:
        return int(have.take(units[0]))
    pairs = ranges([m for m in have.mentions if m.kind == "date" and not _is_old_date(m, have)])
    if mine & _LENGTH and pairs:
        return int((pairs[-1][1].value - pairs[-1][0].value).days)
    whole = [m for m in have.list_unspent("number") if not m.money and float(m.value).is_integer()]
    scored = [(_score_context(p, m), -m.start, m) for m in whole]
    if scored:
        near, _, best = max(scored, key=lambda one: one[:2])
        if near > 0 or p.required:
            return int(have.take(best))
    if p.required:
        held = _find_held_number(p, have)
        return int(held) if held is not None and float(held).is_integer() else None
    return None


def _is_old_date(m: Mention, have: MentionPool) -> bool:
    return m.value in list_dates(have.about) and any(
        o.kind == "date" and o.value not in list_dates(have.about) for o in have.mentions
    )


def _amount(state: PlannerState, p: Param, have: MentionPool) -> float | None:
    left = have.list_unspent("number")
    money = [m for m in left if m.money] or ([m for m in left if _score_context(p, m) > 0] if p.required else [])
    if money:
        near, _, best = max(((_score_context(p, m), -m.start, m) for m in money), key=lambda one: one[:2])
        if near > 0 or p.required or "=price" in stems(p.name):
            return float(have.take(best))
    return _find_held_number(p, have) if p.required else None


def _find_held_number(p: Param, have: MentionPool) -> float | None:
    """Find a number of the record whose field is called like the parameter."""
    scored = [
        (
            score_likeness(path, p.name) + 0.3 * score_likeness(path, p.says) + 0.2 * score_likeness(path, have.text),
            value,
        )
        for path, value in list_own_values(have.about)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    best = max(scored, default=None, key=lambda one: one[0])
    return float(best[1]) if best is not None and best[0] > 0.2 else None


def _choose_flag(p: Param, have: MentionPool) -> bool | None:
    named = set(stem_words(p.name)) <= set(stem_words(have.text))
    return True if named or p.required else None


def _text(p: Param, have: MentionPool) -> str | None:
    mine = set(p.name.lower().split("_"))
    if "mail" in p.name and have.list_unspent("mail"):
        return str(have.take(have.list_unspent("mail")[0]))
    if stems(p.name) & _CODES or "number" in p.says.lower():
        codes = sorted(have.list_unspent("code"), key=lambda m: -_score_context(p, m))
        if codes:
            return str(have.take(codes[0]))
    if mine & _TITLE and have.list_unspent("quoted"):
        return str(have.take(have.list_unspent("quoted")[0]))
    if not p.required:
        return None
    names = [m for m in have.list_unspent("name") if str(m.value) not in str(dict(have.about))]
    if names and not mine & _PROSE:
        return str(have.take(max(names, key=lambda m: (_score_context(p, m), -m.start))))
    if have.list_unspent("code") and not mine & _PROSE:
        return str(have.take(have.list_unspent("code")[0]))
    return prose(have.text, p)


def prose(text: str, p: Param) -> str:
    """The request's own words, where a tool wants a reason or a text: its longest sentence that is not about the handbook."""
    own_words = [text[a:b].strip() for a, b in split_sentences(text) if "handbook" not in text[a:b]]
    best = max(own_words, key=len, default=text) or "As requested."
    most = p.schema.get("maxLength")
    return best[: most if isinstance(most, int) else 500]
