"""The two sides of a pack: what a world runs on, and what only those who judge may have.

A world may be sent out without the other side. Its manifest is the whole pack's, so its digest is the same, and what is logged
there is judged where the whole pack is.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.world.manifest import MANIFEST, STATE

WORLD_FILES = frozenset({"blueprint.yaml", "contract.json", "policy.md", STATE, "tools.json"})
WORLD_FOLDERS = ("tasks/", "tools/")
"""What is not named here is held back: keys and verifiers, and whatever else tells how tasks were made and measured."""


def is_world_file(path: str) -> bool:
    """Return whether a file is one that the world runs on."""
    return path in WORLD_FILES or path.startswith(WORLD_FOLDERS)


def drop_grader_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Keep the files of a pack that may lie where an agent is: all that the world runs on, and nothing that judges."""
    return {path: data for path, data in files.items() if path == MANIFEST or is_world_file(path)}
