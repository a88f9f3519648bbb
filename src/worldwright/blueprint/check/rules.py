"""Terms and policies: typed on demand, so that they may be written in any order but not in circles."""

from __future__ import annotations

from dataclasses import replace

from worldwright.blueprint.check.cost import MAX_CHAIN_LENGTH
from worldwright.blueprint.check.entities import check_name, parse_template
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Checked, Invariant, Policy, Term
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.arithmetic import parse_number
from worldwright.blueprint.expr.evaluate import format_value
from worldwright.blueprint.expr.failure import Consequence, ExprError
from worldwright.blueprint.expr.library import is_variable_name
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Memo, Scope, Signature
from worldwright.blueprint.fieldspec import parse_type
from worldwright.blueprint.model import Blueprint, PolicySpec
from worldwright.blueprint.schema import Entity, Schema
from worldwright.blueprint.types import BOOL, INT, TEXT, Type
from worldwright.core.names import suggest

OFF, AFTER = "off", "after"
"""What `variant` may say of an exemption besides its named parameters: it is not in the handbook at all, or it stands there behind
the rules that it would beat, which then bind all the same."""


def list_sets(spec: PolicySpec) -> tuple[str, ...]:
    """List everything that `variant` may say of a policy, `default` first."""
    named = dict.fromkeys(("default", *(name for values in spec.parameters.values() for name in values)))
    more = ((AFTER,) if spec.rule is not None else (OFF, AFTER)) if spec.beats else ()
    return tuple(dict.fromkeys((*named, *more)))


def is_off(bp: Blueprint, name: str) -> bool:
    """Return whether an exemption is taken out of the handbook in this variant."""
    return bp.variant.get(name) == OFF and OFF not in _list_set_names(bp.policies[name])


def _list_set_names(spec: PolicySpec) -> frozenset[str]:
    return frozenset(name for values in spec.parameters.values() for name in values)


def settle_number(kind: Type) -> Type:
    """A bare number becomes an int or a decimal once it is named."""
    return INT.with_places(kind.places) if kind.kind == "number" else kind


def _memo(schema: Schema, base: Checked | None) -> Memo:
    """A memo with the expressions of the Blueprint that this one was derived from."""
    if base is None or (schema.actor, schema.rounding) != (base.schema.actor, base.schema.rounding):
        return Memo()
    before = base.schema.entities
    if schema.entities is before:
        return Memo(base.parsed)
    changed = {
        name
        for name, e in before.items()
        if name not in schema.entities or not _is_same_entity(e, schema.entities[name])
    }
    return Memo(base.parsed, changed)


def _is_same_entity(a: Entity, b: Entity) -> bool:
    """Return whether two entities are the same to an expression."""
    return (
        a.ways == b.ways
        and a.columns.keys() == b.columns.keys()
        and all(column.type == b.columns[name].type for name, column in a.columns.items())
    )


class Rules:
    """Signatures and bodies of terms and policies, worked out when first asked for."""

    def __init__(self, bp: Blueprint, schema: Schema, base: Checked | None = None) -> None:
        self.bp = bp
        self.schema = schema
        self._terms: dict[str, Term | None] = {}
        self._broken: set[str] = set()
        self.language = Language(
            schema, self.term_signature, self.policy_signature, tuple(bp.terms), tuple(bp.policies), _memo(schema, base)
        )

    def parse_subjects(self, specs: dict[str, str]) -> dict[str, Type]:
        for name in specs:
            if not is_variable_name(name):
                raise ExprError(f"`{name[:60]}` cannot be the name of a subject", "lower case letters, digits and _")
        return {name: parse_type(text, tuple(self.schema.entities)).type for name, text in specs.items()}

    def term_signature(self, name: str) -> Signature | None:
        if name not in self.bp.terms:
            return None
        term = self.term(name)
        return Signature(term.takes, term.body.type)

    def term(self, name: str) -> Term:
        if name in self._broken:
            raise Consequence(f"term `{name}` does not check itself")
        if name in self._terms:
            done = self._terms[name]
            if done is None:
                raise ExprError(f"term `{name}` leads back to itself")
            return done
        if sum(v is None for v in self._terms.values()) > MAX_CHAIN_LENGTH:
            raise ExprError(
                f"term `{name}` is the end of a chain of more than {MAX_CHAIN_LENGTH} terms", "write some of it out"
            )
        self._terms[name] = None
        try:
            spec = self.bp.terms[name]
            takes = self.parse_subjects(spec.about)
            body = parse(spec.is_, self.language, Scope(takes))
            body = replace(body, type=settle_number(body.type))
        except ExprError:
            self._broken.add(name)
            raise
        self._terms[name] = term = Term(name, takes, body, spec.says)
        return term

    def policy_signature(self, name: str) -> Signature | None:
        spec = self.bp.policies.get(name)
        return None if spec is None or is_off(self.bp, name) else Signature(self.parse_subjects(spec.about))


