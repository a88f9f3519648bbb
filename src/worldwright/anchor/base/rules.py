"""Sentences of a document and policies of a Blueprint: which sentence means which policy.

Both are compared by meaning; a word that few policies use says more. A match has to hold in both directions: most of the sentence
is known to the policy, and most of what the policy says is in the sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.base.figures import PLACEHOLDER, comparison, forbids, placed
from worldwright.anchor.base.words import meanings, telling
from worldwright.anchor.evidence import Quantity, Rule

MIN_SCORE, MIN_SCORE_WITHOUT_FIGURES = 0.45, 0.48
"""From this likeness on a sentence means a policy: where a figure of it belongs there too, and where none does."""
UNPLACED, OPPOSED = 0.7, 0.5
"""What is left of a likeness where the policy has no place for the figures of the sentence, and where it says the opposite."""
AHEAD, FAR_AHEAD = 1.15, 1.3
"""So many times as like as the next policy it has to be; more where only one telling word is shared, or no figure."""
SHARED = 2
"""Words that both have, at least."""
NEARBY = 0.4
"""What a word of the heading weighs."""
DULL = 0.3
"""What a word weighs that every business has."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_EXEMPTS = re.compile(
    r"\b(exempt|exempted|waived?|needs? no|no \w+ (?:is|are) needed|without|(?:do|does) not (?:need|require|apply))\b",
    re.I,
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


@dataclass(frozen=True, slots=True)
class _Known:
    """What a policy is made of."""

    name: str
    spec: Mapping[str, Any]
    sentences: tuple[frozenset[str], ...]
    says: frozenset[str]
    words: frozenset[str]


def sentence_text(rule: Rule) -> str:
    """A sentence without its figures."""
    text = rule.says
    for quantity in rule.quantities:
        noun = "" if quantity.unit in ("money", "percent", "days") else quantity.unit
        text = text.replace(quantity.text, f" {noun} ") if quantity.text else text
    return text


