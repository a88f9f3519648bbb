"""Sentences in the code that say what is refused under a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from worldwright.anchor.evidence import Resource, Rule
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.documents.quantities import quantities
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.refusals import Refusal, is_sentence, refusals
from worldwright.anchor.readers.repo.source import Function
from worldwright.english.nouns import singular
from worldwright.english.words import STOPWORDS, wordset

MAX_RULES = 3_000
_PROGRAM_FILES = wordset("manage.py setup.py settings.py config.py env.py wsgi.py asgi.py noxfile.py")
_MISSING = re.compile(
    r"\b(not found|does ?n[o']t exist|do not exist|no such|unknown|not implemented|is not supported)\b", re.I
)
_DEMANDS: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"^only\b|\bonly (if|when|after|once|by|for)\b|\b(can|may) only\b|\b(unless|until)\b", re.I), "only_if"),
    (re.compile(r"\b((must|may|can|should|shall) ?not|cannot|can't|not (allowed|permitted)|never)\b", re.I), "must_not"),
    (re.compile(r"\b(must|required|requires?|needs?|has to|have to|should|shall|at least|at most)\b", re.I), "must"),
)  # fmt: skip
"""What a message demands, by its words; else it says what must not be."""
_FILLED = re.compile(r"\{[^{}]*\}")


def rules(repo: Repo, resources: Sequence[Resource]) -> list[Rule]:
    """Every message that refuses under a condition, in order of the files, each once."""
    names = _names(resources)
    found: dict[tuple[str, str], Rule] = {}
    for function in repo.functions:
        if PurePosixPath(function.module.file).name in _PROGRAM_FILES:
            continue
        for refusal in refusals(repo, function):
            if not refusal.conditional or not refusal.says or not _is_rule(refusal):
                continue
            rule = _rule(function, refusal, names)
            found.setdefault((rule.says, rule.heading), rule)
            if len(found) >= MAX_RULES:
                return list(found.values())
    return list(found.values())


def _names(resources: Sequence[Resource]) -> dict[str, str]:
    """Return what sentences may call things: `purchase order`, and `order` where no other thing ends like that."""
    short: dict[str, list[str]] = {}
    for resource in resources:
        for word in noun(resource.name)[-1:]:
            short.setdefault(word, []).append(resource.name)
    names = {word: found[0] for word, found in short.items() if len(found) == 1}
    return names | {" ".join(noun(t.name)): t.name for t in reversed(resources) if noun(t.name)}


def _is_rule(refusal: Refusal) -> bool:
    """Tell whether a message says something about the business, not that something was looked up in vain."""
    return is_sentence(refusal.says) and refusal.status != "404" and not _MISSING.search(refusal.says)


def _rule(function: Function, refusal: Refusal, names: Mapping[str, str]) -> Rule:
    return Rule(
        refusal.says,
        next((word for pattern, word in _DEMANDS if pattern.search(refusal.says)), "must_not"),
        quantities(refusal.says),
        about=_about(refusal.says, function, names),
        heading=function.title,
        source=function.module.source(refusal.node),
    )


def _about(says: str, function: Function, names: Mapping[str, str]) -> tuple[str, ...]:
    """The things that a sentence names, and the one whose class it stands in."""
    words = [singular(w) for w in parts(_FILLED.sub(" ", says)) if w not in STOPWORDS]
    found = [names[w] for size in (3, 2, 1) for w in _runs(words, size) if w in names]
    if function.cls is not None:
        own = " ".join(noun(function.cls.name))
        found += [names[own]] if own in names else []
    return tuple(dict.fromkeys(found))


def _runs(words: Sequence[str], size: int) -> Iterator[str]:
    for i in range(len(words) - size + 1):
        yield " ".join(words[i : i + size])
