"""Measure a decoding step of many conversations on a GPU: replayed as a CUDA graph, against kernels launched one by one.

    python -m benchmarks.decode_step [--rows N ...] [--prompt-tokens N] [--json]

A model of SmolLM2-135M's shape with random weights in bf16, which costs what the real one does. Every row has so many tokens in its
KV cache and gets one more. Both sides take turns on the same rows, and end with the same logits.
Where there is no GPU nothing is measured.
"""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks._smollm2 import make_smollm2_shaped

SEED = 7
STEPS = 20
MAX_CONTEXT_TOKENS = 1_792


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[8, 32, 128, 512])
    parser.add_argument("--prompt-tokens", type=int, default=1_100, help="tokens of each row in the KV cache")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not find_spec("torch"):
        print("torch is not installed here: nothing was measured")
        return 0
    found = measure(sorted(given.rows), given.prompt_tokens)
    if found is None:
        print("there is no GPU here: nothing was measured")
        return 0
    print(json.dumps(found, indent=2) if given.json else render(found))
    return 0


def measure(rows: list[int], prompt_tokens: int) -> list[dict[str, float]] | None:
    import torch

    from worldwright.train.batch_decoder import ATTENTION_NAME, BatchDecoder, create_graph_decoder

    if not torch.cuda.is_available():
        return None
    model = make_smollm2_shaped(SEED).to("cuda", torch.bfloat16).eval()
    model.set_attn_implementation(ATTENTION_NAME)
    graphed = create_graph_decoder(model, 0, rows[-1], MAX_CONTEXT_TOKENS)
    if graphed is None:
        raise SystemExit("steps cannot be captured on this GPU")
    decoders = {"plain": BatchDecoder(model, 0, rows[-1], MAX_CONTEXT_TOKENS), "replayed": graphed}
    for decoder in decoders.values():
        decoder.append([[(at * 31) % 49_000 for at in range(prompt_tokens)]])
        decoder.gather([0] * rows[-1])
    out = []
    for number in rows:
        seconds: dict[str, list[float]] = {name: [] for name in decoders}
        for step in range(STEPS + 2):
            for name, decoder in decoders.items():
                took = time_step(decoder, [[step + 5]] * number, torch.cuda.synchronize)
                seconds[name] += [took] if step > 1 else []  # the first ones warm up
        ms = {name: 1_000 * median(some) for name, some in seconds.items()}
        out.append({"rows": number, **ms, "ratio": ms["plain"] / ms["replayed"]})
    apart = (decoders["plain"].logits.float() - graphed.logits.float()).abs().max().item()
    scale = graphed.logits.float().abs().max().item()
    if apart > 0.02 * scale:
        raise SystemExit(f"replayed logits differ from computed ones by {apart:.3g} of {scale:.3g}")
    return out


def time_step(decoder: Any, pieces: list[list[int]], wait: Any) -> float:
    wait()
    begin = perf_counter()
    decoder.append(pieces)
    wait()
    return perf_counter() - begin


def render(found: list[dict[str, float]]) -> str:
    lines = ["| rows | kernel by kernel | replayed | times as fast |", "| ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row['rows']:.0f} | {row['plain']:.1f} ms | {row['replayed']:.1f} ms | {row['ratio']:.1f} |"
        for row in found
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
