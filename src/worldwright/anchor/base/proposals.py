"""Changes to a Blueprint that a document supports. Each is made on trial: `adapt` keeps those with which the Blueprint loads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.anchor.base.cases import mended
from worldwright.anchor.base.figures import Figure, Slot, bounded, comparison, figure, places_of, slots, with_variants
from worldwright.anchor.base.records import Change, Match
from worldwright.anchor.base.rules import Meant, literal
from worldwright.anchor.base.words import meanings, same_name
from worldwright.anchor.evidence import Evidence, Quantity, Source
from worldwright.anchor.names import noun, parts
from worldwright.core.names import words
from worldwright.english.nouns import plural
from worldwright.english.stems import stem

Data = dict[str, Any]

MAX_WORDS = 3
"""Words of a noun that is taken over."""
NEAR_BY = 2
"""Words within which a noun follows its verb: `places purchase orders`."""
READS = frozenset({"find", "search", "list", "get", "show", "look"})
"""First words of operations that only read: documents rarely speak of them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change, and what of the document goes unused where it cannot be made."""

    what: str
    source: Source | None
    make: Callable[[Data], Change | None]
    """Makes it in place and says what has changed; None where it cannot be made."""


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


def _policy_maker(policy: str, several: Sequence[Meant]) -> Callable[[Data], Change | None]:
    def make(data: Data) -> Change | None:
        spec = data["policies"][policy]
        known = {s.name: s for s in slots(spec)}
        figures = {p: q for m in several for p, q in m.figures.items()}
        new = _figured(spec, known, figures)
        own_words = _worded(new, known, several[0]) if len(several) == 1 else None
        for attempt in (own_words, new):
            kept = None if attempt is None else mended(data, policy, attempt, spec.get("parameters") or {})
            if kept is not None:
                data["policies"] |= kept
                return _settled(data, policy, spec, several, attempt is own_words)
        return None

    return make


def _figured(spec: Data, known: Mapping[str, Slot], figures: Mapping[str, Quantity]) -> Data:
    """The policy with the document's figures."""
    parameters = dict(spec.get("parameters") or {})
    for name, quantity in figures.items():
        slot = known[name]
        value = figure(quantity, slot)
        if value is not None:
            parameters[name] = with_variants(slot.values, value, places_of(slot))
    return {**spec, "parameters": parameters} if parameters else dict(spec)


def _worded(spec: Data, known: Mapping[str, Slot], one: Meant) -> Data | None:
    """The policy in the words of the sentence; None where they would not say exactly what the rule does."""
    placed = [q.text for q in one.figures.values()]
    rest = [q for q in one.rule.quantities if not any(q.text in text for text in placed)]
    missing = [name for name in known if name not in one.figures]
    if not one.whole or missing or not all(literal(q, spec) for q in rest):
        return None
    says = as_template(one.rule.says, known, one.figures)
    if says is None:
        return None
    out = {**spec, "says": says}
    key = "rule" if spec.get("rule") is not None else "when"
    for name, quantity in one.figures.items():
        rule = bounded(str(out[key]), name, quantity)
        if rule is None:
            return None
        out[key] = rule
    return out


def _settled(data: Data, policy: str, before: Data, several: Sequence[Meant], worded: bool) -> Change:
    """What has changed in a policy; the past and the goals follow its figures."""
    now = data["policies"][policy]
    now["source"] = source_of([m.rule.source for m in several])
    told: list[str] = []
    for name, values in (now.get("parameters") or {}).items():
        old, new = before["parameters"][name].get("default"), values.get("default")
        if old != new:
            follow(data, comparison(str(now.get("rule") or ""), name), old, new)
            told.append(f"{name} is {new:g}, was {old:g}{_in_money(data, several, name)}")
    told.append("the document's sentence" if worded else "the catalogue's wording")
    if now.get("rule") != before.get("rule"):
        told.append(f"the limit itself as the sentence has it: `{now['rule']}`")
    return Change(f"policies.{policy}", "; ".join(told), several[0].rule.source)


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


# nouns, roles, money


def of_entities(matches: Sequence[Match]) -> Iterator[Proposal]:
    """The document's noun for what the Blueprint keeps."""
    for match in matches:
        yield Proposal(match.what, match.source, _entity_maker(match, match.node.removeprefix("entities.")))


def _entity_maker(match: Match, name: str) -> Callable[[Data], Change | None]:
    def make(data: Data) -> Change | None:
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


def of_roles(matches: Sequence[Match]) -> Iterator[Proposal]:
    """The document's name for a role."""
    for match in matches:
        name = match.node.removeprefix("roles.")
        if parts(match.what) != parts(name):
            yield Proposal(match.what, match.source, _role_maker(match, name))


