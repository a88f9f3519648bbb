"""Which of the things that somebody knows a message asks for. It is decided by a score that was fitted once: where it is not sure,
nothing is given away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from operator import mul

from worldwright.people.commands import is_a_look, is_close, read_command, stops_something, take_orders
from worldwright.people.features import (
    Topic,
    clean_message,
    compare_stems,
    find_forms,
    leave_out_purpose,
    list_stems,
    list_words,
    read_topic,
    speaks_of_hours,
    split_message,
    split_parts,
    split_sentences,
)
from worldwright.people.lexicon import Lexicon, Vector, compare, measure, read_lexicon
from worldwright.people.orders import (
    ACTION,
    ActTraits,
    find_head,
    is_for_now,
    is_forbidden,
    may_be_a_question,
    may_be_an_order,
    names_it,
    read_traits,
)
from worldwright.world.tasks import Fact

MAX_LEAD = 0.25
"""By how little the better of two has to lead for both to be in question."""
MAX_LEAD_TO_ACT = 0.75
"""The same where something is to be done."""
MAX_MEANT = 2
"""Things that one is asked back about."""
LEAST = 1e-6
"""By how much what is no question stays below what is sure."""
LEAST_KIND = -4.0
NEVER = -100.0
"""What a sentence is about that cannot be meant."""
OTHER_TIME = 3.0
"""What a fact loses where the time of day is asked for, and another one is about that."""


_ANY_FORMS = ("What is the {}?", "Which {}?", "I need the {}.")
_FORMS: Mapping[str, tuple[str, ...]] = {
    "date": ("When is the {}?", "On which day?", "By what date?", "When?"),
    "person": ("Who is the {}?", "What is the name of the {}?", "Whom?"),
    "place": ("Where is the {}?", "Where to?", "What is the address?"),
    "money": ("How much is the {}?", "What amount of money?", "How much does it cost?"),
    "count": ("How many {}?", "What number of {}?", "How many?"),
    "choice": ("What kind of {}?", "Which one would you like?"),
    "reason": ("What is the reason for the {}?", "Why?"),
    "record": ("Which {} do you mean?", "Whose {}?", "What is the reference of the {}?"),
    "reference": ("What is the number of the {}?", "Do you have the {} at hand?"),
    "text": ("What should the {} say?", "How shall I word the {}?", "What shall I write?"),
}
"""How one asks for what nobody gave examples for, by its kind."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message asks for, by the names of facts."""

    asked: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    """What may have been meant, where that is not sure."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A fact as it is compared."""

    kind: str
    topic: Topic
    examples: tuple[tuple[Vector, float], ...]


def understand(message: str, facts: Sequence[Fact]) -> Heard:
    """Decide what is asked for: orders that are surely meant, what a sentence is surely about, or else what may have been meant."""
    return _understand(clean_message(message), tuple(facts))


@lru_cache(maxsize=5_000)
def _understand(message: str, facts: tuple[Fact, ...]) -> Heard:
    """Take the orders out of a message, and hear the rest. What may be an order, and is not surely one, is asked back."""
    deeds = [fact for fact in facts if _is_deed(fact)]
    orders, rest = take_orders(message, deeds) if deeds else ((), message)
    heard = _hear(rest, facts) if rest else Heard()
    names = {fact.name for fact in deeds}
    looks = {fact.name for fact in facts if fact.kind == ACTION} - names
    told = tuple(name for name in heard.asked if name not in names)
    if orders:
        return Heard((*orders, *(name for name in told if name not in orders)))
    doubtful = [name for name in heard.asked if name in names]
    unclear = tuple(dict.fromkeys((*doubtful, *heard.unclear)))[:MAX_MEANT]
    facts_told = [name for name in told if name not in looks]
    unclear = unclear if unclear or facts_told else _find_meant(message, deeds)
    if not names.isdisjoint(unclear):
        told = tuple(facts_told)
    return Heard(told, unclear)


def _find_meant(message: str, deeds: Sequence[Fact]) -> tuple[str, ...]:
    """Find what an order may mean that is told in other words, by the thing that it is about."""
    for sentence in split_sentences(message):
        command = read_command(sentence, sentence.endswith("?"))
        if command is None or is_a_look(command) or is_forbidden(sentence) or stops_something(sentence, deeds):
            continue
        close = [deed.name for deed in deeds if is_close(command, deed)]
        if 0 < len(close) <= MAX_MEANT:
            return tuple(close)
    return ()


def _is_deed(fact: Fact) -> bool:
    """Whether it is something that is done, and more than a look at how things are."""
    return fact.kind == ACTION and not _traits(fact).looks