def check_terms(rules: Rules, report: Reporter) -> dict[str, Term]:
    out = {}
    for name in rules.bp.terms:
        with report.at("terms", name):
            check_name(report, name, "a term")
            out[name] = rules.term(name)
    return out


def parameters(spec: PolicySpec, name: str, variant: str) -> dict[str, n.Const]:
    """The parameters of one named variant; what it does not name is as in `default`."""
    out = {}
    for parameter, values in spec.parameters.items():
        if "default" not in values:
            raise ExprError(f"parameter `{parameter}` has no `default`", suggest("default", values))
        value = values.get(variant, values["default"])
        const = n.Const(TEXT, value) if isinstance(value, str) else parse_number(value)
        out[parameter] = replace(const, label=f"{name}.{parameter}")
    return out


def check_policies(rules: Rules, report: Reporter) -> dict[str, Policy]:
    """Policies of the variant, each with what binds after exemptions."""
    bp = rules.bp
    plain: dict[str, Policy] = {}
    for name, spec in bp.policies.items():
        with report.at("policies", name):
            check_name(report, name, "a policy")
            before = len(report.findings)
            policy = build_policy(rules, name, bp.variant.get(name, "default"), report)
            with report.at("beats"):
                for beaten in policy.beats:
                    if beaten not in bp.policies:
                        report.add(f"no policy `{beaten}` to beat", suggest(beaten, bp.policies))
            _check_shape(spec, report)
            if len(report.findings) == before:
                plain[name] = policy
    for name, variant in bp.variant.items():
        with report.at("variant", name):
            if name not in bp.policies:
                raise ExprError(f"no policy is called `{name}`", suggest(name, bp.policies))
            known = list_sets(bp.policies[name])
            if variant not in known:
                raise ExprError(f"policy `{name}` has no variant `{variant}`", suggest(variant, known))
    held = {name: policy for name, policy in plain.items() if not is_off(bp, name)}
    out = {}
    for name, policy in held.items():
        with report.at("policies", name):
            out[name] = replace(policy, binding=write_binding(policy, held))
    return out


def build_policy(rules: Rules, name: str, variant: str, report: Reporter) -> Policy:
    spec = rules.bp.policies[name]
    takes = rules.parse_subjects(spec.about)
    consts: dict[str, n.Const] = {}
    rule = when = None
    says = spec.says
    with report.at("parameters"):
        consts = parameters(spec, name, variant)
    scope = Scope(takes, consts=consts)
    if spec.rule is not None:
        with report.at("rule"):
            rule = parse(spec.rule, rules.language, scope, BOOL)
    if spec.when is not None:
        with report.at("when"):
            when = parse(spec.when, rules.language, scope, BOOL)
    with report.at("says"):
        says = render_text(spec.says, consts, rules)
    behind = spec.beats if variant == AFTER and AFTER not in _list_set_names(spec) else ()
    return Policy(
        name, takes, rule, when, () if behind else spec.beats, n.TRUE, consts, says, spec.enforced, spec.code, spec.cases,
        spec.rule or "", spec.source, behind,
    )  # fmt: skip


