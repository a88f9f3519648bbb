"""What a claim is bound to: the node that a reference such as `policy:carry_over` names, and whether it has force."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from worldwright.anchor.binding.records import TARGETS
from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked, once_per_blueprint
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.load import canonical
from worldwright.blueprint.model import InputSpec, StatementSpec
from worldwright.core.names import suggest
from worldwright.formats.strict_yaml import dump_yaml

_T = TypeVar("_T")
_REFERENCE = re.compile(r"([a-z]+):\s*(\S.*)\Z")


@dataclass(frozen=True, slots=True)
class Target:
    """A node that a claim can be bound to."""

    kind: str
    name: str
    text: str
    """Everything that the node says, rules and bounds included."""
    says: str = ""
    """The sentence that the agent reads, where there is one."""
    idle: str = ""
    """Why it has no force; empty where it has."""


def find_target(reference: str, checked: Checked) -> Target | str:
    """The node that a reference names, or what is wrong with it."""
    found = _REFERENCE.match(reference.strip())
    if found is None or found[1] not in TARGETS:
        return f"`{reference[:80]}` is no reference; expected one of {', '.join(f'{k}:...' for k in TARGETS)}"
    try:
        return _FINDERS[found[1]](found[2].strip(), checked)
    except _Nothing as e:
        return str(e)


class _Nothing(Exception):
    """A reference that names nothing, in words."""


def _pick(name: str, known: Mapping[str, _T], says: str) -> _T:
    """What is known under a name."""
    if name not in known:
        raise _Nothing(f"{says} `{name[:60]}`; {suggest(name, known)}")
    return known[name]


@once_per_blueprint
def _data(checked: Checked) -> dict[str, Any]:
    return canonical(checked.blueprint)


def _node_text(checked: Checked, *path: str) -> str:
    data: Any = _data(checked)
    for step in path:
        data = data[step]
    return dump_yaml(data) if isinstance(data, (dict, list)) else str(data)


def _policy(name: str, checked: Checked) -> Target:
    policy = _pick(name, checked.policies, "there is no policy")
    kept = set(_obeyed(checked))
    obeyed = name in kept or any(one in kept for one in policy.beats)
    terms = _terms_text(checked, policy.text + str(checked.blueprint.policies[name].rule))
    text = _node_text(checked, "policies", name) + terms
    return Target("policy", name, text, policy.says, "" if obeyed else "no operation obeys it")


def _terms_text(checked: Checked, text: str) -> str:
    """The terms that a rule calls, and those that they call: their figures are the rule's."""
    seen: dict[str, str] = {}
    waiting = [text]
    while waiting:
        here = waiting.pop()
        for name, spec in checked.blueprint.terms.items():
            if name not in seen and re.search(rf"\b{re.escape(name)}\(", here):
                seen[name] = spec.is_
                waiting.append(spec.is_)
    return "\n".join(seen.values())


def _obeyed(checked: Checked) -> Iterator[str]:
    """The policies that operations obey, or ask about in an expression."""
    yield from re.findall(r"\bobeys\((\w+)", _node_text(checked, "operations") if checked.operations else "")
    for operation in checked.blueprint.operations.values():
        for statement in flatten_statements(operation.does):
            said = [statement.obey] if isinstance(statement.obey, str) else statement.obey or ()
            for one in said:
                yield from (one,) if isinstance(one, str) else one


def flatten_statements(statements: Sequence[StatementSpec]) -> Iterator[StatementSpec]:
    """Every statement, those inside of others included."""
    for one in statements:
        yield one
        yield from flatten_statements((*one.do, *one.otherwise))


def _guard(name: str, checked: Checked) -> Target:
    operation, _, code = name.partition(".")
    spec = _pick(operation, checked.blueprint.operations, "there is no operation")
    guards = [(s.else_, s) for s in flatten_statements(spec.does) if s.else_ is not None]
    if not guards:
        raise _Nothing(f"`{operation}` refuses nothing with `{code[:60]}`; it has no `require` with `else`")
    _pick(code, dict(guards), f"`{operation}` refuses nothing with")
    found = [s for said, s in guards if said == code]
    text = "\n".join(f"{s.require or ''} {s.where or ''} {s.says}" for s in found)
    return Target("guard", name, text + _terms_text(checked, text), found[0].says)


def _lifecycle(name: str, checked: Checked) -> Target:
    entity, _, state = name.partition(".")
    spec = _pick(entity, checked.blueprint.entities, "there is no entity")
    if not spec.lifecycle:
        return Target("lifecycle", name, "", idle=f"`{entity}` has no lifecycle")
    if state:
        _pick(state, spec.lifecycle, f"`{entity}` has no state")
    return Target("lifecycle", name, _node_text(checked, "entities", entity, "lifecycle"))


