"""What layers that make services busy have in common: which system, and under which name."""

from __future__ import annotations

from collections import Counter

from worldwright.blueprint.checked import Checked
from worldwright.core.rng import Stream


def find_busiest(checked: Checked, layer: str, needed: Counter[str]) -> str:
    """The system that most goals need; empty where none is needed."""
    most = max(needed.values(), default=0)
    best = [system for system in checked.blueprint.systems if needed[system] == most and most]
    return Stream("layer", layer, checked.blueprint.blueprint).pick(best) if best else ""


def pick_service_name(checked: Checked, name: str) -> str:
    """A name that no service has yet."""
    taken = checked.blueprint.service
    return next(one for one in (name, *(f"{name}_{k}" for k in range(2, len(taken) + 3))) if one not in taken)
