"""Services: what each is about, and that it is either a limit or a share of calls that fail."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Operation
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.model import Blueprint, ServiceSpec
from worldwright.blueprint.service import find_covered_tools
from worldwright.core.names import IDENTIFIER, suggest


def check_services(bp: Blueprint, operations: Mapping[str, Operation], report: Reporter) -> None:
    for name, spec in bp.service.items():
        with report.at("service", name):
            if not IDENTIFIER.match(name):
                raise ExprError(f"`{name[:60]}` is no name", "small letters, digits and _")
            _check_subject(bp, spec, operations)
            _figures(spec)


def _check_subject(bp: Blueprint, spec: ServiceSpec, operations: Mapping[str, Operation]) -> None:
    if bool(spec.in_) == bool(spec.on):
        raise ExprError(
            "a service is about a system or about some operations", "`in: SYSTEM`, or `on: [OPERATION, ...]`"
        )
    if spec.in_ and spec.in_ not in bp.systems:
        raise ExprError(f"no system is called `{spec.in_}`", suggest(spec.in_, bp.systems))
    for one in spec.on:
        if one not in bp.operations:
            raise ExprError(f"no operation is called `{one}`", suggest(one, bp.operations))
    if not find_covered_tools(spec, operations) and all(one in operations for one in bp.operations):
        raise ExprError(
            f"nothing is left that it is about: {spec.in_ or 'these operations'} has no {spec.only or 'calls'}"
        )


def _figures(spec: ServiceSpec) -> None:
    limit = bool(spec.at_most or spec.in_any)
    if limit == bool(spec.fails):
        raise ExprError("a service either limits calls or fails", "`at_most` with `in_any`, or `fails`")
    if limit and not 0 < spec.at_most < spec.in_any:
        raise ExprError(
            f"{spec.at_most} calls in any {spec.in_any} is no limit", "`at_most` is 1 at least, and less than `in_any`"
        )