def _hear(message: str, facts: tuple[Fact, ...]) -> Heard:
    weights = read_lexicon().weights
    sentences = split_message(message)
    table = [weigh_sentence(sentence, facts) for sentence in sentences]
    asks = [may_be_a_question(sentence) for sentence in sentences]
    if len(asks) > 1:
        asks[0] = any(asks[1:])
    for row, able in zip(table, asks, strict=True):
        row[:] = row if able else [min(v, weights.sure - LEAST) for v in row]
    if len(table) > 1:  # a message of several sentences is no order as a whole
        table[0] = [NEVER if fact.kind == ACTION else v for v, fact in zip(table[0], facts, strict=True)]
    best = [max(range(len(facts)), key=lambda k: (row[k], -k)) for row in table] if facts else []
    top = {k: max(row[k] for row, first in zip(table, best, strict=True) if first == k) for k in sorted(set(best))}
    sure = [k for k, score in top.items() if score >= weights.sure]
    several = _hear_parts(message, facts, weights.sure)
    if len(several) > 1 and not any(facts[k].kind == ACTION for k in several):
        return Heard(tuple(facts[k].name for k in several))
    heard = _decide(sentences, table, best, top, sure, facts)
    if len(several) > 1:
        asked = tuple(dict.fromkeys((*heard.asked, *(facts[k].name for k in several if facts[k].kind != ACTION))))
        left = [facts[k].name for k in several if facts[k].name not in asked]
        return Heard(asked, tuple(left[:1]))
    return _hear_heads(sentences, heard, facts)


def _hear_heads(sentences: Sequence[str], heard: Heard, facts: Sequence[Fact]) -> Heard:
    """`Restart it and tell me which light is on`: where both are understood, it is asked back which of them is meant."""
    known = {fact.name: fact for fact in facts}
    looks = [name for name in heard.asked if known[name].kind == ACTION and _traits(known[name]).looks]
    for sentence in sentences if looks else ():
        head = find_head(sentence)
        row = weigh_sentence(head, facts) if head != sentence else []
        best = max(range(len(row)), key=lambda k: (row[k], -k), default=-1)
        if best < 0 or row[best] < read_lexicon().weights.sure or facts[best].name in heard.asked:
            continue
        if facts[best].kind == ACTION and not _traits(facts[best]).looks:
            names = {facts[best].name, looks[0]}
            return Heard(
                tuple(name for name in heard.asked if name not in looks),
                tuple(fact.name for fact in facts if fact.name in names),
            )
    return heard


def _traits(fact: Fact) -> ActTraits:
    return read_traits(fact.called, fact.asked)


def _decide(
    sentences: Sequence[str],
    table: Sequence[Sequence[float]],
    best: Sequence[int],
    top: Mapping[int, float],
    sure: list[int],
    facts: Sequence[Fact],
) -> Heard:
    """What is surely asked for, or else what may have been meant."""
    weights = read_lexicon().weights
    if len(sure) > 1 and len(table) > 1:
        sure = [k for k in sure if any(max(row) == row[k] >= weights.sure for row in table[1:])] or sure[:1]
    sure = _leave_one_act(sure, top, facts)
    if sure:
        rivals = _find_rivals(sentences, table, best, sure, facts)
        if rivals:
            return Heard((), tuple(facts[k].name for k in rivals))
        return Heard(tuple(facts[k].name for k in sure))
    maybe = sorted((k for k in top if top[k] >= weights.maybe), key=lambda k: -top[k])[:2]
    return Heard((), tuple(facts[k].name for k in sorted(maybe)))


def _leave_one_act(sure: Sequence[int], top: Mapping[int, float], facts: Sequence[Fact]) -> list[int]:
    """Of several things that somebody is to do the one that is asked for most clearly: they do one thing after the other."""
    acts = [k for k in sure if facts[k].kind == ACTION]
    first = max(acts, key=lambda k: (top[k], -k), default=-1)
    return [k for k in sure if k == first or facts[k].kind != ACTION]


def _hear_parts(message: str, facts: Sequence[Fact], least: float) -> list[int]:
    """What the parts of a sentence are surely about that asks for several things: `which room, and for how many nights?` What is
    to be done stands in a whole sentence (`go to the settings and ...` is one order): after a question it is asked back."""
    out: list[int] = []
    for part in split_parts(leave_out_purpose(message)):
        row = weigh_sentence(part, facts)
        best = max(range(len(facts)), key=lambda k: (row[k], -k)) if facts else -1
        if best >= 0 and row[best] >= least and best not in out:
            out.append(best)
    return [] if all(facts[k].kind == ACTION for k in out) else sorted(out)


