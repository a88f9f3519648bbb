"""Claims that code states: what it refuses, what it asks before it allows, and what its texts demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from worldwright.anchor.claims.about import about_of
from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.claims.sentences import split_sentences
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
_ARGUMENTS = re.compile(r"\s*(args|arguments|param(eter)?s|returns?|yields?|raises|examples?)\s*:?\s*$", re.I)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_QUOTES = re.compile(r"""^\s*[rRuU]?(?:\"{3}|'{3}|["'])|(?:\"{3}|'{3}|["'])\s*$""")
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
    blocks = [(module.tree.body, "", None), *((h.node.body, h.title, h.cls) for h in holders)]
    for body, title, cls in blocks:
        own = noun(cls.name)[-1:] if cls is not None else ()
        for says, first, last in _sentences(_prose(module, body)) if not {"error", "exception"} & set(own) else ():
            demands = len(says.split()) > 3 and _DEMANDS.search(says) and not _OF_CODE.search(says)
            if demands and things & {*own, *map(singular, parts(says))}:
                yield Claim(
                    says, kind_of(says) or "must", Source(module.file, f"{first}-{last}"), title, *about_of(says)
                )


def _prose(module: Module, body: Sequence[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The lines of the text that a block begins with, without what they say of arguments and answers."""
    match body[:1]:
        case [ast.Expr(value=ast.Constant(value=str())) as node]:
            lines = _LINE_ENDS.split(module.text)[: node.end_lineno]
            skipping = False
            for n, line in enumerate(lines[node.lineno - 1 :], node.lineno):
                text = _QUOTES.sub("", line) if n in (node.lineno, node.end_lineno) else line
                skipping = bool(_ARGUMENTS.match(text)) or (skipping and bool(text.strip()))
                yield n, "" if skipping or text.lstrip().startswith((":", "@", ">>>")) else text


def _sentences(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """The sentences of lines with their numbers, each with its first and last line; an empty line or a bullet ends one."""
    paragraph: list[tuple[int, str]] = []
    for n, text in [*lines, (0, "")]:
        if paragraph and (not text.strip() or _BULLET.match(text)):
            joined = " ".join(t for _, t in paragraph)
            at = [number for number, t in paragraph for _ in range(len(t) + 1)]
            yield from ((clean(joined[start:end]), at[start], at[end - 1]) for start, end in split_sentences(joined))
            paragraph = []
        if text.strip():
            paragraph.append((n, " ".join(_BULLET.sub("", text).split())))
