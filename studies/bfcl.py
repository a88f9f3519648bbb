"""Transfer: the same checkpoints at single-turn questions of the Berkeley Function Calling Leaderboard, never trained on.

    pip download --no-deps bfcl-eval==2026.3.23                     the questions, the answers and the checker (Apache-2.0)
    python -m studies.bfcl ask --wheel bfcl_eval-*.whl --model FOLDER --out answers.json
    python -m studies.bfcl score --wheel bfcl_eval-*.whl answers.json [MORE.json]

`ask` puts every question once, at temperature 0, in the form that the model was taught: functions as signatures, and a `submit`
to end with. The first call counts. `score` holds it against the package's own checker. Of a question where no function fits, right
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

from studies import compact
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


def rows(wheel: Path, path: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(wheel) as held:
        return [json.loads(line) for line in held.read(f"bfcl_eval/data/{path}").decode().splitlines() if line.strip()]


def questions(wheel: Path, category: str) -> list[dict[str, Any]]:
    return rows(wheel, f"BFCL_v4_{category}.json")


def schema(found: Any) -> Any:
    """Their types by the names that JSON Schema has for them."""
    if isinstance(found, Mapping):
        return {k: _TYPES.get(v, v) if k == "type" and isinstance(v, str) else schema(v) for k, v in found.items()}
    return [schema(one) for one in found] if isinstance(found, list) else found


def asked(question: Mapping[str, Any]) -> tuple[list[Message], list[Tool]]:
    """A question in the form of an episode's beginning."""
    said = [m for turn in question["question"] for m in turn]
    before = " ".join(m["content"] for m in said if m["role"] == "system")
    words = "\n".join(m["content"] for m in said if m["role"] != "system")
    tools = [
        make_function_tool(f["name"], f.get("description", ""), schema(f["parameters"])) for f in question["function"]
    ]
    system: Message = {"role": "system", "content": before or SYSTEM}
    request: Message = {"role": "user", "content": words}
    return [system, request], [*tools, SUBMIT]


def ask(given: argparse.Namespace) -> None:
    import torch  # scoring needs none of these

    from worldwright.agents.chat import parse_tool_calls
    from worldwright.train.plain_engine import PlainEngine, load_model
    from worldwright.train.speak import Choir

    wanted = compact.settings(given.model)
    engine = PlainEngine(wanted, *load_model(wanted))
    engine.begin("sft")
    model, talk = engine.speaker.eval(), engine.talk
    out: dict[str, Any] = {}
    for category in (*CALLS, *NONE):
        every = questions(given.wheel, category)[: given.most or None]
        openings = {at: talk.opening(*asked(one)) for at, one in enumerate(every)}
        fits = sorted((at for at in openings if len(openings[at]) < given.context), key=lambda at: len(openings[at]))
        for begin in range(0, len(fits), given.width):
            some = fits[begin : begin + given.width]
            choir = Choir(model, talk, {at: openings[at] for at in some}, torch.Generator(model.device), 0.0)
            for at, said in choir.turns(given.tokens).items():
                text = talk.text(said.ids)
                calls = [
                    {"name": c.name, "arguments": c.arguments}
                    for c in parse_tool_calls(talk.read(text))
                    if not c.problem
                ]
                out[every[at]["id"]] = {"category": category, "text": text, "calls": calls}
        out |= {
            one["id"]: {"category": category, "text": "", "calls": []} for at, one in enumerate(every) if at not in fits
        }
        print(category, len(every), "questions,", len(every) - len(fits), "too long", flush=True)
    compact.write(given.out, out)


def checker(wheel: Path) -> Any:
    """The package's own. It wants to know about every provider's models; here there is one, whose names keep their dots."""
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


def right(check: Any, wheel: Path, category: str, answers: Mapping[str, Any]) -> Iterator[bool]:
    truths = (
        {}
        if category in NONE
        else {one["id"]: one["ground_truth"] for one in rows(wheel, f"possible_answer/BFCL_v4_{category}.json")}
    )
    for one in questions(wheel, category):
        if one["id"] not in answers:
            continue
        calls = [call for call in answers[one["id"]]["calls"][:1] if call["name"] != "submit"]
        if category in NONE:
            yield not calls
        else:
            said = [{call["name"]: call["arguments"]} for call in calls if isinstance(call["arguments"], dict)]
            yield bool(said) and bool(check(one["function"], said, truths[one["id"]], category))


def score(given: argparse.Namespace) -> None:
    check = checker(given.wheel)
    found = {path.stem: _scores(check, given.wheel, json.loads(path.read_text())) for path in given.answers}
    for name, by in found.items():
        for category, one in by.items():
            print(
                f"{name:24} {category:16} {one['right']:5} of {one['asked']:5}  {one['share']:.1%}  {one['interval']}"
            )
    if given.out:
        compact.write(given.out, found)


def _scores(check: Any, wheel: Path, answers: Mapping[str, Any]) -> dict[str, Any]:
    return {category: _share(list(right(check, wheel, category, answers))) for category in (*CALLS, *NONE)}


def _share(found: Sequence[bool]) -> dict[str, Any]:
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
    parser.add_argument("--most", type=int, default=0, help="of each category")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--context", type=int, default=2_048)
    parser.add_argument("--tokens", type=int, default=200)
    given = parser.parse_intermixed_args(None if words is None else list(words))
    {"ask": ask, "score": score}[given.stage](given)


if __name__ == "__main__":
    main()