def _constraint(name: str, checked: Checked) -> Target:
    owner, _, part = name.partition(".")
    bp = checked.blueprint
    if owner == "always":
        says = _pick(part, bp.always, "`always` has no").says
        return Target("constraint", name, _node_text(checked, "always", part), says)
    if owner in bp.operations:
        return _input_constraint(name, owner, part, checked)
    _pick(owner, dict.fromkeys([*bp.entities, *bp.operations]), "there is no entity or operation")
    if part == "id":
        return Target("constraint", name, f"every {owner} has an id of its own, like {bp.entities[owner].key}")
    column = _pick(part, checked.schema.entities[owner].columns, f"`{owner}` has no field")
    free = column.type.kind == "text" and column.optional and not any(part in one for one in bp.entities[owner].unique)
    text = _node_text(checked, "entities", owner, "fields", part)
    return Target("constraint", name, text, idle="any text is right there" if free else "")


def _input_constraint(name: str, operation: str, part: str, checked: Checked) -> Target:
    spec = checked.blueprint.operations[operation].takes.get(part)
    found = _pick(part, {i.name: i for i in checked.operations[operation].inputs}, f"`{operation}` takes no")
    if spec is None and found.high is None:
        return Target("constraint", name, "", idle=f"it is a filter; see shows:{operation}.{part}")
    if spec is None:
        return Target("constraint", name, f"{part}: {found.type}, from {found.low} to {found.high}")
    bounded = isinstance(spec, InputSpec) and (spec.min, spec.max, spec.default) != (None, None, None)
    free = found.optional and found.type.kind == "text" and not bounded
    text = _node_text(checked, "operations", operation, "takes", part)
    return Target("constraint", name, text, idle="any text is right there, and none at all" if free else "")


def _computed(name: str, checked: Checked) -> Target:
    entity, _, part = name.partition(".")
    bp = checked.blueprint
    if not part:
        _pick(entity, bp.terms, "there is no term")
        return Target("computed", name, _terms_text(checked, f"{entity}("))
    _pick(part, _pick(entity, bp.entities, "there is no entity").fields, f"`{entity}` has no field")
    text = _node_text(checked, "entities", entity, "fields", part)
    follows = checked.schema.entities[entity].columns[part].source in ("kept", "computed")
    idle = "" if follows else "it does not follow from anything"
    return Target("computed", name, text + _terms_text(checked, text), idle=idle)


def _role(name: str, checked: Checked) -> Target:
    spec = _pick(name, checked.blueprint.operations, "there is no operation")
    everyone = set(spec.by) >= set(checked.blueprint.roles)
    return Target("role", name, ", ".join(spec.by), idle="every role may do it" if everyone else "")


def _effect(name: str, checked: Checked) -> Target:
    spec = _pick(name, checked.blueprint.operations, "there is no operation")
    writes = any(s.set or s.add or s.remove or s.run for s in flatten_statements(spec.does))
    text = _node_text(checked, "operations", name)
    return Target("effect", name, text, spec.says, "" if writes else "it changes nothing")


def _shows(name: str, checked: Checked) -> Target:
    operation, _, part = name.partition(".")
    found = _pick(operation, checked.operations, "there is no operation")
    if effects(checked, operation).mutates:
        return Target("shows", name, "", idle="it is no reading tool; see effect:")
    known = {i.name for i in found.inputs} | set(_list_shown(found, checked))
    _pick(part, dict.fromkeys(known), f"`{operation}` shows and takes no")
    return Target("shows", name, _node_text(checked, "operations", operation), found.says)


def _list_shown(operation: c.Operation, checked: Checked) -> Iterator[str]:
    """The parts of what a reading tool gives."""
    match operation.read:
        case c.Search() as search if search.shows:
            yield from (name for name, _ in search.shows)
        case c.Search() | c.Get() as read:
            yield from checked.schema.entities[read.entity].columns
            yield from (embed.name for embed in getattr(read, "embeds", ()))
        case None if isinstance(operation.gives, tuple):
            yield from (name for name, _ in operation.gives)
        case None if isinstance(operation.gives, n.Node) and operation.gives.type.kind == "ref":
            yield from checked.schema.entities[operation.gives.type.entity].columns


_FINDERS = {
    "policy": _policy, "guard": _guard, "lifecycle": _lifecycle, "constraint": _constraint, "computed": _computed, "role": _role,
    "effect": _effect, "shows": _shows,
}  # fmt: skip
