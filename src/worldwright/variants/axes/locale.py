"""Locale and currency: whose names and addresses rows have, and what the books are kept in.

A Blueprint that names a country stays where it is. One that speaks of its currency keeps it, and may move to where it is used.
"""

from __future__ import annotations

import json
import re

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import canonical
from worldwright.blueprint.model import Blueprint
from worldwright.variants.axis import Axis, Setting, check_setting

CURRENCIES = {"en_US": "USD", "en_GB": "GBP", "de_DE": "EUR", "fr_FR": "EUR", "es_ES": "EUR"}
SAYS = {
    "en_US": "in the United States",
    "en_GB": "in the United Kingdom",
    "de_DE": "in Germany",
    "fr_FR": "in France",
    "es_ES": "in Spain",
}
_COUNTRY = re.compile(
    r"\b(United States|United Kingdom|Germany|France|Spain|Switzerland|Austria|Ireland|American?|British|English|German|French|"
    r"Spanish|England|Scotland|Wales|London|Paris|Berlin|Madrid|New York|county|federal)\b"
)
_MONEY = re.compile(r"\b(USD|EUR|GBP|CHF|dollars?|euros?|pounds?|sterling|pence|francs?)\b|[$€£]")


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    bp = checked.blueprint
    text = _text(bp)
    if _COUNTRY.search(text):
        return ()
    keeps = _MONEY.search(text) is not None
    there = [name for name, money in CURRENCIES.items() if name != bp.locale and (not keeps or money == bp.currency)]
    return tuple(Setting(name.lower(), SAYS[name]) for name in there)


def _text(bp: Blueprint) -> str:
    data = canonical(bp)
    data.pop("currency", None)
    for policy in data.get("policies", {}).values():
        policy.pop("cases", None)
    return json.dumps(data, ensure_ascii=False)


def _vary(bp: Blueprint, value: str) -> Blueprint:
    names = {name.lower(): name for name in CURRENCIES}
    check_setting("locale", value, names)
    name = names[value]
    update = {"locale": name}
    if _MONEY.search(_text(bp)) is None:
        update["currency"] = CURRENCIES[name]
    return bp.model_copy(update=update)


AXIS = Axis(
    "locale", "world", 100, "whose names and addresses rows have, and the currency of the books", _list_settings, _vary
)