def _check_shape(spec: PolicySpec, report: Reporter) -> None:
    if spec.rule is None and not (spec.when is not None and spec.beats):
        report.add("a policy needs a `rule`, or `when` with `beats` for an exemption")
    kinds = {
        k for case in spec.cases for k in ("allowed", "forbidden", "applies", "not_") if getattr(case, k) is not None
    }
    wanted = {"allowed", "forbidden"} if spec.rule is not None else {"applies", "not_"}
    missing = sorted(k.rstrip("_") for k in wanted - kinds)
    if missing:
        with report.at("cases"):
            report.add(
                f"no case says `{'` or `'.join(missing)}`", "cases keep text and rule together: one of each at least"
            )


def write_binding(policy: Policy, policies: dict[str, Policy]) -> n.Node:
    """Write the rule that binds: not applicable, or obeyed, or exempted by a policy that beats it and is not beaten itself."""
    if policy.rule is None:
        return n.TRUE
    options: list[n.Node] = [policy.rule]
    if policy.when is not None:
        options.insert(0, n.Not(BOOL, policy.when))
    options += _list_exemptions(policy, policy, policies, ())
    return options[0] if len(options) == 1 else n.Or(BOOL, tuple(options))


def _list_exemptions(
    beaten: Policy, bound: Policy, policies: dict[str, Policy], above: tuple[str, ...]
) -> list[n.Node]:
    """List where each policy that beats this one lifts it: where it applies, and none that beats it in turn does."""
    out: list[n.Node] = []
    for other in policies.values():
        if beaten.name not in other.beats or other.when is None:
            continue
        if other.name in (bound.name, *above):
            raise ExprError(f"`{other.name}` beats what beats it")
        for name in other.takes:
            if name not in bound.takes or bound.takes[name] != other.takes[name]:
                raise ExprError(f"`{other.name}` beats this one but is about `{name}`, which this one is not")
        stopped = [n.Not(BOOL, node) for node in _list_exemptions(other, bound, policies, (*above, other.name))]
        out.append(n.And(BOOL, (other.when, *stopped)) if stopped else other.when)
    return out


def render_text(text: str, consts: dict[str, n.Const], rules: Rules) -> str:
    """Render `says` with the variant's own parameters, so that text and rule cannot drift apart."""
    parts = parse_template(text, rules.language, Scope(consts=consts)).parts
    return "".join(p if isinstance(p, str) else _parameter_text(p[0], p[1], rules.schema) for p in parts)


def _parameter_text(node: n.Node, spec: str, schema: Schema) -> str:
    if not isinstance(node, n.Const):
        raise ExprError("a policy's text may name its own parameters only", "{threshold:money}")
    if spec == "money" and isinstance(node.value, int):
        cents = node.value * 10 ** max(0, 2 - node.type.places)
        return f"{schema.currency} {format_value(cents, max(2, node.type.places), 'money', 'money')}".removesuffix(
            ".00"
        )
    return format_value(node.value, node.type.places, node.type.kind, spec)


def _depends_on_time(rules: Rules, node: n.Node) -> bool:
    """Return whether an expression reads the clock or the caller, itself or through terms."""
    return any(
        (isinstance(p, n.Var) and p.name in ("now", "today", "actor"))
        or (isinstance(p, n.TermCall) and _depends_on_time(rules, rules.term(p.name).body))
        for p in n.walk(node)
    )


def check_always(rules: Rules, report: Reporter) -> dict[str, Invariant]:
    out = {}
    for name, spec in rules.bp.always.items():
        with report.at("always", name):
            check_name(report, name, "an invariant")
            if spec.each and spec.each not in rules.schema.entities:
                raise ExprError(f"no entity is called `{spec.each}`", suggest(spec.each, rules.schema.entities))
            scope = Scope(self_entity=spec.each)
            node = parse(spec.holds, rules.language, scope, BOOL)
            if _depends_on_time(rules, node):
                raise ExprError("an invariant cannot depend on the time or the caller", "make it a policy")
            out[name] = Invariant(name, spec.each, node, spec.says)
    return out
