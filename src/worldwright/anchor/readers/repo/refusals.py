"""Where code refuses: what it raises, under which condition, and in which words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from worldwright.anchor.claims.kinds import kind_of
from worldwright.anchor.evidence import Claim
from worldwright.anchor.readers.repo.names import Repo, Scope, clean
from worldwright.anchor.readers.repo.source import Function, docstring, keyword, last, own_nodes, path_of
from worldwright.english.words import wordmap, wordset

MAX_MESSAGE_CHARS = 500
_WORDS = ("detail", "message", "msg", "description", "error", "reason", "text", "default_detail", "default_message")
_SKIPPED_ERRORS = frozenset({
    "NotImplementedError", "TypeError", "AttributeError", "ImportError", "ModuleNotFoundError", "SystemExit", "StopIteration",
    "KeyboardInterrupt", "AssertionError", "ImproperlyConfigured", "OSError", "IOError", "FileNotFoundError", "Skip",
    "StopAsyncIteration", "GeneratorExit", "NameError", "MemoryError", "RecursionError", "SyntaxError", "EOFError",
    "UnicodeError", "ConnectionError", "EnvironmentError", "DeprecationWarning", "BufferError",
})  # fmt: skip
"""Errors of the program, not of the business."""
_STATUS = re.compile(r"HTTP_(\d{3})_")
_STATUS_BY_ERROR: Mapping[str, str] = wordmap(
    "NotFound=404 Http404=404 PermissionDenied=403 Forbidden=403 NotAuthenticated=401 Unauthorized=401 "
    "Conflict=409 BadRequest=400 ParseError=400"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A place where code does not go on."""

    node: ast.stmt
    says: str
    """The message, with what is filled in as `{order.total}`; empty where there is none."""
    status: str = ""
    """Of HTTP, where it is told."""
    conditional: bool = False
    """Whether something was asked before."""


def refusals(repo: Repo, function: Function) -> Iterator[Refusal]:
    """Every place in a function where it refuses."""
    scope = Scope(function.module, function.cls)
    asked: set[int] = set()
    for node in own_nodes(function.node):
        if isinstance(node, ast.If):
            asked |= {id(inner) for inner in (*node.body, *node.orelse)}
        elif isinstance(node, ast.With | ast.AsyncWith) and id(node) in asked:
            asked |= {id(inner) for inner in node.body}
        found = _refusal(repo, scope, node) if isinstance(node, ast.stmt) else None
        if found is not None:
            yield replace(found, conditional=isinstance(node, ast.Assert) or id(node) in asked)


def _refusal(repo: Repo, scope: Scope, node: ast.stmt) -> Refusal | None:
    match node:
        case ast.Assert(msg=msg):
            return Refusal(node, message(repo, scope, msg))
        case ast.Raise(exc=ast.expr() as raised):
            error = last(path_of(raised))
            if error in _SKIPPED_ERRORS:
                return None
            call = raised if isinstance(raised, ast.Call) else None
            status = _status(repo, scope, error, call)
            if not status and repo.full(scope.module, path_of(raised)).startswith("rest_framework."):
                status = "400"
            return Refusal(node, _words(repo, scope, error, call), status)
        case ast.Expr(value=ast.Call() as call) if last(path_of(call)) in ("abort", "add_error"):
            position = call.args[1] if len(call.args) > 1 else keyword(call, *_WORDS)
            name = last(path_of(call))
            status = status_of(repo, scope, call.args[0]) if call.args and name == "abort" else ""
            return Refusal(node, message(repo, scope, position), status)
    return None


def _words(repo: Repo, scope: Scope, error: str, call: ast.Call | None) -> str:
    """The message of what is raised, or else of its class."""
    if call is not None:
        given = keyword(call, *_WORDS)
        for part in [given, *call.args[:4]] if given is not None else call.args[:4]:
            found = message(repo, scope, part)
            if found and (" " in found or len(call.args) == 1):
                return found
    found_cls = next(iter(repo.named(error)), None)
    if found_cls is None:
        return ""
    for word in _WORDS:
        text = message(repo, Scope(found_cls.module, found_cls), found_cls.values.get(word))
        if text:
            return text
    return docstring(found_cls.node).split("\n\n")[0].replace("\n", " ")[:MAX_MESSAGE_CHARS]


