"""What an operation does, and to what: read from its method and path, or from the words of its name.

Paths name things (`POST /orders/{id}/cancel`) or calls (`POST /closeAccountHolder`, `/accounts/get`, `/conversations.setTopic`);
names are calls as well (`sales_order_submit`, `add_tag_to_task`). A call is a verb and a noun, in either order. What belongs to
one thing is put together afterwards (`grouping`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from worldwright.anchor.evidence import Operation
from worldwright.anchor.model.grouping import group_intents, may_be_id, stem_of_id, stem_of_name
from worldwright.anchor.model.items import find_item, is_paged, needed_parameters
from worldwright.anchor.model.records import Noun as Noun
from worldwright.anchor.model.records import OperationIntent as OperationIntent
from worldwright.anchor.names import count_common, noun, parts, plural_like
from worldwright.anchor.schema.shapes import is_untyped
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

VERBS: Mapping[str, str] = {
    word: kind
    for kind, words in {
        "list": "list search find query browse lookup filter count",
        "get": "get read retrieve view show fetch describe info download check preview export calculate estimate parse recognize",
        "create": "create add new insert register post upload write book schedule draft generate issue open setup upsert",
        "update": "update edit patch put set modify change rename save customize",
        "delete": "delete remove destroy purge",
        "move": """
            cancel approve reject decline accept close reopen send complete start stop pause resume publish unpublish merge
            restore assign unassign move submit refund capture confirm lock unlock pin unpin archive unarchive activate
            deactivate enable disable fork push release void finalize pay payout debit ship deliver return convert transfer
            subscribe unsubscribe invite join leave reply react tag untag link unlink attach detach resolve escalate snooze
            verify validate sign suspend terminate renew expire retry trigger run execute replicate reset remind mark toggle
            unblock block follow unfollow copy duplicate clone import sync revoke rotate authorize process redeem hand adjust
            apply reorder swap split acknowledge dismiss undo forward revert fire refresh kick share end connect disconnect
            invalidate evaluate prepare call make
        """,
    }.items()
    for word in words.split()
}
"""By verb, the kind of deed it usually is."""
NOUNLIKE = wordset(
    """
    book draft issue post count query filter view download check preview export estimate new set change put return refund
    transfer copy import sync link tag pin block lock process sign run push fork release split end call share payout debit capture
    reply mark trigger hand call start stop follow order patch open make schedule info read write
    """
)
"""Verbs that begin names of things as well: `draft-orders`, `tag_groups`. Only where nothing speaks for a thing do they count."""
ADDING = wordset("add assign attach link invite subscribe tag create upload post share new insert register")
REMOVING = wordset("remove unassign detach unlink untag delete unsubscribe unshare kick")
"""Verbs that put one thing to another, and take it away again."""
SEARCHES = wordset("search searches query queries find lookup filter")
"""Segments of a path that say that what follows is looked for: `POST /search/orders`."""
PARTICLES = wordset("in out off on up down back over away")
"""Words that belong to a verb: `check in`, `hand over`."""
_BEFORE = ("un", "re", "dis", "de", "pre")
SMALL_WORDS = wordset("a an the to for by of from in on with and or my all me")
ARTICLES = wordset("a an the my all")
PREPOSITIONS = wordset("to for by of from in on with at into")
ADVERBS = wordset("batch bulk multiple hard force quick")
"""Words before a verb that say how it is done."""
CALLER = wordset("me mine self current")
"""Segments of a path that stand for whoever calls."""
TELLS_ONE = wordset("info detail details information record")
"""Last words of what is read that say nothing: `get_order_details`."""
_VERSION = re.compile(r"v?\d+(\.\d+)*\Z", re.IGNORECASE)
_TOKEN = re.compile(r"\{[^}]*\}|[^{}.:]+")
_ID = wordset("id gid uuid key number code identifier name slug ref sid uid path token reference")
PLAIN_IDS = (("id",), ("gid",), ("uuid",), ("key",), ("path",))
SENDING = wordset("post put patch get")
"""Verbs that may be the method of a request: `post_search` searches."""

_READS = re.compile(
    r"(?:get|list|retrieve|fetch|search|find|query|read|show|view|calculate|estimate|returns?(?= an? | the ))s? +\w",
    re.I,
)
"""What a description begins with that only tells something."""
READING = ("GET", "HEAD")
ON_ITEM = {"GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "update", "POST": "update", "DELETE": "delete"}
"""By method, what is done to one thing."""
Piece = tuple[str, str]
"""A part of a path: its text, or the parameter that stands there."""


def classify_operations(operations: Sequence[Operation]) -> tuple[OperationIntent, ...]:
    """Every operation with its meaning, in order."""
    paths = _paths([a for a in operations if a.path])
    names = [parts(a.name) for a in operations if not a.path]
    prefix = count_common(names, kind_of_verb)
    several = [n for n in names if len(n) > prefix + 1]
    last, first = (sum(bool(kind_of_verb(n[k])) and n[k] not in NOUNLIKE for n in several) for k in (-1, prefix))
    found = [_from_path(a, paths) if a.path else _from_name(a, prefix, last > first) for a in operations]
    changed = {i.noun for i in found if i.kind in ("create", "update", "delete")}
    return group_intents([_keep_detail(i, changed) for i in found])


def _keep_detail(intent: OperationIntent, changed: Collection[Noun]) -> OperationIntent:
    """`list_order_details` lists order details where these are made or changed, else orders."""
    operation, last = intent.operation, parts(intent.operation.name)[-1:]
    whole = (*intent.noun, *map(singular, last))
    if operation.path or intent.kind not in ("list", "get") or not {*last} & TELLS_ONE or whole not in changed:
        return intent
    by = _which(operation, whole)
    kind = _reading_call(operation, intent.verb[0], whole, by, plural_like(last[0]) and not by)
    by = "" if kind == "list" else by
    return replace(intent, noun=whole, kind=kind, by=by, under=tuple(_owners(operation, whole, by)))


# from paths


@dataclass(frozen=True, slots=True)
class _Paths:
    """What is known of all paths together."""

    common: int
    """Segments at the beginning that are the same everywhere and name nothing: `/api/company/...`."""
    collections: frozenset[str]
    """Segments that a parameter follows somewhere: they hold records."""
    methods: Mapping[str, int]
    """How many methods each path has."""


def _paths(operations: Sequence[Operation]) -> _Paths:
    found = [_segments(a.path) for a in operations]
    k = 0
    while len(found) > 1 and all(len(s) > k + 1 and s[k] == found[0][k] and not s[k][1] + s[k + 1][1] for s in found):
        k += 1
    held = {text for pieces in found for (text, _), (_, parameter) in pairwise(pieces) if text and parameter}
    return _Paths(k, frozenset(held), Counter(path for path, _ in {(a.path, a.method) for a in operations}))


def _segments(path: str) -> list[Piece]:
    """(text, parameter) of each part of a path: a parameter has no text. Dots and colons divide like slashes do."""
    out: list[Piece] = []
    for piece in path.split("?")[0].split("#")[0].strip("/").split("/"):
        for token in _TOKEN.findall(piece.removesuffix(".json").removesuffix(".xml")):
            if token.startswith("{"):
                out.append(("", token.strip("{}")))
            elif parts(token) and parts(token)[0] != "by" and not _VERSION.match(token):
                out.append((token, ""))
    return [p for p in out if p[0].lower() not in CALLER] or out


def _from_path(operation: Operation, paths: _Paths) -> OperationIntent:
    pieces = _segments(operation.path)[paths.common :]
    asked = pieces[-2][0] if len(pieces) > 1 and pieces[-1][0] else ""
    if asked.lower() in SEARCHES and asked not in paths.collections and operation.method in ("GET", "POST"):
        above = tuple((n, p) for n, p in _chain(pieces[:-2]) if p)
        return OperationIntent(operation, "list", noun(pieces[-1][0]) or ("record",), (asked.lower(),), "", above)
    at = _verb_in(operation, pieces, paths)
    if at is not None:
        return _from_call(operation, pieces, at)
    chain = _chain(pieces) or [(noun(operation.name) or ("record",), "")]
    last, by = chain[-1]
    above = tuple((n, p) for n, p in chain[:-1] if p)
    if by:
        return OperationIntent(operation, ON_ITEM.get(operation.method, "other"), last, (), by, above)
    text, method = next((t for t, p in reversed(pieces) if t), ""), operation.method
    many = plural_like(text) or text in paths.collections
    kind = "create" if method == "POST" and (many or not above) else ON_ITEM.get(method, "other")
    tells = method == "POST" and _READS.match(operation.title or operation.says)
    kind = _reading(operation, last, many) if method in READING or tells else kind
    return OperationIntent(operation, kind, last, (), "", above)


def _chain(pieces: Sequence[Piece]) -> list[tuple[Noun, str]]:
    """What a path names, each with its parameter. A word that no parameter follows only qualifies the next."""
    chain: list[tuple[Noun, str]] = []
    for k, (text, parameter) in enumerate(pieces):
        if parameter and chain and not chain[-1][1]:
            chain[-1] = (chain[-1][0], parameter)
        elif text:
            following = k + 1 < len(pieces) and bool(pieces[k + 1][1])
            if chain and not chain[-1][1] and not following and k < len(pieces) - 1:
                chain[-1] = ((*chain[-1][0], *noun(text)), "")
            else:
                chain.append((noun(text), ""))
        elif parameter:
            chain.append((stem_of_name(parameter) or noun(parameter), parameter))
    return [(n or ("record",), p) for n, p in chain]


def _reading(operation: Operation, what: Noun, many: bool) -> str:
    """Whether something is read as a list: as the answer is declared, else as it is called."""
    item = find_item(operation.answer, what, many)
    if item is not None and operation.output_schema is not None and not is_untyped(operation.output_schema):
        return "list" if item.many else "get"
    return "list" if many or is_paged(operation) else "get"


def _verb_in(operation: Operation, pieces: Sequence[Piece], paths: _Paths) -> int | None:
    """Where the last segment of a path has its verb; None where it is a noun."""
    text = pieces[-1][0] if pieces else ""
    words = _call_words(text)
    if not words or text in paths.collections:
        return None
    reads, only = operation.method in READING, paths.methods[operation.path] == 1
    alone, humps = len(words) == 1, "-" not in text and "_" not in text and text != text.lower()
    one = any(p for _, p in pieces) and not plural_like(text) and not reads
    for at in dict.fromkeys((0, len(words) - 1)):
        word, kind = words[at], kind_of_verb(words[at])
        if not kind or (reads and kind not in ("list", "get")) or (alone and plural_like(text)):
            continue
        if at and (word in NOUNLIKE or kind == "move"):
            continue
        if word not in NOUNLIKE or (only and (one if not alone and not humps else humps or len(pieces) > 1)):
            return at
    return None


def _call_words(text: str) -> list[str]:
    words = _join_prefixes(parts(text))
    return [w for w in words if w not in ADVERBS or not any(map(kind_of_verb, words))]


def _from_call(operation: Operation, pieces: Sequence[Piece], at: int) -> OperationIntent:
    """A path that ends in a verb, alone or with a noun."""
    words = _call_words(pieces[-1][0])
    verb, rest = words[at], [w for i, w in enumerate(words) if i != at]
    chain = _chain(pieces[:-1])
    above = tuple((n, p) for n, p in chain if p)
    start = max((k + 1 for k, (_, p) in enumerate(pieces) if p), default=0)
    before = tuple(w for text, _ in pieces[start:-1] for w in noun(text))
    kind = kind_of_verb(verb)
    if not above:
        return _call(operation, before, verb, rest)
    owner, parameter = above[-1]
    if before:
        return replace(_call(operation, before, verb, rest), under=above)
    done = "create" if verb in ADDING else "delete" if verb in REMOVING else kind
    if rest and not set(rest) <= PARTICLES and (verb in ADDING | REMOVING or kind in ("list", "get")):
        other = noun(" ".join(rest))
        done = _reading(operation, (*owner, *other), plural_like(rest[-1])) if done in ("list", "get") else done
        named = _which(operation, other, sure=True) if done == "delete" else ""
        under = (*above, (other, named)) if named and f"{{{named}}}" not in operation.path else above
        return OperationIntent(operation, done, (*owner, *other), (verb,), "", under)
    own = kind if kind in ("list", "get", "update", "delete") and not rest else "move"
    return OperationIntent(operation, own, owner, tuple(words), parameter, above[:-1])


# calls: a verb and a noun


def _call(operation: Operation, before: Sequence[str], verb: str, after: Sequence[str]) -> OperationIntent:
    """A deed from the words around its verb; which record and which others it names stands in its parameters."""
    kind = kind_of_verb(verb)
    said, others = _phrases(after)
    if verb in SENDING and len(said) == 1 and said[0] in SEARCHES and not before:
        verb, kind = said[0], "list"
    if kind in ("list", "get") and len((*before, *said)) > 1 and said and said[-1] in TELLS_ONE:
        said = said[:-1]
    apart = bool(before) and bool(said) and (kind == "move" or (kind == "update" and verb != "update"))
    words = [*before] if apart or not said else [*before, *said]
    what: Noun = (*words[:-1], singular(words[-1])) if words else (verb,)
    verbs = (verb, *(said if apart else ()))
    by, sure = _which(operation, what), _which(operation, what, sure=True)
    if operation.read_only or kind in ("list", "get"):
        kind = _reading_call(operation, verb, what, by, bool(said) and plural_like(said[-1]) and not sure)
    elif kind in ("move", "create"):
        kind = "create" if verb in ADDING and not sure else "move" if verb in NOUNLIKE and sure else kind
    if others and verb in ADDING | REMOVING and {what, others[0]} <= {stem_of_id(p) for p in operation.parameters}:
        what, by, kind = (*others[0], *what), "", "create" if verb in ADDING else "delete"
    elif verb == "reply":
        what, by, kind = (*what, "reply"), "", "create"
    by = "" if kind in ("list", "create") else by
    return OperationIntent(operation, kind, what, verbs, by, tuple(_owners(operation, what, by)))


def _reading_call(operation: Operation, verb: str, what: Noun, by: str, many: bool) -> str:
    listed = kind_of_verb(verb) == "list"
    if listed or many or is_paged(operation) or find_item(operation.answer, what) is not None:
        return _reading(operation, what, many or listed)
    return "get" if by or any(p.required for p in operation.parameters) else "list"


def _phrases(words: Sequence[str]) -> tuple[list[str], list[Noun]]:
    """What a verb is about, and what stands behind prepositions: `tag` and `task` of `add tag to task`."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word in PREPOSITIONS:
            groups.append([])
        elif word not in ARTICLES:
            groups[-1].append(word)
    own, others = groups[0], [g for g in groups[1:] if g]
    return (own, [noun(" ".join(g)) for g in others]) if own else ([w for g in others for w in g], [])


