"""How long a step of many conversations takes on a GPU when it is replayed, against the same step asked for kernel by kernel.

    python -m benchmarks.speaking [--rows N ...] [--told N] [--json]

A model of SmolLM2-135M's shape with random weights in bf16, which costs what the real one does. Every row has read so many tokens
and reads one more. Both sides take turns on the same rows, and end with the same logits. Where there is no GPU nothing is measured.
"""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks._smollm2 import smollm2_shaped

SEED = 7
STEPS = 20
LENGTH = 1_792


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[8, 32, 128, 512])
    parser.add_argument("--told", type=int, default=1_100, help="tokens that each row has read")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not find_spec("torch"):
        print("torch is not installed here: nothing was measured")
        return 0
    found = measured(sorted(given.rows), given.told)
    if found is None:
        print("there is no GPU here: nothing was measured")
        return 0
    print(json.dumps(found, indent=2) if given.json else shown(found))
    return 0


def measured(rows: list[int], told: int) -> list[dict[str, float]] | None:
    import torch

    from worldwright.train import grouped
    from worldwright.train.board import Board, recorded_board

    if not torch.cuda.is_available():
        return None
    model = smollm2_shaped(SEED).to("cuda", torch.bfloat16).eval()
    model.set_attn_implementation(grouped.NAME)
    recorded = recorded_board(model, 0, rows[-1], LENGTH)
    if recorded is None:
        raise SystemExit("steps cannot be recorded on this GPU")
    boards = {"plain": Board(model, 0, rows[-1], LENGTH), "replayed": recorded}
    for board in boards.values():
        board.read([[(at * 31) % 49_000 for at in range(told)]])
        board.deal([0] * rows[-1])
    out = []
    for number in rows:
        seconds: dict[str, list[float]] = {name: [] for name in boards}
        for step in range(STEPS + 2):
            for name, board in boards.items():
                took = timed(board, [[step + 5]] * number, torch.cuda.synchronize)
                seconds[name] += [took] if step > 1 else []  # the first ones warm up
        ms = {name: 1_000 * median(some) for name, some in seconds.items()}
        out.append({"rows": number, **ms, "ratio": ms["plain"] / ms["replayed"]})
    apart = (boards["plain"].logits.float() - recorded.logits.float()).abs().max().item()
    scale = recorded.logits.float().abs().max().item()
    if apart > 0.02 * scale:
        raise SystemExit(f"what is replayed is not what is computed: logits differ by {apart:.3g} of {scale:.3g}")
    return out


def timed(board: Any, pieces: list[list[int]], wait: Any) -> float:
    wait()
    begin = perf_counter()
    board.read(pieces)
    wait()
    return perf_counter() - begin


def shown(found: list[dict[str, float]]) -> str:
    lines = ["| rows | kernel by kernel | replayed | times as fast |", "| ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row['rows']:.0f} | {row['plain']:.1f} ms | {row['replayed']:.1f} ms | {row['ratio']:.1f} |"
        for row in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
