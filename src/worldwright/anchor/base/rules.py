"""Sentences of a document and policies of a Blueprint: which sentence means which policy.

Both are compared by meaning; a word that few policies use says more. A match has to hold in both directions: most of the sentence
is known to the policy, and most of what the policy says is in the sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.base.figures import PLACEHOLDER, comparison, forbids, placed, slots
from worldwright.anchor.base.words import meanings, telling
from worldwright.anchor.evidence import Quantity, Rule

LEAST, LEAST_UNFIGURED = 0.45, 0.48
"""From this likeness on a sentence means a policy: where a figure of it belongs there too, and where none does."""
UNPLACED, OPPOSED = 0.7, 0.5
"""What is left of a likeness where the policy has no place for the figures of the sentence, and where it says the opposite of them."""
AHEAD, FAR_AHEAD = 1.15, 1.5
"""So many times as like as the next policy it has to be; more where only one telling word is shared, or no figure."""
SHARED = 2
"""Words that both have, at least."""
DULL = 0.3
"""What a word weighs that every business has."""
WHOLE_OF_SENTENCE, WHOLE_OF_POLICY = 0.75, 0.75
"""How much of each other a sentence and a policy say before the one may stand for the other."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_EXEMPTS = re.compile(
    r"\b(exempt|exempted|waived?|needs? no|no \w+ (?:is|are) needed|without|(?:do|does) not (?:need|require|apply))\b", re.I
)


@dataclass(frozen=True, slots=True)
class Meant:
    """A sentence that means a policy."""

    rule: Rule
    policy: str
    likeness: float
    figures: Mapping[str, Quantity]
    """By parameter."""
    shared: tuple[str, ...]
    whole: bool
    """Whether the sentence says all that the policy says and nothing else."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a policy is made of."""

    name: str
    spec: Mapping[str, Any]
    sentences: tuple[frozenset[str], ...]
    words: frozenset[str]

    @property
    def says(self) -> frozenset[str]:
        return frozenset().union(*self.sentences)


def meant(rules: Sequence[Rule], policies: Mapping[str, Mapping[str, Any]]) -> dict[int, Meant]:
    """By number of the sentence, the policy that it means. A figure of a policy is set by the sentence that is most like it."""
    known = [_known(name, spec) for name, spec in policies.items()]
    rare = _rarity(known)
    found = [m for i, rule in enumerate(rules) if (m := _best(i, rule, known, rare)) is not None]
    out: dict[int, Meant] = {}
    taken: set[tuple[str, str]] = set()
    for number, one in sorted(found, key=lambda f: (-f[1].likeness, f[0])):
        places = {(one.policy, p) for p in one.figures} or {(one.policy, "")}
        if not places & taken:
            out[number] = one
            taken |= places
    return dict(sorted(out.items()))


def _known(name: str, spec: Mapping[str, Any]) -> _Known:
    texts = _SENTENCE.split(PLACEHOLDER.sub(" ", str(spec.get("says", ""))))
    sentences = tuple(words for text in texts if (words := frozenset(meanings(text))))
    about = " ".join(f"{k} {v}" for k, v in (spec.get("about") or {}).items())
    rest = meanings(f"{name} {spec.get('code', '')} {about} {spec.get('rule', '')} {spec.get('when', '')}")
    return _Known(name, spec, sentences, frozenset().union(*sentences, rest))


def _rarity(known: Sequence[_Known]) -> dict[str, float]:
    words = {w for k in known for w in k.words}
    found = {w: math.log(1 + len(known) / sum(w in k.words for k in known)) for w in sorted(words)}
    return {w: v if telling([w]) else v * DULL for w, v in found.items()}


def _weight(words: frozenset[str], rare: Mapping[str, float]) -> float:
    """What words weigh together; one that no policy has weighs as much as one that a single policy has."""
    most = max(rare.values(), default=1.0)
    return sum(rare.get(w, most if telling([w]) else most * DULL) for w in sorted(words))


