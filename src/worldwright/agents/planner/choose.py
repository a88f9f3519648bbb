"""Choosing the operation: which tool that writes does what a step asks for.

Every tool is scored by the words that it shares with the step, rare ones counting more, and those that stand where an order stands
(`please cancel ...`) most; by the parts of the wanted answer that it takes or would tell; and by whether the step has the values
that it needs.
"""

from __future__ import annotations

import re

from worldwright.agents.planner.request import split_sentences
from worldwright.agents.planner.state import PlannerState
from worldwright.agents.planner.toolbox import Op
from worldwright.agents.planner.values import score_choices
from worldwright.agents.planner.words import stem_actions, stem_words

VERB, NOUN, MEANING, DETAIL = 1.8, 0.6, 0.7, 0.45
MIN_CLEAR_SCORE = 0.5
"""Below this the orders of a step say nothing, and all of it is read."""
ORDER_WEIGHT = 1.4
"""How much more a word counts where an order stands."""
_ASIDE = re.compile(r"^\W*(?:if|should|go by|where|unless)\b.*\b(?:handbook|rules?)\b", re.IGNORECASE | re.DOTALL)
_PROVISO = re.compile(
    r",? ?\b(?:if|provided|unless|where|as far as|as long as)\b[^,.;:]*\b(?:handbook|rules?)\b[^,.;:]*", re.IGNORECASE
)
_POLITE = re.compile(r"^\W*(?:(?:many )?thank|thanks|i appreciate|today, please|cheers|kind regards)", re.IGNORECASE)
_HANDS_OFF = re.compile(
    r"\b(?:do not|don't|nothing is to be|without)\b[^.?!]*\b(?:book|pay|chang|do|send|enter)\w*\b(?: it)?(?: anything)?(?: yet)?",
    re.I,
)
_REPORT = re.compile(
    r"(?:,? and )?\b(?:tell me|let me know|let me have|give me|report|i (?:only )?(?:need|would like) to (?:know|hear))\b.*",
    re.I | re.S,
)
_QUESTION = re.compile(
    r"^\W*(?:(?:and|so) )?(?:what|which|who|whom|when|where|how|why|is|are|does|do|did|has|have)\b.*\?\s*$", re.I | re.S
)
_ORDER = re.compile(
    r"(?:^|[,;:]\s+|\b(?:please|then|and|to|you|so|us|let|have)\s+)((?:\w[\w'-]*\s*){1,4})",
    re.IGNORECASE | re.MULTILINE,
)


def drop_asides(text: str) -> str:
    """A step without what says nothing of what to do: conditions of the handbook, questions, and what is to be reported."""
    parts = re.split(r"(?<=[.?!])\s+", text.replace("\n", " "))
    kept = [_REPORT.sub("", _PROVISO.sub("", p)) for p in parts if not _ASIDE.search(p) and not _QUESTION.match(p)]
    out = ". ".join(p for p in kept if p.strip(" .?!"))
    return out or text


def is_question(text: str) -> bool:
    """Return whether a text only wants to know something: each sentence asks or is polite, or one forbids to do anything."""
    spans = [text[low:high].strip() for low, high in split_sentences(text)]
    said = [s for s in spans if s and not _ASIDE.search(s) and not _POLITE.match(s)]
    asks = [
        s
        for s in said
        if s.endswith("?") and not re.match(r"\W*(?:can|could|would|will) (?:you|we)\b", s, re.IGNORECASE)
    ]
    return bool(asks) and (len(asks) == len(said) or any(_HANDS_OFF.match(s) for s in said))


def find_orders(text: str) -> frozenset[str]:
    """Return the stems of the verbs that stand where an order stands."""
    return frozenset().union(
        *(stem_actions(m[1]) for m in _ORDER.finditer(". ".join(re.split(r"[.?!]\s+", text)).replace(". ", "\n")))
    )


def rank_writers(state: PlannerState, step: int, writers: tuple[Op, ...] | None = None) -> list[tuple[float, Op]]:
    """Rank the tools that write by their score for a step, the best first."""
    whole = state.request.steps[step]
    out = _rank(state, drop_asides(whole), step, state.tools.writers if writers is None else writers)
    return (
        out
        if out and out[0][0] > MIN_CLEAR_SCORE
        else _rank(state, whole, step, state.tools.writers if writers is None else writers)
    )


def _rank(state: PlannerState, text: str, step: int, writers: tuple[Op, ...]) -> list[tuple[float, Op]]:
    said, ordered = stem_actions(text), find_orders(text)
    out = [
        (
            _score_words(state, op, said, ordered)
            + _score_answer_parts(state, op)
            + _score_arguments(state, op, text, ordered, step),
            op,
        )
        for op in writers
    ]
    return sorted(out, key=lambda one: (-one[0], one[1].name))


def _score_words(state: PlannerState, op: Op, said: frozenset[str], ordered: frozenset[str]) -> float:
    """Score what the step and the tool have in common."""
    weigh = state.tools.rarity
    verb = stem_actions(op.verb)
    out = VERB * (1.0 if verb & ordered else 0.4 if verb & said else 0.0)
    for s in sorted(said & (op.names | op.meaning | op.details)):
        part = NOUN * (s in op.names and s not in verb) + MEANING * (s in op.meaning) + DETAIL * (s in op.details)
        out += (
            part
            * weigh.weigh(s)
            * (0.7 if s[0] == "=" else 1.0)
            * (ORDER_WEIGHT if s in ordered else 1.0)
            / (1.0 + 0.04 * len(op.meaning))
        )
    return out


def _score_answer_parts(state: PlannerState, op: Op) -> float:
    """Parts of the answer that are parameters of the tool, and the record that the answer is about."""
    score = 0.0
    for part in state.tools.submit.params:
        if part.name == "record":
            kind = state.tools.kind_called(part.says)
            score += 2.5 if kind and any(p.kind == kind for p in op.params) else 0.0
        elif part.name not in ("outcome", "rule"):
            score += 1.5 if any(p.name == part.name for p in op.params) else 0.0
            score += 1.1 * state.tools.rarity.weigh_shared(frozenset(stem_words(part.name)), op.meaning | op.details)
    return score / max(1, len(state.request.steps))


def _score_arguments(state: PlannerState, op: Op, text: str, ordered: frozenset[str], step: int) -> float:
    """Score whether the step has what the tool needs."""
    dates = len(state.request.mentions_of("date", step=step))
    numbers = len(state.request.mentions_of("number", "hour", step=step))
    score = 0.0
    for p in op.params:
        if p.choices:
            best, choice = max(score_choices(p, text), default=(0.0, None), key=lambda one: one[0])
            score += 0.8 if best >= 1 else 0.5 if best > 0 else (-0.3 if p.required else 0.0)
            score += 1.0 if p.required and best > 0 and stem_actions(str(choice)) & ordered else 0.0
        elif p.format.startswith("date"):
            score += (0.6 if dates else -0.8) if p.required else (0.2 if dates else 0.0)
        elif p.type in ("integer", "number") and p.required:
            score += 0.4 if numbers else -0.4
        elif p.type == "array" and p.required:
            score -= 0.2
    return score
