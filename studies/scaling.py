"""Does it help to train in more families, and in more worlds of each? Everything else is equal: model, steps, what is counted.

    python -m studies.scaling --data DATA --out DIR --model FOLDER [--steps 150] [--seeds 0] [--fields held_out]

Families: 1, 4, 12 and all 20, always 60 to 64 worlds in all. Worlds: 1, 8 and 64 of each of four families.
SFT alone. DATA is what `studies.lines` wrote.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies import compact
from studies.bench import Bench, demonstrations, fields


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--fields", default="held_out")
    parser.add_argument("--most", type=int, default=0, help="of the tasks that are counted, a sample of so many")
    given = parser.parse_args()
    sft = compact.settings(given.model).sft.model_copy(update={"steps": given.steps})
    bench = Bench(given.out, compact.settings(given.model, sft=sft))
    counted_in = fields(given.data, given.fields.split(","), given.most)
    for seed in map(int, given.seeds.split(",")):
        for name, (families, variants) in compact.ARMS.items():
            mine = demonstrations(given.data, families, variants)
            bench.go_back()
            bench.note(
                f"{name}, seed {seed}: {len(mine)} demonstrations of {len({(o.family, o.variant) for o in mine})} worlds"
            )
            bench.taught(f"{name}, seed {seed}", [one.line for one in mine], given.steps, seed)
            bench.counted(f"{name.replace(' ', '_')}-{seed}", counted_in)


if __name__ == "__main__":
    main()
