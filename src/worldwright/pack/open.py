"""Opening: every digest is checked before anything in a pack is believed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from worldwright.core.canonical import canonical_json, sha256
from worldwright.core.errors import PackError, TamperedPack
from worldwright.pack.files import check_path, read_pack
from worldwright.pack.sides import is_world_file
from worldwright.world.manifest import FORMAT, MANIFEST, STATE, Manifest, world_digest

MAX_MANIFEST = 8 * 1024 * 1024
BLUEPRINT = "blueprint.yaml"


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack whose files are what its manifest says."""

    manifest: Manifest
    files: dict[str, bytes]

    @property
    def blueprint(self) -> str:
        return self.files[BLUEPRINT].decode()

    @property
    def state(self) -> bytes:
        return self.files[STATE]

    @property
    def whole(self) -> bool:
        """Whether keys and verifiers are here too, and not only what the world runs on."""
        return all(path in self.files for path in self.manifest.files)


def open_pack(path: Path) -> Pack:
    """The pack at a path (a folder or an archive), or a clear refusal."""
    return check_pack(read_pack(path))


def check_pack(files: dict[str, bytes]) -> Pack:
    raw = files.get(MANIFEST)
    if raw is None:
        raise PackError(f"no {MANIFEST}: this is not a pack")
    return check_files(read_manifest(raw), files)


def check_files(manifest: Manifest, files: dict[str, bytes]) -> Pack:
    """Check the files of a pack against a manifest that was read already."""
    named = set(manifest.files)
    present = set(files) - {MANIFEST}
    for path in sorted(named):
        check_path(path)
    held_back = {path for path in named if not is_world_file(path)}
    missing = sorted(named - present)
    if missing and set(missing) != held_back:
        raise TamperedPack(f"missing from the pack: {', '.join(missing[:5])}")
    if extra := sorted(present - named):
        raise TamperedPack(f"not in the manifest: {', '.join(extra[:5])}")
    for path in sorted(present):
        entry = manifest.files[path]
        if len(files[path]) != entry.bytes or sha256(files[path]) != entry.sha256:
            raise TamperedPack(f"{path} was changed: it is not the file that the manifest names")
    for path in (BLUEPRINT, STATE):
        if path not in named:
            raise TamperedPack(f"a pack needs {path}")
    try:
        files[BLUEPRINT].decode()
    except UnicodeDecodeError:
        raise TamperedPack(f"{BLUEPRINT} is not UTF-8 text") from None
    return Pack(manifest, files)


def read_manifest(raw: bytes) -> Manifest:
    """Read manifest.json where its digest fits its content. Whether the files do is another question."""
    if len(raw) > MAX_MANIFEST:
        raise TamperedPack(f"{MANIFEST} is larger than {MAX_MANIFEST // 1024**2} MiB")
    try:
        data = json.loads(raw.decode(), object_pairs_hook=reject_duplicate_keys)
        canonical_json(data)  # text that is not Unicode, numbers that are not finite
        _check_format(data)
        manifest = Manifest.model_validate(data, strict=True)
    except (ValueError, RecursionError) as e:
        first = e.errors()[0]["msg"] if isinstance(e, ValidationError) else str(e)
        raise TamperedPack(f"{MANIFEST} cannot be read: {first}") from None
    if world_digest(data) != manifest.digest:
        raise TamperedPack(f"{MANIFEST} was changed: its digest does not fit its content")
    return manifest


def _check_format(data: Any) -> None:
    """Check the format before anything else is asked of a manifest: another format may well have other keys."""
    found = data.get("format") if isinstance(data, dict) else None
    if type(found) is int and found != FORMAT:
        raise PackError(f"pack format {found} is not known to this version, which reads {FORMAT}")


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object whose keys are given once: what is read twice could be read two ways."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key is given twice")
    return out
