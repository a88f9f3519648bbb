"""The manifest of a pack: what is in it, and the digests that make it one thing."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from worldwright.core.canonical import digest

FORMAT = 1


class FileEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class Manifest(BaseModel):
    """What `manifest.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")
    kind: str = Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The world's identity, as `world_digest` makes it. Of state.db its content counts, not its bytes."""
    blueprint: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The digest of the canonical Blueprint."""
    seed: int = Field(ge=0, lt=2**63)
    variant: dict[str, str]
    """Named parameters of policies, where they are not the default."""
    axes: dict[str, str] = {}
    """How the Blueprint was varied from its parent besides, setting by axis. The digest of the Blueprint covers it."""
    parent: str = Field(pattern=r"^([0-9a-f]{64})?$")
    """The Blueprint digest that this variant was made from; empty for one of its own."""
    built_with: str
    """The version of Worldwright. Not part of the digest: any version that builds the same bytes built the same world."""
    state: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The digest of the content of state.db."""
    options: dict[str, str] = {}
    """How tasks were asked for, where not as usual; `tasks: none` for a world without."""
    grade: str = ""
    """Of a world made from evidence, the word of its `grade.json`."""
    counts: dict[str, int]
    files: dict[str, FileEntry]


STATE = "state.db"
MANIFEST = "manifest.json"


def world_digest(manifest: dict[str, Any]) -> str:
    """The digest of a world, from a manifest as plain data."""
    parts = {
        k: manifest[k] for k in ("format", "name", "kind", "blueprint", "seed", "variant", "parent", "state", "counts")
    }
    parts["options"] = manifest.get("options", {})
    files = {path: entry["sha256"] for path, entry in manifest["files"].items() if path != STATE}
    return digest({**parts, "files": files})
