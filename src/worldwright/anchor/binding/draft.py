"""What a draft already holds of the claims: nodes with force whose source is the place where a claim stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from worldwright.anchor.binding.figures import find_missing_figures
from worldwright.anchor.binding.records import BOUND, ELSEWHERE, NOT_BUSINESS, ClaimRow
from worldwright.anchor.binding.targets import find_target, flatten_statements
from worldwright.anchor.evidence import Claim, Operation, Shape, Source
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import FieldSpec, InputSpec
from worldwright.engine.contract import Contract

FORM_KIND = "required"
"""The kind of a claim that an operation needs some of its parameters: each of them answers for it."""
BUSINESS = ("business", "")
"""What a claim must be about for it to count."""


def number_claims(claims: Sequence[Claim]) -> tuple[ClaimRow, ...]:
    """Claims as rows with an id each, in the order of the evidence. What is not about the business is said to be so."""
    wide = max(3, len(str(len(claims))))
    rows = []
    for number, claim in enumerate(claims, start=1):
        row = ClaimRow(f"c{number:0{wide}d}", str(claim.source), claim.says, claim.kind, claim.about)
        rows.append(row if claim.about in BUSINESS else replace(row, is_=NOT_BUSINESS, why=claim.why or claim.about))
    return tuple(rows)


def mark_elsewhere(rows: Sequence[ClaimRow], own: int) -> tuple[ClaimRow, ...]:
    """Claims of which all but the first so many are about tools of other worlds of the anchor."""
    why = "of a tool that this world does not offer"
    return (*rows[:own], *(replace(row, is_=ELSEWHERE, why=why) for row in rows[own:]))


def select_claims(claims: Sequence[Claim], own: Sequence[Operation], others: Sequence[Operation]) -> tuple[Claim, ...]:
    """The claims that concern some operations of an API and not only its others; of files without operations, all."""
    if not others:
        return tuple(claims)
    files = {o.source.file for o in (*own, *others) if o.source}
    places = {str(s) for o in own for s in (o.source, *(p.source for p in o.parameters)) if s is not None}
    schemas = {name for o in own for name in schema_names(o)}
    return tuple(c for c in claims if any(_concerns(s, files, places, schemas) for s in (c.source, *c.also)))


def _concerns(source: Source, files: Collection[str], places: Collection[str], schemas: Collection[str]) -> bool:
    if source.file not in files:
        return True
    steps = source.at.split("/")
    named = {b for a, b in pairwise(steps) if a in ("schemas", "definitions")}
    above = {f"{source.file}#{'/'.join(steps[:n])}" for n in range(2, len(steps) + 1)}
    return bool(named & set(schemas)) or bool(above & set(places))


def schema_names(operation: Operation) -> Iterator[str]:
    """The names of the schemas that an operation takes and gives."""
    waiting: list[Shape | None] = [operation.body, operation.answer, *(p.shape for p in operation.parameters)]
    while waiting:
        here = waiting.pop()
        if here is not None:
            yield from (here.name,) if here.name else ()
            waiting += [here.items, *(f.shape for f in here.fields.values())]


def bind_draft(
    rows: Sequence[ClaimRow], checked: Checked, contract: Contract | None = None, operations: Sequence[Operation] = ()
) -> tuple[ClaimRow, ...]:
    """Bind each claim about the business to the nodes that were made of it, where they hold its figures too."""
    nodes = [*_nodes(checked), *(_inputs(checked, contract, operations) if contract is not None else ())]
    return tuple(row if row.is_ else _bind(row, nodes, checked) for row in rows)


def _bind(row: ClaimRow, nodes: Sequence[tuple[str, str]], checked: Checked) -> ClaimRow:
    places = (row.at, f"{row.at}!{FORM_KIND}") if row.kind == FORM_KIND else (row.at,)
    found = list(dict.fromkeys(reference for reference, source in nodes if any(_stands_at(p, source) for p in places)))
    looked = [find_target(reference, checked) for reference in found]
    targets = [t for t in looked if not isinstance(t, str) and not t.idle]
    if not targets or find_missing_figures(row.says, "\n".join(f"{t.text}\n{t.says}" for t in targets)):
        return row
    return replace(row, is_=BOUND, to=tuple(f"{t.kind}:{t.name}" for t in targets))


def _stands_at(claim: str, source: str) -> bool:
    """Whether a node's source is the place of a claim, or the parameter or field that the claim is the description of."""
    return bool(source) and (claim == source or claim.startswith(f"{source}/"))


def _inputs(checked: Checked, contract: Contract, operations: Sequence[Operation]) -> Iterator[tuple[str, str]]:
    """The inputs behind the parameters of a contract that are limited in any way, with where the parameter stands."""
    offered = {o.name: o for o in operations}
    for tool in contract.tools.values():
        operation = offered.get(tool.name)
        sources = {p.name: p.source for p in operation.parameters} if operation is not None else {}
        for name, take in tool.takes.items():
            found, source = checked.operations[tool.operation].input(name), sources.get(take.at[0])
            if found is None or source is None or len(take.at) > 1:
                continue
            needed = not found.optional and found.default is None
            if found.type.kind in ("enum", "ref") or found.low is not None or found.high is not None or needed:
                yield f"constraint:{tool.operation}.{name}", str(source)
                if needed and operation is not None and operation.source is not None:
                    yield f"constraint:{tool.operation}.{name}", f"{operation.source}!{FORM_KIND}"


def _nodes(checked: Checked) -> Iterator[tuple[str, str]]:
    """Every node that could give a claim force, with its source."""
    bp = checked.blueprint
    for name, policy in bp.policies.items():
        yield f"policy:{name}", policy.source
    for name, held in bp.always.items():
        yield f"constraint:always.{name}", held.source
    for name, operation in bp.operations.items():
        for part, taken in operation.takes.items():
            if isinstance(taken, InputSpec):
                yield f"constraint:{name}.{part}", taken.source
        for statement in flatten_statements(operation.does):
            if statement.else_ is not None:
                yield f"guard:{name}.{statement.else_}", statement.source
    for name, entity in bp.entities.items():
        for part, spec in entity.fields.items():
            if isinstance(spec, FieldSpec):
                follows = checked.schema.entities[name].columns[part].source in ("kept", "computed")
                yield f"{'computed' if follows else 'constraint'}:{name}.{part}", spec.source
