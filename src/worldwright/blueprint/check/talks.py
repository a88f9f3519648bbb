"""Conversations: how a requester begins, what they tell when they are asked and what they do. Together that is all that the request
says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from worldwright.blueprint.check.draws import parse_draws
from worldwright.blueprint.check.entities import check_name, parse_template
from worldwright.blueprint.check.history import check_arguments
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Get, KnownAct, KnownFact, Operation, Talk
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import ActSpec, FactSpec, TalkSpec
from worldwright.core.names import suggest
from worldwright.people.orders import ACTION
from worldwright.people.understand import understand
from worldwright.world.tasks import Fact

KINDS = ("record", "reference", "person", "place", "date", "money", "count", "choice", "reason", "text")
"""What a fact can be to whoever asks for it."""
_VALUE = re.compile(r"\{[^{}]+\}")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
MIN_EXAMPLES = 3
MAX_FACTS = 6
FACT_KINDS: Mapping[str, str] = {
    "date": "date", "time": "date", "money": "money", "foreign": "money", "int": "count", "decimal": "count", "number": "count",
    "enum": "choice", "bool": "choice", "ref": "record", "text": "text",
}  # fmt: skip
"""What a value is to whoever asks for it, by its type."""


def check_talk(
    spec: TalkSpec,
    known: Scope,
    asks: Sequence[n.Format],
    language: Language,
    operations: Mapping[str, Operation],
    report: Reporter,
) -> Talk | None:
    found: Talk | None = None
    with report.at("talk"):
        types, drawn = parse_draws(spec.draws, "draws", known.names, language, report)
        scope = Scope({**known.names, **types})
        if not spec.opens:
            report.add("a conversation that nobody opens", "give it `opens`")
        told, done = len(spec.knows), len(spec.does)
        if not told + done + len(spec.adds) or told + done > MAX_FACTS:
            report.add(f"a requester knows and does 1 to {MAX_FACTS} things, not {told + done}", "or adds something")
        for i, text in enumerate(spec.draws):
            thought = (fact.thinks for fact in spec.knows.values())
            if all(f"{{{text}" not in said for said in (*spec.opens, *thought)):
                report.add(f"no opening says `{text}`, number {i + 1} of `draws`", "say it there, or leave it out")
        if spec.changes and not told + done:
            report.add(
                "a change of mind that nobody hears", "it comes with the first answer: give them `knows` or `does`"
            )
        knows = [_fact(name, fact, scope, language, report) for name, fact in spec.knows.items()]
        does = [_act(name, act, known, language, operations, report) for name, act in spec.does.items()]
        found = Talk(
            {name: (types[name], node) for name, node in drawn.items()},
            _texts("opens", spec.opens, scope, language, report),
            tuple(fact for fact in knows if fact is not None),
            tuple(act for act in does if act is not None),
            _texts("changes", spec.changes, scope, language, report),
            _texts("adds", spec.adds, scope, language, report),
        )
        if len(found.knows) == told and len(found.does) == done:
            _check_complete(found, asks, report)
            _check_changes(found, known, report)
            _check_understood(found, report)
        _check_kept_back(spec, report)
    return found


def _texts(key: str, texts: Sequence[str], scope: Scope, language: Language, report: Reporter) -> tuple[n.Format, ...]:
    out = []
    for i, text in enumerate(texts):
        with report.at(key, i):
            out.append(parse_template(text, language, scope))
    return tuple(out)


def _fact(name: str, spec: FactSpec, scope: Scope, language: Language, report: Reporter) -> KnownFact | None:
    found: KnownFact | None = None
    with report.at("knows", name):
        check_name(report, name, "a fact")
        if not spec.says and name not in scope.names:
            raise ExprError(
                f"nothing is called `{name}`", f"say what they answer with `says`, or {suggest(name, scope.names)}"
            )
        _check_named(spec, report)
        says = parse_template(spec.says or f"{{{name}}}", language, scope)
        values = _list_values(says)
        if spec.kind and spec.kind not in KINDS:
            report.add(f"no fact is a `{spec.kind}`", suggest(spec.kind, KINDS))
        kind = spec.kind or (FACT_KINDS.get(values[0].type.kind, "text") if values else "text")
        thinks = parse_template(spec.thinks, language, scope) if spec.thinks else None
        if thinks is not None and _list_said(thinks) == _list_said(says):
            with report.at("thinks"):
                report.add("they believe what is true", "say there what they are wrong about, or leave it out")
        found = KnownFact(name, kind, says, spec.called, spec.asked, thinks)
    return found


def _act(
    name: str, spec: ActSpec, scope: Scope, language: Language, operations: Mapping[str, Operation], report: Reporter
) -> KnownAct | None:
    found: KnownAct | None = None
    with report.at("does", name):
        check_name(report, name, "something that is done")
        operation = operations.get(spec.do)
        if operation is None:
            raise ExprError(f"no operation is called `{spec.do}`", suggest(spec.do, operations))
        _check_named(spec, report)
        given = _list_given(operation, language)
        for part in _VALUE.findall(spec.says):
            if part[1:-1] not in given:
                with report.at("says"):
                    report.add(f"`{spec.do}` gives no `{part[1:-1]}`", suggest(part[1:-1], given))
        args = check_arguments(spec.with_, operation, scope, language, report)
        found = KnownAct(name, spec.do, args, spec.called, spec.asked, spec.says)
    return found


def _list_given(operation: Operation, language: Language) -> list[str]:
    """The names of what a call of the operation gives."""
    entity = operation.read.entity if isinstance(operation.read, Get) else ""
    if isinstance(operation.gives, n.Node):
        entity = operation.gives.type.entity
    if entity:
        return ["id", *(c.name for c in language.schema.entities[entity].columns.values() if not c.hidden)]
    return [name for name, _ in operation.gives or ()] if not isinstance(operation.gives, n.Node) else []


def _check_named(spec: FactSpec | ActSpec, report: Reporter) -> None:
    if not spec.called:
        report.add("nobody can call it by a name", "give it `called`")
    different = len({_leave_out_punctuation(text) for text in spec.asked})
    if different < MIN_EXAMPLES:
        given = f"{different} different examples" if different != 1 else "1 example"
        report.add(
            f"{given} of how one asks for it", f"give at least {MIN_EXAMPLES} under `asked`, each in other words"
        )


def _leave_out_punctuation(text: str) -> tuple[str, ...]:
    """The words of a text, to compare it with another: `Which day?` and `which day` are one."""
    return tuple(_PUNCTUATION.sub("", text.casefold()).split())


def _list_said(text: n.Format) -> list[str | n.Node]:
    """What a text says, word by word and value by value, in whatever form."""
    out: list[str | n.Node] = []
    for part in text.parts:
        out.extend(_leave_out_punctuation(part) if isinstance(part, str) else (part[0],))
    return out


def _check_understood(talk: Talk, report: Reporter) -> None:
    """The first example of everything is understood as what it is an example of."""
    topics = list_topics(talk)
    for kind, parts in (("knows", talk.knows), ("does", talk.does)):
        for part in parts:
            heard = understand(part.asked[0], topics) if part.asked else None
            if heard is not None and heard.asked != (part.name,):
                with report.at(kind, part.name, "asked"):
                    instead = " and ".join(heard.asked or heard.unclear) or "nothing"
                    report.add(f"the first example is understood as {instead}", "begin with one that is plainer")


def list_topics(talk: Talk) -> list[Fact]:
    """What somebody may be asked for, as it is understood."""
    facts = [Fact(k.name, k.kind, k.called, "", k.asked) for k in talk.knows]
    return [*facts, *(Fact(a.name, ACTION, a.called, "", a.asked) for a in talk.does)]


def _check_complete(talk: Talk, asks: Sequence[n.Format], report: Reporter) -> None:
    """What the request says in one piece must be said in the conversation too, and facts must be facts: not in each opening."""
    told = _names([fact.says for fact in talk.knows]) | _names([*talk.adds, *talk.changes])
    for i, opening in enumerate(talk.opens):
        missing = sorted(_names(asks[:1]) - told - _names([opening]))
        if missing:
            with report.at("opens", i):
                report.add(
                    f"nobody ever says `{missing[0]}`, which the request says",
                    "add it to `opens`, or a fact under `knows`",
                )


def _check_changes(talk: Talk, known: Scope, report: Reporter) -> None:
    """What a change says can be asked for again: an opening says it too, or a fact tells it."""
    told = [value for fact in talk.knows for value in _list_values(fact.says)]
    opened = [_list_values(opening) for opening in talk.opens]
    for i, change in enumerate(talk.changes):
        with report.at("changes", i):
            for value in dict.fromkeys(_list_values(change)):
                names = n.free_names(value)
                if names.isdisjoint(known.names) or names & talk.draws.keys():
                    continue
                if value not in told and not all(value in values for values in opened):
                    name = _spell(value)
                    report.add(
                        f"no fact tells `{name}`: who asks for it after this is not understood",
                        f"add one under `knows` that says `{name}`",
                    )


def _spell(value: n.Node) -> str:
    """A value by its path, or by what it is worked out from."""
    if isinstance(value, n.Field):
        return f"{_spell(value.base)}.{value.name}"
    return ", ".join(sorted(n.free_names(value)))


def _list_values(text: n.Format) -> list[n.Node]:
    return [part[0] for part in text.parts if not isinstance(part, str)]


def _check_kept_back(spec: TalkSpec, report: Reporter) -> None:
    """Nobody has to ask for what every opening says."""
    for name, fact in spec.knows.items():
        values = set(_VALUE.findall(fact.says or f"{{{name}}}"))
        if values and spec.opens and all(values <= set(_VALUE.findall(opening)) for opening in spec.opens):
            with report.at("knows", name):
                report.add("the openings say this already", "leave it out there, or here")


def _names(texts: Sequence[n.Format]) -> set[str]:
    return {name for text in texts for node in _list_values(text) for name in n.free_names(node)}