def sentence_words(rule: Rule) -> frozenset[str]:
    """The words of a sentence without its figures."""
    text = rule.says
    for quantity in rule.quantities:
        noun = "" if quantity.unit in ("money", "percent", "days") else quantity.unit
        text = text.replace(quantity.text, f" {noun} ")
    return frozenset(meanings(text))


def _best(number: int, rule: Rule, known: Sequence[_Known], rare: Mapping[str, float]) -> tuple[int, Meant] | None:
    ranked = sorted((_likeness(rule, k, rare), -i, k) for i, k in enumerate(known) if _same_way(rule, k.spec))
    if not ranked:
        return None
    likeness, _, best = ranked[-1]
    second = ranked[-2][0] if len(ranked) > 1 else 0.0
    shared = tuple(sorted(sentence_words(rule) & best.words))
    figures = {p: q for p, q in placed(rule, best.spec).items() if _same_side(rule, q, p, best.spec)}
    if not figures and not all(literal(q, best.spec) for q in rule.quantities):
        return None
    many = len(telling(shared)) >= SHARED
    if not many and not (figures and telling(shared) and len(shared) >= SHARED):
        return None
    ahead = likeness / second if second else FAR_AHEAD
    if likeness < (LEAST if figures else LEAST_UNFIGURED) or ahead < (AHEAD if figures and many else FAR_AHEAD):
        return None
    return number, Meant(rule, best.name, round(likeness, 3), figures, shared, _whole(rule, best, rare))


def literal(quantity: Quantity, spec: Mapping[str, Any]) -> bool:
    """Whether a rule has the figure as it is: `count(...) >= 2` has the two quotes of a sentence."""
    value = f"{quantity.value:g}"
    text = f"{spec.get('rule') or ''} {spec.get('when') or ''}"
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", text) is not None


def _likeness(rule: Rule, known: _Known, rare: Mapping[str, float]) -> float:
    """Of a sentence and the sentence of the policy that is most like it: 0 to 1."""
    said, near = sentence_words(rule), frozenset(meanings(rule.heading))
    ours, one = _weight(said, rare), max(rare.values(), default=1.0)
    if not ours:
        return 0.0
    of_sentence = _weight(said & known.words, rare) / ours
    parts = [_weight((said | near) & s, rare) / (_weight(s, rare) + one / 2) for s in known.sentences]
    whole = _weight((said | near) & known.says, rare) / max(_weight(known.says, rare), one)
    of_policy = max((*parts, whole))
    both = 2 * of_sentence * of_policy / (of_sentence + of_policy) if of_sentence + of_policy else 0.0
    figures = placed(rule, known.spec)
    if any(not _same_side(rule, q, p, known.spec) for p, q in figures.items()):
        return both * OPPOSED
    return both if figures or not rule.quantities else both * UNPLACED


def _whole(rule: Rule, known: _Known, rare: Mapping[str, float]) -> bool:
    """An agent has only the text to go by, so a text that leaves something out may not stand for a rule that it has to keep."""
    said = sentence_words(rule)
    of_sentence = _weight(said & known.words, rare) / max(_weight(said, rare), 1e-9)
    of_policy = _weight(said & known.says, rare) / max(_weight(known.says, rare), 1e-9)
    needed = 0.999 if known.spec.get("enforced", "tool") == "agent" else WHOLE_OF_POLICY
    return of_sentence >= WHOLE_OF_SENTENCE and of_policy >= needed


def _same_way(rule: Rule, spec: Mapping[str, Any]) -> bool:
    """An exemption is no rule, and a rule is no exemption."""
    exemption = bool(spec.get("beats")) and spec.get("rule") is None
    if _EXEMPTS.search(rule.says):
        return exemption
    return not (exemption and _EXEMPTS.search(str(spec.get("says", ""))))


def _same_side(rule: Rule, quantity: Quantity, parameter: str, spec: Mapping[str, Any]) -> bool:
    """Whether sentence and rule forbid what is on the same side of the figure, as far as that can be told."""
    found = comparison(str(spec.get("rule") or ""), parameter)
    said = forbids(rule, quantity)
    return found is None or not said or found.forbids == said
