"""What a lock says, in short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary(lock: Mapping[str, Any]) -> dict[str, Any]:
    """A lock without its long lists."""
    notes = [n for n in lock["notes"] if n.get("level") in ("warning", "error")]
    return {
        "anchor": lock["anchor"],
        "title": lock["title"],
        "digest": lock["digest"],
        "inputs": [
            {"kind": i["kind"], "files": len(i.get("files", ())), "bytes": sum(f["bytes"] for f in i.get("files", ()))}
            for i in lock["inputs"]
        ],
        "worlds": lock["worlds"],
        "coverage": {k: {"total": s["total"], "used": s["used"]} for k, s in lock["coverage"].items()},
        "decisions": len(lock["decisions"]),
        "warnings": notes,
    }