def _find_rivals(
    sentences: Sequence[str],
    table: Sequence[Sequence[float]],
    best: Sequence[int],
    sure: Sequence[int],
    facts: Sequence[Fact],
) -> list[int]:
    """Two facts between which the surest sentence does not decide. What is to be done has to be clearer than what is told, and
    clearer than what is doubtful for other reasons."""
    if len(sure) != 1:
        return []
    own, least = sure[0], read_lexicon().weights.sure
    at = max((i for i, first in enumerate(best) if first == own), key=lambda i: (table[i][own], -i))
    is_act = facts[own].kind == ACTION
    row = weigh_sentence(sentences[at], facts, doubts=False) if is_act else table[at]
    lead = MAX_LEAD_TO_ACT if is_act else MAX_LEAD
    close = [k for k, score in enumerate(row) if k != own and score >= least and row[own] - score < lead]
    close.sort(key=lambda k: (-row[k], k))
    return sorted([own, close[0]]) if close else []


def weigh_sentence(text: str, facts: Sequence[Fact], doubts: bool = True) -> list[float]:
    """How much more a sentence is about each fact than about nothing that is known. What is to be done, and stands in what is only
    to be told after it, does not count; nor, with `doubts`, what may be for later or about something else."""
    out = _weigh(text, facts, doubts)
    head = find_head(text)
    if head == text or not any(fact.kind == ACTION for fact in facts):
        return out
    own = _weigh(head, facts, doubts)
    deeds = [fact.kind == ACTION and not _traits(fact).looks for fact in facts]
    return [min(a, b) if deed else a for a, b, deed in zip(out, own, deeds, strict=True)]


def _weigh(text: str, facts: Sequence[Fact], doubts: bool) -> list[float]:
    lexicon = read_lexicon()
    weights = lexicon.weights
    whole, text = text, leave_out_purpose(text)
    words = list_words(text)
    vector = lexicon.add_up(words)
    length = measure(vector)
    said = list_stems(words)
    forms = sum(w * v for w, v in zip(weights.forms, find_forms(text), strict=True))
    beside = max(_along(vector, length, direction) for direction in weights.unrelated)
    kinds = {name: _along(vector, length, direction) for name, direction in weights.kinds.items()}
    likeliest = max(kinds.values())
    out = []
    for fact in facts:
        if fact.kind == ACTION and (
            not may_be_an_order(text, _traits(fact)) or (_is_deed(fact) and stops_something(text, [fact]))
        ):
            out.append(NEVER)
            continue
        known = _know(fact)
        seen = compare_stems(said, known.topic, lexicon.weigh)
        score = weights.scale * _mean_closeness(vector, length, known)
        score += weights.kind * max(LEAST_KIND, kinds.get(fact.kind, likeliest) - likeliest)
        score += sum(w * v for w, v in zip(weights.features, seen, strict=True)) - weights.nothing - beside - forms
        if doubts and fact.kind == ACTION and not (is_for_now(whole) and names_it(said, known.topic.known)):
            score = min(score, weights.sure - LEAST)
        out.append(score)
    if speaks_of_hours(text) and any(map(_is_about_hours, facts)):
        return [v if _is_about_hours(fact) else v - OTHER_TIME for v, fact in zip(out, facts, strict=True)]
    return out


@lru_cache(maxsize=2_000)
def _is_about_hours(fact: Fact) -> bool:
    return any(map(speaks_of_hours, (*fact.called, *fact.asked)))


def _along(vector: Vector, length: float, direction: tuple[tuple[float, ...], float]) -> float:
    return float(sum(map(mul, vector, direction[0]))) / length + direction[1]


def _mean_closeness(vector: Vector, length: float, known: _Known) -> float:
    """A mean of the cosines with the examples in which the closest count most: the eighth root of the sum of the eighth powers."""
    total = 1e-12
    for example, own in known.examples:
        close = compare(vector, length, example, own)
        if close > 0:
            square = close * close
            square *= square
            total += square * square
    return sqrt(sqrt(sqrt(total)))


@lru_cache(maxsize=2_000)
def _know(fact: Fact) -> _Known:
    lexicon: Lexicon = read_lexicon()
    asked = fact.asked or make_examples(fact)
    vectors = [lexicon.add_up(list_words(text)) for text in (*asked, *fact.called)]
    examples = tuple((vector, measure(vector)) for vector in vectors)
    return _Known(fact.kind, read_topic(fact.called, asked), examples)


def make_examples(fact: Fact) -> tuple[str, ...]:
    """How one asks for a fact of this kind that is called so, where nobody wrote examples."""
    forms = (*_FORMS.get(fact.kind, ()), *_ANY_FORMS)
    return tuple(dict.fromkeys(form.format(name) for name in fact.called for form in forms))
