"""Distilled data in the hands of the libraries that it is made for: `datasets`, a chat template, TRL's own trainers."""

from __future__ import annotations

import json
import math
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.train.conftest import lines

from worldwright.distill.records import FORMATS, TEST, TRAIN
from worldwright.distill.summarise import survives_datasets

FILES = [(fmt, side) for fmt in FORMATS for side in (TRAIN, TEST)]
CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)
RESULT = re.compile(r"<tool_response>\n(.*?)\n</tool_response>", re.DOTALL)
THOUGHT = re.compile(r"<think>\n(.*?)\n</think>", re.DOTALL)


def loaded(dataset: Path, fmt: str, side: str, how: str) -> Any:
    from datasets import load_dataset

    if how == "card":
        return load_dataset(str(dataset), fmt, split=side)
    ending = "jsonl" if how == "json" else how
    return load_dataset(how, data_files={side: str(dataset / fmt / f"{side}.{ending}")}, split=side)


def messages_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return row["messages"] if "messages" in row else [*row["prompt"], *row.get("chosen", ())]


def calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [c["function"] for m in messages for c in m.get("tool_calls") or ()]


# loading


@pytest.mark.parametrize("how", ["card", "json", "parquet"])
@pytest.mark.parametrize(("fmt", "side"), FILES)
def test_rows_come_back_as_they_were_written(dataset: Path, fmt: str, side: str, how: str) -> None:
    written = lines(dataset / fmt / f"{side}.jsonl")
    assert written
    assert list(loaded(dataset, fmt, side, how)) == written


def test_nested_columns_would_give_calls_the_arguments_of_others(dataset: Path) -> None:
    """Why the columns are JSON: this is what becomes of the same rows without."""
    from datasets import Dataset

    rows = [{"messages": row["messages"]} for row in lines(dataset / "sft" / "train.jsonl")]
    merged = Dataset.from_list(rows)
    assert any(None in c["arguments"].values() for row in merged for c in calls(row["messages"]))
    assert not any(None in c["arguments"].values() for row in rows for c in calls(row["messages"]))


@given(
    st.one_of(st.integers(-(10**7), 10**7).map(lambda n: n / 100), st.integers(-(10**5), 10**5).map(lambda n: n / 1000))
)
@settings(max_examples=examples(2_000))
def test_a_number_is_called_exact_where_datasets_keeps_it(value: float) -> None:
    assert survives_datasets(value) == (_through({"a": value}) == {"a": value})


@given(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(-(2**63), 2**63 - 1),
        st.text(st.characters(codec="utf-8")),
    )
)
@settings(max_examples=examples(2_000))
def test_what_is_called_exact_comes_back(value: Any) -> None:
    if survives_datasets(value):
        assert _through({"a": [value]}) == {"a": [value]}


def _through(value: Any) -> Any:
    from datasets import Json

    return Json().decode_example(Json().encode_example(value))


# rendering


@pytest.mark.parametrize("how", ["card", "parquet"])
@pytest.mark.parametrize(("fmt", "side"), FILES)
def test_a_template_writes_every_call_and_result_and_no_more(
    dataset: Path, tokenizer: Any, fmt: str, side: str, how: str
) -> None:
    written = lines(dataset / fmt / f"{side}.jsonl")
    for row, there in zip(loaded(dataset, fmt, side, how), written, strict=True):
        messages = messages_of(there)
        text = tokenizer.apply_chat_template(messages_of(row), tools=row["tools"], tokenize=False)
        head, _, talk = text.partition("<|im_end|>\n")
        assert [json.loads(c) for c in CALL.findall(talk)] == calls(messages)
        assert RESULT.findall(talk) == [m["content"] for m in messages if m["role"] == "tool"]
        assert head.startswith(f"<|im_start|>system\n{messages[0]['content']}")
        listed = head.partition("<tools>\n")[2].partition("\n</tools>")[0]
        assert [json.loads(line) for line in listed.splitlines()] == there["tools"]
        reasons = [m.get("reasoning_content", "") for m in messages if m["role"] == "assistant"]
        assert [t.strip() for t in THOUGHT.findall(talk)] == reasons


