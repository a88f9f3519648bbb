"""Sealed worlds that several tests look at, built once per state of the source and shared by all processes of a run.

A world is a pure function of the source, the Blueprint, the seed and what is asked of its tasks. So a build is kept in a folder
that is named after the digest of the source; when the source changes, the folder of the old one goes. Tests that are
about building itself call `worldwright.compiler.build.build`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from worldwright.blueprint.checked import Checked
from worldwright.compiler import build as pipeline
from worldwright.compiler.build import BuiltWorld
from worldwright.engine.contract import Contract
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.knobs import Knobs
from worldwright.pack.open import check_pack

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "worlds"
_spent = [0.0]


def seconds_of_builds() -> float:
    """Say how many processor seconds this process has spent on worlds that are shared."""
    return _spent[0]


@cache
def source_digest() -> str:
    """The digest of every file that a build depends on."""
    found = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in {".py", ".yaml"}:
            found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


@cache
def _folder() -> Path:
    own = KEPT / source_digest()
    own.mkdir(parents=True, exist_ok=True)
    for other in KEPT.iterdir():
        if other != own:
            shutil.rmtree(other, ignore_errors=True)
    return own


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def build(
    checked: Checked,
    seed: int,
    with_tasks: bool = True,
    knobs: Knobs | None = None,
    contract: Contract | None = None,
    battery: BatterySettings = FULL,
) -> BuiltWorld:
    """Build a world, or take it from an earlier test of the same source."""
    asked = sorted((knobs or Knobs()).options().items())
    name = hashlib.sha256(repr((checked.digest, seed, with_tasks, asked, contract, battery.name)).encode()).hexdigest()[
        :24
    ]
    path = _folder() / f"{name}.pickle"
    with _locked(path.with_suffix(".lock")):
        if not path.exists():
            started = time.process_time()
            made = pipeline.build(checked, seed, with_tasks=with_tasks, knobs=knobs, contract=contract, battery=battery)
            new = path.with_suffix(f".{os.getpid()}")
            new.write_bytes(pickle.dumps((dict(made.pack.files), made.figures)))
            new.replace(path)
            _spent[0] += time.process_time() - started
            return made
    files, figures = pickle.loads(path.read_bytes())
    return BuiltWorld(check_pack(files), figures)