# from names


def _from_name(operation: Operation, prefix: int, verb_last: bool) -> OperationIntent:
    """An operation by its name. `prefix` is how many words of it are the product's."""
    words = _join_prefixes(parts(operation.name)[prefix:] or parts(operation.name) or ("record",))
    words = [w for k, w in enumerate(words) if w != "or" and not (k and words[k - 1] == "or" and kind_of_verb(w))]
    at = _verb_at(words, verb_last)
    if at is None:
        what = noun("_".join(w for w in words if w not in SMALL_WORDS)) or ("record",)
        needed, by = any(p.required for p in operation.parameters), _which(operation, what)
        kind = "other" if not operation.read_only else "get" if needed else "list"
        return OperationIntent(operation, kind, what, (), by if needed else "", tuple(_owners(operation, what, by)))
    before = [w for w in words[:at] if w not in ADVERBS and w not in SMALL_WORDS]
    return _call(operation, before, words[at], [w for w in words[at + 1 :] if w != "multiple"])


def _verb_at(words: Sequence[str], verb_last: bool) -> int | None:
    """Return where the verb stands: first or last, as it mostly does here, or anywhere. One that may be a noun comes after."""
    ends = (len(words) - 1, 0) if verb_last else (0, len(words) - 1)
    verbs = [at for at in (*ends, *range(1, len(words) - 1)) if kind_of_verb(words[at])]
    return min(verbs, key=lambda at: words[at] in NOUNLIKE and at != ends[0], default=None)


