"""Small sealed packs, made in a moment: some files that all share, some that each has alone."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import shake_256

from worldwright.core.canonical import sha256
from worldwright.pack.open import Pack, check_pack
from worldwright.pack.seal import seal


def noise(what: object, size: int) -> bytes:
    """Bytes that do not compress, always the same."""
    return shake_256(repr(what).encode()).digest(size)


SHARED = {
    "blueprint.yaml": b"title: depot\n" + noise("blueprint", 6_000).hex().encode(),
    "tools/lend.py": b"# " + noise("lend", 5_000).hex().encode(),
    "tools/return.py": b"# return\n",
    "policy.md": b"Be kind.\n",
}


def pack_of(files: Mapping[str, bytes], seed: int = 0, name: str = "depot") -> Pack:
    facts = {
        "name": name,
        "kind": "database",
        "blueprint": sha256(files["blueprint.yaml"]),
        "seed": seed,
        "variant": {},
        "parent": "",
        "state": sha256(files["state.db"]),
        "counts": {},
    }
    return check_pack(seal(files, facts))


def variant(seed: int, state: int = 20_000, name: str = "depot") -> Pack:
    """One of many variants: only state, tasks and keys are its own."""
    own = {
        "state.db": noise(("state", seed), state),
        "tasks/task_001.json": b'{"seed": %d}' % seed,
        "keys/task_001.json": b'{"key": %d}' % seed,
    }
    return pack_of({**SHARED, **own}, seed, name)
