"""Sentences in the code that say what is refused, with the figures of the conditions before them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from worldwright.anchor.evidence import Quantity, Resource, Rule
from worldwright.anchor.names import noun, parts
from worldwright.anchor.readers.repo.names import Repo, Scope, number
from worldwright.anchor.readers.repo.refusals import Refusal, is_sentence, refusals
from worldwright.anchor.readers.repo.source import Function, last, path_of
from worldwright.english.money import COMMON_CURRENCY_CODES, CURRENCY_SIGNS
from worldwright.english.nouns import plural, singular
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


_CURRENCY = re.compile(rf"[€$£¥]|\b({'|'.join(sorted(COMMON_CURRENCY_CODES))})\b")
_FILLED = re.compile(r"\{[^{}]*\}")


def rules(repo: Repo, resources: Sequence[Resource]) -> list[Rule]:
    """Every message that refuses under a condition, in order of the files, each once."""
    names = _names(resources)
    found: dict[tuple[str, str], Rule] = {}
    for function in repo.functions:
        if PurePosixPath(function.module.file).name in _PROGRAM_FILES:
            continue
        for refusal in refusals(repo, function):
            if refusal.condition is None or not refusal.says or not _is_rule(refusal):
                continue
            rule = _rule(repo, function, refusal, names)
            found.setdefault((rule.says, rule.heading), rule)
            if len(found) >= MAX_RULES:
                return list(found.values())
    return list(found.values())


def _names(resources: Sequence[Resource]) -> dict[str, str]:
    """What sentences may call things: `purchase order`, and `order` where no other thing ends like that."""
    short: dict[str, list[str]] = {}
    for resource in resources:
        for word in noun(resource.name)[-1:]:
            short.setdefault(word, []).append(resource.name)
    names = {word: found[0] for word, found in short.items() if len(found) == 1}
    return names | {" ".join(noun(t.name)): t.name for t in reversed(resources) if noun(t.name)}


def _is_rule(refusal: Refusal) -> bool:
    """Whether a message says something about the business, not that something was looked up in vain."""
    return is_sentence(refusal.says) and refusal.status != "404" and not _MISSING.search(refusal.says)


def _rule(repo: Repo, function: Function, refusal: Refusal, names: Mapping[str, str]) -> Rule:
    demands = next((word for pattern, word in _DEMANDS if pattern.search(refusal.says)), "must_not")
    scope = Scope(function.module, function.cls)
    refused = demands == "must_not"
    figures: list[Quantity] = []
    if refusal.condition is not None:
        figures = list(quantities(repo, scope, refusal.condition, refusal.holds == refused))
        currency = _CURRENCY.search(refusal.says)
        if currency:
            code = CURRENCY_SIGNS.get(currency[0], currency[0])
            figures = [replace(q, currency=code) if q.unit == "money" else q for q in figures]
    return Rule(
        refusal.says,
        demands,
        tuple(figures),
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


# Figures in conditions: what `amount > 5000` says about an amount of money.


_COMPARES: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Gt: ("over", "at_most"),
    ast.GtE: ("at_least", "under"),
    ast.Lt: ("under", "at_least"),
    ast.LtE: ("at_most", "over"),
    ast.Eq: ("exactly", ""),
    ast.NotEq: ("", "exactly"),
}
"""What a comparison means where it holds, and where it does not."""
_SWAPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_MONEY = frozenset({
    "amount", "price", "total", "cost", "budget", "limit", "balance", "fee", "salary", "subtotal", "payment", "credit", "deposit",
    "value", "spend", "spent", "refund", "premium", "payout", "deductible", "eur", "usd", "gbp", "jpy", "revenue", "charge",
})  # fmt: skip
_TIMES = ("days", "hours", "weeks", "months", "years", "minutes", "seconds")
_PERCENT = frozenset({"percent", "percentage", "pct", "rate"})
_COUNTS = frozenset({"quantity", "qty", "count", "number", "num"})
_DEEPEST = 6


def quantities(repo: Repo, scope: Scope, node: ast.expr, holds: bool, depth: int = 0) -> Iterator[Quantity]:
    """The figures that a condition compares with; `holds` says whether the sentence means the condition or its opposite."""
    if depth > _DEEPEST:
        return
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from quantities(repo, scope, operand, not holds, depth + 1)
        case ast.BoolOp(values=values):
            for value in values[:10]:
                yield from quantities(repo, scope, value, holds, depth + 1)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [left, *comparators]
            for i, op in enumerate(ops[:4]):
                found = _quantity(repo, scope, sides[i], op, sides[i + 1], holds)
                if found is not None:
                    yield found


def _quantity(repo: Repo, scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool) -> Quantity | None:
    kind: type[ast.cmpop] = type(op)
    figure, unit = _figure(repo, scope, right)
    subject = left
    if figure is None:
        figure, unit = _figure(repo, scope, left)
        subject, kind = right, _SWAPPED.get(type(op), type(op))
    if isinstance(subject, ast.BinOp) and isinstance(subject.op, ast.Mod):
        return None  # says something about a remainder, not about an amount
    if figure is None or kind not in _COMPARES or _figure(repo, scope, subject)[0] is not None:
        return None
    compares = _COMPARES[kind][0 if holds else 1]
    if not compares:
        return None
    text = scope.module.text(left, 100) + f" {_SIGNS[type(op)]} " + scope.module.text(right, 100)
    return Quantity(figure, unit or _unit(subject), compares, text)


_SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _figure(repo: Repo, scope: Scope, node: ast.expr) -> tuple[float | None, str]:
    """A number, or `timedelta(days=14)` with its unit."""
    if isinstance(node, ast.Call) and last(path_of(node)) == "timedelta":
        for given in node.keywords:
            value = number(repo.value(scope, given.value))
            if given.arg in _TIMES and value is not None:
                return value, given.arg
        return None, ""
    return number(repo.value(scope, node)), ""


def _unit(subject: ast.expr) -> str:
    """What a figure counts, by the name that is compared with it."""
    counted = isinstance(subject, ast.Call) and path_of(subject) == "len"
    path = _name(subject)
    own = parts(last(path))
    if not own:
        return ""
    if counted:
        return plural(singular(own[-1]))
    for word in reversed(parts(path)):
        if word in _TIMES or f"{word}s" in _TIMES:
            return word if word in _TIMES else f"{word}s"
        if word in _PERCENT:
            return "percent"
    if any(word in _MONEY for word in own):
        return "money"
    return "units" if own[-1] in _COUNTS else plural(singular(own[-1]))


def _name(subject: ast.expr) -> str:
    """`order.total` of itself, of `abs(order.total)`; `total` of `data["total"]` and of `data.get("total")`."""
    match subject:
        case ast.Call(func=ast.Name(id="len" | "abs" | "int" | "float" | "Decimal" | "sum"), args=[inner, *_]):
            return path_of(inner) or _key(inner)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as name), *_]):
            return name
        case ast.Subscript():
            return _key(subject)
    return path_of(subject)


def _key(node: ast.expr) -> str:
    match node:
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name
    return ""
