"""What an action does, and to what: read from its method and path, or from the words of its name.

A deed is one of `list`, `get`, `create`, `update`, `delete`, `move` (something happens to one record: cancel, approve, send) and
`other`. What it is done to is a noun: `("sales", "order")`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from worldwright.anchor.evidence import Operation, Parameter
from worldwright.anchor.names import noun, parts, plural_like
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

Noun = tuple[str, ...]

VERBS: Mapping[str, str] = {
    **dict.fromkeys(("list", "search", "find", "query", "browse", "lookup", "filter", "count"), "list"),
    **dict.fromkeys(
        ("get", "read", "retrieve", "view", "show", "fetch", "describe", "info", "download", "check", "preview"), "get"
    ),
    **dict.fromkeys(
        ("create", "add", "new", "insert", "register", "post", "upload", "write", "book", "schedule", "draft", "generate", "issue"),
        "create",
    ),
    **dict.fromkeys(("update", "edit", "patch", "put", "set", "modify", "change", "rename", "upsert", "save"), "update"),
    **dict.fromkeys(("delete", "remove", "destroy", "purge"), "delete"),
    **dict.fromkeys(
        (
            "cancel", "approve", "reject", "decline", "accept", "close", "reopen", "send", "complete", "start", "stop", "pause",
            "resume", "publish", "unpublish", "merge", "restore", "assign", "unassign", "move", "submit", "refund", "capture",
            "confirm", "lock", "unlock", "pin", "unpin", "archive", "unarchive", "activate", "deactivate", "enable", "disable",
            "fork", "push", "release", "void", "finalize", "pay", "ship", "deliver", "return", "convert", "transfer", "subscribe",
            "unsubscribe", "invite", "join", "leave", "reply", "react", "tag", "untag", "link", "unlink", "attach", "detach",
            "resolve", "escalate", "snooze", "verify", "validate", "sign", "suspend", "terminate", "renew", "expire", "retry",
            "trigger", "run", "execute", "replicate", "reset", "remind", "mark", "toggle", "unblock", "block", "follow",
            "unfollow", "copy", "duplicate", "clone", "import", "export", "sync", "revoke", "rotate", "authorize", "process",
            "calculate", "redeem", "hand", "adjust", "apply", "reorder", "swap", "split", "acknowledge", "dismiss", "undo",
        ),
        "move",
    ),
}  # fmt: skip
"""By verb, the kind of deed it usually is."""
SEARCHES = frozenset({"search", "searches", "query", "queries", "find", "lookup", "filter"})
"""Segments of a path that say that what follows is looked for: `POST /search/orders`."""
SMALL_WORDS = wordset("a an the to for by of from in on with and or my all me")
_VERSION = re.compile(r"v?\d+(\.\d+)*\Z", re.IGNORECASE)
_PARAMETER = re.compile(r"\{([^}]*)\}")
_ID = wordset("id gid uuid key number code identifier name slug ref sid uid path")


@dataclass(frozen=True, slots=True)
class OperationIntent:
    """An action with what it means."""

    operation: Operation
    kind: str
    noun: Noun
    verb: Noun = ()
    """The words of the verb, for a move or something else."""
    by: str = ""
    """The parameter that says which record: its name."""
    under: tuple[tuple[Noun, str], ...] = ()
    """Records that it hangs under, outermost first: what they are, and the parameter that names each."""


def classify_operations(operations: Sequence[Operation]) -> tuple[OperationIntent, ...]:
    """Every action with its meaning, in order."""
    over_http = [a for a in operations if a.path]
    by_name = [a for a in operations if not a.path]
    common, collections = _common(over_http), _collections(over_http)
    prefix = _prefix(by_name)
    own = frozenset(d.noun for d in (_from_name(a, prefix, frozenset()) for a in by_name) if d.kind != "get")
    return tuple(_from_path(a, common, collections) if a.path else _from_name(a, prefix, own) for a in operations)


# from paths


def _segments(path: str) -> list[tuple[str, str]]:
    """(text, parameter) of each part of a path: a parameter has no text."""
    out: list[tuple[str, str]] = []
    for piece in path.split("?")[0].split("#")[0].strip("/").split("/"):
        found = _PARAMETER.search(piece)
        if found is not None:
            out.append(("", found[1]))
        elif piece and not _VERSION.match(piece):
            out.append((piece.removesuffix(".json").removesuffix(".xml"), ""))
    return out


def _common(operations: Sequence[Operation]) -> int:
    """Return how many segments at the beginning are the same everywhere and name nothing: `/api/company/...`."""
    found = [_segments(a.path) for a in operations]
    if len(found) < 2:
        return 0
    k = 0
    while all(len(s) > k + 1 and s[k] == found[0][k] and not s[k][1] and not s[k + 1][1] for s in found):
        k += 1
    return k


def _collections(operations: Sequence[Operation]) -> set[str]:
    """Segments that a parameter follows somewhere: they hold records."""
    out: set[str] = set()
    for operation in operations:
        found = _segments(operation.path)
        out.update(text for (text, _), (_, parameter) in pairwise(found) if text and parameter)
    return out


def _from_path(operation: Operation, common: int, collections: set[str]) -> OperationIntent:
    pieces = _segments(operation.path)[common:]
    asked = pieces[-2][0] if len(pieces) > 1 and pieces[-1][0] else ""
    if asked.lower() in SEARCHES and asked not in collections and operation.method in ("GET", "POST"):
        above = tuple(
            (noun(text), parameter) for (text, _), (_, parameter) in pairwise(pieces[:-2]) if text and parameter
        )
        return OperationIntent(operation, "list", noun(pieces[-1][0]) or ("record",), (asked.lower(),), "", above)
    chain: list[tuple[Noun, str]] = []
    for k, (text, parameter) in enumerate(pieces):
        if parameter and chain and not chain[-1][1]:
            chain[-1] = (chain[-1][0], parameter)
        elif text:
            following = k + 1 < len(pieces) and bool(pieces[k + 1][1])
            if chain and not chain[-1][1] and not following and k < len(pieces) - 1:
                chain[-1] = ((*chain[-1][0], *noun(text)), "")  # a word that only qualifies the next
            else:
                chain.append((noun(text), ""))
        elif parameter:
            chain.append((noun(parameter), parameter))
    chain = [(n or ("record",), p) for n, p in chain] or [(noun(operation.name) or ("record",), "")]
    last, by = chain[-1]
    above = tuple((n, p) for n, p in chain[:-1] if p)
    text = next((t for t, p in reversed(pieces) if t), "")
    if by:
        return OperationIntent(operation, _item_kind(operation.method), last, (), by, above)
    before = chain[-2][0] if len(chain) > 1 else ()
    return _on_segment(operation, text, last, above, text in collections, before)


def _item_kind(method: str) -> str:
    return {"GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "update", "POST": "update", "DELETE": "delete"}.get(
        method, "other"
    )


def _on_segment(
    operation: Operation, text: str, last: Noun, above: tuple[tuple[Noun, str], ...], collection: bool, before: Noun
) -> OperationIntent:
    """A path that ends in a word: a collection, a verb, or the one thing of that name."""
    words = parts(text)
    verb = words[0] if words else ""
    known = VERBS.get(verb, "")
    if known == "list" and len(words) > 1 and operation.method in ("GET", "POST"):
        return OperationIntent(operation, "list", (*words[1:-1], singular(words[-1])), words[:1], "", above)
    many = plural_like(text) or collection
    if not many and known and (verb not in last or len(words) == 1):
        what = above[-1] if above else (before or last, "")
        reads = known in ("list", "get") and (operation.method in ("GET", "HEAD") or known == "list")
        kind = known if reads else "move"
        if kind == "move" and not above:
            kind = "other"
        return OperationIntent(operation, kind, what[0], words, what[1], above[:-1] if above else ())
    match operation.method:
        case "GET" | "HEAD":
            return OperationIntent(operation, "list" if many else "get", last, (), "", above)
        case "POST" if many or not above:
            return OperationIntent(operation, "create", last, (), "", above)
        case "POST":
            return OperationIntent(operation, "move", above[-1][0], words, above[-1][1], above[:-1])
        case "PUT" | "PATCH":
            return OperationIntent(operation, "update", last, (), "", above)
        case "DELETE":
            return OperationIntent(operation, "delete", last, (), "", above)
    return OperationIntent(operation, "other", last, words, "", above)


# from names


def _prefix(operations: Sequence[Operation]) -> int:
    """Return how many words at the beginning of the names are the same nearly everywhere: the name of the product."""
    names = [parts(a.name) for a in operations]
    k = 0
    while len(names) >= 4:
        word, often = (
            Counter(n[k] for n in names if len(n) > k + 1).most_common(1)[0]
            if any(len(n) > k + 1 for n in names)
            else ("", 0)
        )
        if often < 0.8 * len(names) or word in VERBS:
            break
        k += 1
    return k


def _from_name(operation: Operation, prefix: int, own: frozenset[Noun]) -> OperationIntent:
    """`own` are nouns that something else than reading is done to: `get_order_detail` reads one where these have order details."""
    words = (
        [w for w in parts(operation.name)[prefix:] if w not in SMALL_WORDS] or list(parts(operation.name)) or ["record"]
    )
    at = _verb_at(words)
    verb = words[at] if at is not None else ""
    rest = [w for i, w in enumerate(words) if i != at and w not in ("batch", "bulk", "multiple")]
    if VERBS.get(verb) == "get" and (*rest[:-1], *map(singular, rest[-1:])) not in own:
        rest = [w for w in rest if w not in ("info", "details", "detail")]
    what: Noun = (*rest[:-1], singular(rest[-1])) if rest else (singular(words[-1]),)
    kind = VERBS.get(verb, "get" if operation.read_only else "other")
    if operation.read_only and kind not in ("list", "get"):
        kind = "get"
    many = bool(rest) and singular(rest[-1]) != rest[-1]
    by = _which(operation.parameters, what)
    if kind == "get" and (many or not by):
        kind = "list" if many or not any(p.required for p in operation.parameters) else kind
    above = tuple(_owners(operation.parameters, what, by)) if kind in ("list", "create") else ()
    return OperationIntent(
        operation, kind, what, (verb,) if verb else (), by if kind not in ("list", "create") else "", above
    )


def _verb_at(words: Sequence[str]) -> int | None:
    """Return where the verb stands: first, last, or anywhere."""
    order: tuple[int, ...] = (0, len(words) - 1, *range(1, len(words) - 1))
    return next((at for at in order if words[at] in VERBS), None)


def _which(parameters: Iterable[Parameter], what: Noun) -> str:
    """The parameter that names one record of this kind."""
    found = [(p, parts(p.name)) for p in parameters if p.shape.kind in ("string", "integer", "number", "any")]
    for p, words in found:
        if len(words) > 1 and words[-1] in _ID and tuple(words[:-1]) in (what, what[-1:]):
            return p.name
    for p, words in found:
        if words in (("id",), ("gid",), ("uuid",), ("key",), ("path",)):
            return p.name
    for p, words in found:
        if words in (what, what[-1:]) and p.required:
            return p.name
    needed = [p for p, words in found if p.required and words and words[-1] in _ID]
    return needed[-1].name if len(needed) == 1 else ""


def _owners(parameters: Iterable[Parameter], what: Noun, by: str) -> Iterable[tuple[Noun, str]]:
    for p in parameters:
        words = parts(p.name)
        if p.required and len(words) > 1 and words[-1] in ("id", "gid", "uuid") and tuple(words[:-1]) != what:
            yield tuple(words[:-1]), p.name
