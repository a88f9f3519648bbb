"""Currencies: amounts that a branch keeps in its own money, at a fixed rate that is on record.

A field of the record names the money. Requests, rules, calls and answers speak of the book currency. All rates are above one, so
that an amount comes back to the cent.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, EntitySpec, FieldSpec, OperationSpec
from worldwright.variants.drafting.goal_calls import add_entries, pick_free_name
from worldwright.variants.drafting.restyle import Style, find_columns, restyle
from worldwright.variants.layer import Draft, Layer

RATES = {"CAD": "1.45", "NOK": "11.38"}
"""Units of each for one of the book currency: a rate of the house, fixed, and the same in every world."""


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the amounts of the kinds of record whose amounts tasks have most to do with."""
    columns = find_columns(checked, "money")
    if not columns:
        return None
    bp, tool = _add_rates(checked, next(iter(columns)))
    money = checked.schema.currency
    style = Style(
        "other_money_of_{entity}",
        ("kept_in", "money_kept_in"),
        f"The money that the amounts of this record are kept in. None: {money}.",
        {code: f"* {rate}" for code, rate in RATES.items()},
        "amounts_of_branches",
        "Many records come from branches that keep {columns} in their own money; {marks} names it, and where it names none they "
        f"are in {money}. Divide by the fixed rate of the house (`{tool}`), never by a rate of the day, to have an amount in "
        f"{money}: 145.00 CAD at 1.45 is 100.00 {money}. Other amounts are in {money} on every record. Whoever speaks of an amount "
        f"means {money}, and so do rules, searches, calls and answers.",
    )
    return restyle(checked, bp, columns, style)


def _add_rates(checked: Checked, entity: str) -> tuple[Blueprint, str]:
    """Add a table of house rates, and the search that shows it."""
    bp = checked.blueprint
    table = pick_free_name([*bp.entities, *bp.operations, *bp.terms], "house_rate", "fixed_house_rate")
    tool = pick_free_name([*bp.operations, *bp.terms, *bp.entities], f"find_{table}s")
    prefixes = {spec.key.partition("-")[0] for spec in bp.entities.values()}
    prefix = next(p for p in ("HSR", "HFR", "HXR", "HYR") if p not in prefixes)
    system = bp.entities[entity].in_
    code = f"text ~ {_write_draw(prefix, list(RATES), quote=True)}"
    rates = EntitySpec(
        in_=system,
        says="A fixed rate of the house, by which branches keep amounts in their own money.",
        key=f"{prefix}-##",
        rows=len(RATES),
        fields={
            "currency": FieldSpec(type=code, sort="content"),
            "per_unit": FieldSpec(
                type=f"decimal(2) ~ {_write_draw(prefix, list(RATES.values()))}",
                says=f"How many units of it make one {checked.schema.currency}.",
            ),
        },
    )
    op = OperationSpec(
        in_=system,
        says="Look up the fixed rates of the house.",
        by=("anyone",),
        search=table,
        filters=("currency",),
        sort=("currency",),
    )
    return add_entries(bp, entities={table: rates}, operations={tool: op}), tool


def _write_draw(prefix: str, values: list[str], quote: bool = False) -> str:
    """Write a draw that gives each base row its own value."""
    said = [f"'{v}'" if quote else v for v in values]
    tests = [f"{v} if id == '{prefix}-{k:02}' else" for k, v in enumerate(said[:-1], start=1)]
    return " ".join([*tests, said[-1]])


LAYER = Layer(
    "world",
    "amounts are kept in other money on most records; a field names it, and a table has the rate",
    "amounts in other money",
    _lay,
)
