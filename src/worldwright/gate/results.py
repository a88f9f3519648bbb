"""Gates as they lie beside the packs: `$WORLDWRIGHT_HOME/gates/DIGEST OF THE PACK/FINGERPRINT OF THE AGENT.json`.

A gate belongs to one pack and one agent. An agent that changes has another fingerprint, so nothing of it is reused by mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldwright.core.canonical import pretty_json
from worldwright.core.errors import StoreError
from worldwright.core.whole_file import write_whole
from worldwright.gate.band import Band
from worldwright.gate.records import ADAPTIVE, FIXED, FORMAT, GateAgent, GateResult, Terms, gate_data
from worldwright.rollout.records import Limits
from worldwright.store.store import find_home

CONTAMINATION = "contamination.json"
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_AGENT = re.compile(r"[0-9a-f]{16}\Z")
_TASK = re.compile(r"task_\d{3,6}\Z")


def find_folder(world: str) -> Path:
    """Return where everything lies that is known of a pack and not part of it."""
    if not _DIGEST.match(world):
        raise StoreError(f"{world[:80]!r} is not the digest of a pack")
    return find_home() / "gates" / world


def path_of(world: str, agent_id: str) -> Path:
    if not _AGENT.match(agent_id):
        raise StoreError(f"{agent_id[:80]!r} is not the fingerprint of an agent")
    return find_folder(world) / f"{agent_id}.json"


def load(world: str, agent_id: str) -> GateResult | None:
    """The gate of a pack by an agent, where there is one."""
    path = path_of(world, agent_id)
    data = read_object(path)
    return None if data is None else _read(path, data)


def load_all(world: str) -> tuple[GateResult, ...]:
    """Load all gates of a pack, the one that was written last at the end."""
    folder = find_folder(world)
    found = [p for p in folder.glob("*.json") if _AGENT.match(p.stem)] if folder.is_dir() else []
    found.sort(key=lambda p: (p.stat().st_mtime_ns, p.name))
    gates = (load(world, p.stem) for p in found)
    return tuple(g for g in gates if g is not None)


def load_latest(world: str) -> GateResult | None:
    """The gate that was written last, whichever agent made it."""
    found = load_all(world)
    return found[-1] if found else None


def load_dropped_tasks(world: str) -> frozenset[str]:
    """Return the tasks that `worldwright contamination --drop` took out."""
    path = find_folder(world) / CONTAMINATION
    data = read_object(path)
    found = [] if data is None else data.get("dropped")
    if not isinstance(found, list) or not all(isinstance(t, str) for t in found):
        raise StoreError(f"{path} cannot be read: it does not say what was dropped")
    return frozenset(found)


def save(gated: GateResult) -> Path:
    path = path_of(gated.world, gated.who.id)
    write(path, gate_data(gated))
    return path


def write(path: Path, data: Mapping[str, Any]) -> None:
    write_whole(path, pretty_json(data))


def read_object(path: Path) -> dict[str, Any] | None:
    """Read what a file of ours holds; None where there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as e:
        raise StoreError(f"{path} cannot be read: {e}; remove it to begin again") from None
    if not isinstance(data, dict):
        raise StoreError(f"{path} cannot be read: it is not an object; remove it to begin again")
    return data


def _read(path: Path, data: Mapping[str, Any]) -> GateResult:
    if data.get("format") != FORMAT:
        raise StoreError(f"{path} is of format {data.get('format')!r}; this version reads {FORMAT}")
    try:
        world, agent, terms, band = data["world"], data["agent"], data["terms"], data["band"]
        found = GateResult(
            str(world["digest"]), str(world["name"]), str(world["variant"]),
            GateAgent(str(agent["name"]), str(agent["id"]), dict(agent["identity"]), bool(agent["sees_key"])),
            Terms(int(terms["seed"]), str(terms["face"]), Limits(**terms["limits"])),
            Band(int(band["low"]), int(band["high"]), int(band["runs"])), str(data["method"]),
            {str(task): _attempts(made) for task, made in data["attempts"].items()},
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise StoreError(f"{path} is no gate: look at {e}; remove it to begin again") from None
    if found.world != path.parent.name or found.who.id != path.stem or found.method not in (FIXED, ADAPTIVE):
        raise StoreError(f"{path} is the gate of another pack or agent; remove it to begin again")
    if any(not _TASK.match(task) for task in found.attempts):
        raise StoreError(f"{path} names tasks that no pack has; remove it to begin again")
    return found


def _attempts(made: Any) -> dict[int, bool]:
    out = {int(number): ok for number, ok in made}
    if any(not isinstance(ok, bool) for ok in out.values()):
        raise ValueError("attempts that neither passed nor failed")
    return out
