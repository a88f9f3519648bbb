"""What images cost beside the packs they are made of: fifty worlds of one family, in one run.

    python -m benchmarks.images [--domain enterprise_procurement] [--worlds 50] [--workers 2] [--gym REF] [--base IMAGE] [--json]

The worlds differ in their seed. `--gym` takes packs that are there already in place of building them. The base is
$WORLDWRIGHT_BASE or .oci/base.tar, which `make oci-test` makes. Bytes are those of files, a file with two names counted once.
`seconds` are those of one core, which does all of it; `elapsed` are those of the clock. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

from benchmarks._measure import Figure, once, table

from worldwright import catalogue
from worldwright.compiler.build import build, name_variant
from worldwright.core.pool import map_in_processes
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.oci.base import read_base
from worldwright.store.oci.gym import GRADER, WORLDS, write_gym
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.local_store import open_packs
from worldwright.store.oci.runtime import make_runtime
from worldwright.store.store import Store

MADE = Path(".oci/base.tar")
MIB = 1024 * 1024
Named = tuple[str, Pack]


def built(domain: str, seed: int) -> Named:
    checked = catalogue.load(domain)
    return name_variant(checked, seed), build(checked, seed).pack


def worlds(given: argparse.Namespace) -> tuple[list[Named], float]:
    """The packs, and the seconds that building them took."""
    begin, out = perf_counter(), []
    if given.gym:
        return list(open_packs(given.gym)), 0.0
    for outcome in map_in_processes(partial(built, given.domain), range(given.worlds), given.workers):
        if outcome.result is None:
            raise SystemExit(f"seed {outcome.item} could not be built: {outcome.error}")
        out.append(outcome.result)
        print(f"  {len(out)} of {given.worlds} worlds, {perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    return sorted(out, key=lambda named: named[1].manifest.seed), perf_counter() - begin


def size(*folders: Path) -> float:
    """MiB of the files in some folders."""
    found = [path.stat() for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sum({(s.st_dev, s.st_ino): s.st_size for s in found}.values()) / MIB


def figures(packs: Sequence[Named], building: float, source: str, work: Path) -> list[Figure]:
    folders, images, count = work / "folders", work / "images", len(packs)
    store, workshop = Store(work / "store"), LayerCache(work / "workshop")
    for variant, pack in packs:
        write_pack(pack.files, folders / variant)
    keeping = once(lambda: [store.put(pack.files, pack.manifest) for _, pack in packs])
    first = perf_counter()
    base = read_base(source, workshop)
    runtime = make_runtime(base.python, workshop)
    first = perf_counter() - first

    def again(folder: Path, some: Sequence[Named]) -> None:
        found = read_base(source, workshop)
        write_gym(some, found, make_runtime(found.python, workshop), workshop, folder)

    begin = perf_counter()
    seconds = once(lambda: again(images, packs), process_time)
    elapsed = perf_counter() - begin
    one = once(lambda: again(work / "one", packs[:1]))
    shared = sum(blob.size for blob in (*base.layers, *runtime.layers)) / MIB
    everything, graders = size(images), size(images / GRADER)
    worlds_only = size(images / WORLDS)
    alone = f"{count} packs as folders"
    return [
        Figure("bytes", f"{count} images, their graders, base and runtime", "MiB", everything, alone, size(folders), 1.3),
        Figure("bytes_same", "the same without base and runtime", "MiB", everything - shared,
               "the packs as artifacts, compressed alike", graders, 1.3),
        Figure("bytes_store", "the same again", "MiB", everything - shared, "the packs in the store", size(store.root)),
        Figure("shared", "base and runtime, there once", "MiB", shared),
        Figure("handed_out", "all that agents get: images, base and runtime", "MiB", worlds_only,
               "an image of one world", size(work / "one" / WORLDS)),
        Figure("seconds", f"more for {count} images and graders, of one core", "s", seconds, "", None, 5.0, True),
        Figure("elapsed", "the same by the clock", "s", elapsed, "building and keeping the packs",
               building + keeping if building else None),
        Figure("one", "more for an image of one world", "s", one),
        Figure("first", "once: reading the base, installing the runtime", "s", first),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="enterprise_procurement", choices=catalogue.names(), metavar="NAME")
    parser.add_argument("--worlds", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--gym", metavar="REF", default="")
    parser.add_argument("--base", metavar="IMAGE", default=os.environ.get("WORLDWRIGHT_BASE") or str(MADE))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.base == str(MADE) and not MADE.exists():
        print(f"left out: there is no base at {MADE}; make {MADE} makes one (Debian), or name another with --base")
        return 0
    packs, building = worlds(given)
    with tempfile.TemporaryDirectory() as work:
        found = figures(packs, building, given.base, Path(work))
    if given.json:
        print(json.dumps({"worlds": len(packs), "figures": [f.data() for f in found]}, indent=2))
    else:
        print(table(found))
    return 1 if any(f.holds is False for f in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
