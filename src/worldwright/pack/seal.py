"""Sealing: files in, a manifest that binds them, and an atomic write."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldwright.core.canonical import pretty_json, sha256
from worldwright.core.errors import PackError
from worldwright.core.version import VERSION
from worldwright.core.whole_file import sync_folder
from worldwright.pack.files import check_path
from worldwright.world.manifest import FORMAT, MANIFEST, Manifest, world_digest


def seal(files: Mapping[str, bytes], facts: Mapping[str, Any]) -> dict[str, bytes]:
    """The files with their manifest. `facts` are name, kind, blueprint, seed, variant, parent, state and counts."""
    entries = {check_path(p): {"sha256": sha256(data), "bytes": len(data)} for p, data in sorted(files.items())}
    data = {"format": FORMAT, "built_with": VERSION, **facts, "files": entries}
    manifest = Manifest.model_validate({**data, "digest": world_digest(data)})
    return {**files, MANIFEST: pretty_json(_manifest_data(manifest)).encode()}


def _manifest_data(manifest: Manifest) -> dict[str, Any]:
    """The manifest as it is written: worlds that were not made from evidence say nothing of a grade."""
    data = manifest.model_dump(mode="json")
    return data if manifest.grade else {k: v for k, v in data.items() if k != "grade"}


def write_pack(files: Mapping[str, bytes], target: Path) -> None:
    """Write a pack as a folder. It is complete when it appears: made beside the target, then renamed."""
    if target.exists():
        raise PackError(f"{target} exists already; packs are immutable, choose another place")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as e:
        raise PackError(f"{target} cannot be written: {e}") from None
    try:
        for path, data in sorted(files.items()):
            file = work / check_path(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
        work.chmod(0o755)
        sync_folder(work)  # what was written survives a crash before it gets its name
        work.rename(target)
    except OSError as e:
        raise PackError(f"{target} cannot be written: {e}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def pack_archive(files: Mapping[str, bytes]) -> bytes:
    """The pack as one tar file, the same bytes every time."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            info.mode = 0o644
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()
