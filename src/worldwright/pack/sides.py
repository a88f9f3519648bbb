"""The two sides of a pack: what a world runs on, and what only those who judge may have.

A world may be sent out without the other side. Its manifest is the whole pack's, so its digest is the same, and what is logged
there is judged where the whole pack is.
"""

from __future__ import annotations

from worldwright.world.manifest import STATE

WORLD_FILES = frozenset({"blueprint.yaml", "contract.json", "policy.md", STATE, "tools.json"})
WORLD_FOLDERS = ("tasks/", "tools/")
"""What is not named here is held back: keys and verifiers, and whatever else tells how tasks were made and measured."""


def is_world_file(path: str) -> bool:
    """Return whether a file is one that the world runs on."""
    return path in WORLD_FILES or path.startswith(WORLD_FOLDERS)
