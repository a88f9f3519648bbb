"""A Blueprint of the catalogue under the name, title and summary of a document.

What the document speaks of as well cites it; all else keeps the catalogue as its source, so that everything borrowed says so.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright import catalogue
from worldwright.anchor.base.words import meanings
from worldwright.anchor.evidence import Evidence, Resource, Source
from worldwright.anchor.names import identifier, parts
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.source import load_yaml
from worldwright.formats.strict_yaml import dump_yaml

SECTIONS = ("entities", "terms", "policies", "operations", "always", "goals", "personas")
"""Parts of a Blueprint whose nodes say where they come from."""

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Match:
    """Something of the document that is something of the Blueprint."""

    what: str
    """As the document calls it."""
    node: str
    """In the Blueprint: `entities.vendor`."""
    why: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A node of the Blueprint that is no longer the catalogue's."""

    node: str
    says: str
    """What was changed, and from what."""
    source: Source | None = None
    """The span that it was changed for; None where somebody asked for it."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Something of the document that the Blueprint does not have."""

    what: str
    why: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Adapted:
    """A Blueprint of the catalogue as a document would have it."""

    blueprint: str
    """Its text. It loads and checks."""
    base: str
    """The domain of the catalogue."""
    matched: tuple[Match, ...]
    adapted: tuple[Change, ...]
    borrowed: tuple[str, ...]
    """Every node that is only the catalogue's: `policies.bank_verified`. Each says so in its `source`."""
    unused: tuple[Unused, ...]


def adapt_blueprint(domain: str, evidence: Evidence, name: str, title: str) -> Adapted:
    """Take the Blueprint of a domain under the document's name, title and summary, with every node marked by its source."""
    data = _mark_sources(expand_patterns(load_yaml(catalogue.text(domain), f"{domain}.yaml")).data, domain)
    changes = _set_heading(data, evidence, name, title)
    resources = match_entities(evidence.resources, data["entities"])
    for match in resources.values():
        data["entities"][match.node.removeprefix("entities.")]["source"] = clean_text(str(match.source or ""))[:300]
        changes.append(Change(match.node, f"cites {match.what}", match.source))
    matched, left = tuple(resources.values()), tuple(_list_unused(evidence, domain, set(resources)))
    return Adapted(dump_yaml(data), domain, matched, tuple(changes), tuple(_list_borrowed(data, domain)), left)


def _mark_sources(data: Data, domain: str) -> Data:
    """Copy a Blueprint with the catalogue as the source of every node."""
    data = copy.deepcopy(data)
    for _, node in _iter_nodes(data):
        before = str(node.pop("source", ""))
        node["source"] = f"catalogue:{domain}" + (f"#{before}" if before else "")
    return data


def _iter_nodes(data: Data) -> Iterator[tuple[str, Data]]:
    for section in SECTIONS:
        for name, node in (data.get(section) or {}).items():
            if isinstance(node, dict):
                yield f"{section}.{name}", node
    for name, node in ((data.get("history") or {}).get("flows") or {}).items():
        yield f"history.flows.{name}", node
    for node in data.get("mess") or ():
        yield f"mess.{node.get('label', '')}", node


def _list_borrowed(data: Data, domain: str) -> Iterator[str]:
    mark = f"catalogue:{domain}"
    return (place for place, node in _iter_nodes(data) if str(node.get("source", "")).split("#")[0] == mark)


def _set_heading(data: Data, evidence: Evidence, name: str, title: str) -> list[Change]:
    """Set the name that was asked for, and the title and summary that the document has."""
    changes: list[Change] = []
    wanted = {
        "blueprint": identifier(parts(name or evidence.title), "adapted"),
        "title": clean_text(title or evidence.title)[:120] or str(data.get("title", "")),
        "summary": shorten(evidence.says) or str(data.get("summary", "")),
    }
    for key, value in wanted.items():
        if value != data.get(key, ""):
            changes.append(Change(key, f"{value[:80]}, was {str(data.get(key, ''))[:80]}"))
            data[key] = value
    return changes


def _list_unused(evidence: Evidence, domain: str, resources: set[int]) -> Iterator[Unused]:
    """List what of the document found no place, with the reason."""
    for i, resource in enumerate(evidence.resources):
        if i not in resources:
            yield Unused(
                f"thing {clean_text(resource.name)}", f"{domain} keeps nothing that is clearly this", resource.source
            )
    for rule in evidence.rules:
        yield Unused(clean_text(rule.says), "the policies stay the catalogue's", rule.source)
    for one in evidence.states:
        says = f"states of {clean_text(one.resource)}: {clean_text(', '.join(one.states))}"
        yield Unused(says, "the lifecycles stay the catalogue's", one.source)
    for rows in evidence.rows:
        yield Unused(
            f"{rows.total} rows of {rows.resource}", "the rows of the world come from its own past", rows.source
        )


