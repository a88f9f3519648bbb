"""The checker: a document in, a `Checked` Blueprint out, or every finding at once.

The order below is the order of need: types, then what expressions may call, then expressions, then what is made of them.
"""

from __future__ import annotations

from dataclasses import replace

from worldwright.blueprint.check.cases import run_cases
from worldwright.blueprint.check.cost import Costs, check_named, check_operations_cost
from worldwright.blueprint.check.display import check_shown
from worldwright.blueprint.check.entities import build_schema, parse_entity_expressions, parse_template
from worldwright.blueprint.check.goals import check_goals
from worldwright.blueprint.check.history import check_history, check_mess
from worldwright.blueprint.check.operations import check_operations
from worldwright.blueprint.check.reactions import check_reactions
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.rules import Rules, check_always, check_policies, check_terms
from worldwright.blueprint.check.safety import (
    check_dates,
    check_kept_cycles,
    check_mess_safety,
    check_trails,
    map_dependents,
)
from worldwright.blueprint.check.service import check_services
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.scope import Scope
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.reach import map_sibling_reads
from worldwright.blueprint.source import Document


def check(bp: Blueprint, document: Document, digest: str, base: Checked | None = None) -> Checked:
    """Check a Blueprint, or raise a BlueprintError with everything that is wrong.

    What is as in `base`, a checked Blueprint that this one was derived from, is taken over; the result is the same without it.
    """
    report = Reporter(document)
    check_dates(bp, report)
    schema = build_schema(bp, report)
    report.stop_if_any()
    rules = Rules(bp, schema, base)
    computed, kept, draws = parse_entity_expressions(bp, rules.language, report)
    called: dict[str, tuple[n.Format, ...]] = {}
    for name, spec in bp.entities.items():
        ways = []
        for i, text in enumerate(spec.called):
            with report.at("entities", name, "called", *([i] if len(spec.called) > 1 else [])):
                ways.append(parse_template(text, rules.language, Scope(self_entity=name)))
        called[name] = tuple(ways)
    live = check_shown(bp, rules.language, report)
    check_kept_cycles(kept, report)
    terms = check_terms(rules, report)
    policies = check_policies(rules, report)
    costs = Costs(computed, terms, policies)
    if not report.findings:
        check_named(costs, report)
    if not report.findings:
        run_cases(rules, policies, terms, computed, report)
    operations = check_operations(bp, rules.language, report)
    if not report.findings:
        check_operations_cost(operations, costs, report)
    always = check_always(rules, report)
    goals = check_goals(bp, rules.language, operations, report)
    span, ahead, flows = check_history(bp, rules.language, operations, report)
    reactions = check_reactions(bp, rules.language, operations, report)
    mess = check_mess(bp, rules.language, report)
    check_services(bp, operations, report)
    report.stop_if_any()
    checked = Checked(
        bp, schema, computed, kept, draws, called, terms, policies, operations, always, goals, span, flows, mess,
        digest, ahead, reactions, live, map_dependents(kept), rules.language.memo.parsed,
    )  # fmt: skip
    check_mess_safety(checked, report)
    check_trails(checked, report)
    report.stop_if_any()
    return replace(checked, schema=replace(schema, beside=map_sibling_reads(checked)))
