"""The local store: packs by digest, names by reference.

    $WORLDWRIGHT_HOME/
    ├── blobs/AB/ABCD....zst         what packs are made of, by the sha256 of its content, kept once
    ├── packs/AB/ABCD....pack        the index of a pack: its manifest, and which blobs hold its files
    └── refs/NAME/TAG.json           {"variants": {"default-7": DIGEST, ...}}

What lies under a digest is opened only where it is the world of that digest.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from worldwright.core.canonical import sha256
from worldwright.core.errors import PackError, StoreError, TamperedPack
from worldwright.core.names import suggest
from worldwright.core.whole_file import replace_file, sync_folder, write_whole
from worldwright.pack.open import Pack, check_files, check_pack, read_manifest
from worldwright.store.blobs import Blobs, entries
from worldwright.store.index import MAX_INLINE_BYTES, Index, encode_index, gather_files, group_files, read_index
from worldwright.store.locks import lock_for_keeping, lock_for_tagging
from worldwright.store.zstd import compress
from worldwright.world.manifest import MANIFEST, Manifest

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_START = re.compile(r"[0-9a-f]{6,64}\Z")
_VARIANT = re.compile(r"[^/\x00-\x1f]{1,200}\Z")
SUFFIX = ".pack"


def find_home() -> Path:
    """Return where store and anchors live: $WORLDWRIGHT_HOME, or worldwright in the user's data folder."""
    given, base = os.environ.get("WORLDWRIGHT_HOME"), os.environ.get("XDG_DATA_HOME")
    usual = (Path(base) if base else Path.home() / ".local" / "share") / "worldwright"
    found = Path(given).expanduser() if given else usual
    if found.exists() and not found.is_dir():
        raise StoreError(f"the store at {found} is no folder but a file")
    return found