def message(repo: Repo, scope: Scope, node: ast.expr | None, depth: int = 0) -> str:
    """The text of a message, on one line."""
    if node is None or depth > 6:
        return ""
    match node:
        case ast.Constant(value=str() as text):
            return " ".join(clean(text).split())[:MAX_MESSAGE_CHARS]
        case ast.JoinedStr(values=parts):
            return " ".join("".join(_piece(repo, scope, p) for p in parts[:50]).split())[:MAX_MESSAGE_CHARS]
        case ast.BinOp(left=left, op=ast.Mod()):
            return message(repo, scope, left, depth + 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = message(repo, scope, left, depth + 1), message(repo, scope, right, depth + 1)
            return f"{first} {second}".strip()[:MAX_MESSAGE_CHARS] if first else ""
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return message(repo, scope, inner, depth + 1)
        case ast.Call(args=[first_argument, *_]):
            return message(repo, scope, first_argument, depth + 1)
        case ast.Dict(values=[first_value, *_]):
            return message(repo, scope, first_value, depth + 1)
        case ast.List(elts=[first_element, *_]) | ast.Tuple(elts=[first_element, *_]):
            return message(repo, scope, first_element, depth + 1)
        case ast.Name() | ast.Attribute():
            return " ".join(repo.text(scope, node).split())[:MAX_MESSAGE_CHARS]
    return ""


def _piece(repo: Repo, scope: Scope, part: ast.expr) -> str:
    """A part of a message: what is filled in stands in braces, unless it is always the same."""
    match part:
        case ast.Constant(value=str() as text):
            return clean(text)
        case ast.FormattedValue(value=value):
            known = repo.value(scope, value)
            if isinstance(known, str | int | float):
                return str(known)[:100]
            path = path_of(value) if not isinstance(value, ast.Call) else ""
            return "{" + (path or "value") + "}"
    return ""


def _status(repo: Repo, scope: Scope, error: str, call: ast.Call | None) -> str:
    if error in _STATUS_BY_ERROR:
        return _STATUS_BY_ERROR[error]
    if call is None:
        return ""
    given = keyword(call, "status_code", "code", "status")
    return status_of(repo, scope, given if given is not None else call.args[0] if call.args else None)


def status_of(repo: Repo, scope: Scope, node: ast.expr | None) -> str:
    """A status of HTTP: a number, `status.HTTP_409_CONFLICT` or `HTTPStatus.CONFLICT`."""
    if node is None:
        return ""
    found = repo.value(scope, node)
    if type(found) is int and 100 <= found < 600:
        return str(found)
    path = path_of(node)
    named = _STATUS.search(path)
    if named:
        return named[1]
    return _NAMED_STATUS.get(last(path), "") if "HTTPStatus" in path else ""


_NAMED_STATUS: Mapping[str, str] = wordmap(
    "OK=200 CREATED=201 ACCEPTED=202 NO_CONTENT=204 BAD_REQUEST=400 UNAUTHORIZED=401 FORBIDDEN=403 NOT_FOUND=404 "
    "CONFLICT=409 GONE=410 UNPROCESSABLE_ENTITY=422"
)


_LETTER_WORD = re.compile(r"[^\W\d_]{2,}")


def is_sentence(text: str) -> bool:
    """Tell whether a message reads like one: several words, beginning with a letter, and no code."""
    plain = re.sub(r"\{[^{}]*\}", "x", text)
    if len(_LETTER_WORD.findall(plain)) < 3 or not (text[0].isalpha() or text[0] in "{'\"%"):
        return False
    odd = sum(ch in "<>=\\|[]{}()_/#@$^~;" for ch in plain)
    return odd * 8 <= len(plain)


MAX_RULES = 3_000
_PROGRAM_FILES = wordset("manage.py setup.py settings.py config.py env.py wsgi.py asgi.py noxfile.py")
_MISSING = re.compile(
    r"\b(not found|does ?n[o']t exist|do not exist|no such|unknown|not implemented|is not supported)\b", re.I
)


def rules(repo: Repo) -> list[Claim]:
    """Every message that refuses under a condition, in order of the files, each once."""
    found: dict[tuple[str, str], Claim] = {}
    for function in repo.functions:
        if PurePosixPath(function.module.file).name in _PROGRAM_FILES:
            continue
        for refusal in refusals(repo, function):
            if not refusal.conditional or not refusal.says or not _is_rule(refusal):
                continue
            rule = _rule(function, refusal)
            found.setdefault((rule.says, rule.heading), rule)
            if len(found) >= MAX_RULES:
                return list(found.values())
    return list(found.values())


def _is_rule(refusal: Refusal) -> bool:
    """Tell whether a message says something about the business, not that something was looked up in vain."""
    return is_sentence(refusal.says) and refusal.status != "404" and not _MISSING.search(refusal.says)


def _rule(function: Function, refusal: Refusal) -> Claim:
    kind = kind_of(refusal.says) or "must_not"
    return Claim(
        refusal.says,
        kind,
        function.module.source(refusal.node),
        function.title,
        "business",
        "code refuses with these words",
    )
