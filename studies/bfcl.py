"""Transfer: evaluate checkpoints on single-turn questions of the Berkeley Function Calling Leaderboard, never trained on.

    pip download --no-deps bfcl-eval==2026.3.23                     the questions, the answers and the checker (Apache-2.0)
    python -m studies.bfcl ask --wheel bfcl_eval-*.whl --model FOLDER --out answers.json
    python -m studies.bfcl score --wheel bfcl_eval-*.whl answers.json [MORE.json]

`ask` asks every question once, at temperature 0, in the chat format of the training: functions as signatures, and a `submit`
to end with. The first call counts. `score` checks it with the package's own checker. Of a question where no function fits, right
is any answer that calls none of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import types
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from studies import curriculum
from worldwright.agents.chat import Message, Tool, make_function_tool
from worldwright.core.intervals import binomial_interval

CALLS = ("simple_python", "multiple", "live_simple", "live_multiple")
NONE = ("irrelevance",)
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string", "String": "string"}
SYSTEM = "You act as assistant. Do what is asked for with one call of a tool."
SUBMIT = make_function_tool(
    "submit",
    "End.",
    {"type": "object", "properties": {"outcome": {"enum": ["done", "refused"]}}, "required": ["outcome"]},
)


def read_rows(wheel: Path, path: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(wheel) as held:
        return [json.loads(line) for line in held.read(f"bfcl_eval/data/{path}").decode().splitlines() if line.strip()]


def read_questions(wheel: Path, category: str) -> list[dict[str, Any]]:
    return read_rows(wheel, f"BFCL_v4_{category}.json")


def convert_schema(found: Any) -> Any:
    """Rename types to those of JSON Schema."""
    if isinstance(found, Mapping):
        return {
            k: _TYPES.get(v, v) if k == "type" and isinstance(v, str) else convert_schema(v) for k, v in found.items()
        }
    return [convert_schema(one) for one in found] if isinstance(found, list) else found


def make_prompt(question: Mapping[str, Any]) -> tuple[list[Message], list[Tool]]:
    """Make the first messages of an episode, and its tools, from a question."""
    said = [m for turn in question["question"] for m in turn]
    before = " ".join(m["content"] for m in said if m["role"] == "system")
    words = "\n".join(m["content"] for m in said if m["role"] != "system")
    tools = [
        make_function_tool(f["name"], f.get("description", ""), convert_schema(f["parameters"]))
        for f in question["function"]
    ]
    system: Message = {"role": "system", "content": before or SYSTEM}
    request: Message = {"role": "user", "content": words}
    return [system, request], [*tools, SUBMIT]


def ask(given: argparse.Namespace) -> None:
    import torch  # scoring needs none of these

    from worldwright.agents.chat import parse_tool_calls
    from worldwright.train.batch_generator import BatchGenerator
    from worldwright.train.engine import TrainingEngine, load_model

    settings = curriculum.make_settings(given.model)
    engine = TrainingEngine(settings, *load_model(settings))
    engine.start_stage("sft")
    model, chat_format = engine.policy_model, engine.chat_format
    out: dict[str, Any] = {}
    for category in (*CALLS, *NONE):
        every = read_questions(given.wheel, category)[: given.max_questions or None]
        prompts = {at: chat_format.encode_prompt(*make_prompt(one)) for at, one in enumerate(every)}
        fits = sorted(
            (at for at in prompts if len(prompts[at]) < given.max_context_tokens), key=lambda at: len(prompts[at])
        )
        for begin in range(0, len(fits), given.batch_size):
            some = fits[begin : begin + given.batch_size]
            batch = {at: prompts[at] for at in some}
            generator = BatchGenerator(model, chat_format, batch, torch.Generator(model.device), 0.0)
            for at, turn in generator.generate_all(given.max_turn_tokens).items():
                text = chat_format.decode(turn.token_ids)
                parsed = parse_tool_calls(chat_format.parse_response(text))
                calls = [{"name": c.name, "arguments": c.arguments} for c in parsed if not c.problem]
                out[every[at]["id"]] = {"category": category, "text": text, "calls": calls}
        out |= {
            one["id"]: {"category": category, "text": "", "calls": []} for at, one in enumerate(every) if at not in fits
        }
        print(category, len(every), "questions,", len(every) - len(fits), "too long", flush=True)
    curriculum.write_json(given.out, out)


def load_checker(wheel: Path) -> Any:
    """Load the package's checker. It expects a table of models; here it has one, whose function names keep their dots."""
    folder = Path(tempfile.mkdtemp(prefix="bfcl-"))
    with zipfile.ZipFile(wheel) as held:
        held.extractall(folder)
    sys.path.insert(0, str(folder))
    models: Any = types.ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {"ours": types.SimpleNamespace(underscore_to_dot=False)}
    sys.modules["bfcl_eval.constants.model_config"] = models
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return lambda functions, calls, truth, category: ast_checker(
        functions, calls, truth, Language.PYTHON, category, "ours"
    )["valid"]


def check_answers(check: Any, wheel: Path, category: str, answers: Mapping[str, Any]) -> Iterator[bool]:
    truths = (
        {}
        if category in NONE
        else {one["id"]: one["ground_truth"] for one in read_rows(wheel, f"possible_answer/BFCL_v4_{category}.json")}
    )
    for one in read_questions(wheel, category):
        if one["id"] not in answers:
            continue
        calls = [call for call in answers[one["id"]]["calls"][:1] if call["name"] != "submit"]
        if category in NONE:
            yield not calls
        else:
            said = [{call["name"]: call["arguments"]} for call in calls if isinstance(call["arguments"], dict)]
            yield bool(said) and bool(check(one["function"], said, truths[one["id"]], category))


def score(given: argparse.Namespace) -> None:
    check = load_checker(given.wheel)
    found = {path.stem: _score_answers(check, given.wheel, json.loads(path.read_text())) for path in given.answers}
    for name, by in found.items():
        for category, one in by.items():
            print(
                f"{name:24} {category:16} {one['right']:5} of {one['asked']:5}  {one['share']:.1%}  {one['interval']}"
            )
    if given.out:
        curriculum.write_json(given.out, found)


def _score_answers(check: Any, wheel: Path, answers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        category: _compute_share(list(check_answers(check, wheel, category, answers))) for category in (*CALLS, *NONE)
    }


def _compute_share(found: Sequence[bool]) -> dict[str, Any]:
    low, high = binomial_interval(sum(found), len(found), 0.95)
    return {
        "right": sum(found),
        "asked": len(found),
        "share": sum(found) / max(len(found), 1),
        "interval": [round(low, 4), round(high, 4)],
    }


def main(words: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("ask", "score"))
    parser.add_argument("answers", type=Path, nargs="*")
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--model", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--max-questions", type=int, default=0, help="of each category; 0 for all")
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--max-context-tokens", type=int, default=2_048)
    parser.add_argument("--max-turn-tokens", type=int, default=200)
    given = parser.parse_intermixed_args(None if words is None else list(words))
    {"ask": ask, "score": score}[given.stage](given)


if __name__ == "__main__":
    main()
