"""Changes to a Blueprint that a document supports. Each is made on trial: `adapt` keeps those with which the Blueprint loads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.base.figures import Figure, comparison, figure, slots
from worldwright.anchor.base.rules import Meant
from worldwright.anchor.base.words import same_name
from worldwright.anchor.evidence import Evidence, Quantity, Source
from worldwright.anchor.names import noun
from worldwright.core.names import words
from worldwright.english.nouns import plural

Data = dict[str, Any]

MAX_WORDS = 3
"""Words of a noun that is taken over."""
CATALOGUE = "catalogue"
"""The variant that keeps the catalogue's own figures."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change, and what of the document goes unused where it cannot be made."""

    what: str
    source: Source | None
    make: Callable[[Data], Change]
    """Makes it in place and says what has changed."""


def source_of(several: Sequence[Source | None]) -> str:
    """The places in a document, as a node of a Blueprint cites them."""
    return clean("; ".join(dict.fromkeys(str(s) for s in several if s is not None)))[:300]


# policies


def of_policies(found: Sequence[Meant]) -> Iterator[Proposal]:
    """One for each policy that the document speaks of."""
    groups: dict[str, list[Meant]] = {}
    for one in found:
        groups.setdefault(one.policy, []).append(one)
    for policy, several in groups.items():
        what = "; ".join(clean(m.rule.says) for m in several)
        yield Proposal(what, several[0].rule.source, _policy_maker(policy, several))


def _policy_maker(policy: str, several: Sequence[Meant]) -> Callable[[Data], Change]:
    def make(data: Data) -> Change:
        before = data["policies"][policy]
        data["policies"][policy] = with_figures(before, {p: q for m in several for p, q in m.figures.items()})
        return _settled(data, policy, before, several)

    return make


def with_figures(spec: Data, figures: Mapping[str, Quantity]) -> Data:
    """The policy with the document's figures.

    Its cases were written for the catalogue's figures: they stay, under a variant that has these."""
    before: Mapping[str, Mapping[str, Any]] = spec.get("parameters") or {}
    known = {s.name: s for s in slots(spec)}
    said = {name: figure(quantity, known[name]) for name, quantity in figures.items()}
    changed = {name: value for name, value in said.items() if value is not None and value != known[name].default}
    if not changed:
        return dict(spec)
    parameters = {name: {CATALOGUE: values["default"], **values} for name, values in before.items()}
    gone: set[str] = set()
    for name, value in changed.items():
        old = before[name]["default"]
        beyond = {v for v, x in before[name].items() if (x > old, x < old) != (x > value, x < value)} - {"default"}
        gone |= beyond
        others = {v: before[name].get(v, old) for values in before.values() for v in values}
        parameters[name] = {CATALOGUE: old, **others, "default": value}
    cases = [{**case, "variant": CATALOGUE} if "variant" not in case else case for case in spec.get("cases", ())]
    return {
        **spec,
        "parameters": {name: {v: x for v, x in values.items() if v not in gone} for name, values in parameters.items()},
        "cases": [case for case in cases if case["variant"] not in gone],
    }


def _settled(data: Data, policy: str, before: Data, several: Sequence[Meant]) -> Change:
    """What has changed in a policy; the past and the goals follow its figures."""
    now = data["policies"][policy]
    now["source"] = source_of([m.rule.source for m in several])
    told: list[str] = []
    for name, values in (now.get("parameters") or {}).items():
        old, new = before["parameters"][name].get("default"), values.get("default")
        if old != new:
            follow(data, comparison(str(now.get("rule") or ""), name), old, new)
            told.append(f"{name} is {new:g}, was {old:g}{_in_money(data, several, name)}")
    return Change(f"policies.{policy}", "; ".join([*told, "the catalogue's wording"]), several[0].rule.source)


def _in_money(data: Data, several: Sequence[Meant], name: str) -> str:
    """What to know of an amount that the document gives in another currency."""
    said = next((m.figures[name].currency for m in several if name in m.figures), "")
    return f" (the document says {said}, taken as {data['currency']})" if said and said != data.get("currency") else ""


def follow(data: Data, compared: Any, old: Figure, new: Figure) -> None:
    """Put the new figure where the past and the goals repeat the old one beside the field that the rule compares."""
    field = getattr(compared, "field", "")
    if not field:
        return
    pattern = re.compile(rf"(\.{re.escape(field)}\s*(?:<=|>=|<|>)\s*){re.escape(f'{old:g}')}(?![\w.])")
    for section in ("history", "goals"):
        if section in data:
            data[section] = _put(data[section], pattern, f"{new:g}")


def _put(node: Any, pattern: re.Pattern[str], new: str) -> Any:
    if isinstance(node, str):
        return pattern.sub(lambda m: m[1] + new, node)
    if isinstance(node, dict):
        return {k: _put(v, pattern, new) for k, v in node.items()}
    return [_put(v, pattern, new) for v in node] if isinstance(node, list) else node


# nouns, money


def of_entities(matches: Sequence[Match]) -> Iterator[Proposal]:
    """The document's noun for what the Blueprint keeps."""
    for match in matches:
        yield Proposal(match.what, match.source, _entity_maker(match, match.node.removeprefix("entities.")))


