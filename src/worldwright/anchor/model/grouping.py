"""Which operations are about one thing: told by nouns, by the ids that they take, and by how the ids are called elsewhere.

aliases     `list_id` names an audience where audiences are read, changed and removed by it
wholes      `rss campaign`, taken by `campaign_id`, is a campaign; `ticket time entry`, listed under a ticket, is a time entry
parts       `GET /vehicles/{id}/odometer` reads a part of a vehicle: nothing else is known of odometers
links       `PUT /customers/{id}/groups/{group}` puts one of two things to the other, and makes or changes neither
records     `transferFunds` says no record: what was asked for is kept as one, with all that was said
contexts    `comment` of an order and of a product are two things where their answers say so
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Parameter
from worldwright.anchor.model.items import find_item, needed_parameters, record_inputs
from worldwright.anchor.model.records import Noun, OperationIntent
from worldwright.anchor.names import noun, parts
from worldwright.english.nouns import plural
from worldwright.english.words import wordset

ONE = frozenset({"get", "update", "delete", "move"})
"""Deeds that are done to one record."""
CODES = (("id",), ("gid",), ("uuid",), ("code",), ("number",), ("key",), ("identifier",), ("reference",))
"""Last words of parameters that name a record of something else."""
Owners = tuple[tuple[Noun, str], ...]
IDS = wordset("id gid uuid guid uid sid")
PAST = wordset("history feed timeline stream")
"""Last words of lists that are called after their form."""
_SENTENCE = re.compile(r"[.\n]")


def group_intents(intents: Sequence[OperationIntent]) -> tuple[OperationIntent, ...]:
    """The same deeds, each with the noun of the thing that it is done to."""
    found = _called(list(_in_context(intents)))
    known = {i.noun for i in found}
    found = [_owned(i, known) for i in found]
    found = _told(_wholes(found))
    return tuple(_recorded(list(_parts(list(_linked(found))))))


def may_be_id(p: Parameter) -> bool:
    return p.shape.kind in ("string", "integer", "number", "any") and p.place not in ("header", "cookie")


def stem_of_name(name: str) -> Noun:
    """The thing that the name of an id is made of: `team` of `team_id`; empty for other names."""
    words = parts(name)
    return noun("_".join(words[:-1])) if words and words[-1] in IDS else ()


def stem_of_id(parameter: Parameter) -> Noun:
    """The thing that an id is called after: `team` of `team_id`; else empty."""
    return stem_of_name(parameter.name) if may_be_id(parameter) else ()


def _stem(p: Parameter) -> Noun:
    """The same, of `accountHolderCode` as well."""
    words = parts(p.name)
    return stem_of_id(p) or (noun("_".join(words[:-1])) if words[-1:] in CODES else ())


def _own_stem(intent: OperationIntent) -> Noun:
    """The thing that the id of its record is called after; empty for one that is only called an id."""
    return next((_stem(p) for p in intent.operation.parameters if p.name == intent.by), ())


# aliases


def _called(intents: Sequence[OperationIntent]) -> list[OperationIntent]:
    """With owners called as they are elsewhere: by the words of an id that nothing is called by, what is mostly taken by it."""
    known = {i.noun for i in intents}
    votes: dict[Noun, Counter[Noun]] = {}
    for i in intents:
        if i.by and (stem := _own_stem(i)) and stem not in known:
            votes.setdefault(stem, Counter())[i.noun] += 2 if i.kind in ("update", "delete") else 1
    aliases = {stem: min(some, key=lambda n: (-some[n], len(n), n)) for stem, some in votes.items()}
    named = [(i, [(aliases.get(what, what), parameter) for what, parameter in i.under]) for i in intents]
    return [replace(i, under=tuple(u for u in under if u != (i.noun, i.by))) for i, under in named]


def _owned(intent: OperationIntent, known: set[Noun]) -> OperationIntent:
    """With what else its parameters name: `accountHolderCode` where there are account holders. A path says it all itself."""
    if "{" in intent.operation.path:
        return intent
    needed = set(needed_parameters(intent.operation)) - {intent.by, *(parameter for _, parameter in intent.under)}
    named = [(_stem(p), p.name) for p in intent.operation.parameters if p.name in needed and may_be_id(p)]
    return replace(intent, under=(*intent.under, *((n, p) for n, p in named if n in known and n != intent.noun)))


# wholes


def _wholes(intents: Sequence[OperationIntent]) -> list[OperationIntent]:
    by_noun: dict[Noun, list[OperationIntent]] = {}
    for i in intents:
        by_noun.setdefault(i.noun, []).append(i)
    managed = {n for n, some in by_noun.items() if any(i.kind in ("create", "update", "delete") for i in some)}
    to: dict[Noun, Noun] = {}
    for what, some in by_noun.items():
        own = any(i.kind == "create" or (i.by and _own_stem(i) == what) for i in some)
        ends = [what[k:] for k in range(1, len(what)) if what[k:] in managed]
        if own or not ends:
            continue
        front = what[: len(what) - len(ends[0])]
        named = {owner for i in some for owner, _ in i.under} | {_own_stem(i) for i in some if i.by}
        if front in named or ends[0] in named or front[-1].endswith("ed") or not any(i.by or i.under for i in some):
            to[what] = ends[0]
    return [replace(i, noun=to.get(i.noun, i.noun)) for i in intents]


def _told(intents: Sequence[OperationIntent]) -> list[OperationIntent]:
    """Lists that are only called something else: `channel history`, which is said to give messages, where messages are made."""
    made = {i.noun for i in intents if i.kind == "create"}
    managed = {i.noun for i in intents if i.kind != "list"}

    def told(i: OperationIntent) -> OperationIntent:
        words = parts(_SENTENCE.split(i.operation.says, maxsplit=1)[0])
        named = [n for n in made - {owner for owner, _ in i.under} if plural(n[-1]) in words]
        past = i.kind == "list" and i.noun[-1] in PAST and i.noun not in managed and i.operation.output_schema is None
        return replace(i, noun=named[0]) if past and len(named) == 1 else i

    return [told(i) for i in intents]


# links


def _linked(intents: Sequence[OperationIntent]) -> Iterator[OperationIntent]:
    """Deeds that say nothing but which one of two things that both stand for themselves, as deeds on a link of the two."""
    alone = {i.noun for i in intents if i.by and not i.under}
    named = {i.noun for i in intents if i.by}
    put: set[str] = set()
    for i in intents:
        path, says = i.operation.path, i.operation.body is not None or any(True for _ in record_inputs(i))
        both = i.by and i.under and i.noun in alone and i.under[-1][0] in named
        put |= {path} if i.kind == "update" and "{" in path and both and not says else set()
    for i in intents:
        if i.operation.path in put and i.kind in ("update", "delete"):
            kind, link = "create" if i.kind == "update" else "delete", (*i.under[-1][0], *i.noun)
            i = replace(i, kind=kind, noun=link, by="", under=(*i.under, (i.noun, i.by)))
        yield i


# parts


def _parts(intents: Sequence[OperationIntent]) -> Iterator[OperationIntent]:
    known = {i.noun for i in intents}
    by_id = (i for i in intents if i.by and (i.operation.path or _own_stem(i) == i.noun or _own_stem(i) not in known))
    own_ids = {i.noun for i in by_id} | {i.noun for i in intents if i.kind == "create"}
    under: dict[tuple[Noun, Noun], set[str]] = {}
    for i in intents:
        kind = "put" if i.operation.method in ("PUT", "PATCH") else i.kind
        under.setdefault((i.noun, i.under[-1][0] if i.under else ()), set()).add(kind)
    for i in intents:
        owner, parameter, rest = _whose(i, known)
        kinds = under.get((i.noun, owner), set())
        if not owner or owner == i.noun:
            yield i
        elif i.operation.method == "POST" and i.kind == "update" and not i.verb and not kinds & {"list", "get", "put"}:
            told = any(True for _ in record_inputs(i))
            move = replace(i, kind="move", noun=owner, verb=i.noun, by=parameter, under=rest)
            yield replace(i, kind="create") if told else move
        elif i.noun not in own_ids and "list" not in kinds:
            yield _part_of(i, owner, parameter, rest)
        else:
            item = find_item(i.operation.answer, i.noun)
            many = i.kind == "get" and (item is None or item.many)
            yield replace(i, kind="list", by="", under=(*rest, (owner, parameter))) if many else i


def _whose(intent: OperationIntent, known: set[Noun]) -> tuple[Noun, str, Owners]:
    """The thing whose id an operation takes where it takes none of its own, the parameter, and what it hangs under besides."""
    stem = _own_stem(intent)
    if intent.kind in ONE and intent.by and not intent.operation.path and stem in known and stem != intent.noun:
        return stem, intent.by, intent.under
    if intent.kind in ONE and not intent.by and intent.under and intent.under[-1][0] in known:
        return (*intent.under[-1], intent.under[:-1])
    return (), "", ()


def _part_of(intent: OperationIntent, owner: Noun, parameter: str, under: Owners) -> OperationIntent:
    words = intent.noun[len(owner) :] if intent.noun[: len(owner)] == owner else intent.noun
    kind, verb = intent.kind, intent.verb
    if kind == "delete":
        kind, verb = "move", (*(verb[:1] or ("remove",)), *words)
    elif kind == "move":
        verb = (*verb, *(w for w in words if w not in verb))
    part = ("_".join(words),) if kind in ("get", "update") and words else ()
    return replace(intent, kind=kind, noun=owner, verb=verb, by=parameter, under=under, part=part)


# records


def _recorded(intents: Sequence[OperationIntent]) -> Iterator[OperationIntent]:
    """Deeds on no record that is named, as records of themselves: what they say is kept."""
    many = {i.noun for i in intents if i.by or i.kind in ("list", "create")}
    for i in intents:
        alone = not i.by and not i.under and any(True for _ in record_inputs(i))
        lost = i.kind in ("move", "other") or (i.kind in ("update", "delete") and i.noun in many)
        deed = i.verb[:1] if i.noun in many else ()
        yield replace(i, kind="create", noun=(*i.noun, *deed)) if alone and lost else i


# contexts


def _in_context(intents: Sequence[OperationIntent]) -> Iterator[OperationIntent]:
    """Things of one name under different owners, told apart where their records have next to nothing in common."""
    seen: dict[Noun, dict[Noun, set[str]]] = {}
    for i in intents:
        item = find_item(i.operation.answer, i.noun, i.kind == "list")
        if _in_path(i) and item is not None and item.shape.fields:
            seen.setdefault(i.noun, {}).setdefault(i.under[-1][0] if i.under else (), set()).update(item.shape.fields)
    for i in intents:
        mine = i.under[-1][0] if i.under else ()
        own = seen.get(i.noun, {}).get(mine, set())
        others = [fields for owner, fields in seen.get(i.noun, {}).items() if owner != mine]
        apart = own and others and all(3 * len(own & fields) < min(len(own), len(fields)) for fields in others)
        yield replace(i, noun=(*mine, *i.noun)) if mine and apart and _in_path(i) and i.noun[: len(mine)] != mine else i


def _in_path(intent: OperationIntent) -> bool:
    """Whether its path says what it hangs under."""
    return all(f"{{{parameter}}}" in intent.operation.path for _, parameter in intent.under)