def _role_maker(match: Match, name: str) -> Callable[[Data], Change | None]:
    def make(data: Data) -> Change | None:
        title = clean(match.what)[:60]
        data["roles"][name] = f"{data['roles'][name]} ({title})"
        return Change(match.node, f"called {title}", match.source)

    return make


def of_currency(evidence: Evidence, data: Data) -> Iterator[Proposal]:
    """The document's currency, where the Blueprint has only one."""
    said = Counter(q.currency for r in evidence.rules for q in r.quantities if q.currency)
    ours = str(data.get("currency", "USD"))
    most = max(sorted(said), key=lambda c: said[c], default="")
    if not re.fullmatch(r"[A-Z]{3}", most) or most == ours or _mentions(data, ours):
        return
    source = next(r.source for r in evidence.rules if any(q.currency == most for q in r.quantities))

    def make(copy: Data) -> Change | None:
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


# operations


def of_operations(evidence: Evidence, data: Data) -> Iterator[tuple[Match, Proposal]]:
    """Operations that a sentence of the document names by verb and noun."""
    said = [(meanings(text), text, source) for text, source in _sentences(evidence)]
    for name in data["operations"]:
        verb, *rest = parts(name)
        what = meanings(" ".join(rest))
        if verb in READS or not what:
            continue
        does = (*meanings(verb), stem(verb))[0]
        hit = next(((text, source) for found, text, source in said if _beside(found, does, what[-1])), None)
        if hit is not None:
            match = Match(
                "action", clean(hit[0])[:120], f"operations.{name}", f"{verb} and {' '.join(rest)} stand in it", hit[1]
            )
            yield match, Proposal(clean(hit[0]), hit[1], _citer(name, match))


def _beside(said: Sequence[str], verb: str, what: str) -> bool:
    """Whether verb and noun stand close together in a sentence, the verb first."""
    places = [k for k, word in enumerate(said) if word == verb]
    return any(what in said[k + 1 : k + 1 + NEAR_BY] for k in places)


def _sentences(evidence: Evidence) -> Iterator[tuple[str, Source | None]]:
    for operation in evidence.operations:
        yield operation.name, operation.source
    for person in evidence.people:
        yield from ((part, person.source) for part in re.split(r"[.;]\s", person.says) if part)
    for rule in evidence.rules:
        yield rule.says, rule.source


def _citer(name: str, match: Match) -> Callable[[Data], Change | None]:
    def make(data: Data) -> Change | None:
        data["operations"][name]["source"] = source_of([match.source])
        return Change(match.node, "cites the document; what it does is the catalogue's", match.source)

    return make


# Texts of a Blueprint in the words of a document: sentences as templates, and one word put for another wherever people read.


MAX_SENTENCE_CHARS = 400
"""Letters of a text that is taken from a document."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")
_DIGITS = r"(?<![\w.])\d[\d.,]*(?<=\d)(?:\s?[kKmM](?![a-zA-Z]))?"
_SPELT = (
    r"(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty|forty-five|forty|"
    r"fifty|sixty|ninety|an?)(?!\w)"
)
_MONEY = r"(?:US\$|[€$£¥]|[A-Z]{3}\b|euros?|dollars?|pounds?|francs?|kroner|kronor|yen|rupees?|million|thousand)"
_FORMS: Mapping[str, tuple[str, str]] = {
    "money": (rf"(?:{_MONEY}\s?)*", rf"(?:\s?{_MONEY})*"),
    "percent": ("", r"\s?(?:%|percent|per cent)"),
    "days": ("", r"[\s-](?:calendar\s)?(?:days?|weeks?|years?|hours?)"),
    "int": ("", ""),
}
"""By the form of a parameter, what stands before and after its figure in a sentence."""
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


def as_template(sentence: str, slots: Mapping[str, Slot], figures: Mapping[str, Quantity]) -> str | None:
    """The sentence with a placeholder for each of its figures; None where one of them cannot be found."""
    text = sentence
    if "{" in text or "}" in text or len(text) > MAX_SENTENCE_CHARS:
        return None
    for name, quantity in figures.items():
        slot = slots[name]
        before, after = _FORMS[slot.form]
        written = _DIGITS if any(ch.isdigit() for ch in quantity.text) else _SPELT
        found = re.search(f"{before}{written}{after}", quantity.text)
        if found is None or text.count(quantity.text) != 1:
            return None
        placeholder = f"{{{name}:{slot.form}}}"
        said = quantity.text[: found.start()] + placeholder + quantity.text[found.end() :]
        text = text.replace(quantity.text, said)
    text = clean(text)
    return text if text.endswith((".", "!", "?")) else f"{text}."


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
