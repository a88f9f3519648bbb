"""What the lock of an anchor says, in short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def summarise_lock(lock: Mapping[str, Any]) -> dict[str, Any]:
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
        "claims": {"total": len(lock["claims"]), **Counter(c.get("about", "unknown") for c in lock["claims"])},
        "decisions": len(lock["decisions"]),
        "warnings": notes,
    }