def _entity_maker(match: Match, name: str) -> Callable[[Data], Change]:
    def make(data: Data) -> Change:
        spec = data["entities"][name]
        old = str(spec.get("noun") or words(name))
        new = " ".join(noun(clean(match.what)))
        spec["source"] = source_of([match.source])
        if not _good_noun(new) or new == old:
            return Change(match.node, f"cites {match.what}", match.source)
        spec["noun"] = new
        apart = not set(new.split()) & set(old.split())
        texts = reword_all(data, old, new) if apart and same_name(new, old) else 0
        more = f", in {texts} texts" if texts else ""
        return Change(match.node, f"called {new}, was {old}{more}", match.source)

    return make


def _good_noun(text: str) -> bool:
    return text.isascii() and text.replace(" ", "").isalpha() and len(text.split()) <= MAX_WORDS


def of_currency(evidence: Evidence, data: Data) -> Iterator[Proposal]:
    """The document's currency, where the Blueprint has only one."""
    said = Counter(q.currency for r in evidence.rules for q in r.quantities if q.currency)
    ours = str(data.get("currency", "USD"))
    most = max(sorted(said), key=lambda c: said[c], default="")
    if not re.fullmatch(r"[A-Z]{3}", most) or most == ours or _mentions(data, ours):
        return
    source = next(r.source for r in evidence.rules if any(q.currency == most for q in r.quantities))

    def make(copy: Data) -> Change:
        copy["currency"] = most
        return Change("currency", f"{most}, was {ours}", source)

    yield Proposal(f"currency {most}", source, make)


def _mentions(node: Any, code: str) -> bool:
    """Whether anything but the book currency itself is in this currency."""
    if isinstance(node, dict):
        return any(_mentions(k, code) or (k != "currency" and _mentions(v, code)) for k, v in node.items())
    if isinstance(node, list):
        return any(_mentions(v, code) for v in node)
    return isinstance(node, str) and re.search(rf"\b{code}\b", node) is not None


# Texts of a Blueprint in the words of a document: one word put for another wherever people read.


MAX_SENTENCE_CHARS = 400
"""Letters of a text that is taken from a document."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")
_BRACES = re.compile(r"(\{[^{}]*\})")


def clean(text: str) -> str:
    """A text of a document as one line that a Blueprint can hold."""
    return re.sub(r"\s+", " ", _UNSEEN.sub(" ", text)).strip()


def shortened(text: str) -> str:
    """At most so much of it, cut after a sentence or a word."""
    text = clean(text)
    if len(text) <= MAX_SENTENCE_CHARS:
        return text
    cut = text[:MAX_SENTENCE_CHARS]
    end = max(cut.rfind(". ") + 1, 0)
    return cut[:end] if end > MAX_SENTENCE_CHARS // 3 else cut[: cut.rfind(" ")].rstrip(",;:") + " ..."


# one word for another


def reworded(text: str, old: str, new: str) -> str:
    """A text with one noun put for another, in both numbers, with its article; what stands in braces stays."""
    pieces = _BRACES.split(text)
    return "".join(p if p.startswith("{") else _without_braces(p, old, new) for p in pieces)


def _without_braces(text: str, old: str, new: str) -> str:
    for was, now in ((plural(old), plural(new)), (old, new)):
        pattern = re.compile(rf"(?:\b(an?)(\s+))?(?<![\w'])({re.escape(was)})(?![\w-])", re.IGNORECASE)
        text = pattern.sub(_putting(now), text)
    return text


def _putting(now: str) -> Callable[[re.Match[str]], str]:
    def put(found: re.Match[str]) -> str:
        word = now[:1].upper() + now[1:] if found[3][:1].isupper() else now
        if not found[1]:
            return word
        article = "an" if now[:1].lower() in "aeiou" else "a"
        return f"{article.capitalize() if found[1][0].isupper() else article}{found[2]}{word}"

    return put


TEXTS = frozenset({"says", "called", "asks", "then", "each"})
"""Keys under which texts for people stand; `each` is one only in a goal."""


def reword_all(data: dict[str, Any], old: str, new: str) -> int:
    """Put one noun for another in every text that people read. How many texts have changed."""
    changed = 0
    for section in ("entities", "terms", "policies", "operations", "always", "goals"):
        nodes = data.get(section)
        if isinstance(nodes, dict):
            changed += sum(_in_node(node, old, new, section) for node in nodes.values())
    for section in ("roles", "systems"):
        for name, text in (data.get(section) or {}).items():
            said = reworded(str(text), old, new)
            changed += said != text
            data[section][name] = said
    return changed


def _in_node(node: Any, old: str, new: str, section: str) -> int:
    if isinstance(node, list):
        return sum(_in_node(item, old, new, section) for item in node)
    if not isinstance(node, dict):
        return 0
    changed = 0
    for key, value in node.items():
        if key in TEXTS and (key != "each" or section == "goals"):
            said = _said(value, old, new)
            changed += said != value
            node[key] = said
        elif isinstance(value, (dict, list)):
            changed += _in_node(value, old, new, section)
    return changed


def _said(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return reworded(value, old, new)
    return [_said(v, old, new) for v in value] if isinstance(value, list) else value


# What came of adapting a Blueprint of the catalogue to a document. Records only.


@dataclass(frozen=True, slots=True)
class Match:
    """Something of the document that is something of the Blueprint."""

    kind: str
    """thing or rule"""
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