class Handbook:
    """The policies of a Blueprint, to hold sentences against."""

    def __init__(self, policies: Mapping[str, Mapping[str, Any]], entities: Mapping[str, Mapping[str, Any]]) -> None:
        self.nouns = dict(_nouns(entities))
        self.known = [self._known(name, spec) for name, spec in policies.items()]
        words = sorted({w for k in self.known for w in k.words})
        rare = {w: math.log(1 + len(self.known) / sum(w in k.words for k in self.known)) for w in words}
        self.rare = {w: v if telling([w]) else v * DULL for w, v in rare.items()}
        self.most = max(self.rare.values(), default=1.0)

    def _words(self, text: str) -> frozenset[str]:
        return frozenset(self.nouns.get(w, w) for w in meanings(text))

    def _known(self, name: str, spec: Mapping[str, Any]) -> _Known:
        texts = _SENTENCE.split(PLACEHOLDER.sub(" ", str(spec.get("says", ""))))
        sentences = tuple(words for text in texts if (words := self._words(text)))
        about = " ".join(f"{k} {v}" for k, v in (spec.get("about") or {}).items())
        rest = self._words(f"{name} {spec.get('code', '')} {about} {spec.get('rule', '')} {spec.get('when', '')}")
        says: frozenset[str] = frozenset().union(*sentences)
        return _Known(name, spec, sentences, says, says | rest)

    def meant(self, rules: Sequence[Rule]) -> dict[int, Meant]:
        """By number of the sentence, the policy that it means. A figure is set by the sentence that is most like its policy."""
        found = [m for i, rule in enumerate(rules) if (m := self._best(i, rule)) is not None]
        out: dict[int, Meant] = {}
        taken: set[tuple[str, str]] = set()
        for number, one in sorted(found, key=lambda f: (-f[1].likeness, f[0])):
            places = {(one.policy, p) for p in one.figures} or {(one.policy, "")}
            if not places & taken:
                out[number] = one
                taken |= places
        return dict(sorted(out.items()))

    def why_not(self, rule: Rule) -> str:
        """Why a sentence means none of the policies."""
        likeness, name = max(((self._likeness(rule, k), k.name) for k in self.known), default=(0.0, ""))
        if likeness < MIN_SCORE / 2:
            return "no policy speaks of this"
        return f"the nearest policy is `{name}`, and it does not clearly say this ({likeness:.2f})"

    def _best(self, number: int, rule: Rule) -> tuple[int, Meant] | None:
        possible = [k for k in self.known if _same_way(rule, k.spec)]
        ranked = sorted(((self._likeness(rule, k), -i) for i, k in enumerate(possible)), reverse=True)
        if not ranked:
            return None
        likeness, best = ranked[0][0], possible[-ranked[0][1]]
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        shared = tuple(sorted(self._words(sentence_text(rule)) & best.words))
        figures = {p: q for p, q in placed(rule, best.spec).items() if _same_side(rule, q, p, best.spec)}
        if not figures and not all(literal(q, best.spec) for q in rule.quantities):
            return None
        many = len(telling(shared)) >= SHARED
        if not many and not (figures and telling(shared) and len(shared) >= SHARED):
            return None
        ahead = likeness / second if second else FAR_AHEAD
        if likeness < (MIN_SCORE if figures else MIN_SCORE_WITHOUT_FIGURES) or ahead < (
            AHEAD if figures and many else FAR_AHEAD
        ):
            return None
        return number, Meant(rule, best.name, round(likeness, 3), figures, shared)

    def _weight(self, words: frozenset[str]) -> float:
        """What words weigh together; one that no policy has weighs as much as one that a single policy has."""
        return sum(self.rare.get(w) or (self.most if telling([w]) else self.most * DULL) for w in sorted(words))

    def _likeness(self, rule: Rule, known: _Known) -> float:
        """Of a sentence and the sentence of the policy that is most like it: 0 to 1."""
        said = self._words(sentence_text(rule))
        near = self._words(rule.heading) - said
        of_sentence = self._weight(said & known.words) / max(self._weight(said), 1e-9)
        parts = [(s, self._weight(s) + self.most / 2) for s in known.sentences]
        whole = (known.says, max(self._weight(known.says), self.most))
        of_policy = max(
            (self._weight(said & s) + NEARBY * self._weight(near & s)) / weight for s, weight in (*parts, whole)
        )
        if not of_sentence or not of_policy:
            return 0.0
        both = 2 * of_sentence * of_policy / (of_sentence + of_policy)
        figures = placed(rule, known.spec) if rule.quantities else {}
        if any(not _same_side(rule, q, p, known.spec) for p, q in figures.items()):
            return both * OPPOSED
        return both if figures or not rule.quantities else both * UNPLACED


def literal(quantity: Quantity, spec: Mapping[str, Any]) -> bool:
    """Whether a rule has the figure as it is: `count(...) >= 2` has the two quotes of a sentence."""
    value = f"{quantity.value:g}"
    text = f"{spec.get('rule') or ''} {spec.get('when') or ''}"
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", text) is not None


def _nouns(entities: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """What people call an entity, as the word of its name: a `requisition` is a request."""
    for name, spec in entities.items():
        said, called = meanings(str(spec.get("noun", ""))), meanings(name)
        if len(said) == len(called) == 1 and said != called:
            yield said[0], called[0]


def _same_way(rule: Rule, spec: Mapping[str, Any]) -> bool:
    """An exemption is no rule, and a rule is no exemption."""
    exemption = bool(spec.get("beats")) and spec.get("rule") is None
    frees = _EXEMPTS.search(str(spec.get("says", ""))) is not None
    return exemption or frees if _EXEMPTS.search(rule.says) else not (exemption and frees)


def _same_side(rule: Rule, quantity: Quantity, parameter: str, spec: Mapping[str, Any]) -> bool:
    """Whether sentence and rule forbid what is on the same side of the figure, as far as that can be told."""
    found = comparison(str(spec.get("rule") or ""), parameter)
    said = forbids(rule, quantity)
    return found is None or not said or found.forbids == said
