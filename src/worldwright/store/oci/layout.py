"""An OCI layout on disk: blobs by digest, and an index of what has a name.

DIR/
├── oci-layout
├── index.json              manifests, each with the name it has here
└── blobs/sha256/DIGEST     everything, once
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from worldwright.core.errors import StoreError, TamperedPack
from worldwright.core.whole_file import write_whole
from worldwright.store.oci import spec
from worldwright.store.oci.tars import read_chunks

MARK = "oci-layout"
_MARKED = '{"imageLayoutVersion":"1.0.0"}'


class Layout:
    """Blobs and names under one folder. What has a digest is written once and never changed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Return where a blob lies. A digest that was read from somewhere has been checked to be one."""
        return self.root / "blobs" / "sha256" / digest.removeprefix("sha256:")

    def has(self, blob: spec.Descriptor) -> bool:
        try:
            return self.path(blob.digest).stat().st_size == blob.size
        except OSError:
            return False

    def put(self, data: bytes, media_type: str) -> spec.Descriptor:
        digest = spec.digest_of(data)
        blob = spec.Descriptor(media_type=media_type, digest=digest, size=len(data))
        if not self.has(blob):
            with IncomingBlob(self) as incoming:
                incoming.write(data)
                incoming.keep()
        return blob

    def take(self, other: Layout, blobs: Iterable[spec.Descriptor]) -> None:
        """Blobs of another layout here too; on one file system they are there only once."""
        for blob in blobs:
            if self.has(blob):
                continue
            source, target = other.path(blob.digest), self.path(blob.digest)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(source, target)
            except OSError:
                with source.open("rb") as stream, IncomingBlob(self) as incoming:
                    for chunk in read_chunks(stream):
                        incoming.write(chunk)
                    incoming.keep(blob)

    def read(self, blob: spec.Descriptor, most: int = spec.MAX_MANIFEST_BYTES) -> bytes:
        """A blob, where it is what its digest says."""
        if blob.size > most:
            raise TamperedPack(f"{blob.digest} is larger than {most:,} bytes")
        try:
            with self.path(blob.digest).open("rb") as file:
                data = file.read(most + 1)
        except OSError as e:
            raise StoreError(f"{self.root} has no blob {blob.digest}: {e.strerror}") from None
        if spec.digest_of(data) != blob.digest:
            raise TamperedPack(f"{self.path(blob.digest)} is damaged: it holds something else")
        return data

    def manifest(self, blob: spec.Descriptor) -> spec.Manifest:
        return spec.read(spec.Manifest, self.read(blob), blob.digest)

    def index(self) -> spec.Index:
        """Read what has a name here; nothing in a folder that is no layout yet."""
        try:
            data = (self.root / "index.json").read_bytes()
        except FileNotFoundError:
            return spec.Index()
        except OSError as e:
            raise StoreError(f"{self.root} cannot be read: {e.strerror}") from None
        return spec.read(spec.Index, data, str(self.root / "index.json"))

    def name(self, named: Iterable[spec.Descriptor]) -> None:
        """Give names, those in the descriptors' notes. Whatever had one of them before has it no longer."""
        new = {blob.note(spec.REF_NAME): blob for blob in named}
        kept = {blob.note(spec.REF_NAME): blob for blob in self.index().manifests}
        all_named = {**kept, **new}
        index = spec.Index(manifests=tuple(all_named[name] for name in sorted(all_named)))
        write_whole(self.root / MARK, _MARKED)
        write_whole(self.root / "index.json", index.encode().decode())


class IncomingBlob:
    """A blob while it arrives. It takes its place when it is kept; until then nothing is seen of it."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._hash = hashlib.sha256()
        self.size = 0

    def __enter__(self) -> IncomingBlob:
        try:
            folder = self._layout.root / "blobs" / "sha256"
            folder.mkdir(parents=True, exist_ok=True)
            handle, work = tempfile.mkstemp(prefix=".", dir=folder)
        except OSError as e:
            raise StoreError(f"{self._layout.root} cannot be written: {e.strerror}") from None
        self._work = Path(work)
        self._out: IO[bytes] = os.fdopen(handle, "wb")
        return self

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        try:
            return self._out.write(data)
        except OSError as e:
            raise StoreError(f"{self._layout.root} cannot be written: {e.strerror}") from None

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"

    def keep(self, expected: spec.Descriptor | None = None) -> str:
        """Give it its place, under its own digest; where another was expected, refuse it."""
        if expected is not None and (self.digest, self.size) != (expected.digest, expected.size):
            raise TamperedPack(f"{expected.digest} arrived as something else: {self.size:,} bytes with {self.digest}")
        try:
            self._out.flush()
            os.fsync(self._out.fileno())
            self._out.close()
            self._work.chmod(0o644)
            self._work.replace(self._layout.path(self.digest))
        except OSError as e:
            raise StoreError(f"{self._layout.root} cannot be written: {e.strerror}") from None
        return self.digest

    def __exit__(self, *_: object) -> None:
        self._out.close()
        self._work.unlink(missing_ok=True)


def is_layout(folder: Path) -> bool:
    return (folder / MARK).is_file() and (folder / "index.json").is_file()


def remove_layout(layout: Layout) -> None:
    """Take a layout away that was only for work."""
    shutil.rmtree(layout.root, ignore_errors=True)