# Texts of a document as a Blueprint can hold them.


MAX_SUMMARY_CHARS = 400
"""Letters of a text that is taken from a document."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")


def clean_text(text: str) -> str:
    """Write a text of a document as one line that a Blueprint can hold."""
    return re.sub(r"\s+", " ", _UNSEEN.sub(" ", text)).strip()


def shorten(text: str) -> str:
    """Cut a text after a sentence or a word where it is too long for a summary."""
    text = clean_text(text)
    if len(text) <= MAX_SUMMARY_CHARS:
        return text
    cut = text[:MAX_SUMMARY_CHARS]
    end = max(cut.rfind(". ") + 1, 0)
    return cut[:end] if end > MAX_SUMMARY_CHARS // 3 else cut[: cut.rfind(" ")].rstrip(",;:") + " ..."


# Things of a document, and entities of a Blueprint: which is which.
#
# A thing is an entity where their names mean the same, or where they end in the same noun and have fields in common. Nothing is
# matched twice, and where two are equally near, nothing is.


SAME, ENDS_SAME, LEAST = 1.0, 0.45, 0.6
"""What equal names count, what an equal last word does, and from what on a match holds."""
FIELDS = 0.4
"""What it counts at most that fields are the same."""
FEW_FIELDS = 3

Ranked = list[tuple[float, int, int, str]]
"""Score, number of the one, number of the other, why."""


def match_entities(resources: Sequence[Resource], entities: Mapping[str, Mapping[str, Any]]) -> dict[int, Match]:
    """Map the number of each thing of a document to the entity that it is."""
    names = list(entities)
    ranked: Ranked = []
    for i, resource in enumerate(resources):
        for j, name in enumerate(names):
            score, why = _score_match(resource, name, entities[name])
            if score >= LEAST:
                ranked.append((score, i, j, why))
    return {
        i: Match(resources[i].name, f"entities.{names[j]}", why, resources[i].source)
        for i, j, why in _pick_pairs(ranked)
    }


def _pick_pairs(ranked: Ranked) -> list[tuple[int, int, str]]:
    """Pick the best pairs, each side once; one that has an equal is left out."""
    out: list[tuple[int, int, str]] = []
    firsts: set[int] = set()
    seconds: set[int] = set()
    for score, i, j, why in sorted(ranked, key=lambda r: (-r[0], r[1], r[2])):
        rivals = [r for r in ranked if r[0] == score and (r[1] == i) != (r[2] == j)]
        open_rivals = [r for r in rivals if r[1] not in firsts and r[2] not in seconds]
        if i in firsts or j in seconds:
            continue
        firsts.add(i)
        if not open_rivals:
            seconds.add(j)
            out.append((i, j, why))
    return sorted(out)


def _score_match(resource: Resource, name: str, spec: Mapping[str, Any]) -> tuple[float, str]:
    said = meanings(resource.name)
    called = [m for m in (meanings(name), meanings(str(spec.get("noun", "")))) if m]
    if not said or not called:
        return 0.0, ""
    shared, of = _count_common_fields(resource, spec)
    fields = f"{shared} of its {of} fields" if of else ""
    of_fields = FIELDS * shared / of if of >= FEW_FIELDS else 0.0
    if said in called:
        means = "has the same name" if parts(resource.name)[-1:] == parts(name)[-1:] else f"means the same as `{name}`"
        return SAME + of_fields, f"{means}; {fields}" if fields else means
    if any(said[-1] == m[-1] and (len(said) == 1 or len(m) == 1) for m in called):
        return ENDS_SAME + of_fields, f"ends in the same noun as `{name}`; {fields}"
    return (of_fields * 1.6 if of >= 2 * FEW_FIELDS and shared > of / 2 else 0.0), f"{fields} are those of `{name}`"


def _count_common_fields(resource: Resource, spec: Mapping[str, Any]) -> tuple[int, int]:
    """Count the fields of a thing that the entity has too, and all of its fields; an id says nothing."""
    known = {meanings(str(f)) for f in spec.get("fields", ())}
    said = [m for f in resource.fields if (m := meanings(f.name)) and m[-1] not in ("id", "uuid", "key")]
    return sum(_has_field(m, known) for m in said), len(said)


def _has_field(said: tuple[str, ...], known: set[tuple[str, ...]]) -> bool:
    return said in known or any(said[-1:] == k[-1:] and (len(said) == 1 or len(k) == 1) for k in known)
