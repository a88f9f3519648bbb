"""Knowledge: how much askers know of what they ask about. They have its id, its name, or only know how it relates to other things.

Offered where it makes a difference: where things of some kind are called in this way and in others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.blueprint.checked import Checked
from worldwright.variants.axis import Axis, Setting, check_setting

SAYS = {
    "by_id": "askers know ids",
    "by_name": "askers know names",
    "by_description": "askers describe things",
    "by_relation": "askers know how things relate",
}
_FACT = re.compile(r"\{([^{}:]+)")


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    if not checked.goals:
        return ()
    ways = [{_classify_reference(text) for text in entity.called} for entity in checked.blueprint.entities.values()]
    useful = {f"by_{way}" for several in ways if len(several) > 1 for way in several} | {"by_id"}
    return tuple(Setting(value, says) for value, says in SAYS.items() if value in useful)


def _classify_reference(text: str) -> str:
    """Say how a thing is referred to by a template: by what others are, by one fact of its own, by several."""
    facts = _FACT.findall(text)
    return "relation" if any("." in fact for fact in facts) else "name" if len(facts) == 1 else "description"


def _options(value: str) -> Mapping[str, str]:
    check_setting("knowledge", value, SAYS)
    return {"reference": value.removeprefix("by_")}


AXIS = Axis(
    "knowledge",
    "surface",
    60,
    "how askers refer to things: by id, by name, by how they relate",
    _list_settings,
    options=_options,
)
