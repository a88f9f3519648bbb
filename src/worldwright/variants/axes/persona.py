"""Persona: who asks. As usual everybody does; set, one of the Blueprint's personas asks for everything, in their own voice."""

from __future__ import annotations

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest, to_words
from worldwright.variants.axis import Axis, Setting


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    personas = checked.blueprint.personas
    if len(personas) < 2:
        return ()
    return tuple(Setting(name, f"a {spec.voice} {to_words(name)}") for name, spec in personas.items())


def _vary(bp: Blueprint, value: str) -> Blueprint:
    if value not in bp.personas:
        raise UsageError(f"`persona`: nobody is called {value[:60]!r}; {suggest(value[:60], bp.personas)}")
    return bp.model_copy(update={"personas": {value: bp.personas[value]}})


AXIS = Axis("persona", "surface", 40, "who asks, and in which voice", _list_settings, _vary)
