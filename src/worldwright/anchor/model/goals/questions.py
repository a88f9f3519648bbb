"""Questions whose answer has to be worked out: how many, how much, which one, since when, how much more than another.

Each is a template. `<e>` is the entity, `<noun>` and `<nouns>` what it is called, `<a>` the field asked about and `<by>` what it is
called, `<o>` and `<f>` an owner and the field that leads to it, `<total>` the question after a sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from worldwright.anchor.model.goals import phrases as say
from worldwright.anchor.model.goals.phrases import MEASURES, MOMENTS, Goal, Named, plain
from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute, Entity
from worldwright.english.nouns import article, plural

GROUPS = frozenset({"country", "city"})
"""Kinds of texts that many records share."""
TOLD = frozenset({"words", "date", "money", "state", "text"})
"""Kinds of values that are worth telling beside the record."""
SHARED = frozenset({"words", "state", "bool"})
MAX_LOOKUPS = 3
"""Values of a kind that are asked about where records can only be looked up."""
_SLOT = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class Question:
    """A template: how it is asked in two ways, what is told, what is given and stated."""

    name: str
    ask: str
    again: str
    tells: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    """Of a question that counts: which rows `r`."""

    def filled(
        self, words: Mapping[str, str], amount: Attribute | None = None, among: Sequence[Attribute] = ()
    ) -> Named:
        """The question with its words; where it counts, with the sum of an amount that a record has among others."""
        tells, total = dict(self.tells), ""
        if self.where:
            tells["number"] = f"count(r for r in <e> if {self.where})"
        if self.where and amount is not None:
            tells["sum_of_all"] = f"sum(coalesce(r.{amount.name}, 0) for r in <e> if {self.where})"
            total = f", and what does their {say.value_name(amount, among)} add up to"
        known = {**words, "total": total, "telling": total.replace("what does", "tell me what")}

        def fill(text: str) -> str:
            return _SLOT.sub(lambda m: fill(known[m[1]]) if m[1] in known else m[0], text)

        parts = (("given", self.given), ("states", self.states))
        goal: Goal = {key: {k: fill(v) for k, v in some.items()} for key, some in parts if some}
        told = {fill(k): fill(v) for k, v in tells.items()}
        return fill(self.name), goal | {"wants": "true", "tells": told, "asks": [fill(self.ask), fill(self.again)]}


ROWS, RIVAL = "r for r in <e> if r.<f> == p and r.<a> is not none", "r.<a> <beyond> x.<a> and r != x"
COUNT_P, COUNT_Q = "count(r for r in <e> if r.<f> == p)", "count(r for r in <e> if r.<f> == q)"
OWNER_OF_TWO = {"p": f"<o> where {COUNT_P} >= 2"}
INSIDE = Question(
    "<way>_of_<o>",
    "how many <nouns> does {p} have<total>?",
    "please look at {p}: how many <nouns> are in it<total>?",
    given=OWNER_OF_TWO,
    where="r.<f> == p",
)
OF_OWNER = Question(
    "how_many_<e>_of_<o>",
    "how many <nouns> do we have <for_p><total>?",
    "for a report: what is the number of <nouns> <of_p><total>?",
    given=OWNER_OF_TWO,
    where="r.<f> == p",
)
LARGEST = Question(
    "highest_<e>_of_<o>",
    "which <noun> <of_p> has the highest <by>, and how much is it?",
    "find the <noun> <of_p> with the highest <by>: which one is it, and what is the figure?",
    {"which": "x", "highest": "x.<a>"},
    {
        "p": f"<o> where count({ROWS}) >= 2",
        "x": f"<e> where <f> == p and <a> is not none and not exists({ROWS} and {RIVAL})",
    },
)
LARGEST_HIDDEN = replace(
    LARGEST,
    ask="what is the highest <by> of any <noun> <of_p>?",
    again="among the <nouns> <of_p>: what is the highest <by>?",
    tells={"highest": "x.<a>"},
)
COMPARED = Question(
    "more_<e>_than",
    "how many more <nouns> does {p} have than {q}?",
    "compare {p} and {q} for me: by how many <nouns> is the first one ahead?",
    {"difference": f"{COUNT_P} - {COUNT_Q}"},
    {"p": f"<o> where {COUNT_P} >= 3", "q": f"<o> where id != p.id and {COUNT_Q} >= 1 and {COUNT_Q} < {COUNT_P}"},
)
BY_WORD = Question(
    "<e>_by_<a>",
    "how many <nouns> are there with <by> {v}<total>?",
    "please count the <nouns> whose <by> is {v}<telling>",
    states={"v": "one of <words> ~ pick(<picked>)"},
    where="r.<a> == v",
)
BY_TEXT = Question(
    "<e>_by_<a>",
    "how many <nouns> are there whose <by> is {v}<total>?",
    "for the regional report: the number of <nouns> with <by> {v}<total>?",
    states={"v": "text ~ any(r for r in <e> if r.<a> is not none).<a>"},
    where="r.<a> == v",
)
BY_FLAG = Question(
    "<e>_<a>",
    "how many <nouns> are marked as <by><total>?",
    "looking only at <nouns> where <by> is set: how many are there<total>?",
    where="coalesce(r.<a>, false) == true",
)
SINCE = Question(
    "<e>_since_<a>",
    "how many <nouns> do we have <since><total>?",
    "looking only at <nouns> <since>: how many are there<total>?",
    states={"d": "date ~ today - between(20, 200)"},
    where="r.<a> is not none and <day> >= d",
)
BETWEEN = Question(
    "<e>_between_<a>",
    "how many <nouns> <between>?",
    "please count the <nouns> that <between>",
    states={"d": "date ~ today - between(120, 220)", "e": "date ~ today - between(20, 100)"},
    where="r.<a> is not none and <day> >= d and <day> <= e",
)
FIRST = Question(
    "<most>_<e>_by_<a>",
    "which <noun> <is_most> of all<also>?",
    "I am looking for the <noun> <with_most>: which one is it<also>?",
    {"which": "x"},
    {"x": f"<e> where <a> is not none and not exists(r for r in <e> if r.<a> is not none and {RIVAL})"},
)
FIRST_HIDDEN = replace(
    FIRST,
    ask="what is the <most> <by> of any <noun><also>?",
    again="look at all <nouns>: what is the <most> <by><also>?",
    tells={"<most>": "x.<a>"},
)
THERE = "<e> where <a> is not none"
MORE = Question(
    "<e>_more_<a>",
    "how much higher is the <by> of {p} than that of {q}?",
    "two <noun> records to compare, {p} and {q}: by how much does the <by> of the first exceed the other?",
    {"difference": "p.<a> - q.<a>"},
    {"p": THERE, "q": f"{THERE} and <a> < p.<a>"},
)
SUM = Question(
    "<e>_sum_of_<a>",
    "what does the <by> of {p}, {q} and {r} add up to?",
    "please add up the <by> of these three for me: {p}, {q}, {r}",
    {"sum_of_all": "p.<a> + q.<a> + r.<a>"},
    {"p": THERE, "q": f"{THERE} and id > p.id", "r": f"{THERE} and id > q.id"},
)
MOST = Question(
    "<e>_most_<a>",
    "of {p}, {q} and {r}: what is the highest <by>?",
    "I have three of them here, {p}, {q} and {r}. What is the highest <by> among them?",
    {"highest": "max(max(p.<a>, q.<a>), r.<a>)"},
    {"p": THERE, "q": f"{THERE} and <a> != p.<a>", "r": f"{THERE} and <a> != p.<a> and <a> != q.<a>"},
)
APART = Question(
    "<e>_apart_<a>",
    "how many days <apart>?",
    "please work out for {p} and {q} how many days the <by> of the second lies after that of the first",
    {"days": "<day_q> - <day_p>"},
    {"p": THERE, "q": f"{THERE} and <a> > p.<a>"},
)
LOOKUP = Question(
    "<e>_<how>_<a>",
    "what is the <by> of {p}, and what is it for {q}?",
    "please look up the <by> of {p} first and of {q} second",
    {"of_the_one": "p.<a>", "of_the_other": "q.<a>"},
    {"p": THERE, "q": f"{THERE} and <a> != p.<a>"},
)


def _words(entity: Entity, a: Attribute | None = None) -> dict[str, str]:
    noun = say.what(entity)
    out = {"e": entity.name, "noun": noun, "nouns": plural(noun), "beyond": ">="}
    if a is None:
        return out
    by, happened = (name(a, entity.attributes) for name in (say.value_name, say.participle))
    listed = list(a.words.values())
    span = "from {d:day} to {e:day}, both days included"
    days = {v: f"day({v}.{a.name})" if a.kind == "time" else f"{v}.{a.name}" for v in ("r", "p", "q")}
    return out | {
        "a": a.name, "by": by, "day": days["r"], "day_p": days["p"], "day_q": days["q"], "how": "both",
        "words": ", ".join(listed), "picked": ", ".join(repr(w) for w in listed),
        "since": f"that were {happened} on {{d:day}} or later" if happened else f"whose {by} is {{d:day}} or later",
        "between": f"were {happened} {span}" if happened else f"have {article(by)} {span}",
        "apart": f"after {{p}} was {{q}} {happened}" if happened else f"lie between the {by} of {{p}} and that of {{q}}",
    }  # fmt: skip


def questions(
    entity: Entity, resources: Mapping[str, Entity], made: Sequence[BlueprintOperation], breadth: int = 1
) -> Iterator[Named]:
    """Yield what can be asked about a kind of record that can be listed. `breadth` is how many values of a kind are asked about."""
    if not any(m.entity.name == entity.name and m.gives == "rows" for m in made):
        return
    for child in entity.children[:2]:
        amount = next((a for a in child.attributes if a.kind in MEASURES and plain(a) and say.measured(a)), None)
        words = {"e": child.name, "nouns": plural(" ".join(child.noun)), "f": child.owner, "o": entity.name}
        yield INSIDE.filled(words | {"way": child.way}, amount, child.attributes)
    amounts = say.measures(entity, MEASURES)
    amount = amounts[0] if amounts else None
    for field_name, owner, called in say.owners(entity, resources):
        theirs = f"whose {called} is {{p}}" if called else ""
        of = {"f": field_name, "o": owner, "of_p": theirs or "of {p}", "for_p": theirs or "for {p}"}
        yield OF_OWNER.filled(_words(entity) | of, amount, entity.attributes)
        if amount is not None:
            yield (LARGEST if entity.shows_id else LARGEST_HIDDEN).filled(_words(entity, amount) | of)
        if not called:
            yield COMPARED.filled(_words(entity) | of)
    known = [a for a in entity.attributes if plain(a)]
    several = [a for a in known if a.kind in ("words", "state") and len(a.words) > 1]
    shared = [a for a in known if a.kind == "text" and a.flavour in GROUPS]
    flags = [a for a in known if a.kind == "bool"]
    for template, some in ((BY_WORD, several[: 1 + breadth]), (BY_TEXT, shared[:breadth]), (BY_FLAG, flags[:breadth])):
        yield from (template.filled(_words(entity, a), amount, entity.attributes) for a in some)
    for moment in say.measures(entity, MOMENTS)[:breadth]:
        yield SINCE.filled(_words(entity, moment), amount, entity.attributes)
        yield BETWEEN.filled(_words(entity, moment))
        yield _first(entity, moment, "latest", ">=")
        yield _first(entity, moment, "earliest", "<=")
    yield from (_first(entity, a, "highest", ">=") for a in amounts[: 1 + breadth])
    yield from (_first(entity, a, "lowest", "<=") for a in amounts[:breadth])


def _first(entity: Entity, a: Attribute, most: str, beyond: str) -> Named:
    """The record that is first of all by some value, and something else that is known of it."""
    other = next((b for b in entity.attributes if b is not a and b.kind in TOLD and plain(b) and not b.optional), None)
    happened, order = say.participle(a, entity.attributes), {"latest": "last", "earliest": "first"}.get(most, "")
    words = _words(entity, a) | {
        "most": most, "beyond": beyond,
        "also": f", and what is its {say.value_name(other, entity.attributes)}" if other is not None else "",
        "is_most": f"was {happened} {order}" if happened else "has the <most> <by>",
        "with_most": f"that was {happened} {order}" if happened else "with the <most> <by>",
    }  # fmt: skip
    name, goal = (FIRST if entity.shows_id else FIRST_HIDDEN).filled(words)
    if other is not None:
        goal["tells"][f"its_{other.name}"[:40]] = f"x.{other.name}"
    return name, goal


def lookups(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> Iterator[Named]:
    """Yield what can be asked of two or three records that are named; nothing where they can be listed."""
    opening = find_opening(entity, made, shown)
    if not opening or any(m.gives == "rows" for m in made if m.entity.name == entity.name):
        return
    entity = replace(entity, attributes=tuple(a for a in entity.attributes if a.name in shown[opening]))
    known = [a for a in entity.attributes if plain(a)]
    for a in say.measures(entity, MEASURES)[:MAX_LOOKUPS]:
        yield from (template.filled(_words(entity, a)) for template in (MORE, SUM, MOST))
    yield from (APART.filled(_words(entity, a)) for a in say.measures(entity, MOMENTS)[:MAX_LOOKUPS])
    both, told = [a for a in known if a.kind in SHARED], [a for a in known if a.kind == "text" and not a.optional]
    yield from (LOOKUP.filled(_words(entity, a)) for a in both[:MAX_LOOKUPS])
    yield from (LOOKUP.filled(_words(entity, a) | {"how": "told"}) for a in told[:MAX_LOOKUPS])


def find_opening(entity: Entity, made: Sequence[BlueprintOperation], shown: Mapping[str, frozenset[str]]) -> str:
    """The operation that shows most of one record; empty where there is none."""
    gets = [m.name for m in made if m.entity.name == entity.name and m.intent.kind == "get" and m.row]
    return max(gets, key=lambda name: len(shown[name]), default="")