def test_reasons_are_among_them(dataset: Path) -> None:
    rows = lines(dataset / "sft" / "train.jsonl")
    assert any(m.get("reasoning_content") for row in rows for m in row["messages"])


def test_every_template_for_tools_that_trl_has_writes_the_calls(dataset: Path) -> None:
    """Not only Qwen's: whatever template takes tools at all writes name and arguments of every call."""
    import trl.chat_template_utils as known
    from transformers.utils.chat_template_utils import render_jinja_template

    row = max(lines(dataset / "sft" / "train.jsonl"), key=lambda r: len(r["messages"]))
    for name in TEMPLATES:
        [text], _ = render_jinja_template(
            [row["messages"]],
            tools=row["tools"],
            chat_template=getattr(known, f"{name}_chat_template"),
            bos_token="",
            eos_token="",
        )
        talk = text.partition(row["messages"][1]["content"])[2]
        at = 0
        for call in calls(row["messages"]):
            at = talk.index(call["name"], at)
            for value in call["arguments"].values():
                assert not isinstance(value, str) or value in talk[at:], (name, call)
        assert "None" not in talk, name


TEMPLATES = (
    "qwen2_5", "qwen3", "qwen3_training", "qwen3_instruct_2507", "qwen3_5_think", "qwen3_6", "qwen3_8", "glm4moe", "gptoss",
    "llama3_1", "llama3_2", "gemma4", "nemotron_3_nano", "deepseekv3_training", "lfm2_2_5",
)  # fmt: skip


# training


def test_one_step_of_sft(dataset: Path, model: Any, tokenizer: Any, tmp_path: Path) -> None:
    from trl import SFTConfig, SFTTrainer

    rows = loaded(dataset, "sft", TRAIN, "card")
    args = SFTConfig(
        output_dir=str(tmp_path), max_steps=1, per_device_train_batch_size=2, max_length=16_384, assistant_only_loss=True,
        use_cpu=True, bf16=False, report_to=[], save_strategy="no", disable_tqdm=True, learning_rate=1e-3,
    )  # fmt: skip
    trainer = SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    for row, there in zip(trainer.train_dataset, rows, strict=True):
        taught = tokenizer.decode([t for t in row["labels"] if t != -100])
        assert [json.loads(c) for c in CALL.findall(taught)] == calls(there["messages"])
        assert "<tool_response>" not in taught
        assert there["messages"][1]["content"] not in taught
    before = [p.detach().clone() for p in model.parameters()]
    done = trainer.train()
    assert math.isfinite(done.training_loss)
    assert any(not a.equal(b) for a, b in zip(before, model.parameters(), strict=True))


def test_one_step_of_dpo(dataset: Path, model: Any, tokenizer: Any, tmp_path: Path) -> None:
    from trl import DPOConfig, DPOTrainer

    rows = loaded(dataset, "dpo", TRAIN, "parquet")
    args = DPOConfig(
        output_dir=str(tmp_path), max_steps=1, per_device_train_batch_size=1, max_length=16_384, use_cpu=True, bf16=False,
        report_to=[], save_strategy="no", disable_tqdm=True, learning_rate=1e-3,
    )  # fmt: skip
    trainer = DPOTrainer(
        model=model, ref_model=deepcopy(model), args=args, train_dataset=rows, processing_class=tokenizer
    )
    assert len(trainer.train_dataset) == len(rows) > 10
    for row, there in zip(trainer.train_dataset, rows, strict=True):
        for side in ("chosen", "rejected"):
            said = tokenizer.decode(row[f"{side}_ids"])
            assert [json.loads(c) for c in CALL.findall(said)] == calls(there[side])
            assert "<tool_response>" not in said
        assert RESULT.findall(tokenizer.decode(row["prompt_ids"])) == [
            m["content"] for m in there["prompt"] if m["role"] == "tool"
        ]
    done = trainer.train()
    assert math.isfinite(done.training_loss)
