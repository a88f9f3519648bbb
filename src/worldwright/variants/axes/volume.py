"""Volume: how many rows a world starts with, and how busy its past was.

The past is busier or quieter as a whole. Of base rows only people and companies are more or fewer, where they stand by themselves:
not in small tables, not where they have to be unique, not where they are drawn from other rows or other rows from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint, EntitySpec, FlowSpec
from worldwright.variants.axis import Axis, Setting, check_setting

FACTORS = {"small": 0.6, "large": 1.4}
SAYS = {"small": "a quieter business", "large": "a busier business"}
_OVER_ROWS = re.compile(r"\bfor \w+ in ")
_SOMEBODY = re.compile(r"(?:^| )(?:person|company) ")
MIN_ROWS = 30
"""Tables with fewer base rows are left alone: they list what there is, they do not grow."""


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    return tuple(Setting(value, says) for value, says in SAYS.items()) if checked.flows else ()


def _vary(bp: Blueprint, value: str) -> Blueprint:
    check_setting("volume", value, FACTORS)
    factor = FACTORS[value]
    drawn = {name: _render_draws(entity) for name, entity in bp.entities.items() if entity.rows}
    entities = {name: _scale_rows(name, entity, factor, drawn) for name, entity in bp.entities.items()}
    flows = {name: _scale_flow(flow, factor) for name, flow in bp.history.flows.items()}
    history = bp.history.model_copy(update={"flows": flows})
    return bp.model_copy(update={"entities": entities, "history": history})


def _scale_rows(name: str, entity: EntitySpec, factor: float, drawn: Mapping[str, str]) -> EntitySpec:
    mine = drawn.get(name, "")
    by_itself = not _OVER_ROWS.search(mine) and not any(f" in {name} " in text for text in drawn.values())
    if entity.rows < MIN_ROWS or entity.unique or not by_itself or not _SOMEBODY.search(mine):
        return entity
    rows = max(MIN_ROWS, len(entity.seeds), round(entity.rows * factor))
    return entity.model_copy(update={"rows": rows})


def _render_draws(entity: EntitySpec) -> str:
    """Render how the fields of base rows are drawn, as one text."""
    fields = [f if isinstance(f, str) else f"{f.type} {f.draw or ''}" for f in entity.fields.values()]
    return " ".join(f"{text} " for text in fields).replace(")", " ) ")


def _scale_flow(flow: FlowSpec, factor: float) -> FlowSpec:
    return flow.model_copy(update={"per_week": round(min(500.0, flow.per_week * factor), 4)})


AXIS = Axis(
    "volume", "world", 80, "how many rows there are to start with, and how busy the past was", _list_settings, _vary
)
