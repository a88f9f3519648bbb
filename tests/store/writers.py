"""Processes that write to one store at once, and are killed: run by tests as a program, so that they can fork.

python writers.py many ROOT        some keep packs and give them names while one sweeps
python writers.py killed ROOT      one keeps packs and is killed again and again, at any moment
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.store.packs import SHARED, noise, pack_of

from worldwright.pack.open import Pack
from worldwright.store.stats import find_tagged
from worldwright.store.store import Store
from worldwright.store.sweep import sweep

WRITERS, PACKS, KILLS = 3, 40, 60


def numbered(writer: int, number: int, size: int = 20_000) -> Pack:
    """A pack whose state other writers have too, at about the same time."""
    own = {"state.db": noise(number, size), "tasks/task_001.json": b"%d %d" % (writer, number)}
    return pack_of({**SHARED, **own}, seed=1_000 * writer + number)


def child(work: Callable[[], None]) -> int:
    """The process that does it."""
    made = os.fork()
    if made == 0:
        work()
        os._exit(0)
    return made


def many(store: Store) -> None:
    def write(writer: int) -> None:
        for number in range(PACKS):
            pack = numbered(writer, number)
            store.put(pack.files, pack.manifest)
            store.tag("depot", "latest", f"{writer}-{number}", pack.manifest.digest)

    def clean() -> None:
        """Packs from long ago that share what the writers are about to need, swept away under their hands."""
        for number in range(PACKS):
            old = numbered(99, number)
            os.utime(store.put(old.files, old.manifest), (1, 1))
            sweep(store, before=2.0, untagged=True)

    working = [child(lambda writer=writer: write(writer)) for writer in range(WRITERS)] + [child(clean)]  # type: ignore[misc]
    failed = [made for made in working if os.waitpid(made, 0)[1] != 0]
    sys.exit(len(failed))


def killed(store: Store) -> None:
    """Whoever follows goes on where the last one was. Says how many packs came to be."""
    chance = random.Random(7)
    seen: set[str] = set()
    for _ in range(KILLS):

        def write() -> None:
            for number in count(len(seen)):
                pack = numbered(1, number, 60_000)
                store.put(pack.files, pack.manifest)
                store.tag("depot", "latest", f"{number}", pack.manifest.digest)

        made = child(write)
        time.sleep(chance.uniform(0, 0.1))
        os.kill(made, signal.SIGKILL)
        if not os.WIFSIGNALED(os.waitpid(made, 0)[1]):
            sys.exit("a writer ended by itself")
        for digest in {*store.digests(), *find_tagged(store)} - seen:
            store.pack(digest)
            seen.add(digest)
    print(len(seen))


if __name__ == "__main__":
    {"many": many, "killed": killed}[sys.argv[1]](Store(Path(sys.argv[2])))