def _which(operation: Operation, what: Noun, sure: bool = False) -> str:
    """The parameter that names one record of this kind; where none does so for `sure`, the only id that has to be given."""
    found = [(p, parts(p.name), stem_of_id(p)) for p in operation.parameters if may_be_id(p)]
    needed, own = set(needed_parameters(operation)), (what, what[-1:])
    named = [p.name for p, words, _ in found if len(words) > 1 and words[-1] in _ID and words[:-1] in own]
    named += [p.name for p, words, stem in found if words in PLAIN_IDS or stem[-1:] == what[-1:]]
    named += [p.name for p, words, stem in found if words in own and (p.name in needed or stem)]
    if named or sure:
        return next(iter(named), "")
    ids = [p.name for p, _, stem in found if stem]
    ids = ids or [p.name for p, words, _ in found if words[-1:] == ("name",) and p.name in needed]
    only = [name for name in ids if name in needed] or ids
    return only[-1] if len(only) == 1 else ""


def _owners(operation: Operation, what: Noun, by: str) -> Iterator[tuple[Noun, str]]:
    needed = set(needed_parameters(operation))
    for p in operation.parameters:
        stem = stem_of_id(p)
        if p.name in needed and p.name != by and stem and stem != what:
            yield stem, p.name


# words


def kind_of_verb(word: str) -> str:
    """The kind of deed that a word says; empty where it is no verb. `unschedule` and `resend` are verbs for what is in them."""
    if word in VERBS:
        return VERBS[word]
    before = next((p for p in _BEFORE if word.startswith(p)), "")
    inner = word.removeprefix(before)
    sure = before == "un" or inner not in NOUNLIKE
    return "move" if before and sure and len(inner) > 3 and VERBS.get(inner) in ("move", "create") else ""


def _join_prefixes(words: Sequence[str]) -> list[str]:
    """Words in which `un suspend` and `pre authorize` are one: names in humps cut it in two."""
    out: list[str] = []
    for word in words:
        joins = out and out[-1] in ("un", "pre") and kind_of_verb(word)
        out[-1:] = [out[-1] + word] if joins else [*out[-1:], word]
    return out
