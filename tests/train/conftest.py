"""What tests of trainers need: a dataset, and a model and a tokenizer that are made on the spot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.distill.played import Scripted, elsewhere, record, wrong_answer

from worldwright.agents.protocol import Options, make_agent
from worldwright.distill.make import distill
from worldwright.distill.records import FORMATS, Recipe
from worldwright.engine.world import World

HERE = Path(__file__).parent
WITHOUT_TORCH = {"test_distilled.py", "test_trl_environment.py"}
"""Test files that can be imported without torch; their tests are skipped there, and say why."""
collect_ignore = [] if find_spec("torch") else [p.name for p in HERE.glob("test_*.py") if p.name not in WITHOUT_TORCH]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without the environment these tests are left out; what the libraries warn of is not ours to mend."""
    missing = [name for name in ("torch", "trl", "datasets") if find_spec(name) is None]
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"{', '.join(missing)} missing: `make train-test` brings them"))


@pytest.fixture(scope="session", autouse=True)
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is fetched, and caches are the test's own. One thread: models this small only make others wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        patch.setenv("OMP_NUM_THREADS", "1")
        if find_spec("torch"):
            import torch

            torch.set_num_threads(1)
        yield


@pytest.fixture(scope="session")
def dataset(library_world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All formats, with a held-out domain and reasons."""
    runs = tmp_path_factory.mktemp("runs")
    played = [
        record(library_world, make_agent("oracle"), runs / "good"),
        record(library_world, Scripted("hasty", wrong_answer), runs / "bad"),
        record(library_world, make_agent("random", Options(more={"calls": "3"})), runs / "chance"),
    ]
    played += [elsewhere(run, runs / f"museum-{run.folder.name}", "museum") for run in played]
    out = runs / "data"
    distill([r.folder for r in played], Recipe(FORMATS, likeness=1, reasoning=True), out, parquet=True)
    return out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def tokenizer(dataset: Path) -> Any:
    """Learned from the rows, with Qwen3's chat template as TRL has it for training."""
    from trl.chat_template_utils import qwen3_training_chat_template

    texts = [(dataset / "sft" / f"{side}.jsonl").read_text(encoding="utf-8") for side in ("train", "test")]
    return byte_pairs([text.replace('\\"', '"').replace("\\n", "\n") for text in texts], qwen3_training_chat_template)


@pytest.fixture(scope="session")
def tasks(gym_folder: Path) -> Any:
    """The tasks of two small worlds."""
    from tests.train import small_models

    return small_models.list_tasks(gym_folder)


@pytest.fixture(scope="session")
def plain_tokenizer(tasks: Any) -> Any:
    """A tokenizer that was trained on these tasks, without a chat template."""
    from tests.train import small_models

    return small_models.train_tokenizer(tasks)


@pytest.fixture(scope="session")
def trained(gym_folder: Path, plain_tokenizer: Any) -> Any:
    from tests.train import small_models

    return small_models.train_on_one_task(gym_folder, plain_tokenizer)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    return small_qwen3(tokenizer)


def byte_pairs(texts: list[str], template: str) -> Any:
    """A tokenizer of byte pairs that are frequent in these texts."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=2_000, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = template
    return made


def small_qwen3(tokenizer: Any) -> Any:
    """A Qwen3 of two small layers with random weights."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(7)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=32_768, tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
    )  # fmt: skip
    return Qwen3ForCausalLM(config)
