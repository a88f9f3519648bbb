"""Conversations: how a requester begins, and what they tell when they are asked. Together that is all that the request says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from worldwright.blueprint.check.entities import check_name, parse_template
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import KnownFact, Talk
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import FactSpec, TalkSpec
from worldwright.core.names import suggest

KINDS = ("record", "reference", "person", "place", "date", "money", "count", "choice", "reason", "text")
"""What a fact can be to whoever asks for it."""
_VALUE = re.compile(r"\{[^{}]+\}")
MIN_EXAMPLES = 3
MAX_FACTS = 6
FACT_KINDS: Mapping[str, str] = {
    "date": "date", "time": "date", "money": "money", "foreign": "money", "int": "count", "decimal": "count", "number": "count",
    "enum": "choice", "bool": "choice", "ref": "record", "text": "text",
}  # fmt: skip
"""What a value is to whoever asks for it, by its type."""


def check_talk(
    spec: TalkSpec, scope: Scope, asks: Sequence[n.Format], language: Language, report: Reporter
) -> Talk | None:
    found: Talk | None = None
    with report.at("talk"):
        opens = []
        for i, text in enumerate(spec.opens):
            with report.at("opens", i):
                opens.append(parse_template(text, language, scope))
        if not opens:
            report.add("a conversation that nobody opens", "give it `opens`")
        if not len(spec.knows) + len(spec.adds) >= 1 or len(spec.knows) > MAX_FACTS:
            report.add(
                f"a requester keeps 1 to {MAX_FACTS} facts back, not {len(spec.knows)}", "or they have something to add"
            )
        knows = [_fact(name, fact, scope, language, report) for name, fact in spec.knows.items()]
        adds = []
        for i, text in enumerate(spec.adds):
            with report.at("adds", i):
                adds.append(parse_template(text, language, scope))
        found = Talk(tuple(opens), tuple(fact for fact in knows if fact is not None), tuple(adds))
        _check_complete(found, len(knows), asks, report)
        _check_kept_back(spec, report)
    return found


def _fact(name: str, spec: FactSpec, scope: Scope, language: Language, report: Reporter) -> KnownFact | None:
    found: KnownFact | None = None
    with report.at("knows", name):
        check_name(report, name, "a fact")
        if not spec.says and name not in scope.names:
            raise ExprError(
                f"nothing is called `{name}`", f"say what they answer with `says`, or {suggest(name, scope.names)}"
            )
        if not spec.called:
            report.add("a fact that nobody can call by a name", "give it `called`")
        if len(spec.asked) < MIN_EXAMPLES:
            report.add(
                f"{len(spec.asked)} examples of how one asks for it", f"give at least {MIN_EXAMPLES} under `asked`"
            )
        says = parse_template(spec.says or f"{{{name}}}", language, scope)
        values = [part[0] for part in says.parts if not isinstance(part, str)]
        if spec.kind and spec.kind not in KINDS:
            report.add(f"no fact is a `{spec.kind}`", suggest(spec.kind, KINDS))
        kind = spec.kind or (FACT_KINDS.get(values[0].type.kind, "text") if values else "text")
        found = KnownFact(name, kind, says, spec.called, spec.asked)
    return found


def _check_complete(talk: Talk, facts: int, asks: Sequence[n.Format], report: Reporter) -> None:
    """What the request says in one piece must be said in the conversation too, and facts must be facts: not in each opening."""
    if len(talk.knows) < facts:
        return
    told = _names([fact.says for fact in talk.knows]) | _names(talk.adds)
    for i, opening in enumerate(talk.opens):
        missing = sorted(_names(asks[:1]) - told - _names([opening]))
        if missing:
            with report.at("opens", i):
                report.add(
                    f"nobody ever says `{missing[0]}`, which the request says",
                    "add it to `opens`, or a fact under `knows`",
                )


def _check_kept_back(spec: TalkSpec, report: Reporter) -> None:
    """Nobody has to ask for what every opening says."""
    for name, fact in spec.knows.items():
        values = set(_VALUE.findall(fact.says or f"{{{name}}}"))
        if values and spec.opens and all(values <= set(_VALUE.findall(opening)) for opening in spec.opens):
            with report.at("knows", name):
                report.add("the openings say this already", "leave it out there, or here")


def _names(texts: Sequence[n.Format]) -> set[str]:
    parts = (part[0] for text in texts for part in text.parts if not isinstance(part, str))
    return {name for node in parts for name in n.free_names(node)}
