"""What the attacks share: packs taken apart and sealed again as an attacker would, hostile Blueprints, and a clock."""

from __future__ import annotations

import copy
import io
import json
import signal
import sqlite3
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.blueprint.siblings import load_cached
from worldwright.core.errors import BlueprintError
from worldwright.engine.world import World
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.kinds.database.state import connect, state_digest
from worldwright.pack.open import check_pack
from worldwright.pack.seal import seal
from worldwright.store.open import world_of
from worldwright.world.manifest import world_digest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "examples" / "town_library.yaml"

Files = dict[str, bytes]
Change = tuple[str, Any]
FACTS = ("name", "kind", "blueprint", "seed", "variant", "parent", "state", "counts")


class Hang(AssertionError):
    """The code under attack did not come back in time."""


class Overflow(AssertionError):
    """The code under attack ran out of stack."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail where something takes more processor time (or ten times that by the clock), or runs out of stack."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang(f"not done after {seconds} seconds")

    timers = ((signal.SIGVTALRM, signal.ITIMER_VIRTUAL, seconds), (signal.SIGALRM, signal.ITIMER_REAL, 10 * seconds))
    before = [signal.signal(number, ring) for number, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    except RecursionError as e:
        raise Overflow(str(e)) from None
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


# packs


def opened(files: Files) -> World:
    """Every check that opening a pack makes, on files in memory."""
    return world_of(check_pack(files))


def resealed(files: Files, **facts: Any) -> Files:
    """Sealed by an attacker who knows how: every digest in the manifest fits the files."""
    manifest = json.loads(files["manifest.json"])
    rest = {path: data for path, data in files.items() if path != "manifest.json"}
    return seal(rest, {**{key: manifest[key] for key in FACTS}, **facts})


def with_state(files: Files, state: bytes) -> Files:
    """The pack with another state.db, sealed with the digest of what that state really holds."""
    schema = load_cached(files["blueprint.yaml"].decode()).schema
    found = json.loads(files["manifest.json"])["state"]
    try:
        with closing(connect(state)) as conn:
            found = state_digest(conn, schema)
    except (sqlite3.Error, MemoryError, UnicodeDecodeError, TypeError):
        pass  # a state that cannot be read has no digest; the old one stays
    return resealed({**files, "state.db": state}, state=found)


def edited(state: bytes, *statements: str) -> bytes:
    """The database after some SQL."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.deserialize(state)
        for sql in statements:
            conn.execute(sql).fetchall()
        return conn.serialize()


def with_manifest(files: Files, change: Callable[[dict[str, Any]], None], redigest: bool = True) -> Files:
    """The pack with another manifest; its own digest is made to fit unless told otherwise."""
    manifest = json.loads(files["manifest.json"])
    change(manifest)
    if redigest:
        manifest["digest"] = world_digest(manifest)
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def tar(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


# Blueprints

MINI: dict[str, Any] = {
    "blueprint": "lab",
    "title": "Lab",
    "now": "2025-06-16T09:00:00Z",
    "systems": {"desk": "the desk"},
    "entities": {
        "thing": {
            "in": "desk",
            "key": "TH-####",
            "rows": 5,
            "fields": {
                "name": "text",
                "kind": "one of plain, fancy",
                "size": "int ~ between(1, 9)",
                "price": "money ~ between(1, 9)",
                "when_made": "time?",
                "part_of": "thing as parts?",
                "status": "state",
            },
            "lifecycle": {"new": ["old"], "old": []},
        }
    },
    "terms": {"bulk": {"about": {"t": "thing"}, "is": "t.size + count(p for p in t.parts)"}},
    "policies": {
        "cap": {
            "about": {"thing": "thing"},
            "rule": "thing.size <= most",
            "parameters": {"most": {"default": 100}},
            "says": "Nothing is larger than {most:int}.",
            "enforced": "agent",
            "cases": [{"allowed": {"thing.size": 100}}, {"forbidden": {"thing.size": 101}}],
        }
    },
    "operations": {
        "rename": {
            "in": "desk",
            "says": "Give a thing another name.",
            "by": "anyone",
            "takes": {"thing": "thing", "name": {"type": "text", "max": 200}},
            "does": [
                {"require": "name != 'forbidden'", "says": "That name is taken."},
                {"obey": ["cap"]},
                {"set": {"thing.name": "name"}},
            ],
            "gives": "thing",
        },
        "resize": {
            "in": "desk",
            "says": "Make a thing larger.",
            "by": "anyone",
            "takes": {"thing": "thing", "size": "int", "factor": "int"},
            "does": [{"set": {"thing.size": "size * factor"}}],
            "gives": {"now": "thing.size"},
        },
        "stamp": {
            "in": "desk",
            "says": "Say when a thing was made.",
            "by": "anyone",
            "takes": {"thing": "thing", "moment": "time", "price": "money?"},
            "does": [{"set": {"thing.when_made": "moment"}}],
            "gives": "thing",
        },
        "find_things": {
            "in": "desk",
            "says": "Search things.",
            "by": "anyone",
            "search": "thing",
            "filters": ["name", "kind", "size", "price", "when_made", "part_of"],
            "sort": ["id", "name", "size"],
        },
        "weigh": {
            "in": "desk",
            "says": "Add everything up.",
            "by": "anyone",
            "takes": {"factor": "int"},
            "gives": {"total": "sum(t.size * factor for t in thing)"},
        },
    },
}


def changed(data: Mapping[str, Any], *changes: Change) -> dict[str, Any]:
    """A copy with some nodes replaced; a path is `operations/rename/does/0/says`."""
    out = copy.deepcopy(dict(data))
    for path, value in changes:
        *above, last = path.split("/")
        here: Any = out
        for part in above:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
        if isinstance(here, list):
            here[int(last)] = value
        else:
            here[last] = value
    return out


def checked(*changes: Change, base: Mapping[str, Any] = MINI, seconds: float = 5) -> Checked:
    """The small Blueprint with an attack in it, through the whole checker."""
    text = dump_yaml(changed(base, *changes))
    with within(seconds):
        return load_text(text)


def attempted(*changes: Change, seconds: float = 5) -> tuple[Checked | None, str]:
    """The Blueprint where the attack was taken, or what the checker said; any other exception is a failure."""
    try:
        return checked(*changes, seconds=seconds), ""
    except BlueprintError as e:
        return None, str(e)


def findings(*changes: Change, seconds: float = 5) -> str:
    """What the checker says about an attack; it has to say something, as a BlueprintError."""
    found, said = attempted(*changes, seconds=seconds)
    assert found is None, "the Blueprint was accepted"
    return said


def refusal(expression: str, seconds: float = 5) -> str:
    """What the checker says about a condition."""
    return findings(("operations/rename/does/0/require", expression), seconds=seconds)
