"""One byte form for data, and the digests made from it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: Any) -> bytes:
    """The one JSON form of `value`: sorted keys, no spaces, UTF-8, no NaN."""
    return _ENCODER.encode(value).encode()


def pretty_json(value: Any) -> str:
    """JSON for people and diffs: sorted keys, two spaces, a final newline."""
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hash_file(path: Path) -> str:
    """Hash what a file holds, however large it is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(value: Any) -> str:
    """The digest of data: sha256 over its canonical JSON."""
    return sha256(canonical_json(value))
