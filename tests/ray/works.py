"""What the tests have done by workers."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import worldwright
from worldwright.blueprint.load import load_file
from worldwright.compiler.build import build
from worldwright.core.errors import UsageError

EXAMPLE = Path(__file__).parents[2] / "examples" / "town_library.yaml"


def square(n: int) -> int:
    if n == 13:
        raise UsageError("unlucky")
    if n == 17:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


def parcel(n: int) -> bytes:
    """A result that is too large to travel with the answer: it waits on the machine that made it."""
    time.sleep(0.05)
    return n.to_bytes(4) * 100_000


def world(seed: int) -> tuple[str, dict[str, bytes]]:
    """A world, and its files."""
    pack = build(load_file(EXAMPLE), seed, with_tasks=False).pack
    return pack.manifest.digest, dict(pack.files)


def where(_: int) -> str:
    return str(worldwright.__file__)


def long(task: tuple[str, int]) -> int:
    """Says in a folder who does it, and takes its time."""
    folder, n = task
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(0.1 if n < 2 else 120)
    return n


def names(folder: str) -> list[str]:
    """What is in a folder, as the machine sees it that does this."""
    return sorted(path.name for path in Path(folder).iterdir())