class Store:
    """Packs and references under one folder."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root if root is not None else find_home()
        self.blobs = Blobs(self.root / "blobs")

    # packs

    def pack_path(self, digest: str) -> Path:
        """Return where the index of a pack lies: this is the place by which a pack of the store is named everywhere."""
        if not _DIGEST.match(digest):
            raise StoreError(f"{digest[:80]!r} is not the digest of a pack")
        return self.root / "packs" / digest[:2] / f"{digest}{SUFFIX}"

    def __contains__(self, digest: str) -> bool:
        return self.pack_path(digest).is_file()

    def digests(self) -> list[str]:
        return [d for entry in entries(self.root / "packs") if (d := _digest_of(entry.name))]

    def put(self, files: Mapping[str, bytes], manifest: Manifest) -> Path:
        """Keep a sealed pack. Keeping it again is fine: the same digest is the same world, and what was lost of it is mended.

        When this returns, the pack is on the disk. Whatever happens before, the store is as sound as it was.
        """
        path = self.pack_path(manifest.digest)
        pack = check_pack(dict(files))
        if pack.manifest.digest != manifest.digest:
            raise StoreError(f"the files are those of the pack {pack.manifest.digest}, not of {manifest.digest}")
        try:
            with lock_for_keeping(self.root):
                if self._has(path, pack.whole):
                    os.utime(path)  # whoever sweeps sees that it was just kept
                else:
                    self._write(path, pack)
        except OSError as e:
            raise StoreError(f"the store at {self.root} cannot be written: {e.strerror}") from None
        return path

    def _write(self, path: Path, pack: Pack) -> None:
        """First the blobs, then the index that needs them: an index that can be seen has all its blobs."""
        named: dict[str, str] = {}
        small: list[bytes] = []
        for part, paths in group_files(pack.files).items():
            data = b"".join(pack.files[p] for p in paths)
            digest = sha256(data)
            if digest not in self.blobs:
                short = compress(data)
                if len(short) < MAX_INLINE_BYTES:
                    small.append(data)
                    continue
                self.blobs.put(digest, short)
            named[part] = digest
        size = sum(map(len, pack.files.values()))
        index = Index(pack.files[MANIFEST], named, b"".join(small), pack.whole, pack.manifest.name, size)
        with replace_file(path) as out:
            out.write(encode_index(index))
        sync_folder(path.parent)

    def _has(self, path: Path, whole: bool) -> bool:
        """Return whether a pack is there with all its blobs, and with its keys where those are asked for."""
        try:
            index = read_index(path)
        except PackError:
            return False
        return index.whole >= whole and all(blob in self.blobs for blob in index.blobs.values())

    def read_index(self, digest: str) -> tuple[Index, Manifest]:
        """Read what is kept under a digest, where it is the index of that pack."""
        path = self.pack_path(digest)
        index = read_index(path)
        manifest = read_manifest(index.manifest)
        if manifest.digest != digest or not index.matches(manifest):
            raise TamperedPack(f"what is kept there is not that pack; remove {path} and build it again")
        return index, manifest

    def read_files(self, digest: str) -> dict[str, bytes]:
        """Read every file of a pack, by path: as the manifest names them, their content not checked yet."""
        with self._opening(digest):
            index, manifest = self.read_index(digest)
            return gather_files(index, manifest, self.blobs)

    def pack(self, digest: str) -> Pack:
        """A pack, checked like any other. A refusal names it."""
        with self._opening(digest):
            index, manifest = self.read_index(digest)
            return check_files(manifest, gather_files(index, manifest, self.blobs))

    @contextmanager
    def _opening(self, digest: str) -> Iterator[None]:
        try:
            yield
        except PackError as e:
            raise type(e)(f"the pack {digest} in the store at {self.root} cannot be opened: {e}") from None

    # tags

    def tag(self, name: str, tag: str, variant: str, digest: str) -> None:
        """Let `name:tag` have this variant too. The newest comes last."""
        self.tag_all(name, tag, {variant: digest})

    def tag_all(self, name: str, tag: str, variants: Mapping[str, str]) -> None:
        """Let `name:tag` have these variants too, in one go. The newest come last."""
        path = self._reference(name, tag)
        if any(not _VARIANT.match(variant) for variant in variants):
            raise StoreError(
                f"{name}:{tag} cannot have a variant without a name, or with a / or a control character in it"
            )
        with lock_for_tagging(self.root):
            if missing := [d for d in variants.values() if d not in self]:
                raise StoreError(f"the store has no pack {missing[0]}; only what is kept can have a name")
            there = self.variants(name, tag) if path.exists() else {}
            kept = {v: d for v, d in there.items() if v not in variants}
            write_whole(path, json.dumps({"variants": {**kept, **variants}}, indent=2) + "\n")

    def untag(self, name: str, tag: str, variant: str | None = None) -> dict[str, str]:
        """Take a name away, or one variant of it; what it stood for. The packs stay."""
        path = self._reference(name, tag)
        with lock_for_tagging(self.root):
            there = self.variants(name, tag)
            if variant is not None and variant not in there:
                raise StoreError(f"{name}:{tag} has no variant {variant}; {suggest(variant, there)}")
            left = {v: d for v, d in there.items() if variant is not None and v != variant}
            if left:
                write_whole(path, json.dumps({"variants": left}, indent=2) + "\n")
            else:
                try:
                    path.unlink()
                except OSError as e:
                    raise StoreError(f"the store at {self.root} cannot be written: {e.strerror}") from None
        return {v: d for v, d in there.items() if v not in left}

    def _reference(self, name: str, tag: str) -> Path:
        if not _NAME.match(name) or not _TAG.match(tag):
            raise StoreError(f"{name}:{tag} is not a reference; names are lower case, tags letters, digits, _ . -")
        return self.root / "refs" / name / f"{tag}.json"

    def variants(self, name: str, tag: str) -> dict[str, str]:
        """Variant to digest, for one reference."""
        path = self._reference(name, tag)
        try:
            data = json.loads(path.read_text())
        except FileNotFoundError:
            known = [f"{n}:{t}" for n, t in self.list_references()]
            hint = suggest(f"{name}:{tag}", known) or "the store is empty"
            built = "`worldwright catalog` lists the domains that `worldwright generate --domain` builds worlds of"
            raise StoreError(f"the store has no {name}:{tag}; {hint} ({built})") from None
        except (OSError, ValueError, RecursionError) as e:
            raise StoreError(f"{path} cannot be read: {e}") from None
        variants = data.get("variants") if isinstance(data, dict) else None
        if not isinstance(variants, dict) or not variants:
            raise StoreError(f"{path} cannot be read: it names no variants")
        for variant, digest in variants.items():
            if not isinstance(digest, str) or not _DIGEST.match(digest):
                raise StoreError(f"{path} cannot be read: variant {variant!r} has no digest of a pack")
        return variants

    def list_references(self) -> list[tuple[str, str]]:
        """List every (name, tag)."""
        refs = self.root / "refs"
        return sorted((p.parent.name, p.stem) for p in refs.glob("*/[!.]*.json")) if refs.is_dir() else []

    # finding

    def find(self, ref: str) -> Path:
        """The pack of a reference: `name`, `name:tag`, `name:tag/variant`, or a digest (six digits at least)."""
        if _START.match(ref) and not _NAME.match(ref):
            return self.find_digest(ref)
        base, _, variant = ref.partition("/")
        name, _, tag = base.partition(":")
        if _START.match(ref) and (name, tag or "latest") not in self.list_references():
            return self.find_digest(ref)
        variants = self.variants(name, tag or "latest")
        if variant and variant not in variants:
            raise StoreError(f"{base} has no variant {variant}; {suggest(variant, variants)}")
        digest = variants[variant] if variant else list(variants.values())[-1]
        return self.find_digest(digest)

    def find_digest(self, digest: str) -> Path:
        """The pack whose digest starts so."""
        if _DIGEST.match(digest) and digest in self:
            return self.pack_path(digest)
        found = [d for d in self.digests() if d.startswith(digest)]
        if len(found) != 1:
            problem = "no pack" if not found else f"{len(found)} packs"
            raise StoreError(f"the store has {problem} with a digest that starts with {digest}")
        return self.pack_path(found[0])

    def open(self, ref: str) -> Pack:
        return self.pack(_digest_of(self.find(ref).name))


def store_of(place: Path) -> tuple[Store, str] | None:
    """The store and the digest, where a path is that of a pack in a store."""
    digest = _digest_of(place.name)
    inside = digest and place.parent.name == digest[:2] and place.parent.parent.name == "packs"
    return (Store(place.parent.parent.parent), digest) if inside else None


def _digest_of(name: str) -> str:
    digest = name.removesuffix(SUFFIX)
    return digest if name.endswith(SUFFIX) and _DIGEST.match(digest) else ""
