"""Worldwright: a factory for RL environments that are whole businesses.

    import worldwright as ww

    world = ww.open_world("enterprise_procurement:latest")
    env = world.env()
    env.reset()
    env.call_tool("find_orders", {"status": "issued"})

Names are loaded when they are first used, so importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from worldwright.core.version import VERSION

if TYPE_CHECKING:
    from worldwright.core.errors import WorldwrightError
    from worldwright.engine.env import Env
    from worldwright.engine.limits import Limits
    from worldwright.engine.world import Gym, World
    from worldwright.store.open import open_gym, open_world
    from worldwright.world.records import Observation, Result, ToolError, ToolSpec, Trajectory

_PLACES = {
    "Env": "worldwright.engine.env",
    "Gym": "worldwright.engine.world",
    "Limits": "worldwright.engine.limits",
    "Observation": "worldwright.world.records",
    "Result": "worldwright.world.records",
    "ToolError": "worldwright.world.records",
    "ToolSpec": "worldwright.world.records",
    "Trajectory": "worldwright.world.records",
    "World": "worldwright.engine.world",
    "WorldwrightError": "worldwright.core.errors",
    "open_gym": "worldwright.store.open",
    "open_world": "worldwright.store.open",
}

__version__ = VERSION

__all__ = [
    "Env", "Gym", "Limits", "Observation", "Result", "ToolError", "ToolSpec", "Trajectory", "World",
    "WorldwrightError", "__version__", "open_gym", "open_world",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'worldwright' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
