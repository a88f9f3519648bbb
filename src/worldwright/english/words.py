"""Lists of words: the small ones that only hold a sentence together, and those that count."""

from __future__ import annotations


def wordset(text: str) -> frozenset[str]:
    """Read a set of words that is written as one text."""
    return frozenset(text.split())


def wordmap(text: str) -> dict[str, str]:
    """Read a table from words to words that is written as one text of `this=that`."""
    return dict(pair.split("=", 1) for pair in text.split())


STOPWORDS = wordset(
    """
    a an the this that these those each every any all some no none both either neither such same other another own one
    few many much more most less least several enough
    i me my we us our you your he him his she her it its they them their who whom whose which what itself themselves
    is are was were be been being am do does did done doing has have had having
    can cannot could may might must shall should will would ought
    and or nor but if when whenever while where wherever whether because since unless until till though although as than then
    so also too only just even still not never always often usually very once twice else instead again how why there here
    to of in on at by for from with without within into onto over under above below between among through throughout during
    before after against about around across along via per upon toward towards out off up down near beyond
    etc s t re ll d
    """
)
"""Words of the closed classes, which say nothing of what a text is about: articles, pronouns, auxiliaries, conjunctions,
prepositions and the commonest adverbs. Who needs more or fewer says which: `STOPWORDS | wordset("please")`."""

_COUNTING = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty
"""
NUMBERS: dict[str, int] = {word: value for value, word in enumerate(_COUNTING.split())} | {
    word: 10 * tens for tens, word in enumerate(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 3)
}
"""The value of each number that is one word."""
