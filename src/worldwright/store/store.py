"""The local store: packs by digest, names by reference.

    $WORLDWRIGHT_HOME/
    ├── packs/DIGEST/          a sealed pack, written once
    └── refs/NAME/TAG.json     {"variants": {"default-7": DIGEST, ...}}

What lies under a digest is opened only where it is the world of that digest.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from worldwright.core.errors import PackError, StoreError
from worldwright.core.names import nearest
from worldwright.core.whole_file import write_whole
from worldwright.pack.open import MAX_MANIFEST, Pack, open_pack
from worldwright.pack.seal import write_pack
from worldwright.world.manifest import MANIFEST, Manifest

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_START = re.compile(r"[0-9a-f]{6,64}\Z")


def home() -> Path:
    """Where store and anchors live: $WORLDWRIGHT_HOME, or worldwright in the user's data folder."""
    given = os.environ.get("WORLDWRIGHT_HOME")
    if given:
        return Path(given).expanduser()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "worldwright"


class Store:
    """Packs and references under one folder."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root if root is not None else home()

    def pack_path(self, digest: str) -> Path:
        if not _DIGEST.match(digest):
            raise StoreError(f"{digest[:80]!r} is not the digest of a pack")
        return self.root / "packs" / digest

    def put(self, files: dict[str, bytes], manifest: Manifest) -> Path:
        """Keep a sealed pack. Keeping it again is fine: the same digest is the same world."""
        path = self.pack_path(manifest.digest)
        if not path.exists():
            try:
                write_pack(files, path)
            except PackError as e:
                if not path.exists():  # somebody else may have kept the same pack meanwhile
                    raise StoreError(f"the store at {self.root} cannot be written: {e}") from None
        return path

    def tag(self, name: str, tag: str, variant: str, digest: str) -> None:
        """Let `name:tag` have this variant too. The newest comes last."""
        if not _NAME.match(name) or not _TAG.match(tag):
            raise StoreError(f"{name}:{tag} is not a reference; names are lower case, tags letters, digits, _ . -")
        path = self.root / "refs" / name / f"{tag}.json"
        variants = self.variants(name, tag) if path.exists() else {}
        variants.pop(variant, None)
        write_whole(path, json.dumps({"variants": {**variants, variant: digest}}, indent=2) + "\n")

    def variants(self, name: str, tag: str) -> dict[str, str]:
        """Variant to digest, for one reference."""
        if not _NAME.match(name) or not _TAG.match(tag):
            raise StoreError(f"{name}:{tag} is not a reference")
        path = self.root / "refs" / name / f"{tag}.json"
        try:
            data = json.loads(path.read_text())
        except FileNotFoundError:
            known = [f"{n}:{t}" for n, t in self.references()]
            hint = nearest(f"{name}:{tag}", known) or "the store is empty"
            raise StoreError(f"the store has no {name}:{tag}; {hint}") from None
        except (OSError, ValueError, RecursionError) as e:
            raise StoreError(f"{path} cannot be read: {e}") from None
        variants = data.get("variants") if isinstance(data, dict) else None
        if not isinstance(variants, dict) or not variants:
            raise StoreError(f"{path} cannot be read: it names no variants")
        for variant, digest in variants.items():
            if not isinstance(digest, str) or not _DIGEST.match(digest):
                raise StoreError(f"{path} cannot be read: variant {variant!r} has no digest of a pack")
        return variants

    def references(self) -> list[tuple[str, str]]:
        """Every (name, tag)."""
        refs = self.root / "refs"
        return sorted((p.parent.name, p.stem) for p in refs.glob("*/*.json")) if refs.is_dir() else []

    def digests(self) -> list[str]:
        packs = self.root / "packs"
        return sorted(p.name for p in packs.iterdir() if _DIGEST.match(p.name)) if packs.is_dir() else []

    def find(self, ref: str) -> Path:
        """The pack of a reference: `name`, `name:tag`, `name:tag/variant`, or a digest (six digits at least)."""
        if _START.match(ref) and not _NAME.match(ref):
            return self.held(ref)
        base, _, variant = ref.partition("/")
        name, _, tag = base.partition(":")
        if _START.match(ref) and (name, tag or "latest") not in self.references():
            return self.held(ref)
        variants = self.variants(name, tag or "latest")
        if variant and variant not in variants:
            raise StoreError(f"{base} has no variant {variant}; {nearest(variant, variants)}")
        digest = variants[variant] if variant else list(variants.values())[-1]
        return self.held(digest)

    def held(self, digest: str) -> Path:
        """The pack whose digest starts so. What lies under a digest has to be the world of that digest."""
        whole = _DIGEST.match(digest) and self.pack_path(digest).is_dir()
        found = [digest] if whole else [d for d in self.digests() if d.startswith(digest)]
        if len(found) != 1:
            problem = "no pack" if not found else f"{len(found)} packs"
            raise StoreError(f"the store has {problem} with a digest that starts with {digest}")
        path = self.pack_path(found[0])
        if _named_digest(path) != found[0]:
            raise StoreError(f"what the store keeps as {found[0]} is not that pack; remove {path} and build it again")
        return path

    def open(self, ref: str) -> Pack:
        return open_pack(self.find(ref))


def _named_digest(path: Path) -> str:
    """The digest that the pack's own manifest names; opening shows whether it tells the truth."""
    try:
        with (path / MANIFEST).open("rb") as file:
            data = json.loads(file.read(MAX_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(data.get("digest")) if isinstance(data, dict) else ""
