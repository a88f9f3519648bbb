"""Legacy dates: what records say of days came from three older programs, each with a style of its own.

A field of the record says which. Day first and month first stand side by side, so that looking at the digits alone does not help.
"""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.variants.drafting.restyle import Style, find_columns, restyle
from worldwright.variants.layer import Draft, Layer

STYLE = Style(
    "old_styles_of_{entity}_dates",
    ("entered_with", "entered_by_program"),
    "The program that wrote the dates of this record. None: the present one.",
    {"ledger": "DD.MM.YY", "terminal": "MM/DD/YYYY", "branch": "DD/MM/YYYY"},
    "old_styles_of_dates",
    "Of many records, {columns} came from older programs and were never converted; {marks} says from which. "
    "The ledger program wrote the day first, with dots and two figures for the year: 05.03.25 is 5 March 2025. "
    "The terminal wrote the month first: 05/03/2025 is 3 May 2025. "
    "The branch program wrote the day first: 05/03/2025 is 5 March 2025. "
    "Where no program is named, the date is written year, month, day. "
    "Searches, calls and answers take days as year-month-day only.",
)


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the dates of the kinds of record whose dates tasks have most to do with."""
    columns = find_columns(checked, "date")
    return restyle(checked, checked.blueprint, columns, STYLE) if columns else None


LAYER = Layer(
    "world",
    "records have their dates in four styles; a field says which program wrote them, and the handbook how that one wrote",
    "dates in four styles",
    _lay,
)
