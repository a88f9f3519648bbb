"""What the store takes and how fast it is: variants of one Blueprint in the store, against a folder for each.

    python -m benchmarks.store [--domain enterprise_procurement] [--variants 8] [--no-tasks] [--json]

The variants differ in their seed. Bytes are those on the disk, with the blocks that files fill up. The plainest deduplication,
a blob for each file, stands beside it. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks._measure import Figure, interleaved, once, table

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.core.canonical import sha256
from worldwright.core.whole_file import replace_file
from worldwright.pack.open import Pack, open_pack
from worldwright.pack.seal import write_pack
from worldwright.store.open import open_world, pack_at
from worldwright.store.stats import count_store
from worldwright.store.store import Store
from worldwright.store.verify import verify
from worldwright.store.zstd import compress


def built(domain: str, variants: int, tasks: bool) -> list[Pack]:
    checked, out = catalogue.load(domain), []
    for seed in range(variants):
        took = once(lambda seed=seed: out.append(build(checked, seed, with_tasks=tasks).pack))  # type: ignore[misc]
        print(f"  seed {seed} built in {took:.1f} s", file=sys.stderr, flush=True)
    return out


def on_disk(folder: Path) -> int:
    """Bytes with the blocks that files fill up, folders too."""
    return sum(path.lstat().st_blocks * 512 for path in (folder, *folder.rglob("*")))


def one_blob_a_file(packs: Sequence[Pack], root: Path) -> None:
    """Every distinct file compressed by itself, under the digest of its content."""
    for pack in packs:
        for data in pack.files.values():
            digest = sha256(data)
            path = root / digest[:2] / digest
            if not path.exists():
                with replace_file(path) as out:
                    out.write(compress(data))


def figures(packs: Sequence[Pack], work: Path) -> list[Figure]:
    store, folders, count = Store(work / "store"), work / "folders", len(packs)

    def put(number: int) -> float:
        return once(lambda: store.put(packs[number].files, packs[number].manifest))

    def written(number: int) -> float:
        return once(lambda: write_pack(packs[number].files, folders / str(number)))

    keep = interleaved(count, put, written, warm_up=0)
    one_blob_a_file(packs, work / "blobs")
    ours, theirs, plain = (on_disk(work / name) / count / 1024 for name in ("store", "folders", "blobs"))
    digests = [pack.manifest.digest for pack in packs]
    places = [store.find_digest(digest) for digest in digests]
    again = interleaved(20 * count, lambda n: once(lambda: pack_at(places[n % count])),
                        lambda n: once(lambda: open_pack(folders / str(n % count))))  # fmt: skip
    world = interleaved(4 * count, lambda n: once(lambda: open_world(places[n % count])),
                        lambda n: once(lambda: open_world(folders / str(n % count))))  # fmt: skip
    return [
        Figure("bytes", f"on the disk, for each of {count} variants", "KiB", ours, "a folder each", theirs, 0.25),
        Figure("bytes_plain", "the same against a blob for each file", "KiB", ours, "a blob for each file", plain, 1),
        Figure("keep", "keep one variant", "s", keep[0], "write it as a folder", keep[1], 1),
        Figure("read", "read one and check every digest", "s", again[0], "from its folder", again[1], 1.2),
        Figure("open", "open one as a world", "s", world[0], "from its folder", world[1], 1.1),
        Figure("verify", "store verify, for each variant", "s", once(lambda: verify(store)) / count),
        Figure("stats", "store stats, for each variant", "s", once(lambda: count_store(store)) / count),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="enterprise_procurement", choices=catalogue.names(), metavar="NAME")
    parser.add_argument("--variants", type=int, default=8)
    parser.add_argument("--no-tasks", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    packs = built(given.domain, given.variants, not given.no_tasks)
    with tempfile.TemporaryDirectory() as work:
        found = figures(packs, Path(work))
    if given.json:
        print(json.dumps({"domain": given.domain, "figures": [f.data() for f in found]}, indent=2))
    else:
        print(table(found))
    return 1 if any(f.holds is False for f in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
