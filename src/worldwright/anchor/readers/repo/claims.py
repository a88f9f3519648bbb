"""Claims that code states: what it refuses, what it asks before it allows, and what its texts demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.claims.sentences import BREAK, split_sentences
from worldwright.anchor.evidence import Claim, Resource, Source
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.refusals import Refusal, condition_of, refusals
from worldwright.anchor.readers.repo.source import Class, Function, Module
from worldwright.anchor.readers.repo.tree import clean, head_of, written
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

MAX_CLAIMS = 3_000
_PROGRAM = wordset("""
    manage.py setup.py settings.py config.py env.py wsgi.py asgi.py noxfile.py tasks.py cli.py __main__.py
    migrations alembic scripts management commands settings config docs examples ci tools
""")
"""Files and folders that are about the program."""
_FAILED = re.compile(
    r"(?i)\b(not found|n[o']t exist|no such|unknown|not implemented)\b|^(failed|could not|error)\b|"
    r"^unable to (determine|find|get|resolve|insert|format|deduce|log|parse|load|read|fetch|decode|connect|open)\b"
)
"""Messages that say that something was looked up or tried in vain."""
_DEMANDS = re.compile(
    r"(?i)\b(must|shall|only|never|cannot|can ?not|can't|may not|at most|at least|no more than|not allowed|not permitted|unless|"
    r"forbidden|prohibited|nobody|no one|required|requires|has to|have to|limited to|up to \d|within \d)\b"
)
"""Words of a text that oblige, forbid or limit."""
_OF_CODE = re.compile(
    r"(?i)\(\)|``|`\w*[._(]|\w+_\w+|\w\.\w+\(|->|==|https?:|[{}<>\\]|\b(self|functions?|methods?|class(es)?|modules?|imports?|"
    r"arguments?|args?|kwargs|parameters?|overrid\w+|subclass\w*|threads?|tests?|testing|decorators?|attributes?|querysets?|"
    r"migrations?|hooks?|callbacks?|instances?|objects?|templates?|todo|fixme|noqa|pragma|mypy|backwards?|python|sqlalchemy|"
    r"pydantic|strings?|integers?|booleans?|lists?|dict\w*|tuples?|returns?|raises?|exceptions?|columns?|fields?|rows?|tables?|"
    r"index(es)?|serializ\w+|sessions?|plugins?|config\w*|settings?|bugs?|hack|workaround|loops?|async|sync|null|none|true|"
    r"false|variables?|values?|types?|call(ed|ing|s)?|default|version|code)\b"
)
"""Words of those who write code for those who read it."""
_ARGUMENTS = re.compile(
    r"(?i)\n[ \t]*(?:(?:args|arguments|param(?:eter)?s|returns?|yields?|raises|examples?)[ \t]*:?[ \t]*\n|[:@>])"
)
"""Where a text begins to say what a function takes and gives."""
_PARAGRAPH = re.compile(r"\n(?=[ \t]*(?:\n|[-*•]\s|\d{1,2}[.)]\s))")
_BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_FILLED = re.compile(r"\{[^{}]*\}|%\(?\w*\)?[sd]")
_ALLOWS = re.compile(r"(can|may|is_allowed|allowed|has_permission|has_object_permission)(_|$)")


def claims(repo: Repo, resources: Sequence[Resource]) -> list[Claim]:
    """Every claim that the code states, in order of the files, each once."""
    things = {word for thing in resources for word in noun(thing.name)[-1:]}
    found: dict[tuple[str, str], Claim] = {}
    for module in repo.modules:
        if not _PROGRAM & set(PurePosixPath(module.file).parts):
            stated = [claim for function in module.functions for claim in _of_function(repo, function)]
            for claim in (*stated, *_told(module, things)):
                found.setdefault((claim.says, claim.heading), claim)
    return list(found.values())[:MAX_CLAIMS]


def _of_function(repo: Repo, function: Function) -> Iterator[Claim]:
    """The refusals of a function; and of one that tells whether something is allowed, what it asks."""
    for refusal in refusals(repo, function):
        says, first = _said(repo, function, refusal)
        if says and refusal.status != "404" and not _FAILED.search(refusal.says):
            source = function.module.source(refusal.node, first)
            about = about_of(refusal.says) if refusal.says else ("business", "code refuses by this condition")
            yield Claim(says, kind_of(refusal.says) or "error", source, function.title, *about)
    *before, final = function.node.body
    value = final.value if isinstance(final, ast.Return) and len(before) < 2 else None
    if _ALLOWS.match(function.name) and isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp):
        says = f"{' '.join(parts(function.name))} only if {written(value)}"
        yield Claim(says, "only_if", function.source, function.title, "business", "code allows by this condition")


def _said(repo: Repo, function: Function, refusal: Refusal) -> tuple[str, int]:
    """The sentence of a refusal, with its condition where the message alone says little, and the first line of both."""
    says = refusal.says
    words = len(re.findall(r"[^\W\d_]{2,}", _FILLED.sub("", says)))
    plain = sum(ch in "<>=\\|[]{}()_/#@$^~;" for ch in _FILLED.sub("x", says)) * 8 <= len(says)
    test = refusal.asked[-1][0] if refusal.asked else None
    checks_type = any(head_of(n) == "isinstance" for n in ast.walk(test)) if test is not None else False
    if checks_type or not plain or (words >= 4 and kind_of(says, faint=False) and not _FILLED.search(says)):
        return (says, 0) if plain and not checks_type else ("", 0)
    telling = test is not None and not isinstance(test.operand if isinstance(test, ast.UnaryOp) else test, ast.Name)
    if telling and (condition := condition_of(repo, function, refusal)):
        return f"{says or 'Refused'} (if {condition})", refusal.asked[0][2]
    return (says, 0) if words >= 3 else ("", 0)


def _told(module: Module, things: set[str]) -> Iterator[Claim]:
    """What sentences under a file, a class or a function demand that name a thing, or stand in one."""
    holders: list[Class | Function] = [*module.classes, *module.functions]
    for body, title, cls in ((module.tree.body, "", None), *((h.node.body, h.title, h.cls) for h in holders)):
        own = noun(cls.name)[-1:] if cls is not None else ()
        match body[:1] if not {"error", "exception"} & set(own) else []:
            case [ast.Expr(value=ast.Constant(value=str() as text), lineno=line)]:
                for says, first, last in _sentences(text):
                    demands = len(says.split()) > 3 and _DEMANDS.search(says) and not _OF_CODE.search(says)
                    if demands and things & {*own, *map(singular, parts(says))}:
                        source = Source(module.file, f"{line + first}-{line + last}")
                        yield Claim(says, kind_of(says) or "must", source, title, *about_of(says))


def _sentences(text: str) -> Iterator[tuple[str, int, int]]:
    """The sentences of a text, each with the numbers of its first and last line, up to where arguments are listed."""
    text = _PARAGRAPH.sub(BREAK + "\n", _ARGUMENTS.split(text)[0])
    for start, end in split_sentences(text):
        says = clean(_BULLET.sub("", " ".join(text[start:end].split())))
        yield says, text.count("\n", 0, start), text.count("\n", 0, start + len(text[start:end].rstrip()))
